import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { fixedClock } from '../../../src/kernel/time/clock.ts';
import { testPlatform } from '../../support/platform.ts';
import { workflowCalls } from '../../support/work/workflows.ts';
import { worklistCalls, type WorklistRow } from '../../support/work/worklists.ts';

const clock = fixedClock('2026-06-03T15:00:00Z');
const p = await testPlatform({ after }, { clock });
const { ok, refused, save, select, call, worker, team, loan, worklist, next, items } = worklistCalls(p);
const DAY = 86_400_000;
const inDays = (days: number): string => new Date(clock.milliseconds() + days * DAY).toISOString();

const ann = await worker('ann');
const bob = await worker('bob');
const both = await team('Both', [[ann.personId], [bob.personId]]);
const bobs = await team('Only Bob', [[bob.personId]]);
let made = 0;

/** Saves a task type whose tasks go onto a worklist. */
async function kind(
  fields: object = {},
  listFields: object = {},
): Promise<{ name: string; id: number; list: { templateId: number; id: number } }> {
  const name = `task ${++made}`;
  const list = await worklist({ SourceObject: 'ImportForm', SmartWorklistTemplate: name, ...listFields });
  const row = await save('importformtemplate', {
    ImportFormTemplate: name,
    SmartWorklistTemplateID: list.templateId,
    ...fields,
  });
  return { name, id: Number(row['ImportFormTemplateID']), list };
}
const form = async (template: string, fields: object = {}): Promise<number> =>
  Number(
    (
      await save('importform', {
        Template: template,
        ...('ObjectID' in fields ? {} : { Object: 'Loan', ObjectID: await loan() }),
        ...fields,
      })
    )['ImportFormID'],
  );
const change = (id: number, fields: object): Promise<WorklistRow> => save('importform', { ID: id, ...fields });
const itemsOf = (id: number): Promise<WorklistRow[]> => items(`SourceObject=ImportForm&SourceObjectID=${id}`);
const itemOf = async (id: number): Promise<WorklistRow> => (await itemsOf(id))[0] ?? {};
const pick = (row: WorklistRow | undefined, ...names: string[]): unknown[] => names.map((name) => row?.[name]);

