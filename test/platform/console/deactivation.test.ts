import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { client, type Row } from '../../support/client.ts';
import { testSession } from '../../support/pages/session.ts';
import { testPlatform } from '../../support/platform.ts';
import { worklistCalls } from '../../support/work/worklists.ts';

describe('deactivating a user with handover', async () => {
  const p = await testPlatform({ after });
  const { worker, team, worklist, item } = worklistCalls(p);
  const chief = await p.user('chief', 'Administrator');
  const ann = await worker('ann');
  const bob = await worker('bob');
  const cho = await worker('cho');
  const admin = client(p, chief.caller);
  const reviewers = await team('Reviewers', [[ann.personId], [bob.personId]]);
  const titles = await worklist({ SmartWorklistTemplate: 'Titles', TeamID: reviewers });
  await admin.save('importformtemplate', { ImportFormTemplate: 'Inspect', AppliesTo: 'Foreclosure' });

  const newCase = async (name: string, personId: number): Promise<number> => {
    const row = await admin.save('foreclosure', { Foreclosure: name, AssignedPersonID: personId });
    return Number(row['ForeclosureID']);
  };
  const newTask = async (caseId: number, personId: number): Promise<number> => {
    const values = { Template: 'Inspect', Object: 'Foreclosure', ObjectID: caseId, AssignedPersonID: personId };
    return Number((await admin.save('importform', values))['ImportFormID']);
  };
  const value = async (module: string, id: number, column: string): Promise<unknown> =>
    (await admin.select(module, id))[column] ?? null;
  /** Does what workers do with a bulk change, and returns the status of each of its rows. */
  const finish = async (bulkRunId: unknown): Promise<unknown[]> => {
    const { ImportFileID } = await admin.select('bulkrun', Number(bulkRunId));
    const search = { ImportFileID, OrderBy: 'ImportFileQueueID', DisplaySize: 100 };
    const rows = await admin.expectRows('importfilequeue/search', search);
    const [From, To] = [rows[0], rows.at(-1)].map((row) => row?.['ImportFileQueueID']);
    await admin.expectOk('importfilequeue/process', { ImportFileID, Queue: rows[0]?.['Queue'], From, To });
    await admin.expectOk('importfile/endbatch', { ID: ImportFileID });
    return (await admin.expectRows('importfilequeue/search', search)).map((row) => row['Status']);
  };
  const finishAll = async (row: Row): Promise<void> => {
    for (const run of ['WorkItemRunID', 'TaskRunID', 'CaseRunID']) if (row[run] ?? null) await finish(row[run]);
  };
  const events = async (personId: number): Promise<unknown[]> =>
    (await admin.expectRows('securitylog/search', { ObjectID: personId, Object: 'Person' })).map(
      (row) => row['SecurityLog'],
    );
  const PersonID = ann.personId;
  const Reason = 'Left the company';

  it('WEB-06 refuses self, an inactive colleague, the user themself, and a firm, naming what they cannot get', async () => {
    await item(titles.id, { PersonID: ann.personId });
    await newCase('FC-1', ann.personId);
    const firm = await p.firm('Hollis Law', 'Partner');
    const refuse = async (code: string, field: string, more: object): Promise<string> => {
      const error = await admin.expectRefused('handover/deactivate', { PersonID, Reason, ...more }, code, field);
      return JSON.stringify(error);
    };
    await refuse('STATE_REFUSES', 'PersonID', { PersonID: chief.personId });
    const builtin = await admin.expectRows('person/search', { Person: ['System', 'Workflow'] });
    assert.equal(builtin.length, 2);
    for (const { PersonID: id } of builtin) await refuse('STATE_REFUSES', 'PersonID', { PersonID: id });
    await refuse('BAD_PARAMETER', 'WorkPersonID', { WorkPersonID: ann.personId });
    assert.match(await refuse('STATE_REFUSES', 'WorkPersonID', { WorkPersonID: cho.personId }), /Titles/);
    await refuse('STATE_REFUSES', 'WorkPersonID', { WorkPersonID: firm.personId });
    assert.match(await refuse('STATE_REFUSES', 'CasePersonID', { CasePersonID: firm.personId }), /FC-1/);
    await admin.save('person', { ID: cho.personId, Status: 'Inactive' });
    await refuse('STATE_REFUSES', 'CasePersonID', { CasePersonID: cho.personId });
    await admin.save('person', { ID: cho.personId, Status: 'Active' });
    await refuse('MISSING_PARAMETER', 'Reason', { Reason: '' });
    assert.equal(await value('person', ann.personId, 'Status'), null, 'nothing was changed');
  });

  it('WEB-06 refuses callers who may not give it by hand: no permission, a stronger user', async () => {
    await client(p, bob.caller).expectRefused('handover/deactivate', { PersonID, Reason }, 'NO_PERMISSION');
    await admin.save('role', { Role: 'Users only', Permissions: 'Person*', UniversalAccess: true });
    const clerk = client(p, (await p.user('users only', 'Users only')).caller);
    // Ann has a permission that the caller has not; her work could not be given away either.
    await clerk.expectRefused('handover/deactivate', { PersonID, Reason }, 'NO_PERMISSION', 'PersonID');
    await clerk.expectRefused('handover/deactivate', { PersonID: bob.personId, Reason }, 'NO_PERMISSION', 'Status');
    await clerk.expectRefused('handover/deactivate', { PersonID: chief.personId, Reason }, 'NO_PERMISSION');
  });

  it('WEB-06 one step deactivates, ends sessions, revokes keys and gives each kind to whom was chosen', async () => {
    const caseId = (await admin.expectRows('foreclosure/search', { Foreclosure: 'FC-1' }))[0]?.['ForeclosureID'];
    const task = await newTask(Number(caseId), ann.personId);
    const done = await item(titles.id, { PersonID: ann.personId });
    await admin.expectOk('smartworklistmember/cancel', { ID: done });
    await testSession(p, 'ann');
    const request = { PersonID, Reason, WorkPersonID: bob.personId, CasePersonID: cho.personId };
    const row = await admin.expectOk('handover/deactivate', request);
    assert.equal(await value('person', ann.personId, 'Status'), 'Inactive');
    assert.equal(row['SessionCount'], 1);
    assert.equal(row['KeyCount'], 1);
    const seen = await events(ann.personId);
    assert.ok(seen.includes('PersonDeactivated') && seen.includes('StatusChanged'), String(seen));
    // Repeated, as after a crash of the client: the same deactivation, and no second bulk change.
    assert.equal((await admin.expectOk('handover/deactivate', request))['HandoverID'], row['HandoverID']);
    assert.equal((await admin.expectRows('bulkrun/search')).length, 3);

    await finishAll(row);
    const items = await admin.expectRows('smartworklistmember/search', { PersonID: bob.personId });
    assert.equal(items.length, 1);
    assert.equal(await value('importform', task, 'AssignedPersonID'), bob.personId);
    assert.equal(await value('foreclosure', Number(caseId), 'AssignedPersonID'), cho.personId);
    const held = await admin.expectRows('handover/holdings', { PersonID });
    assert.deepEqual(held, [], 'nothing is left behind');
  });

  it('WEB-06 undo reactivates and gives back what nobody has worked on since; keys stay revoked', async () => {
    const [row] = await admin.expectRows('handover/search', { PersonID });
    const ID = row?.['HandoverID'];
    const [taken] = await admin.expectRows('smartworklistmember/search', { PersonID: bob.personId });
    await client(p, bob.caller).expectOk('smartworklistmember/start', { ID: taken?.['SmartWorklistMemberID'] });
    await client(p, bob.caller).expectRefused('handover/undo', { ID }, 'NO_PERMISSION');
    const undone = await admin.expectOk('handover/undo', { ID });
    assert.equal(undone['Status'], 'Undone');
    assert.equal((await admin.expectOk('handover/undo', { ID }))['Version'], undone['Version'], 'undone once');
    assert.equal(await value('person', ann.personId, 'Status'), 'Active');
    const undoing = await admin.expectRows('bulkrun/search', { BulkRun: 'Undo:*', OrderBy: 'BulkRunID' });
    assert.equal(undoing.length, 2, 'Bob has begun the only work item');
    for (const run of undoing) assert.deepEqual(await finish(run['BulkRunID']), ['Complete']);
    const [task] = await admin.expectRows('importform/search');
    assert.equal(task?.['AssignedPersonID'], ann.personId);
    const [held] = await admin.expectRows('foreclosure/search', { Foreclosure: 'FC-1' });
    assert.equal(held?.['AssignedPersonID'], ann.personId);
    assert.equal(
      await value('smartworklistmember', Number(taken?.['SmartWorklistMemberID']), 'PersonID'),
      bob.personId,
    );
    assert.equal((await ann.caller.get('/api/contact/search')).status, 401);
    assert.ok((await events(ann.personId)).includes('PersonReactivated'));
  });

  it('WEB-06 without a colleague the work goes back to its queues, and an untouched item is given back', async () => {
    const own = await item(titles.id, { PersonID: ann.personId });
    const row = await admin.expectOk('handover/deactivate', { PersonID, Reason });
    await admin.expectRefused('handover/undo', { ID: row['HandoverID'] }, 'STATE_REFUSES', 'ID');
    await finishAll(row);
    assert.equal(await value('smartworklistmember', own, 'PersonID'), null);
    assert.equal(await value('smartworklistmember', own, 'TeamID'), reviewers);
    await admin.expectOk('handover/undo', { ID: row['HandoverID'] });
    const undoing = await admin.expectRows('bulkrun/search', { UndoneRunID: row['WorkItemRunID'] });
    assert.deepEqual(await finish(undoing[0]?.['BulkRunID']), ['Complete']);
    assert.equal(await value('smartworklistmember', own, 'PersonID'), ann.personId);
  });

  it('WEB-06 two callers at the same moment deactivate once, and an earlier deactivation cannot be undone', async () => {
    const request = { PersonID, Reason, WorkPersonID: bob.personId };
    const rows = await Promise.all([1, 2, 3].map(() => admin.expectOk('handover/deactivate', request)));
    assert.equal(new Set(rows.map((row) => row['HandoverID'])).size, 1);
    const [first] = await admin.expectRows('handover/search', { PersonID, OrderBy: 'HandoverID' });
    assert.notEqual(first?.['HandoverID'], rows[0]?.['HandoverID']);
    assert.equal((await admin.expectOk('handover/undo', { ID: first?.['HandoverID'] }))['Status'], 'Undone');
    assert.equal(await value('person', ann.personId, 'Status'), 'Inactive', 'it was undone before');
  });

  it('WEB-06 the pages of a user deactivate with a reason, show what was handed over, and undo', async () => {
    const dan = await worker('dan');
    const own = await item(titles.id, { PersonID: dan.personId });
    const session = await testSession(p, 'chief');
    const address = `/administration/users/${dan.personId}`;
    assert.match((await session.get(address)).text, new RegExp(`href="${address}/holdings#deactivate"`));
    const refused = await session.post(`${address}/deactivate`, {
      Reason: 'Leaves',
      WorkPersonID: String(cho.personId),
    });
    assert.equal(refused.status, 422);
    assert.match(refused.text, /Titles/);
    assert.match(refused.text, /value="Leaves"/, 'what was typed is kept');
    const done = await session.post(`${address}/deactivate`, { Reason: 'Leaves', WorkPersonID: String(bob.personId) });
    assert.equal(done.status, 303, done.text);
    const shown = (await session.get(address)).text;
    for (const part of ['Leaves', '1 key revoked', 'stay revoked', '/bulk/']) assert.ok(shown.includes(part), part);
    const [row] = await admin.expectRows('handover/search', { PersonID: dan.personId });
    await finishAll(row ?? {});
    assert.equal(await value('smartworklistmember', own, 'PersonID'), bob.personId);
    const undone = await session.post(`${address}/reactivate`, { ID: String(row?.['HandoverID']) });
    assert.equal(undone.status, 303, undone.text);
    assert.equal(await value('person', dan.personId, 'Status'), 'Active');
  });
});
