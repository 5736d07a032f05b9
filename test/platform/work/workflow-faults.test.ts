import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import type { Clock } from '../../../src/kernel/time/clock.ts';
import { defineOperation, handle } from '../../../src/kernel/declare/operation.ts';
import { matrixCalls } from '../../support/rules/matrices.ts';
import { testPlatform } from '../../support/platform.ts';
import { rowsOf, sheet, workflowCalls } from '../../support/work/workflows.ts';

/** The system clock, shifted to the instant that a test sets. */
class ShiftedClock implements Clock {
  private offset = 0;
  milliseconds(): number {
    return Date.now() + this.offset;
  }
  now(): string {
    return new Date(this.milliseconds()).toISOString();
  }
  set(instant: string): void {
    this.offset = Date.parse(instant) - Date.now();
  }
}

/** An operation that exceeds the statement timeout. */
const operation = defineOperation({
  module: 'foreclosure',
  name: 'TakesTooLong',
  method: 'POST',
  summary: 'Exceeds the statement timeout.',
  effect: 'write',
  idempotent: false,
  access: 'permission',
  params: {},
  returns: 'nothing',
  errors: ['TIMED_OUT'],
  source: 'a test',
});
const run = handle(operation, async (ctx) => {
  await ctx.db.query("insert into contact (object, lastname) values ('Foreclosure', 'Half done')");
  await ctx.db.query("select set_config('statement_timeout', '30', true)");
  await ctx.db.query('select pg_sleep(20)');
  return { kind: 'nothing' };
});

const clock = new ShiftedClock();
const p = await testPlatform(
  { after },
  // A test waits for a stylesheet that never ends to be stopped.
  { clock, fixture: { declarations: { operations: [{ operation, run }] } }, stylesheetSeconds: 1 },
);
const { ok, refused, save, template, newCase, start, steps, stepStatuses, decision, complete, stepNamed } =
  workflowCalls(p);
const { saveWhole } = matrixCalls(p);

const contact = (name: string): Record<string, string> => ({
  Object: 'Contact',
  Operation: 'Save',
  Parameters: `Object=Foreclosure&ObjectID={ForeclosureID}&LastName=${name}`,
});
const rows = <R extends object>(text: string, values: readonly unknown[] = []): Promise<R[]> =>
  p.platform.store.query<R>(text, values);
const post = (path: string, body: object): ReturnType<typeof p.admin.post> =>
  p.admin.post(`/api/${path}?Output=Json`, body);
const decisionOn = async (caseId: number): Promise<number> =>
  (await rows<{ id: number }>('select decisionid as id from decision where objectid = $1::bigint', [caseId]))[0]?.id ??
  0;

/** A stylesheet whose template calls itself twice, forty levels deep. */
const endless = [
  '<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"><xsl:output method="text"/>',
  '<xsl:template match="/">',
  '<xsl:call-template name="on"><xsl:with-param name="n" select="40"/></xsl:call-template>',
  '</xsl:template>',
  '<xsl:template name="on"><xsl:param name="n"/><xsl:if test="$n &gt; 0">',
  '<xsl:call-template name="on"><xsl:with-param name="n" select="$n - 1"/></xsl:call-template>',
  '<xsl:call-template name="on"><xsl:with-param name="n" select="$n - 1"/></xsl:call-template>',
  '</xsl:if></xsl:template></xsl:stylesheet>',
].join('');

