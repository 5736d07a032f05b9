import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { matrixCalls } from '../../support/rules/matrices.ts';
import { testPlatform, type TestAnswer } from '../../support/platform.ts';
import { rowsOf, sheet, workflowCalls, type WorkflowRow } from '../../support/work/workflows.ts';

const p = await testPlatform({ after });
const { ok, refused, save, template, templateBody, newCase, start, stepStatuses, stepNamed, decision, set } =
  workflowCalls(p);
const { saveWhole } = matrixCalls(p);

const title = await save('importformtemplate', { ImportFormTemplate: 'Order title', AppliesTo: 'Foreclosure' });
const bids = await save('importformtemplate', { ImportFormTemplate: 'Prepare bid', AppliesTo: 'Foreclosure' });
const caseRow = (id: number): Promise<WorkflowRow> => ok(p.admin.get(`/api/foreclosure/select/${id}?Output=Json`));

interface Job extends Record<string, unknown> {
  readonly id: string;
  readonly queue: string;
  readonly label: string | null;
  readonly start: string;
  readonly person: number;
}

/** Returns the queued starts of a step. */
const jobsOf = (stepId: unknown): Promise<Job[]> =>
  p.platform.store.query<Job>(
    `select id::text as id, name as queue, data->>'label' as label, start_after as start,
       (data->>'personId')::bigint as person
     from pgboss.job
     where data->>'label' = $1::text
       or id::text = (select queuemessageid from decisionstep where decisionstepid = $2::bigint)
     order by created_on, id`,
    [`DecisionStep ${String(stepId)}`, stepId],
  );

/** Returns the attempts to start steps of a workflow whose outcome is not recorded. */
const attemptsOf = async (decisionId: unknown): Promise<unknown[]> => [
  ...(await p.platform.store.query(
    'select 1 from decisionstepattempt join decisionstep using (decisionstepid) where decisionid = $1::bigint',
    [decisionId],
  )),
];
const messagesOn = async (caseId: number): Promise<number> =>
  rowsOf(await ok(p.admin.get(`/api/foreclosure/${caseId}/message/search?Output=Json`)), 'Message').length;

/** Starts steps the way the queue does. */
const startFromQueue = (stepId: unknown): ReturnType<typeof p.admin.post> =>
  p.admin.post('/api/decisionstep/start?Output=Json', { ID: stepId });

