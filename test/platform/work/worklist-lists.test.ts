import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { eventually } from '../../support/eventually.ts';
import { matrixCalls } from '../../support/rules/matrices.ts';
import { testPlatform } from '../../support/platform.ts';
import { worklistCalls, type WorklistRow } from '../../support/work/worklists.ts';

const p = await testPlatform({ after }, { worker: true });
const { ok, refused, save, select, call, worker, team, loan, worklist, item, next, items } = worklistCalls(p);
const { saveWhole } = matrixCalls(p);

const ann = await worker('ann');
const bob = await worker('bob');
const both = await team('Both', [[ann.personId], [bob.personId]]);
const bobs = await team('Only Bob', [[bob.personId]]);

const pick = (row: WorklistRow | undefined, ...names: string[]): unknown[] => names.map((name) => row?.[name]);
const of = (list: number): Promise<WorklistRow[]> => items(`SmartWorklistID=${list}`);
const open = async (list: number): Promise<unknown[]> =>
  (await of(list))
    .filter((row) => row['CompletionDate'] === undefined && row['CancelledDate'] === undefined)
    .map((row) => row['SourceObjectID']);
const list = (route: string, body: object): Promise<WorklistRow> => ok(call(`smartworklist/${route}`, body));
const alertsOf = (row: WorklistRow): string[] => ((row['Alerts'] ?? []) as { Text: string }[]).map(({ Text }) => Text);
const matrixOf = async (
  name: string,
  inputs: Readonly<Record<string, object>>,
  outputs: Readonly<Record<string, object>>,
  rows: readonly Readonly<Record<string, string>>[],
): Promise<number> => Number((await saveWhole(name, inputs, outputs, rows))['MatrixID']);

