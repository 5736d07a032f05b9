import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { testPlatform } from '../../support/platform.ts';
import { refusing } from '../../support/rules/rules.ts';
import { rowsOf, sheet, workflowCalls, type WorkflowRow } from '../../support/work/workflows.ts';

const p = await testPlatform({ after });
const { ok, refused, save, template, newCase, start, steps, stepStatuses, decision, complete, stepNamed, set } =
  workflowCalls(p);

const form = await save('importformtemplate', { ImportFormTemplate: 'Review title', AppliesTo: 'Foreclosure' });
const formStep = { Object: 'ImportFormTemplate', ObjectID: form['ImportFormTemplateID'] };
const setStatus = (status: string): Record<string, string> => ({
  Object: 'Foreclosure',
  Operation: 'Save',
  Parameters: `ID={ForeclosureID}&Status=${status}`,
});
const failing = { Object: 'Foreclosure', Operation: 'Save', Parameters: 'ID=77777777&Status=Never' };
const caseRow = (id: number): Promise<WorkflowRow> => ok(p.admin.get(`/api/foreclosure/select/${id}?Output=Json`));
const trySave = (body: object): ReturnType<typeof p.admin.post> => p.admin.post('/api/decision/save?Output=Json', body);
const errorLog = async (guid: unknown): Promise<WorkflowRow[]> =>
  rowsOf(await ok(p.admin.get(`/api/errorlog/search?Output=Json&ErrorGUID=${String(guid)}`)), 'ErrorLog');

