import assert from 'node:assert/strict';
import { after, describe, it, type TestContext } from 'node:test';
import type { Actor, Transaction } from '../../../src/kernel/database/store.ts';
import type { TransformEachTask, TransformTask } from '../../../src/kernel/xml/sandbox/sandbox.ts';
import { testPlatform } from '../../support/platform.ts';
import { sheet, workflowCalls } from '../../support/work/workflows.ts';

const p = await testPlatform({ after });
const { template, newCase, start, stepStatuses, stepNamed, refused } = workflowCalls(p);

const asks = (
  name: string,
  condition: string,
  after: readonly string[] = [],
): { name: string; after: readonly string[]; DecisionStepTemplateType: string; StepXslt: string } => ({
  name,
  after,
  DecisionStepTemplateType: 'IfThen',
  StepXslt: sheet(condition),
});
/** Takes longer than a stylesheet may, and goes no deeper than it may. */
const endless = sheet('true()').replace(
  '<xsl:choose>',
  `<xsl:variable name="n" select="//*"/>${'<xsl:for-each select="$n">'.repeat(24)}<xsl:if test="false()">x</xsl:if>${'</xsl:for-each>'.repeat(24)}<xsl:choose>`,
);

/** Notes what the sandbox is asked: how many stylesheets in each go. */
function watch(t: TestContext): number[] {
  const { sandbox } = p.platform;
  const goes: number[] = [];
  const [each, one] = [sandbox.transformEach.bind(sandbox), sandbox.transform.bind(sandbox)];
  t.mock.method(
    sandbox,
    'transformEach',
    (task: TransformEachTask) => (goes.push(task.stylesheets.length), each(task)),
  );
  t.mock.method(sandbox, 'transform', (task: TransformTask) => (goes.push(1), one(task)));
  return goes;
}

/** Notes how many statements are still being answered whenever a part of a transaction begins that may fail alone, or is no longer in the name of the platform. */
function watchStatements(t: TestContext): number[] {
  const { store } = p.platform;
  const underWay: number[] = [];
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
      // What nobody waits for is under way by design.
      later: (text: string, params: readonly unknown[]) => {
        isAwaited = false;
        later(text, params);
        isAwaited = true;
      },
      savepoint: <T>(part: () => Promise<T>) => (underWay.push(pending), savepoint(part)),
      actingAs: <T>(personId: number, part: () => Promise<T>) =>
        actingAs(personId, () => part().finally(() => underWay.push(pending))),
    });
  };
  t.mock.method(
    store,
    'transaction',
    (actor: Actor, work: (transaction: Transaction) => Promise<unknown>, mode?: 'read' | 'write') =>
      run(actor, (transaction) => work(watched(transaction)), mode),
  );
  return underWay;
}

