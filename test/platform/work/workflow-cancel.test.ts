import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { testPlatform } from '../../support/platform.ts';
import { refusing } from '../../support/rules/rules.ts';
import { rowsOf, workflowCalls, type WorkflowRow } from '../../support/work/workflows.ts';
import { worklistCalls } from '../../support/work/worklists.ts';

const p = await testPlatform({ after });
const { ok, refused, save, template, newCase, start, steps, stepStatuses, decision, complete, stepNamed, set } =
  workflowCalls(p);
const { worklist, items } = worklistCalls(p);

const list = await worklist({ SourceObject: 'ImportForm', SmartWorklistTemplate: 'Reviews' });
const form = await save('importformtemplate', {
  ImportFormTemplate: 'Review',
  AppliesTo: 'Foreclosure',
  SmartWorklistTemplateID: list.templateId,
});
const formStep = { Object: 'ImportFormTemplate', ObjectID: form['ImportFormTemplateID'] };
const mark = {
  Object: 'Message',
  Operation: 'Save',
  Parameters: 'Object=Foreclosure&ObjectID={ForeclosureID}&Message=Mark',
};

const call = (operation: string, body: object, caller = p.admin): ReturnType<typeof p.admin.post> =>
  caller.post(`/api/decision/${operation}?Output=Json`, body);
const task = (id: unknown): Promise<WorkflowRow> => ok(p.admin.get(`/api/importform/select/${String(id)}?Output=Json`));
const itemOf = async (formId: unknown): Promise<WorkflowRow | undefined> =>
  (await items(`SourceObject=ImportForm&SourceObjectID=${String(formId)}`))[0];
const messages = async (caseId: number): Promise<WorkflowRow[]> =>
  rowsOf(await ok(p.admin.get(`/api/foreclosure/${caseId}/message/search?Output=Json`)), 'Message');

await template('Plain', [
  { name: 'Ask' },
  { name: 'Review', ...formStep, after: ['Ask'] },
  { name: 'Beside', after: ['Ask'] },
  { name: 'Mark', ...mark, after: ['Review'] },
]);

/** Starts a workflow that waits for a task and for a manual step. */
async function waiting(): Promise<{ id: unknown; caseId: number; formId: unknown }> {
  const caseId = await newCase();
  const { DecisionID: id } = await start('Plain', caseId);
  await ok(complete((await stepNamed(id, 'Ask'))['DecisionStepID']));
  return { id, caseId, formId: (await stepNamed(id, 'Review'))['ObjectID'] };
}

describe('decisionstep/complete of a step that waits', () => {
  const completeStep = (id: unknown, more: object = {}): ReturnType<typeof p.admin.post> =>
    p.admin.post('/api/decisionstep/complete?Output=Json', { ID: id, ...more });

  it('WF-09 WL-01 cancels its task and the work item, saves the reason on the case, and goes on', async () => {
    const { id, caseId, formId } = await waiting();
    const step = (await stepNamed(id, 'Review'))['DecisionStepID'];
    await ok(completeStep(step, { BodyText: 'Reviewed on paper' }));
    assert.deepEqual(
      [typeof (await task(formId))['CanceledDate'], (await task(formId))['ActualCompletion']],
      ['string', undefined],
    );
    const item = await itemOf(formId);
    assert.deepEqual([item?.['Status'], item?.['Reason']], ['Canceled', 'The step was completed without it.']);
    assert.equal((await stepNamed(id, 'Mark'))['Status'], 'Complete');
    assert.deepEqual(
      (await messages(caseId)).filter((row) => row['BodyText'] === 'Reviewed on paper').map((row) => row['Message']),
      ['Completed without what it waited for: Review'],
    );
    const audited = await p.admin.get(`/api/importform/history?Output=Json&ID=${String(formId)}`);
    assert.match(audited.text, /"Field":\s*"CanceledDate"/);
    const before = await task(formId);
    await ok(completeStep(step));
    assert.deepEqual(await task(formId), before, 'a complete step is left unchanged');
  });

  it('WF-09 KeepImportForm leaves the task and its item open; on hold nothing is canceled', async () => {
    const { id, formId } = await waiting();
    const step = (await stepNamed(id, 'Review'))['DecisionStepID'];
    await save('decisiondelaytemplate', { DecisionDelayTemplate: 'Stay of the step', AppliesTo: 'Foreclosure' });
    const hold = await save('decisiondelay', { DecisionID: id, DecisionDelay: 'Stay of the step' });
    await refused(completeStep(step, { BodyText: 'Anyway' }), 422);
    assert.deepEqual([(await task(formId))['CanceledDate'], (await itemOf(formId))?.['Status']], [undefined, 'Queued']);
    await save('decisiondelay', { ID: hold['DecisionDelayID'], Status: 'Canceled' });
    await ok(completeStep(step, { KeepImportForm: 1 }));
    assert.equal((await stepNamed(id, 'Review'))['Status'], 'Complete');
    assert.deepEqual([(await task(formId))['CanceledDate'], (await itemOf(formId))?.['Status']], [undefined, 'Queued']);
  });

  it('WF-09 WF-11 cancels the workflow that it started', async () => {
    const inner = await template('Inner to skip', [{ name: 'Inner step' }]);
    await template('Outer to skip', [
      { name: 'Run it', Object: 'DecisionTemplate', ObjectID: inner['DecisionTemplateID'] },
      { name: 'Then', after: ['Run it'] },
    ]);
    const { DecisionID: id } = await start('Outer to skip', await newCase());
    const step = await stepNamed(id, 'Run it');
    await ok(completeStep(step['DecisionStepID']));
    assert.equal((await decision(step['ObjectID']))['Status'], 'Canceled');
    assert.deepEqual(await stepStatuses(id), ['Run it Complete', 'Then Pending']);
  });
});