describe('a failing step', () => {
  it('WF-09 fails each time it is started, each time with its own error log entry, and leaves nothing else behind', async () => {
    await template('Always wrong', [
      { name: 'Wrong', Object: 'Foreclosure', Operation: 'Save', Parameters: 'ID={ForeclosureID}&SaleAmount=much' },
      { name: 'After', ...contact('After'), after: ['Wrong'] },
    ]);
    const caseId = await newCase();
    await refused(post('decision/save', { Template: 'Always wrong', Object: 'Foreclosure', ObjectID: caseId }), 422);
    const id = await decisionOn(caseId);
    const guids = new Set<unknown>();
    for (let n = 0; n < 4; n++) {
      const step = await stepNamed(id, 'Wrong');
      guids.add(step['ErrorGUID']);
      assert.equal(
        (await refused(post('decisionstep/start', { ID: step['DecisionStepID'] }), 422))['Code'],
        'STEP_FAILED',
      );
    }
    guids.add((await stepNamed(id, 'Wrong'))['ErrorGUID']);
    assert.equal(guids.size, 5);
    const logged = await rows<{ n: number }>(
      'select count(*)::integer as n from errorlog where errorguid = any($1::text[])',
      [`{${[...guids].join(',')}}`],
    );
    assert.equal(logged[0]?.n, 5);
    assert.deepEqual(await stepStatuses(id), ['Wrong Error']);
    assert.equal((await decision(id))['ActualCompletion'], undefined);
  });

  it('WF-09 is found by the filter FailedSteps, on its case and its workflow, until it is complete or canceled', async () => {
    await template('Finds', [
      { name: 'Wrong', Object: 'Foreclosure', Operation: 'Save', Parameters: 'ID={ForeclosureID}&SaleAmount=much' },
    ]);
    const [one, two, fine] = [await newCase(), await newCase(), await newCase()];
    for (const caseId of [one, two])
      await refused(post('decision/save', { Template: 'Finds', Object: 'Foreclosure', ObjectID: caseId }), 422);
    const [first, second] = [await decisionOn(one), await decisionOn(two)];
    const found = async (module: string, key: string, filter: string): Promise<number[]> => {
      const answer = await ok(p.admin.get(`/api/${module}/search?Output=Json&DisplaySize=1000&${filter}`));
      return rowsOf(answer, key)
        .map((row) => Number(row[module === 'decision' ? 'DecisionID' : 'ProcessID'] ?? row['ForeclosureID']))
        .filter((id) => (module === 'decision' ? [first, second] : [one, two, fine]).includes(id))
        .sort((a, b) => a - b);
    };
    const all = async (filter: string): Promise<number[][]> => [
      await found('foreclosure', 'Foreclosure', filter),
      await found('process', 'Process', filter),
      await found('decision', 'Decision', filter),
    ];
    assert.deepEqual(await all('FailedSteps=true'), [
      [one, two],
      [one, two],
      [first, second],
    ]);
    assert.deepEqual(await all('FailedSteps=false'), [[fine], [fine], []]);
    await ok(post('decisionstep/complete', { ID: (await stepNamed(first, 'Wrong'))['DecisionStepID'] }));
    await ok(post('decision/cancel', { ID: second }));
    assert.deepEqual(await all('FailedSteps=true'), [[], [], []]);
    await refused(p.admin.get('/api/foreclosure/search?Output=Json&FailedSteps=perhaps'), 400);
    const bankruptcies = await ok(p.admin.get('/api/bankruptcy/search?Output=Json&FailedSteps=true'));
    assert.deepEqual(rowsOf(bankruptcies, 'Bankruptcy'), []);
  });

  it('WF-09 that exceeds the statement timeout fails alone: its changes are rolled back, and the other steps continue', async () => {
    await template('Too long', [
      { name: 'Slow', Object: 'Foreclosure', Operation: 'TakesTooLong' },
      { name: 'Other', ...contact('Other') },
    ]);
    const caseId = await newCase();
    const error = await refused(
      post('decision/save', { Template: 'Too long', Object: 'Foreclosure', ObjectID: caseId }),
      422,
    );
    assert.deepEqual([error['Code'], error['FailureCode']], ['STEP_FAILED', 'TIMED_OUT']);
    assert.deepEqual(await stepStatuses(await decisionOn(caseId)), ['Slow Error', 'Other Complete']);
    assert.equal((await rows("select 1 from contact where lastname = 'Half done'")).length, 0);
  });

  it('WF-04 WF-05 WF-09 with a stylesheet that never ends, if/then or polling, is in Error and delays no other caller', async () => {
    await template('Endless', [{ name: 'Asks', DecisionStepTemplateType: 'IfThen', StepXslt: endless }]);
    await template('Endless polling', [{ name: 'Polls', DecisionStepTemplateType: 'Polling', StepXslt: endless }]);
    const cases = [await newCase(), await newCase()];
    const errors = await Promise.all(
      ['Endless', 'Endless polling'].map((Template, n) =>
        refused(post('decision/save', { Template, Object: 'Foreclosure', ObjectID: cases[n] }), 422),
      ),
    );
    for (const error of errors) assert.deepEqual([error['Code'], error['FailureCode']], ['STEP_FAILED', 'BAD_OUTPUT']);
    assert.deepEqual(await Promise.all(cases.map(async (caseId) => stepStatuses(await decisionOn(caseId)))), [
      ['Asks Error'],
      ['Polls Error'],
    ]);
    const next = await start(
      'Endless after',
      (await template('Endless after', [
        { name: 'Asks', DecisionStepTemplateType: 'IfThen', StepXslt: sheet('true()') },
      ])) && (await newCase()),
    );
    assert.deepEqual(await stepStatuses(next['DecisionID']), ['Asks Complete']);
  });

  it('WF-06 WF-09 whose form template has been deleted names the missing template and can be completed by hand', async () => {
    const gone = await save('importformtemplate', { ImportFormTemplate: 'Goes away', AppliesTo: 'Foreclosure' });
    await template('Points to nothing', [
      { name: 'Task', Object: 'ImportFormTemplate', ObjectID: gone['ImportFormTemplateID'] },
    ]);
    await ok(post('importformtemplate/delete', { ID: gone['ImportFormTemplateID'] }));
    const caseId = await newCase();
    const error = await refused(
      post('decision/save', { Template: 'Points to nothing', Object: 'Foreclosure', ObjectID: caseId }),
      422,
    );
    assert.equal(error['Code'], 'STEP_FAILED');
    assert.match(
      String(error['Message']),
      new RegExp(`Step "Task" failed: .*ImportFormTemplate.*${String(gone['ImportFormTemplateID'])}`),
    );
    const id = await decisionOn(caseId);
    assert.deepEqual(await stepStatuses(id), ['Task Error']);
    assert.equal((await rows('select 1 from importform where objectid = $1::bigint', [caseId])).length, 0);
    await ok(complete((await stepNamed(id, 'Task'))['DecisionStepID']));
    assert.equal((await decision(id))['Status'], 'Complete');
  });

  it('WF-06 WF-09 whose matrix selects an unknown template names that template and creates nothing', async () => {
    const matrix = await saveWhole('Picks wrongly', { ForeclosureType: {} }, { TemplateName: {} }, [
      { TemplateName: 'No such form' },
    ]);
    await save('importformtemplate', { ImportFormTemplate: 'Some such form', AppliesTo: 'Foreclosure' });
    await template('Picks wrongly', [
      { name: 'Task', Object: 'ImportFormTemplate', ObjectMatrixID: matrix['MatrixID'] },
    ]);
    const caseId = await newCase();
    const error = await refused(
      post('decision/save', { Template: 'Picks wrongly', Object: 'Foreclosure', ObjectID: caseId }),
      422,
    );
    assert.match(String(error['Message']), /Step "Task" failed: .*No such form.*Some such form/);
    assert.deepEqual(await stepStatuses(await decisionOn(caseId)), ['Task Error']);
    assert.equal((await rows('select 1 from importform where objectid = $1::bigint', [caseId])).length, 0);
  });

  it('WF-07 WF-09 whose merge field leaves the ID of the changed record empty creates no record, once, for rows or in a batch', async () => {
    const Method = 'Contact/Search?Object=Foreclosure&ObjectID={ForeclosureID}';
    const changes = { Object: 'Foreclosure', Operation: 'Save' };
    await template('Misspelled', [
      { name: 'Once', ...changes, Parameters: 'ID={ForclosureID}&Status=Open' },
      { name: 'Rows', ...changes, Method, Parameters: 'ForeclosureID={ForclosureID}&Status=Open' },
      { name: 'Batch', ...changes, Method, BatchLog: true, Parameters: 'ID={ForclosureID}&Status=Open' },
      { name: 'New', Object: 'Contact', Operation: 'Save', Parameters: 'ID=&LastName=New&MiddleName={Nothing}' },
    ]);
    const caseId = await newCase();
    await save('contact', { Object: 'Foreclosure', ObjectID: caseId, LastName: 'Row' });
    const count = async (): Promise<number> => (await rows('select 1 from foreclosure')).length;
    const before = await count();
    const error = await refused(
      post('decision/save', { Template: 'Misspelled', Object: 'Foreclosure', ObjectID: caseId }),
      422,
    );
    assert.match(String(error['Message']), /Step "Once" failed: Parameters: ID=\{ForclosureID\} is empty/);
    assert.deepEqual(await stepStatuses(await decisionOn(caseId)), [
      'Once Error',
      'Rows Error',
      'Batch Error',
      'New Complete',
    ]);
    assert.equal(await count(), before);
    assert.equal(
      (await rows("select 1 from contact where lastname = 'New'")).length,
      1,
      'an ID that is not sent is fine',
    );
  });
});