describe('a step that creates an instance', () => {
  it('WF-06 fills its parameters with fields of the case and XPath on the case summary, and waits only for instances that can complete', async () => {
    const note = await save('messagetemplate', { MessageTemplate: 'Note', AppliesTo: 'Foreclosure' });
    await template('Instances', [
      {
        name: 'Task',
        Object: 'ImportForm',
        ObjectID: title['ImportFormTemplateID'],
        Parameters: 'ImportForm=Title of {Foreclosure}&ProjectedCompletion={ScheduledSaleDate}&Vendor={//Loan/Loan}',
      },
      {
        name: 'Note',
        Object: 'MessageTemplate',
        ObjectID: note['MessageTemplateID'],
        Parameters: 'BodyText=Step {DecisionStepID} of {DecisionID} %26 more',
      },
    ]);
    const loan = await save('loan', { Loan: 'L-77' });
    const caseId = await newCase({
      Foreclosure: 'Number & 5',
      ScheduledSaleDate: '2026-05-01',
      LoanID: loan['LoanID'],
    });
    const started = await start('Instances', caseId);
    assert.deepEqual(await stepStatuses(started['DecisionID']), ['Task Pending', 'Note Complete']);
    const task = await ok(
      p.admin.get(
        `/api/importform/select/${String((await stepNamed(started['DecisionID'], 'Task'))['ObjectID'])}?Output=Json`,
      ),
    );
    assert.equal(task['ImportForm'], 'Title of Number & 5');
    assert.match(String(task['ProjectedCompletion']), /^2026-05-01/);
    assert.match(String(task['XmlData']), /<Vendor>L-77<\/Vendor>/);
    const step = await stepNamed(started['DecisionID'], 'Note');
    const message = await ok(p.admin.get(`/api/message/select/${String(step['ObjectID'])}?Output=Json`));
    assert.equal(
      message['BodyText'],
      `Step ${String(step['DecisionStepID'])} of ${String(started['DecisionID'])} & more`,
    );
    const [{ creator } = { creator: '' }] = await p.platform.store.query<{ creator: string }>(
      'select person as creator from person where personid = $1::bigint',
      [message['CreatedPersonID']],
    );
    assert.equal(creator, 'Workflow');
  });

  it('WF-06 MSG-17 a message has the texts of its template with the fields of the case; recipients, which are not used, are reported', async () => {
    const loan = await save('loan', { Loan: 'L-"78"' });
    const caseId = await newCase({
      Foreclosure: 'Doe <b> & Roe',
      ScheduledSaleDate: '2026-05-01',
      LoanID: loan['LoanID'],
    });
    await save('message', { Object: 'Foreclosure', ObjectID: caseId, Message: 'Earlier' });
    const letter = await save('messagetemplate', {
      MessageTemplate: 'Letter',
      AppliesTo: 'Foreclosure',
      Subject: 'About\n{Foreclosure}',
      BodyText: 'Loan {//Loan/Loan} of {Foreclosure}. {Nothing} { not a field } {Message}',
      BodyHTML: '<style>p { color: red }</style><p title="{//Loan/Loan}">{Foreclosure}</p>',
      FromName: 'Desk of {DecisionID}',
      Method: 'Search?Object=Foreclosure&ObjectID={ForeclosureID}',
    });
    const body = (name: string, more: object, ID = letter['MessageTemplateID']): Promise<TestAnswer> =>
      p.admin.post(
        '/api/decisiontemplate/save?Output=Json',
        templateBody(name, [{ name: 'Letter', Object: 'MessageTemplate', ObjectID: ID, ...more }]),
      );
    const written = async (name: string): Promise<WorkflowRow> => {
      const { DecisionID: id } = await start(name, caseId);
      const { ObjectID: message } = await stepNamed(id, 'Letter');
      return { ...(await ok(p.admin.get(`/api/message/select/${String(message)}?Output=Json`))), DecisionID: id };
    };
    assert.doesNotMatch((await body('Letters', {})).text, /NOT_SENT/);
    const message = await written('Letters');
    assert.deepEqual(
      [message['Message'], message['BodyText'], message['BodyHTML'], message['FromName']],
      [
        'About Doe <b> & Roe',
        'Loan L-"78" of Doe <b> & Roe.  { not a field } Earlier',
        '<style>p { color: red }</style><p title="L-&quot;78&quot;">Doe &lt;b&gt; &amp; Roe</p>',
        `Desk of ${String(message['DecisionID'])}`,
      ],
    );
    await body('Other words', { Parameters: 'Subject=Other&BodyText=words on {Foreclosure}' });
    const other = await written('Other words');
    assert.deepEqual([other['Message'], other['BodyText']], ['Other', 'words on Doe <b> & Roe']);
    assert.match(String(other['BodyHTML']), /Doe &lt;b&gt;/);
    const to = await save('contact', { LastName: 'Reader', Email: 'reader@example.com' });
    await save('messagetemplate', { ID: letter['MessageTemplateID'], ToContactID: to['ContactID'] });
    assert.match((await body('To a reader', {})).text, /NOT_SENT.*does not use ToContactID/);
  });

  it('WF-06 a matrix selects the template and sets the outputs named after the instance; without a matching row the step uses its own template, or fails', async () => {
    const matrix = await saveWhole(
      'Which task',
      { ForeclosureType: {} },
      { TemplateName: {}, ImportForm_Status: {}, Other: {} },
      [{ ForeclosureType: 'Judicial', TemplateName: 'Prepare bid', ImportForm_Status: 'Rushed', Other: 'x' }],
    );
    await template('Picked', [
      {
        name: 'Task',
        Object: 'ImportFormTemplate',
        ObjectID: title['ImportFormTemplateID'],
        ObjectMatrixID: matrix['MatrixID'],
      },
    ]);
    await template('Picked or nothing', [
      { name: 'Task', Object: 'ImportFormTemplate', ObjectMatrixID: matrix['MatrixID'] },
    ]);
    const taskOf = async (name: string, type: string): Promise<WorkflowRow> => {
      const started = await start(name, await newCase({ ForeclosureType: type }));
      return ok(
        p.admin.get(
          `/api/importform/select/${String((await stepNamed(started['DecisionID'], 'Task'))['ObjectID'])}?Output=Json`,
        ),
      );
    };
    const picked = await taskOf('Picked', 'Judicial');
    assert.deepEqual([picked['ImportFormTemplateID'], picked['Status']], [bids['ImportFormTemplateID'], 'Rushed']);
    assert.equal((await taskOf('Picked', 'Other'))['ImportFormTemplateID'], title['ImportFormTemplateID']);
    const error = await refused(
      p.admin.post('/api/decision/save?Output=Json', {
        Template: 'Picked or nothing',
        Object: 'Foreclosure',
        ObjectID: await newCase({ ForeclosureType: 'Other' }),
      }),
      422,
    );
    assert.match(String(error['Message']), /ObjectMatrixID: no row of the matrix picks a template/);
  });
});