describe('AutoAssign', () => {
  it("WL-03 uses Team, Person, Priority and SmartWorklist of the team matrix, else the worklist's team and priority, else the template's", async () => {
    const special = await worklist({ SmartWorklistTemplate: 'Special', Priority: 9 });
    const matrix = await matrixOf(
      'Who works',
      { 'Loan Type': { XPath: '/child::*/LoanType' } },
      { Team: {}, Person: {}, Priority: {}, SmartWorklist: {} },
      [
        { 'Loan Type': 'FHA', Team: 'Only Bob', Person: 'bob', Priority: '2' },
        { 'Loan Type': 'VA', SmartWorklist: 'special', Team: String(both) },
        {
          'Loan Type': 'USDA',
          Team: 'No such team',
          Priority: 'high',
          Person: 'nobody',
          SmartWorklist: 'No such worklist',
        },
        { 'Loan Type': 'CONV', Team: 'Only Bob', Person: 'ann' },
      ],
    );
    const { id } = await worklist({ TeamMatrixID: matrix, TeamID: both, Priority: 7 });
    const of = async (LoanType: string, fields: object = {}): Promise<WorklistRow> =>
      save('smartworklistmember', {
        SmartWorklistID: id,
        SourceObject: 'Loan',
        SourceObjectID: await loan({ LoanType }),
        ...fields,
      });
    const where = (row: WorklistRow): unknown[] => pick(row, 'SmartWorklistID', 'TeamID', 'PersonID', 'Priority');
    assert.deepEqual(where(await of('FHA')), [id, bobs, bob.personId, 2]);
    assert.deepEqual(where(await of('VA')), [special.id, both, undefined, 9]);
    assert.deepEqual(where(await of('Other')), [id, both, undefined, 7]);
    assert.deepEqual(
      where(await of('FHA', { TeamID: both, PersonID: ann.personId, Priority: 1 })),
      [id, both, ann.personId, 1],
      'submitted values take precedence',
    );
    const lost = await of('USDA');
    assert.deepEqual(where(lost), [id, both, undefined, 7], 'the item is created nevertheless');
    assert.deepEqual(
      alertsOf(lost)
        .map((text) => /returned the (\w+) "/.exec(text)?.[1])
        .toSorted((a, b) => String(a).localeCompare(String(b))),
      ['Person', 'Priority', 'SmartWorklist', 'Team'],
    );
    const outside = await of('CONV');
    assert.deepEqual(
      [where(outside), alertsOf(outside).length],
      [[id, bobs, undefined, 7], 1],
      'a user outside the team could never take it',
    );
    await save('smartworklist', { ID: id, TeamID: bobs, Priority: 4 });
    assert.deepEqual(where(await of('Other')), [id, bobs, undefined, 4]);
  });

  it('WL-03 leaves the item to the worklist, with an alert, if the matrix has no matching row', async () => {
    const circle = await matrixOf('Circle', {}, { 'Team Matrix': {} }, [{ 'Team Matrix': 'Circle' }]);
    const { id } = await worklist({ TeamMatrixID: circle, TeamID: both });
    const row = await save('smartworklistmember', {
      SmartWorklistID: id,
      SourceObject: 'Loan',
      SourceObjectID: await loan(),
    });
    assert.equal(row['TeamID'], both);
    assert.match(alertsOf(row)[0] ?? '', /matrix failed/);
  });

  it('WL-03 WL-08 writes whoever starts the item, or gets it assigned, into the field of its record; autoassign assigns again', async () => {
    const matrix = await matrixOf('Moves', { Status: { XPath: '/child::*/Status' } }, { Person: {}, Team: {} }, [
      { Status: 'Ready', Person: 'ann', Team: 'Both' },
    ]);
    const { id } = await worklist({
      SourceObject: 'ImportForm',
      OnAssignSourcePerson: 'assignedpersonid',
      TeamMatrixID: matrix,
      TeamID: bobs,
    });
    const form = Number((await save('importform', { Object: 'Loan', ObjectID: await loan() }))['ImportFormID']);
    const assigned = async (): Promise<unknown> => (await select('importform', form))['AssignedPersonID'];
    const made = await item(id, { SourceObject: 'ImportForm', SourceObjectID: form });
    await ok(call('smartworklistmember/start', { ID: made }, bob.caller));
    assert.equal(await assigned(), bob.personId);
    await ok(call('smartworklistmember/requeue', { ID: made }));
    await save('importform', { ID: form, Status: 'Ready' });
    await ok(call('smartworklistmember/autoassign', { ID: made }));
    assert.deepEqual(pick(await select('smartworklistmember', made), 'TeamID', 'PersonID', 'StartDate'), [
      both,
      ann.personId,
      undefined,
    ]);
    assert.equal(await assigned(), ann.personId);
    await ok(call('smartworklistmember/reassign', { ID: made, PersonID: bob.personId }));
    assert.equal(await assigned(), bob.personId);
    await ok(call('smartworklistmember/cancel', { ID: made }));
    await refused(call('smartworklistmember/autoassign', { ID: made }), 'STATE_REFUSES');
  });
});

describe('calculate', () => {
  it('WL-04 WL-10 adds what the search finds, cancels what it no longer finds, never duplicates, and uses only the part after the question mark', async () => {
    const [one, two, three] = await Promise.all(
      ['late', 'late', 'current'].map((Status) => loan({ Status, LoanType: 'calc' })),
    );
    const created = await ok(
      call('smartworklisttemplate/create', {
        SmartWorklistTemplate: 'Late loans',
        SourceObject: 'Loan',
        CalculateMethod: 'Loan/Delete?LoanType=calc&Status=late&OrderBy=-LoanID&DisplaySize=1',
        TeamID: both,
        Priority: 3,
      }).then((got) => got),
    );
    const id = Number(created['SmartWorklistID']);
    assert.equal(created['Added'], 2);
    assert.deepEqual(await open(id), [one, two]);
    assert.deepEqual(pick((await of(id))[0], 'Status', 'TeamID', 'Priority', 'SourceObject'), [
      'Queued',
      both,
      3,
      'Loan',
    ]);
    await save('loan', { ID: one, Status: 'paid' });
    await save('loan', { ID: three, Status: 'late' });
    assert.deepEqual(pick(await list('calculate', { ID: id }), 'Matches', 'Added', 'Canceled'), [2, 1, 1]);
    assert.deepEqual(await open(id), [two, three]);
    assert.deepEqual(pick((await of(id))[0], 'Status', 'Reason'), [
      'Canceled',
      'The record no longer matches the queue.',
    ]);
    assert.deepEqual(pick(await list('calculate', { ID: id }), 'Added', 'Canceled'), [0, 0]);
    const both2 = await Promise.all([list('calculate', { ID: id }), list('calculate', { ID: id })]);
    assert.deepEqual([both2.map((row) => row['Added']), (await open(id)).length], [[0, 0], 2]);
    await ok(call('smartworklistmember/bulkcomplete', { ID: (await of(id)).at(-1)?.['SmartWorklistMemberID'] }));
    assert.equal((await list('calculate', { ID: id }))['Added'], 1, 'a record that still matches is added again');
    await save('loan', { ID: two, Status: 'paid' });
    await save('loan', { ID: three, Status: 'paid' });
    assert.deepEqual(pick(await list('calculate', { ID: id }), 'Matches', 'Canceled'), [0, 2]);
    assert.notEqual((await select('smartworklist', id))['CalculatedDate'], undefined);
  });

  it('WL-04 WL-13 queues the assignment of the items it added; an item that a matrix then moves is not added again', async () => {
    const elsewhere = await worklist({ SmartWorklistTemplate: 'Elsewhere' });
    const matrix = await matrixOf(
      'Sorting',
      { State: { XPath: '/child::*/Status' } },
      { Team: {}, SmartWorklist: {} },
      [
        { State: 'sorted out', Team: 'Only Bob', SmartWorklist: 'Elsewhere' },
        { State: 'sorted', Team: 'Only Bob' },
      ],
    );
    const [stays, moves] = [await loan({ Status: 'sorted' }), await loan({ Status: 'sorted out' })];
    const { id } = await worklist({ TeamMatrixID: matrix, CalculateMethod: 'Loan/Search?Status=sorted*' });
    await list('calculate', { ID: id });
    await eventually(
      'the matrix has sorted them',
      async () =>
        (await open(elsewhere.id)).includes(moves) &&
        (await of(id)).some((row) => row['SourceObjectID'] === stays && row['TeamID'] === bobs),
    );
    assert.deepEqual([await open(id), await open(elsewhere.id)], [[stays], [moves]]);
    assert.equal((await list('calculate', { ID: id }))['Added'], 0);
    await save('loan', { ID: moves, Status: 'gone' });
    assert.equal((await list('calculate', { ID: id }))['Canceled'], 1);
    assert.deepEqual(await open(elsewhere.id), []);
    const done = await item(id, {
      SourceObjectID: await loan({ Status: 'sorted' }),
      TeamID: both,
      PersonID: ann.personId,
    });
    assert.equal(
      (await list('autoassign', { ID: id, QueueName: 'Default' }))['Count'],
      1,
      'an item with a team and a user is left alone',
    );
    assert.equal((await select('smartworklistmember', done))['PersonID'], ann.personId);
    assert.deepEqual(
      pick(await list('autoassign', { ID: elsewhere.id }), 'Count'),
      [0],
      'without a matrix nothing is queued',
    );
    await refused(
      call('smartworklist/autoassign', { ID: id, QueueName: 'No such queue' }),
      'BAD_PARAMETER',
      'QueueName',
    );
  });

  it('WL-04 fails without a CalculateMethod, on a canceled worklist, and without permission to search', async () => {
    const plain = await worklist({});
    await refused(call('smartworklist/calculate', { ID: plain.id }), 'STATE_REFUSES', 'CalculateMethod');
    const { id } = await worklist({ CalculateMethod: 'Loan/Search?Status=whatever' });
    await save('role', { Role: 'Calculates Only', Permissions: 'SmartWorklistCalculate', UniversalAccess: true });
    await refused(
      call('smartworklist/calculate', { ID: id }, (await worker('eve', 'Calculates Only')).caller),
      'NO_PERMISSION',
    );
    await list('cancel', { ID: id });
    await refused(call('smartworklist/calculate', { ID: id }), 'STATE_REFUSES', 'ID');
    await refused(call('smartworklist/calculate', { ID: 99_999_999 }), 'NOT_FOUND');
  });

  it('WL-04 finds thousands of records of every subtype in batches, and a failure leaves the worklist unchanged', async () => {
    await p.platform.store.query(
      `insert into loan (loan, loantype) select (600000 + n)::text, 'many' from generate_series(1, 5203) n`,
    );
    const { id } = await worklist({ CalculateMethod: 'Loan/Search?LoanType=many' });
    assert.deepEqual(pick(await list('calculate', { ID: id }), 'Matches', 'Added'), [5_203, 5_203]);
    await p.platform.store.query("update loan set loantype = 'few' where loantype = 'many' and loanid % 2 = 0");
    const before = await p.platform.store.query(
      'select count(*)::integer as n, max(version) as v from smartworklistmember where smartworklistid = $1::bigint',
      [id],
    );
    await p.platform.store.script(
      `create function stop_calculating() returns trigger language plpgsql as
         $$ begin raise exception 'the machine stops here'; end $$;
       create trigger stop_calculating before update of calculateddate on smartworklist
         for each row execute function stop_calculating()`,
    );
    await refused(call('smartworklist/calculate', { ID: id }), 'INTERNAL');
    assert.deepEqual(
      await p.platform.store.query(
        'select count(*)::integer as n, max(version) as v from smartworklistmember where smartworklistid = $1::bigint',
        [id],
      ),
      before,
    );
    await p.platform.store.script('drop trigger stop_calculating on smartworklist; drop function stop_calculating()');
    const [few] = await p.platform.store.query<{ n: number }>(
      "select count(*)::integer as n from loan where loantype = 'few'",
    );
    assert.deepEqual(pick(await list('calculate', { ID: id }), 'Added', 'Canceled'), [0, few?.n]);
    const cases = await worklist({
      SourceObject: 'Process',
      CalculateMethod: 'Process/Search?Status=for the worklist',
    });
    const record = await loan();
    await save('foreclosure', { LoanID: record, Status: 'for the worklist' });
    await save('bankruptcy', { LoanID: record, Status: 'for the worklist' });
    assert.equal((await list('calculate', { ID: cases.id }))['Added'], 2);
    assert.deepEqual(
      (await of(cases.id)).map((row) => row['SourceObject']),
      ['Foreclosure', 'Bankruptcy'],
    );
    assert.equal((await list('calculate', { ID: cases.id }))['Added'], 0);
  });
});

describe('restart and cancel', () => {
  it('WL-11 cancels the worklist and copies pending items to a new one, with the values to preserve', async () => {
    const first = await worklist({ TeamID: both, Priority: 5 });
    const [put, begun, done] = [
      await item(first.id, {
        SkipDate: '2100-01-01T00:00:00Z',
        TeamID: bobs,
        Priority: 1,
        DueDate: '2099-01-01T00:00:00Z',
        Reason: 'why',
      }),
      await item(first.id),
      await item(first.id),
    ];
    await ok(call('smartworklistmember/start', { ID: begun }, ann.caller));
    await ok(call('smartworklistmember/bulkcomplete', { ID: done }));
    const second = await list('restart', { ID: first.id });
    assert.deepEqual(pick(await select('smartworklist', first.id), 'Status'), ['Restart']);
    assert.deepEqual(pick(second, 'Status', 'SmartWorklistTemplateID', 'PreviousWorklistID'), [
      'Open',
      first.templateId,
      first.id,
    ]);
    const states = async (id: unknown): Promise<unknown[]> =>
      (await of(Number(id))).map((row) =>
        pick(row, 'Status', 'TeamID', 'PersonID', 'Priority', 'SkipDate', 'DueDate', 'Reason'),
      );
    assert.deepEqual(
      (await of(first.id)).map((row) => row['Status']),
      ['Canceled', 'Canceled', 'Completed'],
    );
    assert.deepEqual(await states(second['SmartWorklistID']), [
      ['Skipped', bobs, undefined, 1, '2100-01-01T00:00:00.000Z', '2099-01-01T00:00:00.000Z', 'why'],
      ['Queued', both, undefined, 5, undefined, undefined, undefined],
    ]);
    const mine = (await of(Number(second['SmartWorklistID'])))[1]?.['SmartWorklistMemberID'];
    await ok(call('smartworklistmember/reassign', { ID: mine, PersonID: bob.personId }));
    const third = await list('restart', {
      ID: second['SmartWorklistID'],
      KeepTeam: false,
      KeepPriority: false,
      KeepPerson: true,
      KeepSkipDate: false,
    });
    assert.deepEqual(
      (await states(third['SmartWorklistID'])).map((row) => (row as unknown[]).slice(0, 5)),
      [
        ['Queued', both, undefined, 5, undefined],
        ['Queued', both, bob.personId, 5, undefined],
      ],
    );
    await refused(call('smartworklist/restart', { ID: first.id }), 'STATE_REFUSES');
    assert.equal((await select('smartworklistmember', put))['Status'], 'Canceled');
    await save('smartworklist', { ID: third['SmartWorklistID'], Status: 'Closed' });
    assert.deepEqual(await open(Number(third['SmartWorklistID'])), [], 'a status that ends a worklist ends its items');
    await refused(call('smartworklistmember/requeue', { ID: mine }), 'STATE_REFUSES', 'SmartWorklistID');
  });
});

describe('audit', () => {
  it('WL-12 creates items that review a share of the completed ones, once, and always the same share', async () => {
    const matrix = await matrixOf(
      'Second reviews',
      { Person: { XPath: '/child::*/PersonID' } },
      { Percentage: {}, SmartWorklist: {}, Team: {} },
      [
        { Person: String(ann.personId), Percentage: '40', SmartWorklist: 'Checks', Team: 'Only Bob' },
        { Person: String(bob.personId), Percentage: '0' },
      ],
    );
    const checks = await worklist({ SmartWorklistTemplate: 'Checks' });
    const { id } = await worklist({ AuditMatrixID: matrix, TeamID: both });
    const record = await loan();
    const insert = (person: number, n: number): Promise<unknown> =>
      p.platform.store.query(
        `insert into smartworklistmember
           (smartworklistid, status, sourceobject, sourceobjectid, personid, completiondate)
         select $1::bigint, 'Completed', 'Loan', $2::bigint, $3::bigint, now()
         from generate_series(1, $4::integer)`,
        [id, record, person, n],
      );
    await insert(ann.personId, 60);
    await insert(bob.personId, 5);
    const first = await list('audit', { ID: id });
    assert.equal(first['Audited'], 65);
    const chosen = await of(checks.id);
    assert.equal(first['Count'], chosen.length);
    assert.ok(chosen.length > 8 && chosen.length < 42, `${chosen.length} of 60 at 40 percent`);
    assert.deepEqual(pick(chosen[0], 'Status', 'Reason', 'TeamID', 'PersonID', 'SourceObjectID'), [
      'Queued',
      'Audit',
      bobs,
      undefined,
      record,
    ]);
    const audited = new Set(chosen.map((row) => row['AuditedMemberID']));
    assert.equal(audited.size, chosen.length);
    assert.ok(
      (await of(id))
        .filter((row) => audited.has(row['SmartWorklistMemberID']))
        .every((row) => row['PersonID'] === ann.personId),
    );
    assert.deepEqual(pick(await list('audit', { ID: id }), 'Count', 'Audited'), [0, 0]);
    await p.platform.store.query(
      'update smartworklistmember set auditeddate = null where smartworklistid = $1::bigint',
      [id],
    );
    await p.platform.store.query('delete from smartworklistmember where smartworklistid = $1::bigint', [checks.id]);
    await Promise.all([list('audit', { ID: id }), list('audit', { ID: id })]);
    assert.deepEqual(
      new Set((await of(checks.id)).map((row) => row['AuditedMemberID'])),
      audited,
      'two concurrent calls select the same items, each once',
    );
    assert.equal((await of(checks.id)).length, audited.size);
  });

  it('WL-12 RestartWorklist opens a new worklist for pending items and for those to review', async () => {
    const made = await ok(
      call('smartworklisttemplate/create', {
        SmartWorklistTemplate: 'Restarted',
        SourceObject: 'Loan',
        Calculate: false,
        TeamID: both,
      }),
    );
    const bound = await ok(call('smartworklisttemplate/createauditmatrix', { ID: made['SmartWorklistTemplateID'] }));
    const id = Number(made['SmartWorklistID']);
    const [done] = [await item(id), await item(id)];
    await ok(call('smartworklistmember/bulkcomplete', { ID: done }));
    const [fact] = await p.platform.store.query<{ id: number }>(
      'select matrixfactid as id from matrixfact where matrixid = $1::bigint',
      [bound['AuditMatrixID']],
    );
    await save('matrixfact', { ID: fact?.id, Cell: '100' });
    const audit = await list('audit', { ID: id, RestartWorklist: true });
    assert.notEqual(audit['SmartWorklistID'], id);
    assert.equal(audit['Count'], 1);
    assert.deepEqual(
      (await of(Number(audit['SmartWorklistID']))).map((row) => pick(row, 'Status', 'Reason', 'AuditedMemberID')),
      [
        ['Queued', undefined, undefined],
        ['Queued', 'Audit', done],
      ],
    );
    const plain = (await worklist({})).id;
    await refused(call('smartworklist/audit', { ID: plain, RestartWorklist: true }), 'STATE_REFUSES', 'AuditMatrixID');
    assert.equal(
      (await select('smartworklist', plain))['Status'],
      'Open',
      'a worklist that cannot be audited is not restarted',
    );
    await refused(call('smartworklistmember/audit', { SmartWorklistID: 99_999_999 }), 'NOT_FOUND');
    assert.deepEqual(
      pick(await ok(call('smartworklistmember/audit', { SmartWorklistID: id })), 'Count', 'Audited'),
      [0, 0],
      'no item is considered twice',
    );
  });
});

describe('a worklist template', () => {
  it('WL-05 WL-14 create saves it, opens a worklist and calculates it, or leaves it empty', async () => {
    await loan({ Status: 'to be listed' });
    const fields = { SourceObject: 'Loan', CalculateMethod: 'Loan/Search?Status=to be listed' };
    assert.deepEqual(
      pick(await ok(call('smartworklisttemplate/create', { SmartWorklistTemplate: 'Full', ...fields })), 'Added'),
      [1],
    );
    const empty = await ok(
      call('smartworklisttemplate/create', { SmartWorklistTemplate: 'Empty', ...fields, Calculate: false }),
    );
    assert.deepEqual([empty['Added'], await of(Number(empty['SmartWorklistID']))], [undefined, []]);
    assert.deepEqual(
      pick(await select('smartworklist', empty['SmartWorklistID']), 'SmartWorklist', 'Status', 'SourceObject'),
      ['Empty', 'Open', 'Loan'],
    );
    await refused(
      call('smartworklisttemplate/create', { SmartWorklistTemplate: 'No', SourceObject: 'Loan' }, ann.caller),
      'NO_PERMISSION',
    );
  });

  it('WL-05 createteammatrix and createauditmatrix create a matrix with the required outputs and link it, or link an existing one that has them', async () => {
    const { templateId, id } = await worklist({ TeamID: bobs });
    const bound = await ok(call('smartworklisttemplate/createteammatrix', { ID: templateId }));
    const columns = async (matrix: unknown, kind: string): Promise<unknown[]> =>
      (
        (
          (await ok(p.admin.get(`/api/matrix/columns?Output=Json&ID=${String(matrix)}`)))[
            'MatrixColumns'
          ] as WorklistRow
        )[kind] as WorklistRow[]
      ).map((column) => column['Name']);
    assert.deepEqual(await columns(bound['TeamMatrixID'], 'Output'), ['Team', 'Person', 'Priority', 'SmartWorklist']);
    assert.ok((await columns(bound['TeamMatrixID'], 'Input')).includes('LoanType'));
    assert.equal(
      (await select('smartworklistmember', await item(id)))['TeamID'],
      bobs,
      'a matrix without rows decides nothing',
    );
    await save('matrix', {
      ID: bound['TeamMatrixID'],
      Facts: [
        { MatrixFact: 'LoanType', MatrixFactType: 'Input', RowNumber: 1, Cell: 'HELOC' },
        { MatrixFact: 'Team', MatrixFactType: 'Output', RowNumber: 1, Cell: 'Both' },
      ],
    });
    assert.equal(
      (await select('smartworklistmember', await item(id, { SourceObjectID: await loan({ LoanType: 'HELOC' }) })))[
        'TeamID'
      ],
      both,
    );
    await refused(call('smartworklisttemplate/createteammatrix', { ID: templateId }), 'STATE_REFUSES');
    const fees = await matrixOf('Fees of something', {}, { Price: {} }, []);
    await refused(
      call('smartworklisttemplate/createteammatrix', { ID: templateId, TeamMatrixID: fees }),
      'BAD_PARAMETER',
      'TeamMatrixID',
    );
    await refused(
      call('smartworklisttemplate/createauditmatrix', { ID: templateId, AuditMatrixID: bound['TeamMatrixID'] }),
      'BAD_PARAMETER',
      'AuditMatrixID',
    );
    const other = await worklist({});
    assert.equal(
      (
        await ok(
          call('smartworklisttemplate/createteammatrix', { ID: other.templateId, TeamMatrixID: bound['TeamMatrixID'] }),
        )
      )['TeamMatrixID'],
      bound['TeamMatrixID'],
    );
    const audit = await ok(call('smartworklisttemplate/createauditmatrix', { ID: templateId }));
    assert.deepEqual(await columns(audit['AuditMatrixID'], 'Output'), ['Percentage', 'SmartWorklist', 'Team']);
  });

  it('WL-05 assignteam sets the team of the template, its open worklists and their items without a team', async () => {
    const { templateId, id } = await worklist({});
    const [none, own] = [await item(id), await item(id, { TeamID: both })];
    assert.equal(
      (await ok(call('smartworklisttemplate/assignteam', { ID: templateId, TeamID: bobs })))['TeamID'],
      bobs,
    );
    assert.deepEqual(
      [
        (await select('smartworklist', id))['TeamID'],
        (await select('smartworklistmember', none))['TeamID'],
        (await select('smartworklistmember', own))['TeamID'],
        (await select('smartworklistmember', await item(id)))['TeamID'],
      ],
      [bobs, bobs, both, bobs],
    );
    await refused(
      call('smartworklisttemplate/assignteam', { ID: templateId, TeamID: 99_999_999 }),
      'NOT_FOUND',
      'TeamID',
    );
  });

  it('WL-05 WL-15 refuses an address to another site, a search that cannot run, and a field that does not hold a user', async () => {
    const tried = (fields: object, code: string, field: string): Promise<WorklistRow> =>
      refused(
        call('smartworklisttemplate/save', { SmartWorklistTemplate: 'hostile', SourceObject: 'Loan', ...fields }),
        code,
        field,
      );
    for (const MemberUrl of [
      'javascript:alert({LoanID})',
      'JavaScript://x/%0aalert(1)',
      'data:text/html,x',
      '//evil.example/{LoanID}',
      '/\\evil.example',
      '\\\\evil.example',
      'https://{Loan}.example/',
      'https://cases.example{Loan}/x',
      'https://a@evil.example/',
      'http:///x',
      'ftp://cases.example/x',
      'loan/7',
      '{Loan}',
      '{Loan}//x',
      'https://',
      '/x y',
      '/x\ty',
      '/{Lone}',
      '/{Loan',
      '/Loan}',
      '/{}',
      '/{/etc/passwd}',
      '/{Loan}/{Loan}',
      '/{SourceObject}{Loan}/evil.example',
      `/${'x'.repeat(3000)}`,
    ])
      await tried({ MemberUrl }, 'BAD_PARAMETER', 'MemberUrl');
    for (const CalculateMethod of [
      'Loan/Search?Nothing=1',
      'Loan/Search?Status={Status}',
      'Loan/Search?Status={',
      'Loan/Search?%zz=1',
    ])
      await tried({ CalculateMethod }, 'BAD_SIGNATURE', 'CalculateMethod');
    await tried({ SourceObject: '', CalculateMethod: 'Loan/Search?Status=x' }, 'MISSING_PARAMETER', 'SourceObject');
    await tried({ SourceObject: 'Lone' }, 'BAD_PARAMETER', 'SourceObject');
    for (const OnAssignSourcePerson of ['Loan', 'CreatedPersonID', 'Nothing'])
      await tried({ OnAssignSourcePerson }, 'BAD_PARAMETER', 'OnAssignSourcePerson');
    await tried({ TeamID: 99_999_999 }, 'NOT_FOUND', 'TeamID');
    const { id } = await worklist({
      SourceObject: 'Contact',
      MemberUrl: 'https://cases.example/a?b={LastName}&c={Contact}#{ContactID}',
    });
    const contact = await save('contact', { LastName: '"><script>&x=/../é', FirstName: 'A' });
    const row = await ok(
      call('smartworklistmember/start', {
        ID: await item(id, { SourceObject: 'Contact', SourceObjectID: contact['ContactID'] }),
      }),
    );
    assert.equal(
      row['MemberUrl'],
      `https://cases.example/a?b=${encodeURIComponent('"><script>&x=/../é')}` +
        `&c=${encodeURIComponent(String(contact['Contact']))}#${String(contact['ContactID'])}`,
    );
  });
});

describe('counts', () => {
  it('WL-01 counts the open items by worklist, team and person', async () => {
    const { id } = await worklist({ SmartWorklistTemplate: 'Counted', TeamID: both });
    await item(id, { DueDate: '2020-01-01T00:00:00Z' });
    await item(id, { SkipDate: '2100-01-01T00:00:00Z', DueDate: new Date(Date.now() + 3_600_000).toISOString() });
    assert.notEqual(await next(ann.caller, 'Counted'), undefined);
    await ok(call('smartworklistmember/cancel', { ID: await item(id) }));
    const body = (await ok(p.admin.get('/api/smartworklist/counts?Output=Json&SmartWorklist=counted')))[
      'SmartWorklistCountCollection'
    ] as WorklistRow;
    const rows = (body['SmartWorklistCountItem'] as WorklistRow[]).map((row) =>
      pick(
        row,
        'SmartWorklistID',
        'Team',
        'Person',
        'Open',
        'Started',
        'Skipped',
        'DueToday',
        'Overdue',
        'OldestMinutes',
      ),
    );
    assert.deepEqual(rows, [
      [id, 'Both', undefined, 1, 0, 1, 1, 0, 0],
      [id, 'Both', 'ann', 1, 1, 0, 0, 1, 0],
    ]);
  });
});