describe('decision/cancel', () => {
  it('WF-12 WF-22 cancels the workflow, its unfinished steps, their tasks and the items on worklists; completed steps stay complete', async () => {
    const { id, formId } = await waiting();
    assert.equal((await itemOf(formId))?.['Status'], 'Queued');
    const answered = await ok(call('cancel', { ID: id }));
    assert.deepEqual(
      [answered['Status'], typeof answered['CanceledDate'], answered['OpenCount']],
      ['Canceled', 'string', 0],
    );
    assert.deepEqual(await stepStatuses(id), ['Ask Complete', 'Review Canceled', 'Beside Canceled']);
    const dates = (await steps(id)).map((row) => row['CanceledDate']);
    assert.deepEqual([dates[0], dates[1], dates[2]], [undefined, answered['CanceledDate'], answered['CanceledDate']]);
    const canceled = await task(formId);
    assert.deepEqual(
      [canceled['CanceledDate'], canceled['ActualCompletion'], canceled['DecisionStepID']],
      [answered['CanceledDate'], undefined, (await stepNamed(id, 'Review'))['DecisionStepID']],
    );
    const item = await itemOf(formId);
    assert.deepEqual([item?.['Status'], item?.['Reason']], ['Canceled', 'The workflow was canceled.']);
    await refused(complete((await stepNamed(id, 'Beside'))['DecisionStepID']), 422);
    await ok(p.admin.post('/api/decision/process?Output=Json', { ID: id }));
    assert.equal((await steps(id)).length, 3);
  });

  it('WF-22 Status replaces Canceled on the workflow only, its steps are Canceled, and canceling again changes nothing', async () => {
    const { id } = await waiting();
    await ok(call('cancel', { ID: id, Status: 'Withdrawn' }));
    const before = await decision(id);
    assert.deepEqual([before['Status'], (await stepNamed(id, 'Beside'))['Status']], ['Withdrawn', 'Canceled']);
    await ok(call('cancel', { ID: id, Status: 'Other' }));
    assert.deepEqual(await decision(id), before);
  });

  it('WF-22 KeepImportForm detaches the tasks from the workflow and leaves them open on their worklist', async () => {
    const { id, formId } = await waiting();
    await ok(call('cancel', { ID: id, KeepImportForm: 1 }));
    const remaining = await task(formId);
    assert.deepEqual(
      [remaining['CanceledDate'], remaining['DecisionStepID'], (await itemOf(formId))?.['Status']],
      [undefined, undefined, 'Queued'],
    );
    assert.equal((await stepNamed(id, 'Review'))['Status'], 'Canceled');
    await save('importform', { ID: formId, ActualCompletion: '2026-02-01' });
    assert.deepEqual(await stepStatuses(id), ['Ask Complete', 'Review Canceled', 'Beside Canceled']);
  });

  it('WF-22 cancels the open workflows that its steps have started, with their tasks; complete ones stay complete', async () => {
    const child = await template('Child', [{ name: 'Child review', ...formStep }]);
    await template('Parent', [
      { name: 'Run', Object: 'DecisionTemplate', ObjectID: child['DecisionTemplateID'] },
      { name: 'Done', Object: 'DecisionTemplate', ObjectID: child['DecisionTemplateID'] },
    ]);
    const { DecisionID: id } = await start('Parent', await newCase());
    const [childId, otherId] = [(await stepNamed(id, 'Run'))['ObjectID'], (await stepNamed(id, 'Done'))['ObjectID']];
    const review = await stepNamed(childId, 'Child review');
    await save('importform', {
      ID: (await stepNamed(otherId, 'Child review'))['ObjectID'],
      ActualCompletion: '2026-02-01',
    });
    await ok(call('cancel', { ID: id }));
    assert.deepEqual(
      [
        (await decision(childId))['Status'],
        (await decision(otherId))['Status'],
        (await stepNamed(childId, 'Child review'))['Status'],
      ],
      ['Canceled', 'Complete', 'Canceled'],
    );
    assert.equal(typeof (await task(review['ObjectID']))['CanceledDate'], 'string');
    const complete = await call('cancel', { ID: otherId });
    assert.deepEqual([complete.status, (await decision(otherId))['Status']], [200, 'Complete']);
    assert.match(complete.text, /The workflow is complete/);
  });

  it('WF-22 leaves open a task that a step of another workflow also waits for', async () => {
    const once = await save('importformtemplate', {
      ImportFormTemplate: 'Only one',
      AppliesTo: 'Foreclosure',
      Repeatable: 'OneActive',
    });
    await template('Shared A', [
      { name: 'Wait', Object: 'ImportFormTemplate', ObjectID: once['ImportFormTemplateID'] },
    ]);
    await template('Shared B', [
      { name: 'Wait', Object: 'ImportFormTemplate', ObjectID: once['ImportFormTemplateID'] },
    ]);
    const caseId = await newCase();
    const [a, b] = [(await start('Shared A', caseId))['DecisionID'], (await start('Shared B', caseId))['DecisionID']];
    const shared = (await stepNamed(a, 'Wait'))['ObjectID'];
    assert.equal((await stepNamed(b, 'Wait'))['ObjectID'], shared);
    await ok(call('cancel', { ID: b }));
    assert.equal((await task(shared))['CanceledDate'], undefined);
    await save('importform', { ID: shared, ActualCompletion: '2026-02-01' });
    assert.deepEqual([(await decision(a))['Status'], (await decision(b))['Status']], ['Complete', 'Canceled']);
  });

  it('WF-22 a step may cancel its own workflow: the step completes, nothing after it starts, and everything else is canceled', async () => {
    await template('Ends itself', [
      { name: 'By hand' },
      { name: 'End', Object: 'Decision', Operation: 'Cancel', Parameters: 'ID={DecisionID}&Status=Ended' },
      { name: 'Never', ...mark, after: ['End'] },
    ]);
    const caseId = await newCase();
    const { DecisionID: id } = await start('Ends itself', caseId);
    assert.deepEqual(
      [(await decision(id))['Status'], await stepStatuses(id)],
      ['Ended', ['By hand Canceled', 'End Complete']],
    );
    assert.deepEqual(await messages(caseId), []);
  });

  it('WF-22 of two cancels at once only one takes effect, and a task completed at that moment is either complete or canceled', async () => {
    const { id } = await waiting();
    const before = Number((await decision(id))['Version']);
    const both = await Promise.all([
      call('cancel', { ID: id, Status: 'First' }),
      call('cancel', { ID: id, Status: 'Second' }),
    ]);
    assert.deepEqual(
      both.map(({ status }) => status),
      [200, 200],
    );
    assert.equal(both[0].json()['Status'], both[1].json()['Status']);
    assert.equal((await decision(id))['Version'], before + 1, 'the second call changes nothing');
    const again = await waiting();
    const [canceled, completed] = await Promise.all([
      call('cancel', { ID: again.id }),
      p.admin.post('/api/importform/save?Output=Json', { ID: again.formId, ActualCompletion: '2026-02-01' }),
    ]);
    assert.deepEqual([canceled.status, completed.status], [200, 200], `${canceled.text} ${completed.text}`);
    const step = await stepNamed(again.id, 'Review');
    assert.equal((await decision(again.id))['Status'], 'Canceled');
    assert.equal(step['Status'] === 'Complete', step['ActualCompletion'] !== undefined);
    assert.ok(['Complete', 'Canceled'].includes(String(step['Status'])), String(step['Status']));
  });

  it('WF-22 a firm cancels a workflow it can access, including parts it cannot see, and no workflow of others', async () => {
    const hidden = await save('importformtemplate', {
      ImportFormTemplate: 'Internal',
      AppliesTo: 'Foreclosure',
      ExtranetEnabled: 'No',
    });
    await template('Of a firm', [
      { name: 'Internal', Object: 'ImportFormTemplate', ObjectID: hidden['ImportFormTemplateID'] },
    ]);
    await p.admin.post('/api/role/save', {
      Role: 'Canceler',
      Permissions: 'DecisionCancel,DecisionReactivate',
      UniversalAccess: false,
    });
    const firm = await p.firm('Canceling', 'Canceler');
    const other = await p.firm('Not reached', 'Canceler');
    const caseId = await newCase({ OrganizationID: firm.organizationId });
    const { DecisionID: id } = await start('Of a firm', caseId);
    assert.equal((await call('cancel', { ID: id }, other.caller)).status, 404);
    assert.equal((await decision(id))['Status'], 'In Progress');
    await ok(call('cancel', { ID: id }, firm.caller));
    const step = await stepNamed(id, 'Internal');
    assert.deepEqual([step['Status'], typeof (await task(step['ObjectID']))['CanceledDate']], ['Canceled', 'string']);
    assert.equal((await decision(id))['UpdatedPersonID'], firm.personId, 'the user who canceled it is recorded');
    assert.equal((await call('reactivate', { ID: id }, other.caller)).status, 404);
    await ok(call('reactivate', { ID: id }, firm.caller));
    assert.deepEqual(
      [await stepStatuses(id), (await task(step['ObjectID']))['CanceledDate']],
      [['Internal Pending'], undefined],
    );
  });
});