describe('a step that calls an operation', () => {
  it('WF-07 WF-37 is complete when the call returns, and points to the record that the call created', async () => {
    await template('Calling', [
      {
        name: 'Write',
        Object: 'Message',
        Operation: 'Save',
        Parameters: 'Object=Foreclosure&ObjectID={ForeclosureID}&Message=Hello {Foreclosure}',
      },
    ]);
    const started = await start('Calling', await newCase({ Foreclosure: 'F-1' }));
    const step = await stepNamed(started['DecisionID'], 'Write');
    assert.deepEqual([step['Status'], step['Object']], ['Complete', 'Message']);
    assert.equal(
      (await ok(p.admin.get(`/api/message/select/${String(step['ObjectID'])}?Output=Json`)))['Message'],
      'Hello F-1',
    );
  });

  it('WF-07 is called once for each row of Method, in order; a failed row is rolled back alone, the others are done, and the step is in Error', async () => {
    const caseId = await newCase();
    for (const [name, status] of [
      ['One', 'x'],
      ['Two', 'bad'],
      ['Three', 'x'],
    ])
      await save('message', { Object: 'Foreclosure', ObjectID: caseId, Message: name, Status: status });
    await template('Looping', [
      {
        name: 'Each',
        Object: 'Message',
        Operation: 'Save',
        Method: 'Message/Search?Object=Foreclosure&ObjectID={ForeclosureID}&OrderBy=MessageID',
        Parameters: 'ID={MessageID}&Status=Seen {Message}&MessageTemplateID={Nothing}',
      },
    ]);
    await save('businessrule', {
      BusinessRule: 'Two is not seen',
      AppliesTo: 'Message',
      Operation: 'Update',
      Status: 'Active',
      Stylesheet:
        '<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"><xsl:template match="/">' +
        '<xsl:if test="//Message = \'Two\'"><Exception>Two is kept as it is</Exception></xsl:if>' +
        '</xsl:template></xsl:stylesheet>',
    });
    const error = await refused(
      p.admin.post('/api/decision/save?Output=Json', { Template: 'Looping', Object: 'Foreclosure', ObjectID: caseId }),
      422,
    );
    assert.match(String(error['Message']), /1 of 3 rows failed; the others are done\. row 2: .*Two is kept as it is/);
    const messages = rowsOf(
      await ok(p.admin.get(`/api/foreclosure/${caseId}/message/search?Output=Json&OrderBy=MessageID`)),
      'Message',
    );
    assert.deepEqual(
      messages.map((row) => row['Status']),
      ['Seen One', 'bad', 'Seen Three'],
    );
    assert.deepEqual(await stepStatuses(error['DecisionID']), ['Each Error']);
  });

  it('WF-31 a document returned by Method fills the placeholders of one call', async () => {
    await template('Document', [
      {
        name: 'From summary',
        Object: 'Foreclosure',
        Operation: 'Save',
        Method: 'Loan/Summary?ID={LoanID}',
        Parameters: 'ID={ForeclosureID}&Status=Loan {//LoanItem/Loan}',
      },
    ]);
    const loan = await save('loan', { Loan: 'L-9' });
    const caseId = await newCase({ LoanID: loan['LoanID'] });
    assert.equal((await start('Document', caseId))['Status'], 'Complete');
    assert.equal((await caseRow(caseId))['Status'], 'Loan L-9');
  });

  it('WF-05 WF-31 an if/then step evaluates what Method returns', async () => {
    await template('Asked of a method', [
      {
        name: 'Has messages',
        DecisionStepTemplateType: 'IfThen',
        StepXslt: sheet('count(//MessageItem) &gt; 0'),
        Method: 'Message/Search?Object=Foreclosure&ObjectID={ForeclosureID}',
      },
    ]);
    const caseId = await newCase();
    assert.equal(
      (await stepNamed((await start('Asked of a method', caseId))['DecisionID'], 'Has messages'))['IsTrue'],
      false,
    );
    await save('message', { Object: 'Foreclosure', ObjectID: caseId, Message: 'There' });
    assert.equal(
      (await stepNamed((await start('Asked of a method', caseId))['DecisionID'], 'Has messages'))['IsTrue'],
      true,
    );
  });
});

