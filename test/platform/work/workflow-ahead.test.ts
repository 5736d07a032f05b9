import assert from 'node:assert/strict';
import { after, describe, it, type TestContext } from 'node:test';
import type { Actor, Transaction } from '../../../src/kernel/database/store.ts';
import type { TransformEachTask, TransformTask } from '../../../src/kernel/xml/sandbox/sandbox.ts';
import { testPlatform } from '../../support/platform.ts';
import { sheet, workflowCalls } from '../../support/work/workflows.ts';

// One test waits for a stylesheet that never ends to be stopped.
const p = await testPlatform({ after }, { stylesheetSeconds: 1 });
const { template, newCase, start, stepStatuses, stepNamed, refused } = workflowCalls(p);

const ifThen = (
  name: string,
  condition: string,
  after: readonly string[] = [],
): { name: string; after: readonly string[]; DecisionStepTemplateType: string; StepXslt: string } => ({
  name,
  after,
  DecisionStepTemplateType: 'IfThen',
  StepXslt: sheet(condition),
});
/** Runs longer than a stylesheet may, within the allowed nesting depth. */
const endless = sheet('true()').replace(
  '<xsl:choose>',
  [
    '<xsl:variable name="n" select="//*"/>',
    '<xsl:for-each select="$n">'.repeat(24),
    '<xsl:if test="false()">x</xsl:if>',
    '</xsl:for-each>'.repeat(24),
    '<xsl:choose>',
  ].join(''),
);

/**
 * Records how many stylesheets each message to the sandbox carries. All of a message are evaluated, however long that
 * takes on a busy machine.
 */
function watchSandbox(t: TestContext): number[] {
  const { sandbox } = p.platform;
  const batches: number[] = [];
  const [each, one] = [sandbox.transformEach.bind(sandbox), sandbox.transform.bind(sandbox)];
  t.mock.method(
    sandbox,
    'transformEach',
    ({ softDeadlineMs: _, ...task }: TransformEachTask) => (batches.push(task.stylesheets.length), each(task)),
  );
  t.mock.method(sandbox, 'transform', (task: TransformTask) => (batches.push(1), one(task)));
  return batches;
}

/** Records the number of unanswered statements at each savepoint and at the end of each block run as another actor. */
function watchStatements(t: TestContext): number[] {
  const { store } = p.platform;
  const unanswered: number[] = [];
  const run = store.transaction.bind(store);
  const watched = (transaction: Transaction): Transaction => {
    let pending = 0;
    let isAwaited = true;
    const [query, later, savepoint, actingAs] = [
      transaction.query.bind(transaction),
      transaction.later.bind(transaction),
      transaction.savepoint.bind(transaction),
      transaction.actingAs.bind(transaction),
    ];
    return Object.assign(transaction, {
      query: async (text: string, params?: readonly unknown[]) => {
        if (!isAwaited) return query(text, params);
        pending++;
        return query(text, params).finally(() => pending--);
      },
      // Statements that are not awaited may still be running.
      later: (text: string, params: readonly unknown[]) => {
        isAwaited = false;
        later(text, params);
        isAwaited = true;
      },
      savepoint: <T>(part: () => Promise<T>) => (unanswered.push(pending), savepoint(part)),
      actingAs: <T>(personId: number, part: () => Promise<T>) =>
        actingAs(personId, () => part().finally(() => unanswered.push(pending))),
    });
  };
  t.mock.method(
    store,
    'transaction',
    (actor: Actor, work: (transaction: Transaction) => Promise<unknown>, mode?: 'read' | 'write') =>
      run(actor, (transaction) => work(watched(transaction)), mode),
  );
  return unanswered;
}