describe('the item of a task whose workflow is on hold', async () => {
  const { template, newCase, start, stepNamed } = workflowCalls(p);
  await save('decisiondelaytemplate', { DecisionDelayTemplate: 'Automatic stay', AppliesTo: 'Process' });
  const { name, id: formId } = await kind({ AppliesTo: 'Foreclosure' }, { TeamID: both });
  const taskStep = { Object: 'ImportFormTemplate', ObjectID: formId };
  await template('Held work', [
    { name: 'First', ...taskStep },
    { name: 'Second', ...taskStep, after: ['First'] },
  ]);
  await template('Not enforced work', [{ name: 'First', ...taskStep }], { EnforceDelay: false });
  const onCase = async (workflow = 'Held work'): Promise<{ caseId: number; id: unknown; task: number }> => {
    const caseId = await newCase();
    const { DecisionID: id } = await start(workflow, caseId);
    return { caseId, id, task: Number((await stepNamed(id, 'First'))['ObjectID']) };
  };
  const hold = (fields: object): Promise<WorklistRow> =>
    save('decisiondelay', { DecisionDelay: 'Automatic stay', ...fields });
  const end = (made: WorklistRow): Promise<WorklistRow> =>
    save('decisiondelay', { ID: made['DecisionDelayID'], ActualCompletion: clock.now() });
  const finish = async (task: number): Promise<void> => {
    await ok(call('smartworklistmember/cancel', { ID: (await itemOf(task))['SmartWorklistMemberID'] }));
  };

  it('WL-01 WF-16 is not given by next, which explain says, and comes back when the last hold ends', async () => {
    const { caseId, id, task } = await onCase();
    const whole = await hold({ Object: 'Foreclosure', ObjectID: caseId });
    clock.advance(60_000);
    const second = await hold({ DecisionID: id });
    const since = whole['ActualStart'];
    assert.deepEqual(pick(await itemOf(task), 'Status', 'HeldDate'), ['Queued', since]);
    assert.equal(await next(ann.caller, name), undefined);
    const { SmartWorklistMemberID: itemId } = await itemOf(task);
    const explained = await p.admin.get(
      `/api/smartworklistmember/explain?Output=Json&ID=${String(itemId)}&PersonID=${ann.personId}`,
    );
    assert.match(
      explained.text,
      /"Name":\s*"NotOnHold",\s*"Holds":\s*false,\s*"Value":\s*"since [^"]*: Automatic stay/,
    );
    assert.match(explained.text, /"Eligible":\s*false/);
    await end(whole);
    assert.deepEqual(pick(await itemOf(task), 'HeldDate'), [since]);
    assert.equal(await next(ann.caller, name), undefined);
    await end(second);
    assert.equal((await next(ann.caller, name))?.['SourceObjectID'], task);
    await hold({ Object: 'Foreclosure', ObjectID: caseId });
    assert.equal(await next(ann.caller, name), undefined, 'a started item is not given either');
    await finish(task);
  });

  it('WL-01 WF-16 of a workflow that does not enforce holds, or without a workflow, is given', async () => {
    const { caseId, task } = await onCase('Not enforced work');
    await hold({ Object: 'Foreclosure', ObjectID: caseId });
    assert.deepEqual(pick(await itemOf(task), 'HeldDate'), [undefined]);
    assert.equal((await next(ann.caller, name))?.['SourceObjectID'], task);
    await finish(task);
    const free = await form(name, { Object: 'Foreclosure', ObjectID: caseId });
    assert.equal((await next(ann.caller, name))?.['SourceObjectID'], free);
    await finish(free);
  });

  it('WL-01 WF-16 made or reopened during the hold waits, and is given once its task has no step or the workflow is gone', async () => {
    const { caseId, id, task } = await onCase();
    const step = (await stepNamed(id, 'First'))['DecisionStepID'];
    await hold({ Object: 'Foreclosure', ObjectID: caseId });
    const bound = await form(name, { Object: 'Foreclosure', ObjectID: caseId, DecisionStepID: step });
    assert.notEqual((await itemOf(bound))['HeldDate'], undefined);
    const { SmartWorklistMemberID: itemId } = await itemOf(task);
    await ok(call('smartworklistmember/cancel', { ID: itemId }));
    await ok(call('smartworklistmember/requeue', { ID: itemId }));
    assert.notEqual((await itemOf(task))['HeldDate'], undefined);
    await change(bound, { DecisionStepID: '' });
    assert.equal((await itemOf(bound))['HeldDate'], undefined);
    await ok(call('decision/cancel', { ID: id, KeepImportForm: 1 }));
    assert.deepEqual(pick(await itemOf(task), 'Status', 'HeldDate'), ['Queued', undefined]);
    await finish(bound);
    await finish(task);
  });

  it('WL-01 WF-16 is given during the hold if the setting says so, in its usual place', async () => {
    const [first, second] = [await onCase(), await onCase()];
    await hold({ Object: 'Foreclosure', ObjectID: first.caseId });
    const setting = { Setting: 'SmartWorklistNextGivesHeldItems', Value: 'true' };
    const { SettingID: id } = await save('setting', setting);
    assert.equal((await next(ann.caller, name))?.['SourceObjectID'], first.task);
    assert.equal((await next(ann.caller))?.['SourceObjectID'], first.task, 'it is their own now');
    await ok(call('setting/delete', { ID: id }));
    assert.equal((await next(ann.caller, name))?.['SourceObjectID'], second.task);
    await finish(first.task);
    await finish(second.task);
  });
});