describe('a workflow', () => {
  it('WF-01 WF-02 WF-03 WF-05 WF-06 FRM-05 runs on its own until it waits for a user, and completes when nothing is left to do', async () => {
    await template('Plain', [
      {
        name: 'Is in Texas',
        DecisionStepTemplateType: 'IfThen',
        StepXslt: sheet("//ForeclosureItem/Foreclosure = 'Texas'"),
      },
      { name: 'Texan notice', ...formStep, after: ['Is in Texas=1'] },
      { name: 'Other notice', ...formStep, after: ['Is in Texas=0'] },
      { name: 'Set open', ...setStatus('Open'), after: [['Texan notice', 'Other notice']] },
    ]);
    const caseId = await newCase({ Foreclosure: 'Texas' });
    const started = await start('Plain', caseId);
    assert.deepEqual(
      [started['Status'], started['Decision'], started['Object']],
      ['In Progress', 'Plain', 'Foreclosure'],
    );
    assert.deepEqual(await stepStatuses(started['DecisionID']), ['Is in Texas Complete', 'Texan notice Pending']);
    const waiting = await stepNamed(started['DecisionID'], 'Texan notice');
    assert.deepEqual([waiting['Object'], typeof waiting['ObjectID']], ['ImportForm', 'number']);
    const task = await ok(p.admin.get(`/api/importform/select/${String(waiting['ObjectID'])}?Output=Json`));
    assert.deepEqual(
      [task['DecisionStepID'], task['Object'], task['ObjectID'], task['EstimatedCompletion']],
      [waiting['DecisionStepID'], 'Foreclosure', caseId, waiting['EstimatedCompletion']],
    );
    assert.equal((await stepNamed(started['DecisionID'], 'Is in Texas'))['IsTrue'], true);
    await save('importform', { ID: waiting['ObjectID'], ActualCompletion: '2026-01-05' });
    assert.deepEqual(await stepStatuses(started['DecisionID']), [
      'Is in Texas Complete',
      'Texan notice Complete',
      'Set open Complete',
    ]);
    const ended = await decision(started['DecisionID']);
    assert.deepEqual([ended['Status'], typeof ended['ActualCompletion']], ['Complete', 'string']);
    assert.equal((await caseRow(caseId))['Status'], 'Open');
  });

  it('WF-01 Repeatable One always selects the existing workflow, OneActive selects it while it is active, and Many creates another', async () => {
    for (const [repeatable, expected] of [
      ['One', [true, true]],
      ['OneActive', [true, false]],
      ['Many', [false, false]],
    ] as const) {
      await template(`Repeated ${repeatable}`, [{ name: 'Wait', ...formStep }], { Repeatable: repeatable });
      const caseId = await newCase();
      const first = (await start(`Repeated ${repeatable}`, caseId))['DecisionID'];
      const second = (await start(`Repeated ${repeatable}`, caseId))['DecisionID'];
      await p.platform.store.query('update decision set canceleddate = now() where decisionid = any($1::bigint[])', [
        `{${String(first)},${String(second)}}`,
      ]);
      const third = (await start(`Repeated ${repeatable}`, caseId))['DecisionID'];
      assert.deepEqual([first === second, third === first], expected, repeatable);
      assert.equal((await steps(first)).length, 1, 'a selected workflow is not processed again');
    }
  });

  it('WF-01 WF-34 with a later start waits in the queue until then; with DecisionProcessOnInsert off a new one waits for process', async () => {
    await template('Later', [{ name: 'Set later', ...setStatus('Later') }]);
    const caseId = await newCase();
    const later = await start('Later', caseId, { ActualStart: '2099-01-01T00:00:00Z' });
    assert.deepEqual(await stepStatuses(later['DecisionID']), []);
    const [queued] = await p.platform.store.query<{ start: string }>(
      `select start_after as start from pgboss.job
       where data->>'route' = 'decision/process' and data->>'label' = $1::text`,
      [`Decision ${String(later['DecisionID'])}`],
    );
    assert.equal(queued?.start, '2099-01-01T00:00:00.000Z');
    await set('DecisionProcessOnInsert', 'false');
    const waiting = await start('Later', caseId);
    assert.deepEqual(await stepStatuses(waiting['DecisionID']), []);
    await set('DecisionProcessOnInsert', 'true');
    const processed = await ok(p.admin.post('/api/decision/process?Output=Json', { ID: waiting['DecisionID'] }));
    assert.deepEqual([processed['Status'], processed['StepCount'], processed['OpenCount']], ['Complete', 1, 0]);
  });

  it('WF-03 every group needs one completed dependency with its result; a completed dependency with another result does not count', async () => {
    await template('Groups', [
      { name: 'A' },
      { name: 'B' },
      { name: 'C' },
      { name: 'D' },
      {
        name: 'Both groups',
        after: [
          ['A=1', 'B'],
          ['C', 'D=0'],
        ],
      },
    ]);
    const started = await start('Groups', await newCase());
    const id = async (name: string): Promise<unknown> =>
      (await stepNamed(started['DecisionID'], name))['DecisionStepID'];
    const names = async (): Promise<unknown[]> =>
      (await steps(started['DecisionID'])).map((row) => row['DecisionStep']);
    for (const [name, more, isThere] of [
      ['A', { IsTrue: 0 }, false],
      ['D', { IsTrue: 1 }, false],
      ['C', {}, false],
      ['B', { IsTrue: 0 }, true],
    ] as const) {
      assert.equal((await complete(await id(name), more)).status, 200);
      assert.equal((await names()).includes('Both groups'), isThere, name);
    }
  });

  it('WF-10 WF-36 complete takes a list of steps and a result, applies statuses to the case and the workflow, and processes at once', async () => {
    await template('Statuses', [
      {
        name: 'One',
        OnStartParentStatus: 'One begun',
        OnCompleteParentStatus: 'One done',
        OnStartDecisionStatus: 'In title',
        OnCompleteDecisionStatus: 'Title done',
      },
      { name: 'Two' },
      { name: 'Three', ...formStep, after: ['One=1', 'Two'] },
    ]);
    const caseId = await newCase();
    const started = await start('Statuses', caseId);
    assert.deepEqual(
      [(await caseRow(caseId))['Status'], (await decision(started['DecisionID']))['Status']],
      ['One begun', 'In title'],
    );
    const both = (await steps(started['DecisionID'])).map((row) => row['DecisionStepID']);
    const answered = rowsOf((await complete(both, { IsTrue: 1 })).json(), 'DecisionStep');
    assert.deepEqual(
      answered.map((row) => [row['Status'], row['IsTrue']]),
      [
        ['Complete', true],
        ['Complete', true],
      ],
    );
    assert.deepEqual(
      [(await caseRow(caseId))['Status'], (await decision(started['DecisionID']))['Status']],
      ['One done', 'Title done'],
    );
    assert.deepEqual(await stepStatuses(started['DecisionID']), ['One Complete', 'Two Complete', 'Three Pending']);
    const before = await stepNamed(started['DecisionID'], 'One');
    assert.equal((await complete(both, { IsTrue: 0 })).status, 200, 'completing a complete step changes nothing');
    assert.deepEqual(await stepNamed(started['DecisionID'], 'One'), before);
  });

  it('WF-08 WF-10 WF-36 completion statuses are applied however a step completes', async () => {
    const later = {
      Object: 'ImportFile',
      Operation: 'Batch',
      Parameters: 'ClassName=Foreclosure&Operation=Search&ID={ForeclosureID}&Signature=Foreclosure%2FSelect%3FID%3D1',
      CreateOnCompletion: 1,
    };
    const ways: readonly (readonly [string, object, 'at once' | 'start' | 'complete'])[] = [
      ['An operation', setStatus('Called'), 'at once'],
      ['An operation that calls back later', later, 'at once'],
      ['One of a queue that calls back later', { ...later, Async: 1 }, 'start'],
      ['An operation of a queue', { ...setStatus('Called'), Async: 1 }, 'start'],
      ['An instance', { ...formStep, CreateOnCompletion: 1 }, 'at once'],
      ['An instance of a queue', { ...formStep, CreateOnCompletion: 1, Async: 1 }, 'start'],
      ['An instance that is waited for', formStep, 'complete'],
      ['Nothing', { CreateOnCompletion: 1 }, 'at once'],
      ['A question', { DecisionStepTemplateType: 'IfThen', StepXslt: sheet('true()') }, 'at once'],
      ['Somebody', {}, 'complete'],
    ];
    for (const [name, step, how] of ways) {
      await template(`Ends: ${name}`, [
        { name, ...step, OnCompleteParentStatus: 'Case done', OnCompleteDecisionStatus: 'Workflow done' },
        { name: 'Goes on', after: [name] },
      ]);
      const caseId = await newCase();
      const started = await start(`Ends: ${name}`, caseId);
      const id = (await stepNamed(started['DecisionID'], name))['DecisionStepID'];
      if (how === 'start') await ok(p.admin.post('/api/decisionstep/start?Output=Json', { ID: id }));
      if (how === 'complete') await ok(complete(id));
      assert.deepEqual(await stepStatuses(started['DecisionID']), [`${name} Complete`, 'Goes on Pending']);
      assert.deepEqual(
        [(await caseRow(caseId))['Status'], (await decision(started['DecisionID']))['Status']],
        ['Case done', 'Workflow done'],
        name,
      );
    }
  });

  it('WF-08 WF-35 CreateOnCompletion does not wait for the instance; Repeatability 0 is inserted only by hand; 2 is inserted whenever a dependency completes again', async () => {
    await template('Repeating', [
      { name: 'Ask' },
      { name: 'Forget', ...formStep, CreateOnCompletion: 1, after: ['Ask'] },
      { name: 'By hand', ...formStep, Repeatability: 0 },
      {
        name: 'Again',
        Object: 'Message',
        Operation: 'Save',
        Parameters: 'Object=Foreclosure&ObjectID={ForeclosureID}&Message=Again',
        Repeatability: 2,
        after: ['Ask'],
      },
      { name: 'End' },
    ]);
    const started = await start('Repeating', await newCase());
    const ask = (await stepNamed(started['DecisionID'], 'Ask'))['DecisionStepID'];
    assert.equal((await complete(ask)).status, 200);
    assert.deepEqual((await stepStatuses(started['DecisionID'])).sort(), [
      'Again Complete',
      'Ask Complete',
      'End Pending',
      'Forget Complete',
    ]);
    await p.platform.store.query(
      `update decisionstep set status = 'Reprocessing', actualcompletion = null, completedsequence = null
       where decisionstepid = $1::bigint`,
      [ask],
    );
    assert.equal((await complete(ask)).status, 200);
    assert.deepEqual((await stepStatuses(started['DecisionID'])).sort(), [
      'Again Complete',
      'Again Complete',
      'Ask Complete',
      'End Pending',
      'Forget Complete',
    ]);
  });

  it('WF-11 a workflow started by a step completes that step, at once or when it ends, and has steps of its own', async () => {
    const child = await template('Child', [{ name: 'Child waits', ...formStep }]);
    const quick = await template('Quick child', [{ name: 'Nothing to do', CreateOnCompletion: 1 }]);
    await template('Parent', [
      { name: 'Run quick', Object: 'Decision', ObjectID: quick['DecisionTemplateID'] },
      { name: 'Run child', Object: 'DecisionTemplate', ObjectID: child['DecisionTemplateID'], after: ['Run quick'] },
      { name: 'After child', ...setStatus('Child done'), after: ['Run child'] },
    ]);
    const caseId = await newCase();
    const parent = await start('Parent', caseId);
    assert.deepEqual(await stepStatuses(parent['DecisionID']), ['Run quick Complete', 'Run child Pending']);
    const step = await stepNamed(parent['DecisionID'], 'Run child');
    assert.equal(step['Object'], 'Decision');
    assert.equal((await decision(step['ObjectID']))['ParentDecisionStepID'], step['DecisionStepID']);
    const waits = await stepNamed(step['ObjectID'], 'Child waits');
    await save('importform', { ID: waits['ObjectID'], ActualCompletion: '2026-02-01' });
    assert.deepEqual(
      [
        (await decision(step['ObjectID']))['Status'],
        (await decision(parent['DecisionID']))['Status'],
        (await caseRow(caseId))['Status'],
      ],
      ['Complete', 'Complete', 'Child done'],
    );
  });

  it('WF-19 WF-21 steps have only known statuses; process on a completed or canceled workflow changes nothing, without an error', async () => {
    await template('Ended', [{ name: 'Wait' }]);
    const started = await start('Ended', await newCase());
    await complete((await stepNamed(started['DecisionID'], 'Wait'))['DecisionStepID']);
    const before = await decision(started['DecisionID']);
    await ok(p.admin.post('/api/decision/process?Output=Json', { ID: started['DecisionID'] }));
    assert.deepEqual(await decision(started['DecisionID']), before);
    await p.platform.store.query(
      `update decision set canceleddate = now(), actualcompletion = null, status = 'Canceled'
       where decisionid = $1::bigint`,
      [started['DecisionID']],
    );
    const canceled = await decision(started['DecisionID']);
    await ok(p.admin.post('/api/decision/process?Output=Json', { ID: started['DecisionID'] }));
    assert.deepEqual(await decision(started['DecisionID']), canceled);
    const [{ found = [] } = {}] = await p.platform.store.query<{ found?: string[] }>(
      'select json_agg(distinct status) as found from decisionstep',
    );
    const known = new Set(['Started', 'Queued', 'Pending', 'Complete', 'Error', 'Canceled', 'Reprocessing']);
    assert.deepEqual(
      found.filter((status) => !known.has(status)),
      [],
    );
  });

  it('WF-19 a save cannot end a workflow with open steps, but can set any other status', async () => {
    await template('Not ended by hand', [{ name: 'Wait' }]);
    const started = await start('Not ended by hand', await newCase());
    for (const Status of ['Complete', ' canceled', 'Restart'])
      assert.equal(
        (await refused(p.admin.post('/api/decision/save?Output=Json', { ID: started['DecisionID'], Status }), 422))[
          'Field'
        ],
        'Status',
      );
    assert.equal(
      (await save('decision', { ID: started['DecisionID'], Status: 'With counsel' }))['Status'],
      'With counsel',
    );
    assert.deepEqual(await stepStatuses(started['DecisionID']), ['Wait Pending']);
  });

  it('WF-20 WF-13 a step is estimated from its latest completed dependency, or its reference date, plus its duration in business days; actual dates are separate', async () => {
    await template('Estimated', [
      { name: 'Before', DurationScale: 0, EstimatedDuration: 2 },
      { name: 'Ten business days', DurationScale: 6, EstimatedDuration: 10, after: ['Before'] },
      { name: 'From the sale', ReferenceDate: 'ScheduledSaleDate', DurationScale: 4, EstimatedDuration: 1 },
    ]);
    const caseId = await newCase({ ScheduledSaleDate: '2026-01-31' });
    const started = await start('Estimated', caseId);
    const before = await stepNamed(started['DecisionID'], 'Before');
    assert.equal(before['EstimatedStart'], started['ActualStart']);
    assert.equal(
      Date.parse(String(before['EstimatedCompletion'])) - Date.parse(String(before['EstimatedStart'])),
      2 * 86_400_000,
    );
    const referred = await stepNamed(started['DecisionID'], 'From the sale');
    assert.match(String(referred['EstimatedCompletion']), /^2026-02-28T/);
    await complete(before['DecisionStepID']);
    const done = await stepNamed(started['DecisionID'], 'Before');
    const next = await stepNamed(started['DecisionID'], 'Ten business days');
    assert.equal(next['EstimatedStart'], done['ActualCompletion']);
    const days =
      (Date.parse(String(next['EstimatedCompletion'])) - Date.parse(String(next['EstimatedStart']))) / 86_400_000;
    assert.ok(days >= 11.9 && days <= 18.1, `ten business days are some two weeks, not ${days} days`);
    assert.deepEqual(
      [next['ActualCompletion'] ?? null, next['ProjectedCompletion'] ?? null, next['CanceledDate'] ?? null],
      [null, null, null],
    );
  });
});