describe('a queued step', () => {
  it('WF-30 goes to its queue, or to the one that QueueParameters name for the case, runs as the built-in user, and advances the workflow when started', async () => {
    await template('Queued', [
      {
        name: 'Mail',
        Async: 1,
        Queue: 'Mail',
        Object: 'Foreclosure',
        Operation: 'Save',
        Parameters: 'ID={ForeclosureID}&Status=Mailed',
      },
      {
        name: 'Routed',
        Async: 1,
        Queue: 'Mail',
        QueueParameters: 'QueueName={ForeclosureType}&QueueLabel=Case {ForeclosureID}&QueuedDate={ScheduledSaleDate}',
        Object: 'ImportForm',
        ObjectID: title['ImportFormTemplateID'],
      },
    ]);
    const caseId = await newCase({ ForeclosureType: 'Report', ScheduledSaleDate: '2099-06-01' });
    const started = await start('Queued', caseId);
    assert.deepEqual(await stepStatuses(started['DecisionID']), ['Mail Queued', 'Routed Queued']);
    const mail = await stepNamed(started['DecisionID'], 'Mail');
    const routed = await stepNamed(started['DecisionID'], 'Routed');
    const [first] = await jobsOf(mail['DecisionStepID']);
    const [second] = await jobsOf(routed['DecisionStepID']);
    assert.deepEqual(
      [first?.queue, first?.id, second?.queue, second?.label],
      ['Mail', mail['QueueMessageID'], 'Report', `Case ${caseId}`],
    );
    assert.match(String(second?.start), /^2099-0[56]-/);
    const [{ workflow } = { workflow: 0 }] = await p.platform.store.query<{ workflow: number }>(
      "select personid as workflow from person where person = 'Workflow'",
    );
    assert.deepEqual([first?.person, second?.person], [workflow, workflow]);
    assert.equal((await startFromQueue([mail['DecisionStepID'], routed['DecisionStepID']])).status, 200);
    assert.deepEqual(await stepStatuses(started['DecisionID']), ['Mail Complete', 'Routed Pending']);
    assert.equal((await caseRow(caseId))['Status'], 'Mailed');
    assert.equal(
      (await startFromQueue(routed['DecisionStepID'])).status,
      422,
      'a step that waits for its task cannot be started again',
    );
  });

  it('WF-09 WF-30 is in Error if it fails, and can be started again; an unknown queue fails it', async () => {
    await template('Queued wrongly', [
      { name: 'Wrong', Async: 1, Object: 'Foreclosure', Operation: 'Save', Parameters: 'ID=77777777&Status=x' },
      {
        name: 'Nowhere',
        Async: 1,
        QueueParameters: 'QueueName={Foreclosure}',
        Object: 'ImportForm',
        ObjectID: title['ImportFormTemplateID'],
      },
    ]);
    const error = await refused(
      p.admin.post('/api/decision/save?Output=Json', {
        Template: 'Queued wrongly',
        Object: 'Foreclosure',
        ObjectID: await newCase({ Foreclosure: 'No such queue' }),
      }),
      422,
    );
    assert.match(String(error['Message']), /Step "Nowhere" failed: QueueName: there is no such queue/);
    const wrong = await stepNamed(error['DecisionID'], 'Wrong');
    const failed = await refused(startFromQueue(wrong['DecisionStepID']), 422);
    assert.deepEqual(
      [failed['Code'], failed['FailureCode'], failed['DecisionStepID']],
      ['STEP_FAILED', 'NOT_FOUND', wrong['DecisionStepID']],
    );
    assert.deepEqual(await stepStatuses(error['DecisionID']), ['Wrong Error', 'Nowhere Error']);
  });

  it('WF-09 WF-16 that ends while its workflow is on hold completes after the hold without being called again', async () => {
    await save('decisiondelaytemplate', { DecisionDelayTemplate: 'Wait for counsel', AppliesTo: 'Foreclosure' });
    await template('Held by itself', [
      {
        name: 'Hold',
        Async: 1,
        Object: 'DecisionDelay',
        Operation: 'Save',
        Parameters: 'DecisionID={DecisionID}&DecisionDelay=Wait for counsel',
      },
    ]);
    const held = await start('Held by itself', await newCase());
    const hold = await stepNamed(held['DecisionID'], 'Hold');
    assert.equal((await startFromQueue(hold['DecisionStepID'])).status, 200);
    const waiting = await stepNamed(held['DecisionID'], 'Hold');
    assert.deepEqual([waiting['Status'], waiting['QueueMessageID'] ?? null], ['Queued', null]);
    const [delay] = rowsOf(
      await ok(p.admin.get(`/api/decisiondelay/search?Output=Json&DecisionID=${String(held['DecisionID'])}`)),
      'DecisionDelay',
    );
    await save('decisiondelay', { ID: delay?.['DecisionDelayID'], ActualCompletion: new Date().toISOString() });
    await ok(p.admin.post('/api/decision/process?Output=Json', { ID: held['DecisionID'] }));
    const again = await stepNamed(held['DecisionID'], 'Hold');
    assert.deepEqual([again['Status'], typeof again['QueueMessageID']], ['Queued', 'string']);
    assert.equal((await startFromQueue(hold['DecisionStepID'])).status, 200);
    assert.deepEqual(await stepStatuses(held['DecisionID']), ['Hold Complete']);
    const holds = await ok(
      p.admin.get(`/api/decisiondelay/search?Output=Json&DecisionID=${String(held['DecisionID'])}`),
    );
    assert.equal(rowsOf(holds, 'DecisionDelay').length, 1);
    assert.deepEqual(await attemptsOf(held['DecisionID']), []);
  });

  it('WF-09 WF-26 whose status is refused after its call is in Error; started again it is not called again, reprocessed it is', async () => {
    const rule = await save('businessrule', {
      BusinessRule: 'Never ready',
      AppliesTo: 'Foreclosure',
      Operation: 'Update',
      Status: 'Active',
      Stylesheet:
        '<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"><xsl:template match="/">' +
        '<xsl:if test="//Status = \'Ready\'"><Exception>Not ready</Exception></xsl:if>' +
        '</xsl:template></xsl:stylesheet>',
    });
    await template('Refused status', [
      {
        name: 'Write',
        Async: 1,
        Object: 'Message',
        Operation: 'Save',
        Parameters: 'Object=Foreclosure&ObjectID={ForeclosureID}&Message=x',
        OnCompleteParentStatus: 'Ready',
      },
    ]);
    const refusedOne = await start('Refused status', await newCase());
    const write = await stepNamed(refusedOne['DecisionID'], 'Write');
    assert.equal((await refused(startFromQueue(write['DecisionStepID']), 422))['Code'], 'STEP_FAILED');
    assert.equal((await stepNamed(refusedOne['DecisionID'], 'Write'))['Status'], 'Error');
    await refused(startFromQueue(write['DecisionStepID']), 422);
    await save('businessrule', { ID: rule['BusinessRuleID'], Status: 'Inactive' });
    assert.equal((await startFromQueue(write['DecisionStepID'])).status, 200);
    const caseId = Number((await decision(refusedOne['DecisionID']))['ObjectID']);
    assert.deepEqual(
      [await stepStatuses(refusedOne['DecisionID']), (await caseRow(caseId))['Status'], await messagesOn(caseId)],
      [['Write Complete'], 'Ready', 1],
    );
    assert.deepEqual(await attemptsOf(refusedOne['DecisionID']), []);

    await save('businessrule', { ID: rule['BusinessRuleID'], Status: 'Active' });
    const repeated = await start('Refused status', await newCase());
    const { DecisionStepID: step, DecisionStepTemplateID: of } = await stepNamed(repeated['DecisionID'], 'Write');
    await refused(startFromQueue(step), 422);
    assert.equal((await attemptsOf(repeated['DecisionID'])).length, 1, 'what the call did is known');
    await save('businessrule', { ID: rule['BusinessRuleID'], Status: 'Inactive' });
    await ok(
      p.admin.post('/api/decision/reprocess?Output=Json', { ID: repeated['DecisionID'], DecisionStepTemplateID: of }),
    );
    assert.equal((await startFromQueue(step)).status, 200);
    assert.equal(await messagesOn(Number((await decision(repeated['DecisionID']))['ObjectID'])), 2);
  });

  it('WF-13 with EnforceStartDates waits, queued, until its estimated start once it is ready', async () => {
    await template(
      'Dated',
      [
        {
          name: 'After the sale',
          ReferenceDate: 'ScheduledSaleDate',
          Object: 'ImportForm',
          ObjectID: title['ImportFormTemplateID'],
        },
      ],
      { EnforceStartDates: 1 },
    );
    const started = await start('Dated', await newCase({ ScheduledSaleDate: '2098-03-04' }));
    const step = await stepNamed(started['DecisionID'], 'After the sale');
    const [job] = await jobsOf(step['DecisionStepID']);
    assert.deepEqual([step['Status'], job?.start], ['Queued', step['EstimatedStart']]);
    assert.equal((await startFromQueue(step['DecisionStepID'])).status, 200, 'starting it by hand does not wait');
    assert.equal((await stepNamed(started['DecisionID'], 'After the sale'))['Status'], 'Pending');
  });
});