describe('closing a case', () => {
  const closed = { DateClosed: '2026-02-03', ClosedReason: 'Paid' };
  const close = (caseId: number, fields: object = closed, caller = p.admin): ReturnType<typeof p.admin.post> =>
    caller.post('/api/foreclosure/save?Output=Json', { ID: caseId, ...fields });

  it('WF-22 cancels its open workflows with their tasks and items once, and reports how many; reopening leaves them unchanged', async () => {
    const { id, caseId, formId } = await waiting();
    const child = await template('Closed child', [{ name: 'Child review', ...formStep }]);
    await template('Closed parent', [
      { name: 'Run', Object: 'DecisionTemplate', ObjectID: child['DecisionTemplateID'] },
    ]);
    const { DecisionID: parentId } = await start('Closed parent', caseId);
    const childId = (await stepNamed(parentId, 'Run'))['ObjectID'];
    const other = await waiting();
    await ok(close(caseId, { ClosedReason: 'Soon' }));
    assert.equal((await decision(id))['Status'], 'In Progress', 'a reason alone does not close the case');
    const answer = await close(caseId);
    assert.equal(answer.status, 200, answer.text);
    assert.match(answer.text, /workflows 3, tasks 2, work items 2\. .*decision\/reactivate/);
    for (const one of [id, parentId, childId])
      assert.deepEqual(
        [(await decision(one))['Status'], typeof (await decision(one))['CanceledDate']],
        ['Case Closed', 'string'],
      );
    assert.deepEqual(
      [await stepStatuses(id), await stepStatuses(childId)],
      [['Ask Complete', 'Review Canceled', 'Beside Canceled'], ['Child review Canceled']],
    );
    assert.deepEqual(
      [
        typeof (await task(formId))['CanceledDate'],
        (await itemOf(formId))?.['Status'],
        (await itemOf(formId))?.['Reason'],
      ],
      ['string', 'Canceled', 'The case was closed.'],
    );
    assert.equal((await decision(other.id))['Status'], 'In Progress', 'the workflow of another case continues');

    await ok(call('reactivate', { ID: id }));
    for (const again of [closed, { ...closed, DateClosed: '2026-02-04' }, { Status: 'Closed' }])
      assert.doesNotMatch((await close(caseId, again)).text, /WORKFLOWS_CANCELED/);
    assert.equal((await decision(id))['Status'], 'Reactivated', 'closing again, or with another date, cancels nothing');
    const reopened = await close(caseId, { DateClosed: null, ClosedReason: null });
    assert.match(reopened.text, /canceled when it was closed: 2\. .*decision\/reactivate/);
    assert.deepEqual(
      [(await decision(parentId))['Status'], (await decision(id))['Status']],
      ['Case Closed', 'Reactivated'],
    );
    assert.match((await close(caseId)).text, /workflows 1, tasks 1,/);
  });

  it('WF-22 leaves them open when DecisionCancelOnClose is off', async () => {
    const { id, caseId, formId } = await waiting();
    await set('DecisionCancelOnClose', 'false');
    assert.doesNotMatch((await close(caseId)).text, /WORKFLOWS_CANCELED/);
    await set('DecisionCancelOnClose', 'true');
    assert.deepEqual(
      [(await decision(id))['Status'], (await task(formId))['CanceledDate']],
      ['In Progress', undefined],
    );
  });

  it("WF-02 WF-22 from a workflow's last step completes that workflow and continues its parent; steps after the closing run, and other workflows are canceled", async () => {
    const closing = {
      Object: 'Foreclosure',
      Operation: 'Save',
      Parameters: 'ID={ForeclosureID}&DateClosed=2026-02-03&ClosedReason=Paid',
    };
    const last = await template('Closes', [{ name: 'Ask' }, { name: 'Close', ...closing, after: ['Ask'] }]);
    await template('Closes and files', [
      { name: 'Close', ...closing },
      { name: 'File', ...formStep, after: ['Close'] },
    ]);
    await template('Has it closed', [
      { name: 'Run', Object: 'DecisionTemplate', ObjectID: last['DecisionTemplateID'] },
      { name: 'Archive', after: ['Run'] },
    ]);
    const beside = await waiting();
    const { DecisionID: alone } = await start('Closes', beside.caseId);
    const answer = await complete((await stepNamed(alone, 'Ask'))['DecisionStepID']);
    assert.deepEqual(
      [
        answer.status,
        await stepStatuses(alone),
        (await decision(alone))['Status'],
        (await decision(beside.id))['Status'],
      ],
      [200, ['Ask Complete', 'Close Complete'], 'Complete', 'Case Closed'],
    );
    assert.match(answer.text, /workflows 1, /);

    const { DecisionID: filing } = await start('Closes and files', await newCase());
    assert.deepEqual(
      [await stepStatuses(filing), (await decision(filing))['Status']],
      [['Close Complete', 'File Pending'], 'In Progress'],
    );

    const { DecisionID: parent } = await start('Has it closed', await newCase());
    const below = (await stepNamed(parent, 'Run'))['ObjectID'];
    await ok(complete((await stepNamed(below, 'Ask'))['DecisionStepID']));
    assert.deepEqual(
      [(await decision(below))['Status'], await stepStatuses(parent), (await decision(parent))['Status']],
      ['Complete', ['Run Complete', 'Archive Pending'], 'In Progress'],
    );
  });

  it('WF-22 twice at once while a task is completed succeeds, and the task is either complete or canceled', async () => {
    const { id, caseId, formId } = await waiting();
    const [one, two, done] = await Promise.all([
      close(caseId),
      close(caseId),
      p.admin.post('/api/importform/save?Output=Json', { ID: formId, ActualCompletion: '2026-02-01' }),
    ]);
    assert.deepEqual([one.status, two.status, done.status], [200, 200, 200], `${one.text} ${two.text} ${done.text}`);
    const review = await stepNamed(id, 'Review');
    assert.deepEqual(
      [(await decision(id))['Status'], ['Complete', 'Canceled'].includes(String(review['Status']))],
      ['Case Closed', true],
    );
  });

  it('WF-22 succeeds even if a workflow cannot be canceled: that one stays open, which is reported and logged', async () => {
    const { id, caseId, formId } = await waiting();
    const rule = await save('businessrule', {
      BusinessRule: 'Tasks stay',
      AppliesTo: 'ImportForm',
      Operation: 'Update',
      Stylesheet: refusing('ImportFormItem/CanceledDate', 'No task is canceled.'),
    });
    const answer = await close(caseId);
    await save('businessrule', { ID: rule['BusinessRuleID'], Status: 'Inactive' });
    assert.equal(answer.status, 200, answer.text);
    assert.match(answer.text, /could not be canceled with the case/);
    assert.deepEqual(
      [(await decision(id))['Status'], (await task(formId))['CanceledDate'], await stepStatuses(id)],
      ['In Progress', undefined, ['Ask Complete', 'Review Pending', 'Beside Pending']],
    );
    assert.equal(
      rowsOf(await ok(p.admin.get(`/api/errorlog/search?Output=Json&Operation=decision/cancel`)), 'ErrorLog').length,
      1,
    );
  });
});

