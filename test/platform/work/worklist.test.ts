import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { fixedClock } from '../../../src/kernel/time/clock.ts';
import { testPlatform, type TestAnswer } from '../../support/platform.ts';
import { refusing } from '../../support/rules/rules.ts';
import { worklistCalls, type WorklistRow } from '../../support/work/worklists.ts';

const clock = fixedClock('2026-06-03T15:00:00Z');
const p = await testPlatform({ after }, { clock });
const { ok, refused, save, select, call, worker, team, loan, worklist, item, next, items } = worklistCalls(p);
const DAY = 86_400_000;

const ann = await worker('ann');
const bob = await worker('bob');
const both = await team('Both', [[ann.personId, 1], [bob.personId]]);
const bobs = await team('Only Bob', [[bob.personId]]);

const idOf = (row: WorklistRow | undefined): unknown => row?.['SmartWorklistMemberID'];
const alertsOf = (body: WorklistRow): unknown[] => ((body['Alerts'] ?? []) as { ID: number }[]).map(({ ID }) => ID);
const rowsOf = (body: WorklistRow): WorklistRow[] =>
  (body['SmartWorklistMemberCollection'] as WorklistRow)['SmartWorklistMemberItem'] as WorklistRow[];
const of = (route: string, body: object, caller = p.admin): Promise<TestAnswer> =>
  call(`smartworklistmember/${route}`, body, caller);
const finish = async (...ids: unknown[]): Promise<WorklistRow> => ok(of('bulkcomplete', { ID: ids }));