describe('consecutive if/then steps on an unchanged case', () => {
  it('WF-04 are evaluated in one message to the sandbox, whichever way the results lead', async (t) => {
    await template('Ways', [
      ifThen('In Ohio', "//State = 'OH'"),
      ifThen('In Iowa', "//State = 'IA'", ['In Ohio=0']),
      ifThen('In Utah', "//State = 'UT'", ['In Iowa=0']),
      { name: 'Nowhere', after: ['In Utah=0'] },
      { name: 'Somewhere', after: [['In Ohio=1', 'In Iowa=1', 'In Utah=1'] as never] },
    ]);
    const batches = watchSandbox(t);
    const { DecisionID } = await start('Ways', await newCase());
    assert.deepEqual(await stepStatuses(DecisionID), [
      'In Ohio Complete',
      'In Iowa Complete',
      'In Utah Complete',
      'Nowhere Pending',
    ]);
    assert.deepEqual(batches, [3]);
  });

  it('WF-04 WF-10 see what a step between them has changed in the case', async (t) => {
    await template('Changing', [
      ifThen('Before', "string(//Status) = 'Changed'"),
      {
        name: 'Change',
        after: ['Before'],
        Object: 'Foreclosure',
        Operation: 'Save',
        Parameters: 'ID={ForeclosureID}&Status=Changed',
      },
      ifThen('After', "//ForeclosureItem/Status = 'Changed' or //Status = 'Changed'", ['Change']),
      ifThen('Last', "//Status = 'Changed'", ['After']),
    ]);
    const batches = watchSandbox(t);
    const { DecisionID } = await start('Changing', await newCase());
    assert.deepEqual(await stepStatuses(DecisionID), [
      'Before Complete',
      'Change Complete',
      'After Complete',
      'Last Complete',
    ]);
    assert.deepEqual(
      await Promise.all(['Before', 'After', 'Last'].map(async (name) => (await stepNamed(DecisionID, name))['IsTrue'])),
      [false, true, true],
    );
    // The steps after the change are not evaluated before it.
    assert.deepEqual(batches, [1, 2]);
  });

  it('WF-04 WF-09 a stylesheet that fails or never ends has no effect on a path not taken; on the path taken, its own step is in Error', async (t) => {
    const broken = { ...ifThen('Broken', 'true()', ['First=1']), StepXslt: sheet('$nothing = 1') };
    await template('Broken ahead', [ifThen('First', 'false()'), broken, { name: 'Other', after: ['First=0'] }]);
    assert.deepEqual(await stepStatuses((await start('Broken ahead', await newCase()))['DecisionID']), [
      'First Complete',
      'Other Pending',
    ]);
    await template('Broken on the way', [ifThen('First', 'true()'), broken, { name: 'Other', after: ['First=1'] }]);
    const error = await refused(
      p.admin.post('/api/decision/save?Output=Json', {
        Template: 'Broken on the way',
        Object: 'Foreclosure',
        ObjectID: await newCase(),
      }),
      422,
    );
    assert.match(String(error['Message']), /^Step "Broken" failed: .*nothing/);
    assert.equal(error['FailureCode'], 'BAD_OUTPUT');

    await template('Endless ahead', [
      ifThen('First', 'false()'),
      { ...ifThen('Endless', 'true()', ['First=1']), StepXslt: endless },
      { name: 'Other', after: ['First=0'] },
    ]);
    const batches = watchSandbox(t);
    for (let n = 0; n < 2; n++)
      assert.deepEqual(await stepStatuses((await start('Endless ahead', await newCase()))['DecisionID']), [
        'First Complete',
        'Other Pending',
      ]);
    // It was stopped along with the first one and is not evaluated speculatively again.
    assert.deepEqual(batches, [2, 1, 1]);
  });

  it("WF-04 WF-10 have read the case before a step that may fail begins, and before the work in the platform's name ends", async (t) => {
    await p.admin.post('/api/role/save', { Role: 'Starter', Permissions: 'DecisionSave' });
    const { organizationId, caller } = await p.firm('Firm of the watched case', 'Partner, Starter');
    const failing = {
      name: 'Fails',
      Object: 'Foreclosure',
      Operation: 'Save',
      Parameters: 'ID=999999999&Status=Never',
    };
    await template('Fails first', [failing, ifThen('Asked', 'true()')]);
    await template('Asks later', [{ ...ifThen('Asked', 'true()'), ReferenceDate: 'ScheduledSaleDate' }], {
      EnforceStartDates: true,
    });
    const caseId = await newCase({
      OrganizationID: organizationId,
      ScheduledSaleDate: '2098-03-04',
      Loan_Loan: 'Loan of the case',
      Loan_Property_Property: 'Its house',
    });
    const unanswered = watchStatements(t);
    const started = async (Template: string): Promise<number> =>
      (await caller.post('/api/decision/save', { Template, Object: 'Foreclosure', ObjectID: caseId })).status;
    assert.deepEqual([await started('Fails first'), await started('Asks later')], [422, 200]);
    assert.ok(unanswered.length >= 3);
    assert.deepEqual(new Set(unanswered), new Set([0]));
  });

  it('WF-04 one with more output than a yes or no is evaluated on its own', async (t) => {
    // Whitespace around the result is ignored.
    const wordy = sheet('true()').replace('<xsl:choose>', `<xsl:text>${' '.repeat(70_000)}</xsl:text><xsl:choose>`);
    await template('Wordy', [
      ifThen('First', 'true()'),
      { ...ifThen('Wordy', '', ['First=1']), StepXslt: wordy },
      ifThen('Last', 'true()', ['Wordy=1']),
    ]);
    const batches = watchSandbox(t);
    const { DecisionID } = await start('Wordy', await newCase());
    assert.deepEqual(await stepStatuses(DecisionID), ['First Complete', 'Wordy Complete', 'Last Complete']);
    assert.deepEqual(batches, [3, 1]);
  });

  it('WF-04 forty in a row are evaluated up to sixteen ahead at a time', async (t) => {
    await template(
      'Forty',
      Array.from({ length: 40 }, (_, n) => ifThen(`Step ${n}`, `${n} = ${n}`, n === 0 ? [] : [`Step ${n - 1}`])),
    );
    const batches = watchSandbox(t);
    const { DecisionID } = await start('Forty', await newCase());
    assert.equal((await stepStatuses(DecisionID)).length, 40);
    assert.deepEqual(batches, [17, 17, 6]);
  });
});