describe('a polling step', () => {
  it('WF-03 WF-04 is Pending and evaluated again on its schedule until its stylesheet returns 1; a dependency on another result is satisfied too', async () => {
    const schedule = await save('schedule', { Schedule: 'Nightly', ScheduleName: 'Daily @ 2am' });
    await template('Polled', [
      {
        name: 'Sale is set',
        DecisionStepTemplateType: 'Polling',
        StepXslt: sheet('//ForeclosureItem/ScheduledSaleDate'),
        MonitorScheduleID: schedule['ScheduleID'],
      },
      { name: 'Bid', Object: 'ImportForm', ObjectID: bids['ImportFormTemplateID'], after: ['Sale is set=0'] },
    ]);
    const caseId = await newCase();
    const started = await start('Polled', caseId);
    const step = await stepNamed(started['DecisionID'], 'Sale is set');
    assert.equal(step['Status'], 'Pending');
    const [job] = await jobsOf(step['DecisionStepID']);
    const wait = (Date.parse(job?.start ?? '') - Date.now()) / 3_600_000;
    assert.ok(wait > 0 && wait <= 25, `${wait} hours`);
    assert.match(String(job?.start), /T0[67]:00:00\.000Z$/, 'two in the morning in New York');
    assert.equal((await startFromQueue(step['DecisionStepID'])).status, 200);
    assert.equal((await stepNamed(started['DecisionID'], 'Sale is set'))['Status'], 'Pending');
    await save('foreclosure', { ID: caseId, ScheduledSaleDate: '2026-12-01' });
    assert.equal((await startFromQueue(step['DecisionStepID'])).status, 200);
    assert.deepEqual(await stepStatuses(started['DecisionID']), ['Sale is set Complete', 'Bid Pending']);
    assert.equal((await stepNamed(started['DecisionID'], 'Sale is set'))['IsTrue'], true);
  });

  it('WF-04 WF-30 is polled again after the other work of its queue', async () => {
    await template('Looks on', [
      { name: 'Never', DecisionStepTemplateType: 'Polling', StepXslt: sheet('false()') },
      {
        name: 'From the queue',
        Async: 1,
        Object: 'Foreclosure',
        Operation: 'Save',
        Parameters: 'ID={ForeclosureID}&Status=Late',
      },
    ]);
    const started = await start('Looks on', await newCase());
    const [poll, other] = await Promise.all(
      ['Never', 'From the queue'].map(
        async (name) => (await jobsOf((await stepNamed(started['DecisionID'], name))['DecisionStepID']))[0],
      ),
    );
    // Both are due; the poll was queued first.
    await p.platform.store.query(
      `update pgboss.job
       set start_after = now() - interval '1 minute',
         created_on = now() - make_interval(secs => case id::text when $1::text then 60 else 30 end)
       where id::text in ($1::text, $2::text)`,
      [poll?.id, other?.id],
    );
    await p.platform.store.query(`delete from pgboss.job where id::text not in ($1::text, $2::text)`, [
      poll?.id,
      other?.id,
    ]);
    const taken = [];
    for (let n = 0; n < 2; n++)
      taken.push(...(await p.platform.queue.boss.fetch(String(poll?.queue))).map(({ id }) => id));
    assert.deepEqual(taken, [other?.id, poll?.id]);
  });

  it('WF-04 without a schedule is polled again after DecisionPollingMinutes', async () => {
    await set('DecisionPollingMinutes', '7');
    await template('Polled often', [
      { name: 'Never', DecisionStepTemplateType: 'Polling', StepXslt: sheet('false()') },
    ]);
    const started = await start('Polled often', await newCase());
    const [job] = await jobsOf((await stepNamed(started['DecisionID'], 'Never'))['DecisionStepID']);
    const minutes = (Date.parse(job?.start ?? '') - Date.now()) / 60_000;
    assert.ok(minutes > 6 && minutes <= 7, `${minutes} minutes`);
  });
});