describe('if/then steps that follow one another on an unchanged case', () => {
  it('WF-04 are asked in one go, whichever way the results lead', async (t) => {
    await template('Ways', [
      asks('In Ohio', "//State = 'OH'"),
      asks('In Iowa', "//State = 'IA'", ['In Ohio=0']),
      asks('In Utah', "//State = 'UT'", ['In Iowa=0']),
      { name: 'Nowhere', after: ['In Utah=0'] },
      { name: 'Somewhere', after: [['In Ohio=1', 'In Iowa=1', 'In Utah=1'] as never] },
    ]);
    const goes = watch(t);
    const { DecisionID } = await start('Ways', await newCase());
    assert.deepEqual(await stepStatuses(DecisionID), [
      'In Ohio Complete',
      'In Iowa Complete',
      'In Utah Complete',
      'Nowhere Pending',
    ]);
    assert.deepEqual(goes, [3]);
  });

  it('WF-04 WF-10 see what a step between them has changed of the case', async (t) => {
    await template('Changing', [
      asks('Before', "string(//Status) = 'Changed'"),
      {
        name: 'Change',
        after: ['Before'],
        Object: 'Foreclosure',
        Operation: 'Save',
        Parameters: 'ID={ForeclosureID}&Status=Changed',
      },
      asks('After', "//ForeclosureItem/Status = 'Changed' or //Status = 'Changed'", ['Change']),
      asks('Last', "//Status = 'Changed'", ['After']),
    ]);
    const goes = watch(t);
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
    // What comes after the change is not asked before it.
    assert.deepEqual(goes, [1, 2]);
  });

  it('WF-04 WF-09 a stylesheet that fails or never ends does not matter on a path not taken; on the path taken it is reported as the error of its own step', async (t) => {
    const broken = { ...asks('Broken', 'true()', ['First=1']), StepXslt: sheet('$nothing = 1') };
    await template('Broken ahead', [asks('First', 'false()'), broken, { name: 'Other', after: ['First=0'] }]);
    assert.deepEqual(await stepStatuses((await start('Broken ahead', await newCase()))['DecisionID']), [
      'First Complete',
      'Other Pending',
    ]);
    await template('Broken on the way', [asks('First', 'true()'), broken, { name: 'Other', after: ['First=1'] }]);
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
      asks('First', 'false()'),
      { ...asks('Endless', 'true()', ['First=1']), StepXslt: endless },
      { name: 'Other', after: ['First=0'] },
    ]);
    const goes = watch(t);
    for (let n = 0; n < 2; n++)
      assert.deepEqual(await stepStatuses((await start('Endless ahead', await newCase()))['DecisionID']), [
        'First Complete',
        'Other Pending',
      ]);
    // It was stopped with the first, and is never evaluated speculatively again.
    assert.deepEqual(goes, [2, 1, 1]);
  });

  it("WF-04 WF-10 have read the case before a step is begun that may fail, and before the work in the platform's name ends", async (t) => {
    await p.admin.post('/api/role/save', { Role: 'Starter', Permissions: 'DecisionSave' });
    const { organizationId, caller } = await p.firm('Firm of the watched case', 'Partner, Starter');
    const failing = {
      name: 'Fails',
      Object: 'Foreclosure',
      Operation: 'Save',
      Parameters: 'ID=999999999&Status=Never',
    };
    await template('Fails first', [failing, asks('Asked', 'true()')]);
    await template('Asks later', [{ ...asks('Asked', 'true()'), ReferenceDate: 'ScheduledSaleDate' }], {
      EnforceStartDates: true,
    });
    const caseId = await newCase({
      OrganizationID: organizationId,
      ScheduledSaleDate: '2098-03-04',
      Loan_Loan: 'Loan of the case',
      Loan_Property_Property: 'Its house',
    });
    const underWay = watchStatements(t);
    const started = async (Template: string): Promise<number> =>
      (await caller.post('/api/decision/save', { Template, Object: 'Foreclosure', ObjectID: caseId })).status;
    assert.deepEqual([await started('Fails first'), await started('Asks later')], [422, 200]);
    assert.ok(underWay.length >= 3);
    assert.deepEqual(new Set(underWay), new Set([0]));
  });

  it('WF-04 one that makes more than a yes or no is asked by itself', async (t) => {
    // Spaces count for nothing.
    const wordy = sheet('true()').replace('<xsl:choose>', `<xsl:text>${' '.repeat(70_000)}</xsl:text><xsl:choose>`);
    await template('Wordy', [
      asks('First', 'true()'),
      { ...asks('Wordy', '', ['First=1']), StepXslt: wordy },
      asks('Last', 'true()', ['Wordy=1']),
    ]);
    const goes = watch(t);
    const { DecisionID } = await start('Wordy', await newCase());
    assert.deepEqual(await stepStatuses(DecisionID), ['First Complete', 'Wordy Complete', 'Last Complete']);
    assert.deepEqual(goes, [3, 1]);
  });

  it('WF-04 forty in a row are asked sixteen ahead at a time', async (t) => {
    await template(
      'Forty',
      Array.from({ length: 40 }, (_, n) => asks(`Step ${n}`, `${n} = ${n}`, n === 0 ? [] : [`Step ${n - 1}`])),
    );
    const goes = watch(t);
    const { DecisionID } = await start('Forty', await newCase());
    assert.equal((await stepStatuses(DecisionID)).length, 40);
    assert.deepEqual(goes, [17, 17, 6]);
  });
});