describe('a task whose type has a worklist', () => {
  it('FRM-04 WL-07 gets an item on the open worklist, due on the earlier of its projected and estimated completion', async () => {
    const { name, list } = await kind({}, { TeamID: both, Priority: 3 });
    const id = await form(name, { EstimatedCompletion: inDays(5) });
    const found = await itemsOf(id);
    assert.equal(found.length, 1);
    assert.deepEqual(
      pick(found[0], 'SmartWorklistID', 'Status', 'TeamID', 'PersonID', 'Priority', 'DueDate', 'SmartWorklistMember'),
      [list.id, 'Queued', both, undefined, 3, inDays(5), name],
    );
    await ok(call('smartworklist/cancel', { ID: list.id }));
    const second = await itemOf(await form(name));
    assert.notEqual(second['SmartWorklistID'], list.id, 'a worklist is opened if there is none');
    assert.equal(
      (await select('smartworklist', second['SmartWorklistID']))['SmartWorklistTemplateID'],
      list.templateId,
    );
    assert.equal((await itemOf(await form(name)))['SmartWorklistID'], second['SmartWorklistID']);
    assert.deepEqual(
      await itemsOf(await form(name, { ActualCompletion: inDays(-1) })),
      [],
      'a task that is already complete gets no item',
    );
    const plain = await save('importformtemplate', { ImportFormTemplate: 'without a worklist' });
    assert.deepEqual(await itemsOf(await form(String(plain['ImportFormTemplate']))), []);
  });

  it('FRM-04 WL-06 completes its item when it is completed, and records the minutes of business hours', async () => {
    const { name } = await kind({}, { TeamID: both, OnAssignSourcePerson: 'AssignedPersonID' });
    const id = await form(name);
    const got = await next(ann.caller, name);
    assert.deepEqual(pick(got, 'SourceObjectID', 'PersonID'), [id, ann.personId]);
    assert.equal(
      (await select('importform', id))['AssignedPersonID'],
      ann.personId,
      'the assignee of the item is written to the task',
    );
    assert.equal((await itemOf(id))['StartDate'], clock.now(), 'and that does not restart it');
    clock.advance(DAY);
    await change(id, { ActualCompletion: clock.now() });
    assert.deepEqual(pick(await itemOf(id), 'Status', 'CompletionDate', 'BusinessMinutes', 'PersonID'), [
      'Completed',
      clock.now(),
      540,
      ann.personId,
    ]);
    const version = (await itemOf(id))['Version'];
    await change(id, { ActualCompletion: clock.now() });
    assert.equal((await itemOf(id))['Version'], version);
  });

  it('FRM-04 postpones its item until its projected completion, which becomes its due date', async () => {
    const { name } = await kind({}, { TeamID: both });
    const id = await form(name, { EstimatedCompletion: inDays(9) });
    await change(id, { ProjectedCompletion: inDays(2) });
    assert.deepEqual(pick(await itemOf(id), 'Status', 'SkipDate', 'DueDate'), ['Skipped', inDays(2), inDays(2)]);
    assert.equal(await next(ann.caller, name), undefined);
    clock.advance(2 * DAY);
    assert.equal((await next(ann.caller, name))?.['SourceObjectID'], id);
    await change(id, { ProjectedCompletion: inDays(1) });
    assert.equal(await next(ann.caller, name), undefined, 'not even its assignee gets it');
    await change(id, { ProjectedCompletion: '' });
    assert.deepEqual(pick(await itemOf(id), 'Status', 'SkipDate', 'DueDate'), ['Started', undefined, inDays(7)]);
    assert.equal((await next(ann.caller, name))?.['SourceObjectID'], id);
    await change(id, { ActualCompletion: clock.now() });
  });

  it('FRM-04 cancels its open item when it is canceled or deleted, and gets a new one when it is restored', async () => {
    const { name } = await kind();
    const [canceled, deleted, done] = [await form(name), await form(name), await form(name)];
    await change(done, { ActualCompletion: clock.now() });
    await change(canceled, { CanceledDate: clock.now() });
    for (const id of [deleted, done]) await ok(call('importform/delete', { ID: id }));
    assert.deepEqual(await Promise.all([canceled, deleted, done].map(async (id) => (await itemOf(id))['Status'])), [
      'Canceled',
      'Canceled',
      'Completed',
    ]);
    await ok(call('importform/undelete', { ID: deleted }));
    assert.deepEqual(
      (await itemsOf(deleted)).map((row) => row['Status']),
      ['Canceled', 'Queued'],
    );
  });

  it('WL-07 passes its team (or that of its step, or of its template) and its person on to the item, and later changes too', async () => {
    const { name } = await kind({ AssignedCollectionID: both }, { TeamID: bobs });
    const id = await form(name, { AssignedPersonID: ann.personId });
    assert.deepEqual(pick(await itemOf(id), 'TeamID', 'PersonID'), [both, ann.personId]);
    assert.equal((await next(ann.caller, name))?.['SourceObjectID'], id);
    await change(id, { AssignedCollectionID: bobs });
    assert.deepEqual(
      pick(await itemOf(id), 'TeamID', 'PersonID', 'Status'),
      [bobs, undefined, 'Queued'],
      'a user outside the new team loses the item',
    );
    await change(id, { AssignedPersonID: bob.personId, EstimatedCompletion: inDays(4) });
    assert.deepEqual(pick(await itemOf(id), 'TeamID', 'PersonID', 'DueDate'), [bobs, bob.personId, inDays(4)]);
    await change(id, { Status: 'Whatever' });
    assert.deepEqual(
      pick(await itemOf(id), 'Status', 'PersonID'),
      ['Queued', bob.personId],
      'without a state diagram a status does not affect worklists',
    );
    const [template] = await p.platform.store.query<{ id: number }>(
      "insert into decisiontemplate (decisiontemplate) values ('Work') returning decisiontemplateid as id",
    );
    const [decision] = await p.platform.store.query<{ id: number }>(
      'insert into decision (decisiontemplateid) values ($1::bigint) returning decisionid as id',
      [template?.id],
    );
    const [stepTemplate] = await p.platform.store.query<{ id: number }>(
      `insert into decisionsteptemplate (decisiontemplateid) values ($1::bigint)
       returning decisionsteptemplateid as id`,
      [template?.id],
    );
    const [step] = await p.platform.store.query<{ id: number }>(
      `insert into decisionstep (decisionid, decisionsteptemplateid, teamid)
       values ($1::bigint, $2::bigint, $3::bigint)
       returning decisionstepid as id`,
      [decision?.id, stepTemplate?.id, bobs],
    );
    const { name: ofStep } = await kind({}, { TeamID: both });
    const stepped = await form(ofStep, { DecisionStepID: step?.id });
    assert.equal((await itemOf(stepped))['TeamID'], bobs);
    assert.equal(
      (await itemOf(await form(ofStep, { DecisionStepID: step?.id, AssignedCollectionID: both })))['TeamID'],
      both,
    );
  });

  it('WL-07 is assigned to the user who last completed such an item for the record, if still a member of the team', async () => {
    const { name } = await kind({}, { TeamID: both });
    const record = { Object: 'Loan', ObjectID: await loan() };
    const first = await form(name, { ...record, AssignedPersonID: bob.personId });
    await change(first, { ActualCompletion: clock.now() });
    assert.equal((await itemOf(await form(name, record)))['PersonID'], bob.personId);
    assert.equal(
      (await itemOf(await form(name)))['PersonID'],
      undefined,
      'nobody has completed one for another record',
    );
    assert.equal(
      (await itemOf(await form(name, { ...record, AssignedPersonID: ann.personId })))['PersonID'],
      ann.personId,
    );
    const [member] = await p.platform.store.query<{ id: number }>(
      `delete from collectionmember where collectionid = $1::bigint and sourceobjectid = $2::bigint
       returning collectionmemberid as id`,
      [both, bob.personId],
    );
    assert.ok(member);
    assert.equal((await itemOf(await form(name, record)))['PersonID'], undefined);
    await save('collectionmember', { CollectionID: both, SourceObjectID: bob.personId });
  });

  it("FRM-04 can be created and completed by a firm's user, who never sees worklists", async () => {
    const { name } = await kind({}, { TeamID: both });
    await save('role', {
      Role: 'Works On Tasks',
      Permissions: 'ImportForm* Loan* SmartWorklistMember*',
      UniversalAccess: false,
    });
    const firm = await p.firm('Harrow and Lind', 'Works On Tasks');
    const record = await ok(call('loan/save', { Loan: '900001' }, firm.caller));
    const row = await ok(
      call('importform/save', { Template: name, Object: 'Loan', ObjectID: record['LoanID'] }, firm.caller),
    );
    const id = Number(row['ImportFormID']);
    assert.deepEqual(pick(await itemOf(id), 'Status', 'TeamID', 'CreatedPersonID'), ['Queued', both, firm.personId]);
    for (const route of ['search', 'next', 'save'])
      await refused(call(`smartworklistmember/${route}`, {}, firm.caller), 'NO_PERMISSION');
    await ok(call('importform/save', { ID: id, ProjectedCompletion: inDays(1) }, firm.caller));
    assert.equal((await itemOf(id))['Status'], 'Skipped');
    await ok(call('importform/save', { ID: id, ActualCompletion: clock.now() }, firm.caller));
    assert.equal((await itemOf(id))['Status'], 'Completed');
  });
});