describe('a workflow that cannot continue', () => {
  it('WF-02 WF-08 because its inline steps loop forever is rolled back with an error that says why', async () => {
    await template('Round', [
      { name: 'In', Repeatability: 2 },
      { name: 'A', Repeatability: 2, CreateOnCompletion: true, after: [['In', 'B']] },
      { name: 'B', Repeatability: 2, CreateOnCompletion: true, after: ['A'] },
      { name: 'Effect', ...contact('Round'), after: ['In'] },
    ]);
    const caseId = await newCase();
    const { DecisionID } = await start('Round', caseId);
    const error = await refused(complete((await stepNamed(DecisionID, 'In'))['DecisionStepID']), 422);
    assert.equal(error['Code'], 'STATE_REFUSES');
    assert.match(String(error['Message']), /did not settle after 2000 steps/);
    assert.deepEqual(await stepStatuses(DecisionID), ['In Pending']);
    assert.equal((await rows("select 1 from contact where lastname = 'Round'")).length, 0);
  });

  it('WF-02 WF-09 because its case was deleted reports that for each step that needs the case', async () => {
    await template('On a deleted case', [
      { name: 'First' },
      {
        name: 'Then',
        Object: 'Foreclosure',
        Operation: 'Save',
        Parameters: 'ID={ObjectID}&Status=Done',
        after: ['First'],
      },
      { name: 'Asks', DecisionStepTemplateType: 'IfThen', StepXslt: sheet('true()'), after: ['First'] },
    ]);
    const caseId = await newCase();
    const { DecisionID } = await start('On a deleted case', caseId);
    const first = await stepNamed(DecisionID, 'First');
    await ok(post('foreclosure/delete', { ID: caseId }));
    const error = await refused(complete(first['DecisionStepID']), 422);
    assert.deepEqual([error['Code'], error['FailureCode']], ['STEP_FAILED', 'NOT_FOUND']);
    assert.match(String(error['Message']), /Step "Then" failed: Process \d+ not found/);
    assert.deepEqual(await stepStatuses(DecisionID), ['First Complete', 'Then Error', 'Asks Error']);
  });
});

