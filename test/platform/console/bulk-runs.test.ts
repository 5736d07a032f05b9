import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { client, type Row } from '../../support/client.ts';
import { testPlatform } from '../../support/platform.ts';

describe('bulk changes', async () => {
  const p = await testPlatform({ after });
  const admin = client(p);
  const theo = await p.user('theo', 'Staff');
  const clerk = await p.user('clerk', 'Staff');
  const staff = client(p, clerk.caller);
  const firm = await p.firm('Hollis Law', 'Partner');
  await admin.save('decisiondelaytemplate', { DecisionDelayTemplate: 'Court', AppliesTo: 'Process' });
  const newCases = async (count: number, prefix: string): Promise<number[]> => {
    const ids: number[] = [];
    for (let n = 0; n < count; n++)
      ids.push(Number((await admin.save('foreclosure', { Foreclosure: `${prefix}-${n}` }))['ForeclosureID']));
    await admin.expectOk('casesummary/refresh');
    return ids;
  };
  const assign = {
    RecordType: 'CaseSummary',
    Signature: `process/save?ID={ProcessID}&AssignedPersonID=${theo.personId}`,
  };
  const undo = { UndoSignature: 'process/rollback?ID={Result}&CallID={CallID}' };
  const idOfList = async (caseId: number): Promise<unknown> =>
    (await admin.expectRows('casesummary/search', { ProcessID: caseId }))[0]?.['CaseSummaryID'];
  const assignees = async (ids: readonly number[]): Promise<unknown[]> =>
    Promise.all(ids.map(async (id) => (await admin.select('foreclosure', id))['AssignedPersonID'] ?? null));
  const results = (run: Row): Promise<Row[]> =>
    admin.expectRows('importfilequeue/search', {
      ImportFileID: run['ImportFileID'],
      OrderBy: 'ImportFileQueueID',
      DisplaySize: 100,
    });
  /** Returns the message that a worker gets for the calls of a bulk change. */
  const messageOf = async (run: Row): Promise<Row> => {
    const rows = await results(run);
    const [first, last] = [rows[0], rows.at(-1)];
    return {
      ImportFileID: run['ImportFileID'],
      Queue: first?.['Queue'],
      From: first?.['ImportFileQueueID'],
      To: last?.['ImportFileQueueID'],
    };
  };
  /** Does what a worker does with the message, as its user, and ends the bulk change. */
  const finish = async (run: Row): Promise<void> => {
    await staff.expectOk('importfilequeue/process', await messageOf(run));
    await staff.expectOk('importfile/endbatch', { ID: run['ImportFileID'] });
  };

  it('WEB-01 every record has its own result, with the reason where it is refused', async () => {
    const ids = await newCases(3, 'RES');
    await admin.save('foreclosure', { ID: ids[1], DateClosed: '2026-01-01', Status: 'Closed' });
    const lists = await Promise.all(ids.map(idOfList));
    const run = await staff.expectOk('bulkrun/start', {
      BulkRun: 'Hold 3 cases',
      RecordType: 'CaseSummary',
      ID: lists,
      Signature: 'decisiondelay/save?Object={RecordClass}&ObjectID={ProcessID}&DecisionDelay=Nothing',
    });
    await finish(run);
    const rows = await results(run);
    assert.deepEqual(
      rows.map((row) => [row['ImportFileQueue'], row['Status']]),
      ['RES-0', 'RES-1', 'RES-2'].map((name) => [name, 'Error']),
    );
    assert.match(String(rows[0]?.['Message']), /Nothing/);
  });

  it('WEB-01 a bulk change of a whole list is undone record by record, except what was changed since', async () => {
    const ids = await newCases(4, 'UNDO');
    const run = await staff.expectOk('bulkrun/start', {
      ...assign,
      ...undo,
      BulkRun: 'Assign all',
      Filters: 'CaseSummary=UNDO-*',
    });
    await finish(run);
    assert.deepEqual(await assignees(ids), [theo.personId, theo.personId, theo.personId, theo.personId]);
    await admin.save('foreclosure', { ID: ids[2], AssignedPersonID: clerk.personId });
    const undone = await staff.expectOk('bulkrun/undo', { ID: run['BulkRunID'] });
    await finish(undone);
    assert.deepEqual(await assignees(ids), [null, null, clerk.personId, null]);
    assert.deepEqual(
      (await results(undone)).map((row) => row['Status']),
      ['Complete', 'Complete', 'Error', 'Complete'],
    );
    await staff.expectRefused('bulkrun/undo', { ID: run['BulkRunID'] }, 'STATE_REFUSES', 'ID');
  });

  it('WEB-01 what a bulk change created is deleted when it is undone', async () => {
    const [caseId = 0] = await newCases(1, 'NOTE');
    const run = await staff.expectOk('bulkrun/start', {
      BulkRun: 'Add a note to 1 case',
      RecordType: 'CaseSummary',
      ID: [await idOfList(caseId)],
      Signature:
        'message/save?Object={RecordClass}&ObjectID={ProcessID}&Subject=Call%20%26%20ask%20%7Bthem%7D&BodyText=Now',
      UndoSignature: 'message/delete?ID={Result}',
    });
    await finish(run);
    const notes = (): Promise<Row[]> => admin.expectRows(`foreclosure/${caseId}/message/search`);
    assert.deepEqual(
      (await notes()).map((note) => note['Message']),
      ['Call & ask {them}'],
    );
    await finish(await staff.expectOk('bulkrun/undo', { ID: run['BulkRunID'] }));
    assert.deepEqual(await notes(), []);
  });

  it('WEB-01 a preview says which calls would be refused, and changes nothing', async () => {
    const ids = await newCases(2, 'TRY');
    const request = { ...assign, Filters: 'CaseSummary=TRY-*' };
    const fine = await staff.expectRows('bulkrun/preview', request);
    assert.deepEqual(
      fine.map((row) => [row['Label'], row['Problem'] ?? null, row['Count']]),
      [
        ['TRY-0', null, 2],
        ['TRY-1', null, 2],
      ],
    );
    assert.deepEqual(await assignees(ids), [null, null]);
    const wrong = await staff.expectRows('bulkrun/preview', {
      ...request,
      Signature: 'process/save?ID={ProcessID}&AssignedPersonID=999999',
    });
    assert.match(String(wrong[0]?.['Problem']), /AssignedPersonID/);
  });

  it('WEB-01 calls run with the permissions of who started them', async () => {
    await newCases(1, 'RIGHT');
    const [problem] = await staff.expectRows('bulkrun/preview', {
      RecordType: 'CaseSummary',
      Filters: 'CaseSummary=RIGHT-*',
      Signature: 'role/save?ID={ProcessID}&Description=Mine',
    });
    assert.match(String(problem?.['Problem']), /permission/i);
    await client(p, firm.caller).expectRefused(
      'bulkrun/start',
      { ...assign, BulkRun: 'x', Filters: '' },
      'NO_PERMISSION',
    );
  });

  it('WEB-01 a worker that ends in the middle, and a second one, leave every record changed once', async () => {
    const ids = await newCases(6, 'KILL');
    const run = await staff.expectOk('bulkrun/start', {
      ...assign,
      BulkRun: 'Assign 6',
      Filters: 'CaseSummary=KILL-*',
    });
    const message = await messageOf(run);
    const [, second] = await results(run);
    // The first worker ended after two calls; the message is delivered again, to two workers at once.
    await staff.expectOk('importfilequeue/process', { ...message, To: second?.['ImportFileQueueID'] });
    await Promise.all([1, 2].map(() => staff.expectOk('importfilequeue/process', message)));
    await finish(run);
    assert.deepEqual(new Set(await assignees(ids)), new Set([theo.personId]));
    const versions = await Promise.all(ids.map(async (id) => (await admin.select('foreclosure', id))['Version']));
    assert.deepEqual(new Set(versions), new Set([2]), 'one change each');
  });

  it('WEB-01 a bulk change that was stopped goes on where it stopped', async () => {
    const ids = await newCases(3, 'STOP');
    const run = await staff.expectOk('bulkrun/start', {
      ...assign,
      BulkRun: 'Assign 3',
      Filters: 'CaseSummary=STOP-*',
    });
    await staff.expectOk('importfile/stop', { ID: run['ImportFileID'] });
    await finish(run);
    assert.deepEqual(await assignees(ids), [null, null, null]);
    await staff.expectOk('importfilequeue/resume', { ImportFileID: run['ImportFileID'] });
    await finish(run);
    assert.deepEqual(new Set(await assignees(ids)), new Set([theo.personId]));
  });
});