describe('decision/reactivate', () => {
  it('WF-12 WF-23 clears CanceledDate of the workflow and of the steps and tasks canceled with it; nothing runs until process continues it', async () => {
    const { id, caseId, formId } = await waiting();
    const person = (await itemOf(formId))?.['SmartWorklistMemberID'];
    await ok(call('cancel', { ID: id }));
    const answered = await ok(call('reactivate', { ID: id }));
    assert.deepEqual(
      [answered['Status'], answered['CanceledDate'], answered['OpenCount']],
      ['Reactivated', undefined, 2],
    );
    assert.deepEqual(await stepStatuses(id), ['Ask Complete', 'Review Pending', 'Beside Pending']);
    assert.deepEqual(
      [
        (await task(formId))['CanceledDate'],
        (await itemOf(formId))?.['Status'],
        (await itemOf(formId))?.['SmartWorklistMemberID'],
      ],
      [undefined, 'Queued', person],
    );
    const before = await decision(id);
    assert.match((await call('reactivate', { ID: id })).text, /nothing was reactivated/);
    assert.deepEqual(await decision(id), before, 'an active workflow stays unchanged');
    await ok(call('process', { ID: id }));
    assert.deepEqual(await stepStatuses(id), ['Ask Complete', 'Review Pending', 'Beside Pending']);
    await save('importform', { ID: formId, ActualCompletion: '2026-02-01' });
    await ok(complete((await stepNamed(id, 'Beside'))['DecisionStepID']));
    assert.deepEqual([(await decision(id))['Status'], (await messages(caseId)).length], ['Complete', 1]);
  });

  it('WF-23 clears ActualCompletion of a complete workflow and runs no pass', async () => {
    await template('Grows', [{ name: 'Only' }]);
    const { DecisionID: id } = await start('Grows', await newCase());
    await ok(complete((await stepNamed(id, 'Only'))['DecisionStepID']));
    assert.equal((await decision(id))['Status'], 'Complete');
    const answered = await ok(call('reactivate', { ID: id }));
    assert.deepEqual([answered['Status'], answered['ActualCompletion']], ['Reactivated', undefined]);
    await ok(call('process', { ID: id }));
    assert.equal((await decision(id))['Status'], 'Complete');
  });

  it('WF-23 requeues queued steps at the next pass, leaves failed ones in Error, and completes the step of a kept task that was done meanwhile', async () => {
    await template('Varied', [
      { name: 'Queued', ...mark, Async: 1 },
      {
        name: 'Fails',
        Object: 'Foreclosure',
        Operation: 'Save',
        Parameters: 'ID={ForeclosureID}&Foreclosure={ForeclosureID}&LoanID=99999999',
      },
      { name: 'Kept and done', ...formStep },
      { name: 'Kept', ...formStep },
      { name: 'After', after: ['Kept and done'] },
    ]);
    await set('DecisionProcessErrorThrow', 'false');
    const { DecisionID: id } = await start('Varied', await newCase());
    await set('DecisionProcessErrorThrow', 'true');
    const before = await stepStatuses(id);
    assert.deepEqual(before, ['Queued Queued', 'Fails Error', 'Kept and done Pending', 'Kept Pending']);
    const message = (await stepNamed(id, 'Queued'))['QueueMessageID'];
    await ok(call('cancel', { ID: id, KeepImportForm: 1 }));
    await refused(
      p.admin.post('/api/decisionstep/start?Output=Json', { ID: (await stepNamed(id, 'Queued'))['DecisionStepID'] }),
      422,
    );
    const done = await stepNamed(id, 'Kept and done');
    await save('importform', { ID: done['ObjectID'], ActualCompletion: '2026-02-01' });
    await ok(call('reactivate', { ID: id }));
    assert.deepEqual(await stepStatuses(id), [
      'Queued Queued',
      'Fails Error',
      'Kept and done Complete',
      'Kept Pending',
    ]);
    const remaining = await stepNamed(id, 'Kept');
    assert.equal((await task(remaining['ObjectID']))['DecisionStepID'], remaining['DecisionStepID']);
    assert.equal((await stepNamed(id, 'Queued'))['QueueMessageID'], undefined);
    await ok(call('process', { ID: id }));
    const again = (await stepNamed(id, 'Queued'))['QueueMessageID'];
    assert.ok(typeof again === 'string' && again !== message);
    assert.deepEqual((await stepStatuses(id)).at(-1), 'After Pending');
  });

  it('WF-23 WF-16 applies a hold that was placed while the workflow was canceled, and reopens child workflows too', async () => {
    const child = await template('Held child', [{ name: 'Child waits' }]);
    const parent = await template('Held parent', [
      { name: 'Run', Object: 'DecisionTemplate', ObjectID: child['DecisionTemplateID'] },
    ]);
    const caseId = await newCase();
    const { DecisionID: id } = await start('Held parent', caseId);
    const childId = (await stepNamed(id, 'Run'))['ObjectID'];
    await ok(call('cancel', { ID: id }));
    await save('decisiondelaytemplate', {
      DecisionDelayTemplate: 'Hold of a parent',
      AppliesTo: 'Foreclosure',
      DecisionTemplateID: parent['DecisionTemplateID'],
    });
    const hold = await save('decisiondelay', { Template: 'Hold of a parent', Object: 'Foreclosure', ObjectID: caseId });
    await ok(call('reactivate', { ID: id }));
    assert.deepEqual([(await decision(id))['Delayed'], (await stepNamed(id, 'Run'))['Delayed']], [true, true]);
    assert.deepEqual(
      [(await decision(childId))['Status'], (await stepNamed(childId, 'Child waits'))['Status']],
      ['Reactivated', 'Pending'],
    );
    await save('decisiondelay', { ID: hold['DecisionDelayID'], ActualCompletion: new Date().toISOString() });
    await ok(complete((await stepNamed(childId, 'Child waits'))['DecisionStepID']));
    assert.equal((await decision(id))['Status'], 'Complete');
  });

  it('WF-23 is refused, as is its preview, while another workflow is active of a template that allows one per record; the error names it', async () => {
    const child = await template('Alone child', [{ name: 'Child waits' }], { Repeatable: 'OneActive' });
    await template('Alone', [{ name: 'Run', Object: 'DecisionTemplate', ObjectID: child['DecisionTemplateID'] }], {
      Repeatable: 'OneActive',
    });
    const caseId = await newCase();
    const start1 = async (name = 'Alone'): Promise<unknown> => (await start(name, caseId))['DecisionID'];
    const older = await start1();
    await ok(call('cancel', { ID: older }));
    const newer = await start1();
    assert.notEqual(newer, older);
    const before = await decision(older);
    for (const answer of [
      call('reactivate', { ID: older }),
      p.admin.get(`/api/decision/preview?Output=Json&Change=Reactivate&ID=${String(older)}`),
    ])
      assert.match(
        String((await refused(answer, 422))['Message']),
        new RegExp(`at the same time as workflow ${String(newer)}:`),
      );
    assert.deepEqual(await decision(older), before);
    await ok(call('cancel', { ID: newer }));
    const alone = await start1('Alone child');
    assert.match(
      String((await refused(call('reactivate', { ID: older }), 422))['Message']),
      new RegExp(`at the same time as workflow ${String(alone)}:`),
      'a child workflow blocks it too',
    );
    assert.deepEqual(await decision(older), before);
    await ok(call('cancel', { ID: alone }));
    await Promise.all([
      call('reactivate', { ID: older }),
      call('reactivate', { ID: newer }),
      save('decision', { Template: 'Alone', Object: 'Foreclosure', ObjectID: caseId }),
    ]);
    const active = await p.platform.store.query<{ name: string }>(
      `select decision as name from decision
       where objectid = $1::bigint and canceleddate is null and actualcompletion is null
       order by 1`,
      [caseId],
    );
    assert.deepEqual(
      active.map(({ name }) => name),
      ['Alone', 'Alone child'],
      'of three concurrent calls one activates a workflow',
    );
  });
});