describe('daylight saving time', () => {
  const startAfter = async (stepId: unknown): Promise<string | undefined> =>
    (
      await rows<{ at: string }>(
        `select start_after as at
         from pgboss.job j
         join decisionstep s on s.queuemessageid = j.id::text
         where s.decisionstepid = $1::bigint`,
        [stepId],
      )
    )[0]?.at;
  const assertPollTimes = async (scheduleName: string, from: string, next: readonly string[]): Promise<void> => {
    clock.set(from);
    p.platform.configuration.expire();
    const schedule = await save('schedule', { Schedule: `${scheduleName} ${from}`, ScheduleName: scheduleName });
    const name = `Polls ${scheduleName} ${from}`.slice(0, 90);
    await template(name, [
      {
        name: 'Polls',
        DecisionStepTemplateType: 'Polling',
        StepXslt: sheet('false()'),
        MonitorScheduleID: schedule['ScheduleID'],
      },
    ]);
    const { DecisionID } = await start(name, await newCase());
    const id = (await stepNamed(DecisionID, 'Polls'))['DecisionStepID'];
    for (const [n, at] of next.entries()) {
      assert.equal(await startAfter(id), at);
      if (n === next.length - 1) break;
      clock.set(new Date(Date.parse(at) + 1_000).toISOString());
      await ok(post('decisionstep/start', { ID: id }));
    }
  };

  it('WF-04 a polling step runs once a day by the wall clock: a skipped time runs an hour later, a repeated time runs once', async () => {
    await assertPollTimes('Daily @ 02:30', '2027-03-13T12:00:00Z', [
      '2027-03-14T07:30:00.000Z',
      '2027-03-15T06:30:00.000Z',
    ]);
    await assertPollTimes('Daily @ 01:30', '2027-11-06T12:00:00Z', [
      '2027-11-07T05:30:00.000Z',
      '2027-11-08T06:30:00.000Z',
    ]);
  });

  it('WF-13 a ready step waits until midnight of its reference date, also on days of 23 and 25 hours', async () => {
    clock.set('2027-03-01T12:00:00Z');
    p.platform.configuration.expire();
    await template('Waits for a date', [{ name: 'Dated', ...contact('Dated'), ReferenceDate: 'ScheduledSaleDate' }], {
      EnforceStartDates: true,
    });
    for (const [day, at] of [
      ['2027-03-14', '2027-03-14T05:00:00.000Z'],
      ['2027-03-15', '2027-03-15T04:00:00.000Z'],
      ['2027-11-07', '2027-11-07T04:00:00.000Z'],
      ['2027-11-08', '2027-11-08T05:00:00.000Z'],
    ] as const) {
      const { DecisionID } = await start('Waits for a date', await newCase({ ScheduledSaleDate: day }));
      const [step] = await steps(DecisionID);
      assert.deepEqual(
        [step?.['Status'], step?.['EstimatedStart'], await startAfter(step?.['DecisionStepID'])],
        ['Queued', at, at],
      );
    }
  });
});
