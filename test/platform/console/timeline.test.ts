import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { testPlatform } from '../../support/platform.ts';
import { rowsOf, workflowCalls, type WorkflowRow } from '../../support/work/workflows.ts';

const p = await testPlatform({ after });
const { ok, save, refused, newCase, template, start, stepNamed, complete } = workflowCalls(p);

/** Entries of the test with ten thousand tasks, and the time that one page of them may take on a busy machine. */
const MANY = 10_000;
const MILLISECONDS_MAX = 1_000;

const read = async (caseId: number, query = '', caller = p.admin): Promise<WorkflowRow[]> =>
  rowsOf(await ok(caller.get(`/api/timeline/read?Output=Json&Object=Foreclosure&ObjectID=${caseId}${query}`)), 'Entry');
const linesOf = (rows: readonly WorkflowRow[]): string[] =>
  rows.map((row) =>
    [row['Kind'], row['Action'], row['Title'], row['Field'], row['OldValue'], row['NewValue']]
      .filter((part) => part !== undefined)
      .join(' '),
  );

describe('the timeline of a case', () => {
  it('WEB-01 merges notes, tasks, steps, holds and changed fields, newest first, with old and new values and who it was', async () => {
    await template('Timeline', [{ name: 'Look' }]);
    const property = await save('property', { Address: '1 Sample Street' });
    const loan = await save('loan', { Loan: 'T-1', Agency: 'INVESTOR', PropertyID: property['PropertyID'] });
    const caseId = await newCase({ Foreclosure: 'First', LoanID: loan['LoanID'] });
    const flow = await start('Timeline', caseId);
    await save('message', { Message: 'Called', BodyText: 'Nobody home.', Object: 'Foreclosure', ObjectID: caseId });
    await save('decisiondelaytemplate', { DecisionDelayTemplate: 'Wait', AppliesTo: 'Foreclosure' });
    const hold = await save('decisiondelay', {
      DecisionDelay: 'Wait',
      Object: 'Foreclosure',
      ObjectID: caseId,
      ReasonDetail: 'A workout',
    });
    await save('decisiondelay', { ID: hold['DecisionDelayID'], ActualCompletion: new Date().toISOString() });
    await save('foreclosure', { ID: caseId, Foreclosure: 'Second', ScheduledSaleDate: '2026-05-01' });
    await save('foreclosure', { ID: caseId, ScheduledSaleDate: '2026-06-01' });
    await save('loan', { ID: loan['LoanID'], UPBAmount: '100' });
    await save('property', { ID: property['PropertyID'], County: 'Westchester' });
    assert.equal((await complete((await stepNamed(flow['DecisionID'], 'Look'))['DecisionStepID'])).status, 200);
    const task = await save('importform', { ImportForm: 'Ask', Object: 'Foreclosure', ObjectID: caseId });
    await save('message', {
      Message: 'On the task',
      Object: 'ImportForm',
      ObjectID: task['ImportFormID'],
    });
    const rows = await read(caseId);
    const expected = [
      'Note Added On the task',
      'Task Added Ask',
      'Step Completed Timeline',
      'Step Completed Look',
      'Change Changed County Westchester',
      'Change Changed UPBAmount 100.0000',
      'Change Changed ScheduledSaleDate 2026-05-01 2026-06-01',
      'Change Changed ScheduledSaleDate 2026-05-01',
      'Change Changed Foreclosure First Second',
      'Hold Placed Wait',
      'Note Added Called',
      'Step Started Timeline',
      'Change Created Second',
    ];
    const fields = (line: string): boolean => !/Hold Released|ProcessType|Status/.test(line);
    assert.deepEqual(linesOf(rows).filter(fields).toSorted(), expected.toSorted());
    assert.deepEqual(
      rows.map((row) => String(row['At'])),
      rows
        .map((row) => String(row['At']))
        .toSorted((a, b) => (a < b ? -1 : 1))
        .toReversed(),
    );
    const note = rows.find((row) => row['Title'] === 'Called');
    assert.deepEqual(
      [note?.['Text'], typeof note?.['Person'], note?.['IsAutomatic']],
      ['Nobody home.', 'string', false],
    );
    // Page by page the same entries come, none twice.
    const paged: WorkflowRow[] = [];
    for (let cursor = ''; ;) {
      const page = await read(caseId, `&DisplaySize=2${cursor}`);
      paged.push(...page);
      if (page.length === 0) break;
      cursor = `&Before=${encodeURIComponent(String(page.at(-1)?.['Cursor']))}`;
      assert.ok(paged.length <= rows.length, linesOf(page).join('\n'));
    }
    assert.deepEqual(linesOf(paged), linesOf(rows));
    assert.deepEqual(linesOf(await read(caseId, '&Kind=note')), ['Note Added On the task', 'Note Added Called']);
    const byPeople = await read(caseId, '&Automatic=false');
    assert.ok(byPeople.every((row) => row['IsAutomatic'] === false) && byPeople.length < rows.length);
    const counts = rowsOf(
      await ok(p.admin.get(`/api/timeline/counts?Output=Json&Object=Foreclosure&ObjectID=${caseId}`)),
      'Kind',
    );
    assert.equal(counts.find((row) => row['Kind'] === 'Note')?.['EntryCount'], 2);
    for (const [query, field] of [
      ['Kind=Notes', 'Kind'],
      ['Before=x', 'Before'],
    ] as const) {
      const url = `/api/timeline/read?Output=Json&Object=Foreclosure&ObjectID=${caseId}&${query}`;
      assert.equal((await refused(p.admin.get(url), 400))['Field'], field);
    }
  });

  it('WEB-01 KRN-18 has only what its reader may search and see', async () => {
    const firm = await p.firm('Timelines', 'Partner');
    const caseId = await newCase({ OrganizationID: firm.organizationId });
    await save('message', { Message: 'Internal', Object: 'Foreclosure', ObjectID: caseId });
    await save('message', { Message: 'Theirs', Object: 'Foreclosure', ObjectID: caseId }, firm.caller).catch(() => {});
    const rows = await read(caseId, '', firm.caller);
    assert.ok(!linesOf(rows).includes('Note Added Internal'), linesOf(rows).join());
    assert.ok(linesOf(rows).includes('Change Created Case of a test'));
    await p.admin.post('/api/role/save', { Role: 'Blind', Permissions: 'ForeclosureSelect', UniversalAccess: true });
    const { caller } = await p.user('blind', 'Blind');
    assert.deepEqual(linesOf(await read(caseId, '', caller)), ['Change Created Case of a test']);
    const hidden = await newCase();
    const url = `/api/timeline/read?Output=Json&Object=Foreclosure&ObjectID=${hidden}`;
    assert.equal((await firm.caller.get(url)).status, 404);
  });

  it('WEB-01 pages through ten thousand tasks and as many changes without reading each', async () => {
    const caseId = await newCase();
    await p.platform.store.query(
      `insert into importform (importform, object, objectid, createddate)
       select 'Task ' || n, 'Foreclosure', $1::bigint, now() - n * interval '1 minute'
       from generate_series(1, ${MANY}) n`,
      [caseId],
    );
    await p.platform.store.query(
      `insert into history (at, tablename, recordid, change, old)
       select now() - n * interval '1 second', 'process', $1::bigint, 'update',
         jsonb_build_object('status', 'Was ' || n)
       from generate_series(1, ${MANY}) n`,
      [caseId],
    );
    await p.platform.store.query('analyze importform');
    let cursor = '';
    for (let page = 0; page < 3; page++) {
      const began = performance.now();
      const rows = await read(caseId, `&DisplaySize=50${cursor}`);
      const milliseconds = performance.now() - began;
      assert.equal(rows.length, 50);
      assert.ok(milliseconds < MILLISECONDS_MAX, `page ${page + 1} took ${milliseconds} ms`);
      cursor = `&Before=${encodeURIComponent(String(rows.at(-1)?.['Cursor']))}`;
    }
    const [, first, second] = await read(caseId, '&Kind=Change&DisplaySize=3');
    assert.deepEqual([first?.['OldValue'], second?.['OldValue'], second?.['NewValue']], ['Was 1', 'Was 2', 'Was 1']);
    const later = await read(caseId, `&Kind=Change&DisplaySize=1${cursor}`);
    assert.deepEqual([later[0]?.['OldValue'], later[0]?.['NewValue']], ['Was 148', 'Was 147']);
  });
});