describe('next', () => {
  it('WL-01 selects, assigns and starts the best item, and returns it with its record and the filled-in address', async () => {
    const list = await worklist({
      MemberUrl: '/records/loan/{LoanID}?from={SmartWorklistMemberID}&name={Loan}',
      TeamID: both,
    });
    const id = await loan();
    const made = await item(list.id, { SourceObjectID: id, Reason: 'Look at it' });
    const got = await next(ann.caller);
    assert.equal(idOf(got), made);
    assert.deepEqual(
      [got?.['Status'], got?.['PersonID'], got?.['StartDate'], got?.['Reason'], got?.['TeamID']],
      ['Started', ann.personId, clock.now(), 'Look at it', both],
    );
    const record = got?.['LoanItem'] as WorklistRow;
    assert.equal(record['LoanID'], id);
    assert.equal(got?.['MemberUrl'], `/records/loan/${id}?from=${made}&name=${String(record['Loan'])}`);
    assert.equal(await next(bob.caller), undefined, "another's item is given to nobody");
    const again = await next(ann.caller);
    assert.deepEqual(
      [idOf(again), again?.['Version']],
      [made, got?.['Version']],
      "a started item of one's own comes again, as it is",
    );
    await finish(made);
    assert.equal(await next(ann.caller), undefined);
    assert.equal((await ann.caller.get('/api/smartworklistmember/next')).status, 204);
  });

  it("WL-01 orders by own items, the caller's priority in the team, Priority, Sequence, DueDate and id, empty last", async () => {
    const list = (await worklist({ TeamID: both })).id;
    const bobFirst = await team('Bob first', [
      [bob.personId, 1],
      [ann.personId, 2],
    ]);
    const late = await item(list);
    const due = await item(list, { DueDate: '2026-06-10T00:00:00Z' });
    const sooner = await item(list, { DueDate: '2026-06-09T00:00:00Z' });
    const sequence = await item(list, { Sequence: 7 });
    const priority = await item(list, { Priority: 9 });
    const higher = await item(list, { Priority: 2, Sequence: 5 });
    const highest = await item(list, { Priority: 2, Sequence: 4 });
    const other = await item(list, { TeamID: bobFirst, Priority: 1 });
    const own = await item(list, { PersonID: ann.personId });
    const free = await item(list, { TeamID: '' });
    // The template has a team, so an item without one is created by clearing its team.
    assert.equal((await select('smartworklistmember', free))['TeamID'], undefined);
    const order: unknown[] = [];
    for (let got = await next(ann.caller); got; got = await next(ann.caller)) {
      order.push(idOf(got));
      await finish(idOf(got));
    }
    assert.deepEqual(order, [own, highest, higher, priority, sequence, sooner, due, late, other, free]);
  });

  it("WL-01 returns only open, unpostponed items of an open worklist that belong to nobody or the caller, and to no team or the caller's", async () => {
    const list = await worklist({ TeamID: both, SmartWorklistTemplate: 'Rules' });
    const [done, gone, put, hers, his] = await Promise.all([
      item(list.id),
      item(list.id),
      item(list.id, { SkipDate: '2026-06-04T15:00:00Z' }),
      item(list.id, { PersonID: bob.personId }),
      item(list.id, { TeamID: bobs }),
    ]);
    await finish(done);
    await ok(of('cancel', { ID: gone }));
    assert.equal((await select('smartworklistmember', put))['Status'], 'Skipped');
    assert.equal(await next(ann.caller), undefined);
    assert.equal(
      await next(ann.caller, 'rules'),
      undefined,
      'an open worklist without items for the caller returns none',
    );
    clock.advance(DAY);
    assert.equal(
      idOf(await next(ann.caller, 'rules')),
      put,
      'a postponed item is returned once it is due, by the name in any case',
    );
    assert.equal(idOf(await next(bob.caller, 'Rules')), hers);
    await finish(put, hers);
    assert.equal(idOf(await next(bob.caller)), his);
    const canceled = await worklist({});
    await item(canceled.id);
    await ok(call('smartworklist/cancel', { ID: canceled.id }));
    assert.equal(await next(ann.caller), undefined);
    await finish(his);
  });

  it('WL-01 refuses a name that matches no open worklist, with the nearest; a worklist without items returns nothing', async () => {
    const list = await worklist({ SmartWorklistTemplate: 'Title defects' });
    const ask = (name: string): Promise<TestAnswer> =>
      ann.caller.get(`/api/smartworklistmember/next?Output=Json&SmartWorklist=${encodeURIComponent(name)}`);
    assert.equal((await ask('TITLE DEFECTS')).status, 204);
    const error = await refused(ask('Titel defect'), 'BAD_PARAMETER', 'SmartWorklist');
    assert.match(String(error['Message']), /no open queue is named "Titel defect"\. Did you mean Title defects/);
    await ok(call('smartworklist/cancel', { ID: list.id }));
    const canceled = await refused(ask('Title defects'), 'BAD_PARAMETER', 'SmartWorklist');
    assert.doesNotMatch(
      String(canceled['Message']),
      /(Did you mean|Known:).*Title defects/,
      'a canceled worklist is not suggested',
    );
  });

  it('WL-01 a team membership counts from its first to its last day', async () => {
    const temporary = await save('collection', {
      Collection: 'Temporary',
      SourceObject: 'Person',
      Members: [{ SourceObjectID: ann.personId, EffectiveDate: '2026-06-05', ExpiresDate: '2026-06-05' }],
    });
    const made = await item((await worklist({ TeamID: temporary['CollectionID'] })).id);
    assert.equal(await next(ann.caller), undefined);
    clock.advance(DAY);
    assert.equal(idOf(await next(ann.caller)), made);
    await finish(made);
    const second = await item((await worklist({ TeamID: temporary['CollectionID'] })).id);
    clock.advance(DAY);
    assert.equal(await next(ann.caller), undefined);
    await finish(second);
  });

  it('WL-01 cancels an item whose record is gone and returns the next one', async () => {
    const list = (await worklist({ TeamID: both })).id;
    const [lost, remaining] = [await item(list, { Priority: 1 }), await item(list, { Priority: 2 })];
    await p.platform.store.query('delete from loan where loanid = $1::bigint', [
      (await select('smartworklistmember', lost))['SourceObjectID'],
    ]);
    assert.equal(idOf(await next(ann.caller)), remaining);
    assert.deepEqual(
      [(await select('smartworklistmember', lost))['Status'], (await select('smartworklistmember', lost))['Reason']],
      ['Canceled', 'The record is deleted.'],
    );
    await finish(remaining);
  });

  it('WL-01 a user without access to the record gets the item without it', async () => {
    await save('role', { Role: 'Takes Items', Permissions: 'SmartWorklistMemberNext', UniversalAccess: true });
    const carl = await worker('carl', 'Takes Items');
    const made = await item((await worklist({ MemberUrl: '/x/{SourceObjectID}/{Loan}' })).id);
    const got = await next(carl.caller);
    assert.deepEqual([idOf(got), got?.['LoanItem']], [made, undefined]);
    assert.match(String(got?.['MemberUrl']), /^\/x\/\d+\/$/);
    await finish(made);
  });
});