describe('a task with a state diagram', () => {
  it('FRM-04 completes the items of its old status and goes onto the worklist of the move, unless the new status is final', async () => {
    const { name, id: templateId, list } = await kind({}, { TeamID: both });
    const [review, repair] = [
      await worklist({ SourceObject: 'ImportForm', TeamID: bobs }),
      await worklist({ SourceObject: 'ImportForm', TeamID: both }),
    ];
    for (const [status, final] of [
      ['New', false],
      ['Review', false],
      ['Repair', false],
      ['Done', true],
    ] as const)
      await save('importformstatus', { ImportFormTemplateID: templateId, ImportFormStatus: status, IsFinal: final });
    for (const [from, to, at] of [
      ['', 'New', undefined],
      ['New', 'Review', review.templateId],
      ['Review', 'Repair', repair.templateId],
      ['Repair', 'Review', review.templateId],
      ['Review', 'Done', undefined],
    ] as const) {
      await save('importformtransition', {
        ImportFormTemplateID: templateId,
        FromStatus: from,
        ToStatus: to,
        ...(at === undefined ? {} : { SmartWorklistTemplateID: at }),
      });
    }
    const id = await form(name, { Status: 'New' });
    const states = async (): Promise<unknown[]> =>
      (await itemsOf(id)).map((row) => [row['SmartWorklistID'], row['Status']]);
    assert.deepEqual(await states(), [[list.id, 'Queued']]);
    await change(id, { Status: 'Review' });
    assert.deepEqual(await states(), [
      [list.id, 'Completed'],
      [review.id, 'Queued'],
    ]);
    await change(id, { Status: 'Review' });
    assert.equal((await states()).length, 2, 'sending the status again changes nothing');
    await ok(call('smartworklistmember/bulkcomplete', { ID: (await itemsOf(id))[1]?.['SmartWorklistMemberID'] }));
    await change(id, { Status: 'Review', EstimatedCompletion: inDays(3) });
    assert.equal((await states()).length, 2, 'nor does it after the item was completed');
    await change(id, { Status: 'Repair' });
    await change(id, { Status: 'Review' });
    assert.deepEqual((await states()).slice(2), [
      [repair.id, 'Completed'],
      [review.id, 'Queued'],
    ]);
    await change(id, { Status: 'Done' });
    assert.deepEqual((await states()).slice(2), [
      [repair.id, 'Completed'],
      [review.id, 'Completed'],
    ]);
    assert.equal((await itemsOf(id)).at(-1)?.['BusinessMinutes'], 0);
  });
});