describe('users of a workflow', () => {
  it("WF-10 a firm's user completes a task of its case, and the workflow continues in the platform's name; tasks of other firms are not visible", async () => {
    await save('role', { Role: 'Task worker', Status: 'Active', Permissions: 'ImportFormSave' });
    const own = await p.firm('Firm of the case', 'Partner, Task worker');
    const other = await p.firm('Another firm');
    await template('Firm', [
      { name: 'Task', Object: 'ImportForm', ObjectID: title['ImportFormTemplateID'] },
      {
        name: 'Inside',
        Object: 'Foreclosure',
        Operation: 'Save',
        Parameters: 'ID={ForeclosureID}&Status=Moved',
        after: ['Task'],
      },
      { name: 'Next', Object: 'ImportForm', ObjectID: bids['ImportFormTemplateID'], after: ['Inside'] },
    ]);
    const caseId = await newCase({ OrganizationID: own.organizationId });
    const started = await start('Firm', caseId);
    const step = await stepNamed(started['DecisionID'], 'Task');
    assert.equal(
      (await other.caller.get(`/api/decision/select/${String(started['DecisionID'])}?Output=Json`)).status,
      404,
    );
    assert.equal(
      (await own.caller.get(`/api/decision/select/${String(started['DecisionID'])}?Output=Json`)).status,
      200,
    );
    assert.equal(
      (
        await own.caller.post('/api/importform/save?Output=Json', {
          ID: step['ObjectID'],
          ActualCompletion: '2026-01-01',
        })
      ).status,
      200,
    );
    assert.deepEqual(await stepStatuses(started['DecisionID']), ['Task Complete', 'Inside Complete', 'Next Pending']);
    assert.equal((await caseRow(caseId))['Status'], 'Moved');
    const next = await stepNamed(started['DecisionID'], 'Next');
    assert.equal(
      (await own.caller.get(`/api/importform/select/${String(next['ObjectID'])}?Output=Json`)).status,
      200,
      'the firm can access the next task',
    );
  });
});