describe('a failing step', () => {
  it('WF-09 is in Error with the GUID of its error log entry, its failure is returned, earlier work remains, and other steps continue', async () => {
    await template('Throwing', [
      { name: 'First', ...setStatus('First') },
      { name: 'Wrong', ...failing, after: ['First'] },
      { name: 'Beside', ...formStep, after: ['First'] },
      { name: 'Last', ...formStep, after: ['Wrong'] },
    ]);
    const caseId = await newCase();
    const error = await refused(trySave({ Template: 'Throwing', Object: 'Foreclosure', ObjectID: caseId }), 422);
    assert.equal(error['Code'], 'STEP_FAILED');
    assert.match(String(error['Message']), /^Step "Wrong" failed: .*not found/);
    const details = error;
    assert.deepEqual(await stepStatuses(details['DecisionID']), ['First Complete', 'Wrong Error', 'Beside Pending']);
    assert.equal((await caseRow(caseId))['Status'], 'First');
    const wrong = await stepNamed(details['DecisionID'], 'Wrong');
    assert.deepEqual(
      [wrong['ErrorGUID'], typeof wrong['ErrorDate'], wrong['DecisionStepID']],
      [details['ErrorGUID'], 'string', details['DecisionStepID']],
    );
    const [entry] = await errorLog(wrong['ErrorGUID']);
    assert.match(String(entry?.['ErrorLog']), /step "Wrong" \(\d+\): PlatformError: .*\d{4,} not found/);

    await complete((await stepNamed(details['DecisionID'], 'Beside'))['DecisionStepID']);
    assert.equal(
      (await ok(p.admin.post('/api/decision/process?Output=Json', { ID: details['DecisionID'] })))['OpenCount'],
      1,
      'process neither repeats nor skips the failed step',
    );
    assert.equal((await stepNamed(details['DecisionID'], 'Wrong'))['ErrorGUID'], details['ErrorGUID']);
    assert.equal((await decision(details['DecisionID']))['Status'], 'In Progress');
  });

  it('WF-09 shows staff which record blocks it, also one that the same call created', async () => {
    await template('In the way', [
      { name: 'First', Object: 'Organization', Operation: 'Save', Parameters: 'Organization=Taken&ProviderCode=TAKEN' },
      {
        name: 'Second',
        Object: 'Organization',
        Operation: 'Save',
        Parameters: 'Organization=Other&ProviderCode=TAKEN',
        after: ['First'],
      },
    ]);
    const error = await refused(
      trySave({ Template: 'In the way', Object: 'Foreclosure', ObjectID: await newCase() }),
      422,
    );
    const [{ id } = { id: 0 }] = await p.platform.store.query<{ id: number }>(
      "select organizationid as id from organization where providercode = 'TAKEN'",
    );
    assert.deepEqual(
      [error['FailureCode'], error['Message']],
      ['DUPLICATE_KEY', `Step "Second" failed: ProviderCode: Organization ${id} "Taken" already has this value.`],
    );
    assert.deepEqual(await stepStatuses(error['DecisionID']), ['First Complete', 'Second Error']);
  });

  it('WF-09 WF-36 is run again by start: success clears its error, another failure replaces it', async () => {
    await template('Mended', [
      { name: 'Needs loan', Object: 'Loan', Operation: 'Save', Parameters: 'ID={LoanID}&Status=Seen' },
      { name: 'Then', ...setStatus('Mended'), after: ['Needs loan'] },
    ]);
    const loan = await save('loan', { Loan: '4711' });
    const caseId = await newCase({ LoanID: loan['LoanID'] });
    await set('DecisionProcessOnInsert', 'false');
    const started = await start('Mended', caseId);
    await set('DecisionProcessOnInsert', 'true');
    const rule = await save('businessrule', {
      BusinessRule: 'No loan is seen',
      AppliesTo: 'Loan',
      Operation: 'Update',
      Status: 'Active',
      Stylesheet: refusing('true()', 'Not seen'),
    });
    const first = await refused(p.admin.post('/api/decision/process?Output=Json', { ID: started['DecisionID'] }), 422);
    const step = await stepNamed(started['DecisionID'], 'Needs loan');
    assert.equal(step['Status'], 'Error');
    const second = await refused(
      p.admin.post('/api/decisionstep/start?Output=Json', { ID: step['DecisionStepID'] }),
      422,
    );
    assert.deepEqual([first['Code'], second['Code']], ['STEP_FAILED', 'STEP_FAILED']);
    assert.notEqual((await stepNamed(started['DecisionID'], 'Needs loan'))['ErrorGUID'], step['ErrorGUID']);
    await ok(p.admin.post(`/api/businessrule/delete/${String(rule['BusinessRuleID'])}?Output=Json`));
    await ok(p.admin.post('/api/decisionstep/start?Output=Json', { ID: step['DecisionStepID'] }));
    const fixed = await stepNamed(started['DecisionID'], 'Needs loan');
    assert.deepEqual(
      [fixed['Status'], fixed['ErrorDate'] ?? null, fixed['ErrorGUID'] ?? null, fixed['ErrorMessage'] ?? null],
      ['Complete', null, null, null],
    );
    assert.equal((await decision(started['DecisionID']))['Status'], 'Complete');
    assert.match(
      String(
        (await refused(p.admin.post('/api/decisionstep/start?Output=Json', { ID: step['DecisionStepID'] }), 422))[
          'Message'
        ],
      ),
      /is of a workflow that is complete/,
    );
  });

  it('WF-09 with DecisionProcessErrorThrow off, the call succeeds with a warning', async () => {
    await template('Quiet', [{ name: 'Wrong', ...failing }]);
    await set('DecisionProcessErrorThrow', 'false');
    const answer = await trySave({ Template: 'Quiet', Object: 'Foreclosure', ObjectID: await newCase() });
    await set('DecisionProcessErrorThrow', 'true');
    assert.equal(answer.status, 200, answer.text);
    assert.match(answer.text, /STEP_FAILED/);
    assert.deepEqual(await stepStatuses(answer.json()['DecisionID']), ['Wrong Error']);
  });

  it('WF-09 a repeated call with the same Idempotency-Key returns the same error, and nothing is created twice', async () => {
    await template('Once only', [{ name: 'Wrong', ...failing }]);
    const caseId = await newCase();
    const send = (): ReturnType<typeof trySave> =>
      p.admin.post(
        '/api/decision/save?Output=Json',
        { Template: 'Once only', Object: 'Foreclosure', ObjectID: caseId },
        { 'Idempotency-Key': 'once-only' },
      );
    const [first, second] = [await send(), await send()];
    assert.deepEqual([first.status, second.status], [422, 422]);
    assert.equal(second.text, first.text);
    const [{ count } = { count: 0 }] = await p.platform.store.query<{ count: number }>(
      "select count(*)::integer as count from decision where objectid = $1::bigint and object = 'Foreclosure'",
      [caseId],
    );
    assert.equal(count, 1);
  });

  it('WF-09 a form whose completion leads to a failing step is complete nevertheless', async () => {
    await template('After form', [
      { name: 'Form', ...formStep },
      { name: 'Wrong', ...failing, after: ['Form'] },
    ]);
    const started = await start('After form', await newCase());
    const task = (await stepNamed(started['DecisionID'], 'Form'))['ObjectID'];
    const error = await refused(
      p.admin.post('/api/importform/save?Output=Json', { ID: task, ActualCompletion: '2026-03-01' }),
      422,
    );
    assert.equal(error['Code'], 'STEP_FAILED');
    assert.notEqual(
      (await ok(p.admin.get(`/api/importform/select/${String(task)}?Output=Json`)))['ActualCompletion'] ?? null,
      null,
    );
    assert.deepEqual(await stepStatuses(started['DecisionID']), ['Form Complete', 'Wrong Error']);
  });

  it("WF-09 KRN-18 a firm's user sees which step failed, the code and the ID to quote, but never the cause; staff sees everything", async () => {
    // size: checks one failed step through every operation that could reveal the cause to a firm's user
    await save('role', {
      Role: 'Case worker',
      Status: 'Active',
      Permissions:
        'ImportFormSave DecisionStepComplete DecisionStepStart DecisionStepHistory ' +
        'DecisionStepAsOf DecisionAsOf DecisionProcess',
    });
    const firm = await p.firm('Firm that asks', 'Partner, Case worker');
    const theirs = await save('loan', { Loan: 'Loan of Rivals' });
    const rule = await save('businessrule', {
      BusinessRule: 'Rivals are left alone',
      AppliesTo: 'Loan',
      Operation: 'Update',
      Status: 'Active',
      Stylesheet: refusing("//LoanItem/Loan = 'Loan of Rivals'", 'Loan of Rivals is closed'),
    });
    await template('Inquisitive', [
      { name: 'Task', ...formStep },
      {
        name: 'Wrong',
        Object: 'Loan',
        Operation: 'Save',
        Parameters: `ID=${String(theirs['LoanID'])}&Status=Seen`,
        after: ['Task'],
      },
    ]);
    const started = await start('Inquisitive', await newCase({ OrganizationID: firm.organizationId }));
    const responses: string[] = [];
    const record = async (answer: ReturnType<typeof p.admin.get>, status = 200): Promise<WorkflowRow> => {
      const got = await answer;
      assert.equal(got.status, status, got.text);
      responses.push(got.text);
      return got.json();
    };
    const error = (
      await record(
        firm.caller.post('/api/importform/save?Output=Json', {
          ID: (await stepNamed(started['DecisionID'], 'Task'))['ObjectID'],
          ActualCompletion: '2026-01-05',
        }),
        422,
      )
    )['Error'] as WorkflowRow;
    const wrong = await stepNamed(started['DecisionID'], 'Wrong');
    const [id, guid] = [String(wrong['DecisionStepID']), String(wrong['ErrorGUID'])];
    assert.match(String(wrong['ErrorMessage']), /Loan of Rivals is closed/, 'staff sees why');
    assert.deepEqual(
      [
        error['Code'],
        error['DecisionID'],
        error['DecisionStepID'],
        error['ErrorGUID'],
        error['FailureCode'],
        error['Field'] ?? null,
      ],
      ['STEP_FAILED', started['DecisionID'], wrong['DecisionStepID'], guid, 'RULE_EXCEPTION', null],
    );
    assert.equal(
      error['Message'],
      `Step "Wrong" failed with RULE_EXCEPTION. Quote the ErrorGUID ${guid} to staff, who can see the details.`,
    );

    const again = (await record(firm.caller.post('/api/decisionstep/start?Output=Json', { ID: id }), 422))[
      'Error'
    ] as WorkflowRow;
    assert.notEqual(again['ErrorGUID'], guid);
    await set('DecisionProcessErrorThrow', 'false');
    const warned = await record(firm.caller.post('/api/decisionstep/start?Output=Json', { ID: id }));
    assert.match(JSON.stringify(warned), /STEP_FAILED/);
    await set('DecisionProcessErrorThrow', 'true');
    await record(
      firm.caller.post('/api/decisionstep/complete?Output=Json', {
        ID: (await stepNamed(started['DecisionID'], 'Task'))['DecisionStepID'],
      }),
    );

    const row = await record(firm.caller.get(`/api/decisionstep/select/${id}?Output=Json`));
    assert.deepEqual([row['Status'], typeof row['ErrorGUID'], row['ErrorMessage'] ?? null], ['Error', 'string', null]);
    const found = async (query: string): Promise<WorkflowRow[]> =>
      rowsOf(
        await record(
          firm.caller.get(`/api/decisionstep/search?Output=Json&DecisionID=${String(started['DecisionID'])}${query}`),
        ),
        'DecisionStep',
      );
    assert.equal((await found('&OrderBy=-ErrorMessage&SqlColumns=DecisionStepID,ErrorMessage')).length, 2);
    assert.equal((await found('&ErrorMessage=*Rivals*')).length, 0, 'a filter does not reveal it either');
    assert.equal((await found('&ErrorMessage=')).length, 2);
    assert.equal(
      rowsOf(
        await ok(
          p.admin.get(
            `/api/decisionstep/search?Output=Json&ErrorMessage=*Rivals*&DecisionID=${String(started['DecisionID'])}`,
          ),
        ),
        'DecisionStep',
      ).length,
      1,
    );
    const now = encodeURIComponent(p.platform.clock.now());
    await record(firm.caller.get(`/api/decisionstep/history/${id}?Output=Json&DisplaySize=100`));
    await record(firm.caller.get(`/api/decisionstep/asof/${id}?Output=Json&At=${now}`));
    await record(
      firm.caller.get(`/api/decision/asof/${String(started['DecisionID'])}?Output=Json&Children=1&At=${now}`),
    );
    await record(firm.caller.get(`/api/decision/summary/${String(started['DecisionID'])}?Output=Json`));
    for (const text of responses) assert.doesNotMatch(text, /Rivals|closed/);
    for (const way of ['history', 'asof'])
      assert.match(
        (
          await p.admin.get(
            `/api/decisionstep/${way}/${id}?Output=Json&DisplaySize=100&At=${now}`.replace(
              way === 'asof' ? /&DisplaySize=100/ : /&At=.*/,
              '',
            ),
          )
        ).text,
        /Rivals/,
        way,
      );
    await ok(p.admin.post(`/api/businessrule/delete/${String(rule['BusinessRuleID'])}?Output=Json`));
  });

  it("WF-09 WF-11 in a workflow that a firm cannot see shows the firm's user neither its name nor its IDs", async () => {
    const firm = await p.firm('Firm below', 'Partner, Case worker');
    await template('Above', [
      { name: 'Waits for one below' },
      { name: 'Secret step', ...failing, after: ['Waits for one below'] },
    ]);
    await template('Below', [{ name: 'Somebody' }]);
    const above = await start('Above', await newCase());
    const below = await start('Below', await newCase({ OrganizationID: firm.organizationId }), {
      ParentDecisionStepID: (await stepNamed(above['DecisionID'], 'Waits for one below'))['DecisionStepID'],
    });
    const error = await refused(
      firm.caller.post('/api/decisionstep/complete?Output=Json', {
        ID: (await stepNamed(below['DecisionID'], 'Somebody'))['DecisionStepID'],
      }),
      422,
    );
    assert.deepEqual(await stepStatuses(above['DecisionID']), ['Waits for one below Complete', 'Secret step Error']);
    assert.deepEqual(
      [error['Code'], error['FailureCode'], error['ErrorGUID']],
      ['STEP_FAILED', 'NOT_FOUND', (await stepNamed(above['DecisionID'], 'Secret step'))['ErrorGUID']],
    );
    assert.doesNotMatch(JSON.stringify(error), /Secret|DecisionID|DecisionStepID|999999999/);

    await template('Above, refused', [{ name: 'Waits too', OnCompleteParentStatus: 'Shut' }]);
    const rule = await save('businessrule', {
      BusinessRule: 'Rivals stay open',
      AppliesTo: 'Foreclosure',
      Operation: 'Update',
      Status: 'Active',
      Stylesheet: refusing("//ForeclosureItem/Foreclosure = 'Case of Rivals'", 'Case of Rivals stays open'),
    });
    const barred = await start('Above, refused', await newCase({ Foreclosure: 'Case of Rivals' }));
    const child = await start('Below', await newCase({ OrganizationID: firm.organizationId }), {
      ParentDecisionStepID: (await stepNamed(barred['DecisionID'], 'Waits too'))['DecisionStepID'],
    });
    const last = (await stepNamed(child['DecisionID'], 'Somebody'))['DecisionStepID'];
    const why = await refused(firm.caller.post('/api/decisionstep/complete?Output=Json', { ID: last }), 422);
    assert.deepEqual([why['Code'], why['FailureCode']], ['STEP_FAILED', 'RULE_EXCEPTION']);
    assert.doesNotMatch(JSON.stringify(why), /Rivals|Waits too|DecisionID|DecisionStepID/);
    assert.equal((await decision(child['DecisionID']))['Status'], 'Complete');
    const failed = await stepNamed(barred['DecisionID'], 'Waits too');
    assert.deepEqual([failed['Status'], failed['ErrorGUID']], ['Error', why['ErrorGUID']]);
    assert.match(String(failed['ErrorMessage']), /Case of Rivals stays open/, 'staff sees why');
    await ok(p.admin.post(`/api/businessrule/delete/${String(rule['BusinessRuleID'])}?Output=Json`));
  });
});