describe('pause', () => {
  it('FRM-02 FRM-06 creates a task that stays open, on the open worklist of the given name, which is created if missing', async () => {
    const { name, list } = await kind({}, { TeamID: both });
    const record = { Object: 'Loan', ObjectID: await loan() };
    const pause = (fields: object): Promise<WorklistRow> =>
      ok(call('importform/pause', { Template: name, ...record, ...fields }));
    const first = await pause({ SmartWorklist: 'Exceptions', Field: 'PropertyZip: "0" & missing' });
    assert.equal(first['ActualCompletion'], undefined);
    assert.match(String(first['XmlData']), /<Field>PropertyZip: "0" &amp; missing<\/Field>/);
    const [paused] = await itemsOf(Number(first['ImportFormID']));
    assert.equal((await itemsOf(Number(first['ImportFormID']))).length, 1);
    assert.deepEqual(pick(paused, 'Status', 'Reason', 'ReasonDetail', 'TeamID'), [
      'Queued',
      'Exception',
      'PropertyZip: "0" & missing',
      both,
    ]);
    assert.notEqual(paused?.['SmartWorklistID'], list.id);
    assert.deepEqual(pick(await select('smartworklist', paused?.['SmartWorklistID']), 'SmartWorklist', 'Status'), [
      'Exceptions',
      'Open',
    ]);
    const again = await Promise.all([
      pause({ SmartWorklist: 'exceptions' }),
      pause({ SmartWorklist: 'Brand new' }),
      pause({ SmartWorklist: 'Brand new' }),
    ]);
    const lists = await Promise.all(
      again.map(async (row) => (await itemOf(Number(row['ImportFormID'])))['SmartWorklistID']),
    );
    assert.equal(lists[0], paused?.['SmartWorklistID']);
    assert.equal(lists[1], lists[2], 'two concurrent calls create one worklist');
    await change(Number(first['ImportFormID']), { ActualCompletion: clock.now() });
    assert.equal((await itemOf(Number(first['ImportFormID'])))['Status'], 'Completed');
    await refused(call('importform/pause', { Template: name, ...record }), 'MISSING_PARAMETER', 'SmartWorklist');
    await refused(
      call('importform/pause', { Template: name, ...record, SmartWorklist: '   ' }),
      'MISSING_PARAMETER',
      'SmartWorklist',
    );
    await refused(
      call('importform/pause', { Template: name, ...record, ObjectID: 99_999_999, SmartWorklist: 'x' }),
      'NOT_FOUND',
      'ObjectID',
    );
  });
});

describe('createworklist', () => {
  it('FRM-03 creates a worklist for a task type and links the two, once', async () => {
    const row = await save('importformtemplate', {
      ImportFormTemplate: 'Call the borrower',
      AssignedCollectionID: both,
    });
    const bound = await ok(call('importformtemplate/createworklist', { ID: row['ImportFormTemplateID'] }));
    assert.equal(
      (await select('importformtemplate', row['ImportFormTemplateID']))['SmartWorklistTemplateID'],
      bound['SmartWorklistTemplateID'],
    );
    assert.deepEqual(
      pick(
        await select('smartworklisttemplate', bound['SmartWorklistTemplateID']),
        'SmartWorklistTemplate',
        'SourceObject',
        'TeamID',
      ),
      ['Call the borrower', 'ImportForm', both],
    );
    const id = await form('Call the borrower');
    assert.equal((await itemOf(id))['SmartWorklistID'], bound['SmartWorklistID']);
    assert.equal((await next(bob.caller, 'call the borrower'))?.['MemberUrl'], `/records/importform/${id}`);
    await refused(call('importformtemplate/createworklist', { ID: row['ImportFormTemplateID'] }), 'STATE_REFUSES');
  });
});