describe('an item', () => {
  it('WL-02 WL-15 is started by a user it may be assigned to, resumed by the user who started it, and has its address filled in', async () => {
    const list = (
      await worklist({
        TeamID: both,
        MemberUrl: 'https://cases.example/{SourceObject}/{SourceObjectID}?who={PersonID}',
      })
    ).id;
    const made = await item(list);
    const source = (await select('smartworklistmember', made))['SourceObjectID'];
    await refused(of('resume', { ID: made }, ann.caller), 'STATE_REFUSES');
    const started = await ok(of('start', { ID: made }, ann.caller));
    assert.deepEqual(
      [started['Status'], started['PersonID'], started['MemberUrl']],
      ['Started', ann.personId, `https://cases.example/Loan/${String(source)}?who=${ann.personId}`],
    );
    assert.equal((await ok(of('resume', { ID: made }, ann.caller)))['MemberUrl'], started['MemberUrl']);
    await refused(of('start', { ID: made }, bob.caller), 'STATE_REFUSES');
    await refused(of('resume', { ID: made }, bob.caller), 'STATE_REFUSES');
    await refused(of('start', { ID: await item(list, { TeamID: bobs }) }, ann.caller), 'STATE_REFUSES');
    await ok(of('cancel', { ID: made }));
    await refused(of('start', { ID: made }, ann.caller), 'STATE_REFUSES');
    await refused(of('resume', { ID: made }, ann.caller), 'STATE_REFUSES');
    await refused(of('start', { ID: 99_999_999 }, ann.caller), 'NOT_FOUND');
  });

  it('WL-02 is postponed by its own user, for one day by default', async () => {
    const made = await item((await worklist({ TeamID: both })).id);
    await refused(of('skip', { ID: made }, ann.caller), 'STATE_REFUSES');
    await ok(of('start', { ID: made }, ann.caller));
    await refused(of('skip', { ID: made }, bob.caller), 'STATE_REFUSES');
    const skipped = await ok(of('skip', { ID: made }, ann.caller));
    assert.deepEqual(
      [skipped['Status'], skipped['SkipDate'], skipped['PersonID']],
      ['Skipped', new Date(clock.milliseconds() + DAY).toISOString(), ann.personId],
    );
    assert.equal(await next(ann.caller), undefined);
    await refused(of('skip', { ID: made, SkipDate: clock.now() }, ann.caller), 'BAD_PARAMETER', 'SkipDate');
    assert.equal(
      (await ok(of('skip', { ID: made, SkipDate: '2026-07-01T00:00:00Z' }, ann.caller)))['SkipDate'],
      '2026-07-01T00:00:00.000Z',
    );
    assert.deepEqual(
      [(await ok(of('start', { ID: made }, ann.caller)))['SkipDate'], idOf(await next(ann.caller))],
      [undefined, made],
      'started before its SkipDate',
    );
    await finish(made);
    await refused(of('skip', { ID: made }, ann.caller), 'STATE_REFUSES');
  });

  it('WL-02 is reassigned to another team and user by those permitted, and starts over', async () => {
    const list = (await worklist({ TeamID: both })).id;
    const [one, two, done] = [await item(list), await item(list), await item(list)];
    await ok(of('start', { ID: one }, ann.caller));
    await finish(done);
    const body = await ok(of('reassign', { ID: [one, done, two], PersonID: bob.personId }));
    assert.deepEqual(alertsOf(body), [done]);
    assert.deepEqual(
      rowsOf(body).map((row) => [row['PersonID'], row['StartDate'], row['Status']]),
      [
        [bob.personId, undefined, 'Queued'],
        [undefined, undefined, 'Completed'],
        [bob.personId, undefined, 'Queued'],
      ],
    );
    assert.deepEqual(
      rowsOf(await ok(of('reassign', { ID: one, TeamID: bobs }))).map((row) => [row['TeamID'], row['PersonID']]),
      [[bobs, bob.personId]],
    );
    await refused(of('reassign', { ID: one, PersonID: ann.personId }), 'STATE_REFUSES');
    assert.deepEqual(
      rowsOf(await ok(of('reassign', { ID: one, TeamID: both, PersonID: ann.personId }))).map((row) => [
        row['TeamID'],
        row['PersonID'],
      ]),
      [[both, ann.personId]],
    );
    assert.deepEqual(
      rowsOf(await ok(of('reassign', { ID: one, TeamID: bobs }))).map((row) => row['PersonID']),
      [undefined],
      'a user outside the new team loses the item',
    );
    await refused(of('reassign', { ID: one }), 'MISSING_PARAMETER', 'TeamID');
    assert.deepEqual(
      rowsOf(await ok(of('reassign', { ID: one, Team: 'both', Person: 'ANN' }))).map((row) => [
        row['TeamID'],
        row['PersonID'],
      ]),
      [[both, ann.personId]],
      'by name',
    );
    await refused(of('reassign', { ID: one, Team: 'No such team' }), 'BAD_PARAMETER', 'Team');
    await refused(of('reassign', { ID: one, Person: 'nobody' }), 'BAD_PARAMETER', 'Person');
    await refused(of('reassign', { ID: one, Person: 'ann', PersonID: ann.personId }), 'BAD_PARAMETER', 'Person');
    await ok(of('reassign', { ID: one, Team: 'Only Bob' }));
    await refused(of('reassign', { ID: one, TeamID: 99_999_999 }), 'NOT_FOUND', 'TeamID');
    await refused(of('reassign', { ID: [one, 99_999_999], TeamID: both }), 'NOT_FOUND');
    assert.equal((await select('smartworklistmember', one))['TeamID'], bobs, 'nothing changed');
    await save('role', {
      Role: 'Saves Items',
      Permissions: 'SmartWorklistMemberSave SmartWorklistMemberUpdate',
      UniversalAccess: true,
    });
    const { caller } = await worker('dora', 'Saves Items');
    await refused(of('reassign', { ID: one, TeamID: both }, caller), 'NO_PERMISSION');
    await refused(of('bulkcomplete', { ID: one }, caller), 'NO_PERMISSION');
    assert.equal((await ok(of('save', { ID: one, Priority: 3 }, caller)))['Priority'], 3);
    await finish(one, two);
  });

  describe('of somebody who may save items, and nothing else', async () => {
    const now = clock.now();
    const saves = 'SmartWorklistMemberSave SmartWorklistMemberUpdate SmartWorklistMemberRollback';
    await save('role', {
      Role: 'Only saves',
      Permissions: `${saves} SmartWorklistMemberUpdateFromRule SmartWorklistMemberRequeue MatrixLookup`,
      UniversalAccess: true,
    });
    const ernie = await worker('ernie', 'Only saves');
    const { id: list } = await worklist({ TeamID: both });
    const mayNot = async (operation: string, route: string, body: object): Promise<void> => {
      const error = await refused(of(route, body, ernie.caller), 'NO_PERMISSION');
      assert.match(String(error['Message']), new RegExp(`SmartWorklistMember${operation} `), JSON.stringify(body));
    };

    for (const [operation, change] of [
      ['Reassign', { PersonID: bob.personId }],
      ['Reassign', { TeamID: bobs }],
      ['Reassign', { StartDate: now }],
      ['Reassign', { Status: 'Started' }],
      ['Reassign', { SkipDate: '2026-09-01T00:00:00Z' }],
      ['BulkComplete', { CompletionDate: now }],
      ['BulkComplete', { Status: 'Completed' }],
      ['Cancel', { CancelledDate: now }],
      ['Cancel', { Status: 'Canceled' }],
    ] as const)
      it(`WL-02 WL-16 a save of ${JSON.stringify(Object.keys(change))} needs the permission to ${operation}`, async () => {
        const made = await item(list);
        await mayNot(operation, 'save', { ID: made, ...change });
        await mayNot(operation, 'update', { ID: made, ...change });
        assert.equal((await select('smartworklistmember', made))['Version'], 1, 'nothing changed');
        await finish(made);
      });

    it('WL-02 WL-16 their own item needs the permission to start, postpone and complete own items', async () => {
      const own = await item(list, { TeamID: '', PersonID: ernie.personId });
      await mayNot('Start', 'save', { ID: own, StartDate: now });
      await mayNot('Skip', 'save', { ID: own, SkipDate: '2026-09-01T00:00:00Z' });
      await mayNot('Complete', 'save', { ID: own, CompletionDate: now });
      await finish(own);
      await mayNot('BulkComplete', 'save', { ID: own, CompletionDate: '' });
    });

    it('WL-02 WL-16 a new item is neither started nor completed nor canceled by who may not do so', async () => {
      const base = { SmartWorklistID: list, SourceObject: 'Loan', SourceObjectID: await loan() };
      await mayNot('Reassign', 'save', { ...base, StartDate: now });
      await mayNot('BulkComplete', 'save', { ...base, CompletionDate: now });
      await mayNot('Cancel', 'save', { ...base, Status: 'Canceled' });
      const made = await save('smartworklistmember', { ...base, PersonID: bob.personId }, ernie.caller);
      assert.equal(made['PersonID'], bob.personId, 'new work may be given to somebody');
      await finish(made['SmartWorklistMemberID']);
    });

    it('WL-02 WL-16 a rollback, a requeue and the outputs of a rule set need the same permissions', async () => {
      const made = await item(list, { Reason: 'Done elsewhere' });
      const before = clock.now();
      clock.advance(60_000);
      await ok(of('start', { ID: made }, ann.caller));
      await mayNot('Reassign', 'rollback', { ID: made, At: before });
      await mayNot('Reassign', 'requeue', { ID: made });
      await save('matrix', {
        Matrix: 'Finish items',
        Dimensions: [{ MatrixDimension: 'Reason' }],
        Measures: [{ MatrixMeasure: 'Status' }],
        Facts: [
          { MatrixFact: 'Reason', RowNumber: 1, Cell: 'Done elsewhere' },
          { MatrixFact: 'Status', RowNumber: 1, Cell: 'Completed' },
        ],
      });
      await mayNot('BulkComplete', 'updatefromrule', { ID: made, RuleSet: 'Finish items' });
      await mayNot('BulkComplete', 'save', { ID: made, Priority: 2, RuleSetMatrix: 'Finish items' });
      const stored = await select('smartworklistmember', made);
      assert.deepEqual(
        [stored['Status'], stored['PersonID'], stored['Priority']],
        ['Started', ann.personId, undefined],
      );
      await finish(made);
    });

    it("WL-02 a task's team and user give its item to others only by who may reassign", async () => {
      const template = await worklist({ SourceObject: 'ImportForm', TeamID: both });
      await save('importformtemplate', {
        ImportFormTemplate: 'Given task',
        AppliesTo: 'Loan',
        SmartWorklistTemplateID: template.templateId,
      });
      const task = await save('importform', { Template: 'Given task', Object: 'Loan', ObjectID: await loan() });
      const change = (fields: object, caller = ann.caller): Promise<TestAnswer> =>
        call('importform/save', { ID: task['ImportFormID'], ...fields }, caller);
      await ok(change({ AssignedPersonID: ann.personId }));
      await refused(change({ AssignedPersonID: bob.personId }), 'NO_PERMISSION');
      await refused(change({ AssignedCollectionID: bobs }), 'NO_PERMISSION');
      await refused(change({ AssignedPersonID: '' }, bob.caller), 'NO_PERMISSION');
      await ok(change({ AssignedPersonID: '' }));
      const lead = await worker('lena', 'Team lead');
      await ok(change({ AssignedPersonID: bob.personId }, lead.caller));
      const [row] = await items(`SourceObject=ImportForm&SourceObjectID=${String(task['ImportFormID'])}`);
      assert.equal(row?.['PersonID'], bob.personId);
      await finish(idOf(row));
    });

    it('WL-02 WL-16 of the built-in roles, Team lead reassigns and completes the work of others, and Staff does not', async () => {
      const lead = await worker('leo', 'Team lead');
      const [one, two] = [await item(list), await item(list)];
      for (const [route, body] of [
        ['reassign', { PersonID: bob.personId }],
        ['bulkcomplete', {}],
        ['autoassign', {}],
      ] as const) {
        await refused(of(route, { ID: one, ...body }, ann.caller), 'NO_PERMISSION');
        await ok(of(route, { ID: route === 'bulkcomplete' ? two : one, ...body }, lead.caller));
      }
      await refused(call('smartworklist/restart', { ID: list }, ann.caller), 'NO_PERMISSION');
      await finish(one);
    });
  });

  it('WL-09 is requeued after it was started, postponed or canceled', async () => {
    const list = (await worklist({ TeamID: both, Priority: 5 })).id;
    const made = await item(list, { TeamID: bobs, Priority: 1 });
    await ok(of('start', { ID: made }, bob.caller));
    await ok(of('skip', { ID: made }, bob.caller));
    await ok(of('cancel', { ID: made }));
    const [remaining] = rowsOf(await ok(of('requeue', { ID: made })));
    assert.deepEqual(
      ['Status', 'StartDate', 'SkipDate', 'CancelledDate', 'TeamID', 'PersonID', 'Priority'].map(
        (name) => remaining?.[name],
      ),
      ['Queued', undefined, undefined, undefined, bobs, undefined, 1],
    );
    await ok(of('start', { ID: made }, bob.caller));
    const [lost] = rowsOf(
      await ok(of('requeue', { ID: made, KeepTeam: false, KeepPerson: true, KeepPriority: false })),
    );
    assert.deepEqual(
      ['Status', 'TeamID', 'PersonID', 'Priority'].map((name) => lost?.[name]),
      ['Queued', both, bob.personId, 5],
    );
    await finish(made);
    await refused(of('requeue', { ID: made }), 'STATE_REFUSES');
  });

  it('WL-16 is completed and canceled in bulk with a date and reason, leaving its record unchanged', async () => {
    const list = (await worklist({})).id;
    const [one, two, three] = [await item(list), await item(list), await item(list)];
    const source = (await select('smartworklistmember', one))['SourceObjectID'];
    const before = await select('loan', source);
    const [completed] = rowsOf(
      await ok(of('bulkcomplete', { ID: one, CompletionDate: '2026-06-01T12:00:00Z', Reason: 'Done elsewhere' })),
    );
    assert.deepEqual(
      [completed?.['Status'], completed?.['CompletionDate'], completed?.['Reason']],
      ['Completed', '2026-06-01T12:00:00.000Z', 'Done elsewhere'],
    );
    const body = await ok(
      of('cancel', { ID: [one, two], CancelledDate: '2026-06-02T12:00:00Z', Reason: 'Not needed' }),
    );
    assert.deepEqual([alertsOf(body), rowsOf(body).map((row) => row['Status'])], [[one], ['Completed', 'Canceled']]);
    assert.deepEqual(
      [rowsOf(body)[1]?.['CancelledDate'], rowsOf(body)[1]?.['Reason']],
      ['2026-06-02T12:00:00.000Z', 'Not needed'],
    );
    await refused(of('cancel', { ID: [one, two] }), 'STATE_REFUSES');
    assert.deepEqual(await select('loan', source), before);
    const record = (await select('smartworklistmember', three))['SourceObjectID'];
    const [other] = [await item((await worklist({})).id, { SourceObjectID: record })];
    assert.equal((await ok(of('cancelobject', { Object: 'Loan', ObjectID: record, Reason: 'Sold' })))['Count'], 2);
    for (const id of [three, other])
      assert.deepEqual(
        [(await select('smartworklistmember', id))['Status'], (await select('smartworklistmember', id))['Reason']],
        ['Canceled', 'Sold'],
      );
    assert.equal((await ok(of('cancelobject', { Object: 'Loan', ObjectID: record })))['Count'], 0);
  });

  it('WL-16 open items are canceled all or none, in the given order, also by two calls at once and when a rule refuses one of them', async () => {
    const list = (await worklist({})).id;
    const [one, two, three] = [await item(list, { Reason: 'its own' }), await item(list), await item(list)];
    await refused(of('cancel', { ID: [one, two, 99_999_999] }), 'NOT_FOUND');
    assert.equal((await select('smartworklistmember', one))['Status'], 'Queued');
    const answers = await Promise.all([
      of('cancel', { ID: [two, one] }),
      of('cancel', { ID: [one, two], Reason: 'both' }),
    ]);
    assert.deepEqual(
      answers.map(({ status }) => status).toSorted((a, b) => a - b),
      [200, 422],
      'nothing is left for the second call',
    );
    const changed =
      answers[0]?.status === 200
        ? [
            [two, undefined],
            [one, 'its own'],
          ]
        : [
            [one, 'both'],
            [two, 'both'],
          ];
    assert.deepEqual(
      rowsOf(answers.find(({ status }) => status === 200)?.json() ?? {}).map((row) => [idOf(row), row['Reason']]),
      changed,
    );
    const history = await p.platform.store.query(
      `select old ->> 'status' as old from history
       where tablename = 'smartworklistmember' and recordid = any($1::bigint[]) and old ? 'cancelleddate'`,
      [`{${one},${two}}`],
    );
    assert.deepEqual(
      history.map(({ old }) => old),
      ['Queued', 'Queued'],
    );
    const four = await item(list);
    const rule = await save('businessrule', {
      BusinessRule: 'the last one stays',
      AppliesTo: 'SmartWorklistMember',
      Operation: 'Update',
      Stylesheet: refusing(
        `SmartWorklistMemberItem/SmartWorklistMemberID = ${four} and SmartWorklistMemberItem/Status = 'Canceled'`,
        'It stays.',
      ),
    });
    assert.match(JSON.stringify(await refused(of('cancel', { ID: [three, four] }), 'RULE_EXCEPTION')), /It stays/);
    assert.equal((await select('smartworklistmember', three))['Status'], 'Queued');
    await ok(call('businessrule/delete', { ID: rule['BusinessRuleID'] }));
    await ok(of('cancel', { ID: [three, four] }));
  });

  it('WL-02 WL-06 is completed by its own user, and records the minutes of business hours since it was started', async () => {
    const made = await item((await worklist({})).id);
    clock.advance(Date.parse('2026-06-12T20:00:00Z') - clock.milliseconds());
    await ok(of('start', { ID: made }, ann.caller));
    await refused(of('complete', { ID: made }, bob.caller), 'STATE_REFUSES');
    clock.advance(3 * DAY);
    const [row] = rowsOf(await ok(of('complete', { ID: made, Reason: 'Called' }, ann.caller)));
    assert.deepEqual([row?.['Status'], row?.['Reason'], row?.['CompletionDate']], ['Completed', 'Called', clock.now()]);
    // From Friday to Monday at the same hour: one business day of nine hours, because a weekend has none.
    assert.equal(row?.['BusinessMinutes'], 9 * 60);
    await refused(of('complete', { ID: made }, ann.caller), 'STATE_REFUSES');
  });

  it('WL-02 is saved only with a status that matches its dates, on an open worklist, and for an existing record', async () => {
    const list = await worklist({});
    const id = await loan();
    const base = { SmartWorklistID: list.id, SourceObject: 'loan', SourceObjectID: id };
    const row = await save('smartworklistmember', {
      ...base,
      Reason: 'Check',
      ReasonDetail: 'the tax lines',
      Priority: 4,
      Status: 'Started',
    });
    assert.deepEqual(
      ['SourceObject', 'Status', 'StartDate', 'Reason', 'ReasonDetail', 'Priority'].map((name) => row[name]),
      ['Loan', 'Started', clock.now(), 'Check', 'the tax lines', 4],
    );
    const completed = await save('smartworklistmember', {
      ID: row['SmartWorklistMemberID'],
      CompletionDate: new Date(clock.milliseconds() + 1000).toISOString(),
    });
    assert.deepEqual([completed['Status'], completed['BusinessMinutes']], ['Completed', 0]);
    await refused(of('save', { ...base, Status: 'Whatever' }), 'BAD_PARAMETER', 'Status');
    await refused(
      of('save', { ...base, CompletionDate: clock.now(), CancelledDate: clock.now() }),
      'BAD_PARAMETER',
      'CompletionDate',
    );
    await refused(of('save', { ...base, SourceObjectID: 99_999_999 }), 'NOT_FOUND');
    await refused(of('save', { ...base, SmartWorklistID: '' }), 'MISSING_PARAMETER', 'SmartWorklistID');
    await refused(
      of('save', {
        ...base,
        TeamID: (await save('collection', { Collection: 'Loans', SourceObject: 'Loan' }))['CollectionID'],
      }),
      'NOT_FOUND',
      'TeamID',
    );
    await refused(of('save', { ...base, Reason: 'x'.repeat(10_000) }), 'BAD_PARAMETER', 'Reason');
    await ok(call('smartworklist/cancel', { ID: list.id }));
    await refused(of('save', base), 'STATE_REFUSES', 'SmartWorklistID');
    assert.deepEqual(await items(`SourceObjectID=${id}&Status=Queued`), []);
  });

  it("WL-01 explain reports each rule, each sort key, and the item's place among those that the user could be given", async () => {
    const list = (await worklist({ TeamID: both })).id;
    const [first, second, put] = [
      await item(list, { Priority: 1 }),
      await item(list, { Priority: 2 }),
      await item(list, { TeamID: bobs, SkipDate: '2027-01-01T00:00:00Z' }),
    ];
    const explain = async (ID: number, PersonID: number): Promise<WorklistRow> =>
      (await ok(p.admin.get(`/api/smartworklistmember/explain?Output=Json&ID=${ID}&PersonID=${PersonID}`)))[
        'WorklistExplanation'
      ] as WorklistRow;
    const explained = await explain(second, ann.personId);
    assert.deepEqual([explained['Eligible'], explained['Place'], explained['Of']], [true, 2, 2]);
    const keys = Object.fromEntries(
      (explained['Key'] as { Name: string; Value: unknown }[]).map(({ Name, Value }) => [Name, Value]),
    );
    assert.deepEqual(
      [keys['AssignedToPerson'], keys['TeamPriority'], keys['Priority'], keys['SmartWorklistMemberID']],
      [false, 1, 2, second],
    );
    const xml = await p.admin.get(`/api/smartworklistmember/explain?ID=${second}&PersonID=${ann.personId}`);
    assert.match(
      xml.text,
      new RegExp(
        [
          '<WorklistExplanation [^>]*Eligible="true" Place="2" Of="2">.*',
          '<Rule Name="Open" Holds="true" Value="Queued"/>.*',
          '<Key Name="AssignedToPerson" Value="false"/><Key Name="TeamPriority" Value="1"/>',
        ].join(''),
        's',
      ),
    );
    const refusedBy = async (ID: number, PersonID: number): Promise<string[]> =>
      ((await explain(ID, PersonID))['Rule'] as { Name: string; Holds: boolean }[])
        .filter(({ Holds }) => !Holds)
        .map(({ Name }) => Name);
    assert.deepEqual(await refusedBy(put, ann.personId), ['NotSkipped', 'Team']);
    assert.deepEqual(await refusedBy(put, bob.personId), ['NotSkipped']);
    await ok(of('start', { ID: first }, bob.caller));
    assert.deepEqual(await refusedBy(first, ann.personId), ['Unassigned']);
    assert.equal((await explain(second, ann.personId))['Place'], 1);
    await finish(first, second, put);
    assert.deepEqual(await refusedBy(first, bob.personId), ['Open']);
  });
});
