import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { fixedClock } from '../../../src/kernel/time/clock.ts';
import { testSession } from '../../support/pages/session.ts';
import { testPlatform, type Caller } from '../../support/platform.ts';
import { worklistCalls, type WorklistRow } from '../../support/work/worklists.ts';

// Wednesday, 11:00 in New York.
const clock = fixedClock('2026-06-03T15:00:00Z');
const p = await testPlatform({ after }, { clock });
const { ok, refused, call, worker, team, item, worklist, select, next, save } = worklistCalls(p);
const HOUR = 3_600_000;
const hours = (count: number): string => new Date(clock.milliseconds() + count * HOUR).toISOString();

async function read(caller: Caller, route: string, query = ''): Promise<WorklistRow> {
  return ok(caller.get(`/api/${route}?Output=Json${query}`));
}

async function rowsOf(caller: Caller, route: string, name: string, query = ''): Promise<readonly WorklistRow[]> {
  const body = await read(caller, route, query);
  return ((body[`${name}Collection`] as WorklistRow | undefined)?.[`${name}Item`] ?? []) as WorklistRow[];
}

const upcoming = (caller: Caller, query = ''): Promise<readonly WorklistRow[]> =>
  rowsOf(caller, 'smartworklistmember/upcoming', 'UpcomingItem', query);
const idsOf = (rows: readonly WorklistRow[]): number[] => rows.map((row) => Number(row['SmartWorklistMemberID']));

describe('coming work items', () => {
  it('WEB-02 are listed in pages in the order in which next gives them, and none is assigned', async () => {
    const ann = await worker('ann.upcoming');
    const bob = await worker('bob.upcoming');
    const first = await team('First', [[ann.personId, 1]]);
    const second = await team('Second', [[ann.personId], [bob.personId]]);
    const strangers = await team('Strangers', [[bob.personId]]);
    const { id } = await worklist({ SmartWorklistTemplate: 'Upcoming' });
    // Every combination of empty and set keys, of own and other items, in an order that is not that of the keys.
    for (const TeamID of [second, first, strangers, undefined])
      for (const keys of [
        {},
        { Priority: 2 },
        { Priority: 2, Sequence: 1 },
        { DueDate: hours(5) },
        { DueDate: hours(-5) },
      ])
        for (const PersonID of [undefined, ann.personId])
          if (!(TeamID === strangers && PersonID !== undefined))
            await item(id, { ...keys, ...(TeamID === undefined ? {} : { TeamID }), ...(PersonID ? { PersonID } : {}) });
    await item(id, { PersonID: bob.personId });
    const later = await item(id, { PersonID: ann.personId, SkipDate: hours(1) });

    const paged: number[] = [];
    for (let cursor = '', page = 0; page < 20; page++) {
      const rows = await upcoming(ann.caller, `&DisplaySize=4${cursor}`);
      paged.push(...idsOf(rows));
      const nextCursor = rows.at(-1)?.['NextCursor'];
      if (nextCursor === undefined) break;
      cursor = `&Cursor=${String(nextCursor)}`;
    }
    assert.equal(paged.length, 30);
    assert.deepEqual(idsOf(await upcoming(ann.caller, '&DisplaySize=100')), paged);
    assert.equal((await select('smartworklistmember', paged[29]))['PersonID'], undefined);
    assert.ok(!paged.includes(later));
    const given: number[] = [];
    for (const each of paged) {
      const row = await next(ann.caller);
      given.push(Number(row?.['SmartWorklistMemberID']));
      await ok(call('smartworklistmember/complete', { ID: each }, ann.caller));
    }
    assert.deepEqual(given, paged);
    clock.advance(2 * HOUR);
    assert.deepEqual(idsOf(await upcoming(ann.caller)), [later], 'a skipped item that is due again');
  });

  it('WEB-02 refuses a cursor of another list, and sizes beyond the limits', async () => {
    const cal = await worker('cal.upcoming');
    const { id } = await worklist({ SmartWorklistTemplate: 'Cursors' });
    for (let count = 0; count < 2; count++) await item(id, { PersonID: cal.personId });
    const [row] = await upcoming(cal.caller, '&DisplaySize=1');
    const cursor = String(row?.['NextCursor']);
    const get = (query: string) => cal.caller.get(`/api/smartworklistmember/upcoming?Output=Json${query}`);
    await refused(get(`&SmartWorklist=Cursors&Cursor=${cursor}`), 'BAD_PARAMETER', 'Cursor');
    await refused(get('&DisplaySize=0'), 'BAD_PARAMETER', 'DisplaySize');
    await refused(get('&DisplaySize=101'), 'BAD_PARAMETER', 'DisplaySize');
  });

  it('WEB-02 counts what is overdue, due, waiting and done, with the usual pace', async () => {
    const dee = await worker('dee.upcoming');
    const { id } = await worklist({ SmartWorklistTemplate: 'Counts' });
    const own = (fields: object): Promise<number> => item(id, { PersonID: dee.personId, ...fields });
    await own({ DueDate: hours(-1) });
    const done = [await own({ DueDate: hours(1) }), await own({ DueDate: hours(1) })];
    await own({ DueDate: hours(2) });
    await own({ DueDate: hours(24) });
    await own({ DueDate: hours(-50), SkipDate: hours(4) });
    await own({});
    const counts = await read(dee.caller, 'smartworklistmember/workload');
    assert.equal(counts['UsualPerDay'], undefined);
    await p.platform.store.query(
      `update smartworklistmember
       set status = 'Completed', completiondate = case when smartworklistmemberid = $1::bigint
         then $3::timestamptz else $4::timestamptz end
       where smartworklistmemberid in ($1::bigint, $2::bigint)`,
      [done[0], done[1], clock.now(), hours(-24)],
    );
    const workload = await read(dee.caller, 'smartworklistmember/workload');
    const { Overdue, DueToday, DueTomorrow, Waiting, Own, DoneToday, UsualPerDay } = workload;
    assert.deepEqual(
      { Overdue, DueToday, DueTomorrow, Waiting, Own, DoneToday, UsualPerDay: Number(UsualPerDay) },
      { Overdue: 1, DueToday: 1, DueTomorrow: 1, Waiting: 1, Own: 4, DoneToday: 1, UsualPerDay: 1 },
    );
    // Two items at one a day are not done today.
    assert.equal(workload['FinishDate'], undefined);
  });
});

describe('claims of work items', async () => {
  const eve = await worker('eve.claims');
  const fay = await worker('fay.claims');
  const both = await team('Claimers', [[eve.personId], [fay.personId]]);
  const { id: queue } = await worklist({ SmartWorklistTemplate: 'Claims', TeamID: both });
  const claim = (caller: Caller, ID?: number): Promise<WorklistRow> =>
    ok(call('smartworklistmember/claim', ID === undefined ? { SmartWorklist: 'Claims' } : { ID }, caller));
  const state = async (id: number): Promise<unknown[]> => {
    const row = await select('smartworklistmember', id);
    return [row['PersonID'], row['Status']];
  };
  const expire = (): Promise<WorklistRow> => ok(call('smartworklistmember/releaseexpired'));

  it('WEB-02 start the next item; releasing it makes it what it was', async () => {
    const free = await item(queue);
    const claimed = await claim(eve.caller);
    assert.equal(claimed['SmartWorklistMemberID'], free);
    assert.equal(claimed['Expires'], new Date(clock.milliseconds() + 600_000).toISOString());
    assert.deepEqual(await state(free), [eve.personId, 'Started']);
    await refused(call('smartworklistmember/claim', { ID: free }, fay.caller), 'STATE_REFUSES', 'ID');
    await refused(call('smartworklistmember/release', { ID: free }, fay.caller), 'STATE_REFUSES', 'ID');
    await ok(call('smartworklistmember/release', { ID: free }, eve.caller));
    assert.deepEqual(await state(free), [undefined, 'Queued']);
    const own = await item(queue, { PersonID: eve.personId });
    await claim(eve.caller, own);
    await ok(call('smartworklistmember/release', { ID: own }, eve.caller));
    assert.deepEqual(await state(own), [eve.personId, 'Queued']);
    await ok(call('smartworklistmember/bulkcomplete', { ID: [free, own] }));
  });

  it('WEB-02 expire without activity, not while the user works, and never for started items without a claim', async () => {
    const [worked, idle, started] = [await item(queue), await item(queue), await item(queue)];
    await claim(eve.caller, worked);
    await claim(eve.caller, idle);
    await ok(fay.caller.get(`/api/smartworklistmember/start?Output=Json&ID=${started}`));
    clock.advance(8 * 60_000);
    await claim(eve.caller, worked);
    clock.advance(8 * 60_000);
    assert.equal((await expire())['Count'], 1);
    assert.deepEqual(await state(worked), [eve.personId, 'Started']);
    assert.deepEqual(await state(idle), [undefined, 'Queued']);
    assert.deepEqual(await state(started), [fay.personId, 'Started']);
    assert.equal((await expire())['Count'], 0);
    // An item that was given to somebody else is no longer the claim's.
    await ok(call('smartworklistmember/reassign', { ID: worked, PersonID: fay.personId }));
    await ok(fay.caller.get(`/api/smartworklistmember/start?Output=Json&ID=${worked}`));
    clock.advance(60 * 60_000);
    assert.equal((await expire())['Count'], 0);
    assert.deepEqual(await state(worked), [fay.personId, 'Started']);
    await ok(call('smartworklistmember/bulkcomplete', { ID: [worked, idle, started] }));
  });

  it('WEB-02 WL-01 hands an own item over to a colleague of its team, who begins it anew; nobody else’s, and to nobody else', async () => {
    const [own, free] = [await item(queue), await item(queue)];
    const handOver = (ID: number, PersonID: number, caller: Caller): ReturnType<typeof call> =>
      call('smartworklistmember/handover', { ID, PersonID }, caller);
    const stranger = await worker('stranger');
    await claim(eve.caller, own);
    await refused(handOver(own, eve.personId, fay.caller), 'STATE_REFUSES', 'ID');
    await refused(handOver(free, fay.personId, eve.caller), 'STATE_REFUSES', 'ID');
    await refused(handOver(own, eve.personId, eve.caller), 'STATE_REFUSES', 'PersonID');
    await refused(handOver(own, stranger.personId, eve.caller), 'STATE_REFUSES', 'PersonID');
    await refused(handOver(own, 88_888_888, eve.caller), 'NOT_FOUND', 'PersonID');
    await ok(handOver(own, fay.personId, eve.caller));
    assert.deepEqual(await state(own), [fay.personId, 'Queued']);
    await refused(handOver(own, fay.personId, eve.caller), 'STATE_REFUSES', 'ID');
    await ok(call('smartworklistmember/bulkcomplete', { ID: [own, free] }));
    await refused(handOver(own, eve.personId, fay.caller), 'STATE_REFUSES', 'ID');
  });

  it('WEB-02 sets priorities of many items, only for users who may reassign', async () => {
    const ids = [await item(queue), await item(queue)];
    const closed = await item(queue);
    await ok(call('smartworklistmember/cancel', { ID: closed }));
    await refused(call('smartworklistmember/prioritize', { ID: ids, Priority: 1 }, eve.caller), 'NO_PERMISSION');
    const answer = await ok(call('smartworklistmember/prioritize', { ID: [...ids, closed], Priority: 1 }));
    assert.match(JSON.stringify(answer['Alerts']), /only open work items have a priority/);
    for (const id of ids) assert.equal((await select('smartworklistmember', id))['Priority'], 1);
    await ok(call('smartworklistmember/bulkcomplete', { ID: ids }));
  });
});

describe('the work of a team', () => {
  it('WEB-02 is counted by queue, by user and by day', async () => {
    const gil = await worker('gil.team');
    const hal = await worker('hal.team');
    await save('person', { ID: gil.personId, FirstName: 'Gil', LastName: 'Ames' });
    const of = await team('Counted', [[gil.personId, 1], [hal.personId]]);
    const { id } = await worklist({ SmartWorklistTemplate: 'Counted queue', TeamID: of });
    await item(id, { DueDate: hours(-1) });
    await item(id, { PersonID: gil.personId, DueDate: hours(1) });
    await item(id, { PersonID: hal.personId, DueDate: hours(-2) });
    const done = await item(id, { PersonID: gil.personId });
    await ok(call('smartworklistmember/bulkcomplete', { ID: done }));
    const teams = await rowsOf(gil.caller, 'smartworklist/teams', 'SmartWorklistTeam');
    assert.deepEqual(
      teams.map((row) => [row['Team'], row['IsMember'], row['Priority']]),
      [['Counted', true, 1]],
    );
    const [queue] = await rowsOf(gil.caller, 'smartworklist/teamqueues', 'SmartWorklistTeamQueue');
    assert.deepEqual(
      ['SmartWorklist', 'Open', 'Unassigned', 'Overdue', 'OverdueUnassigned'].map((name) => queue?.[name]),
      ['Counted queue', 3, 1, 2, 1],
    );
    const members = await rowsOf(gil.caller, 'smartworklist/teammembers', 'SmartWorklistTeamMember', `&TeamID=${of}`);
    assert.deepEqual(
      members.map((row) => [row['Name'], row['Open'], row['Overdue'], row['DueToday'], row['DoneToday']]),
      [
        ['Gil Ames', 1, 0, 1, 1],
        ['hal.team', 1, 1, 0, 0],
      ],
    );
    const output = await rowsOf(gil.caller, 'smartworklist/teamoutput', 'SmartWorklistTeamOutput', `&TeamID=${of}`);
    assert.equal(output.length, 15);
    assert.deepEqual([output.at(-1)?.['Date'], output.at(-1)?.['Completed']], ['2026-06-03', 1]);
    assert.equal(output[0]?.['Date'], '2026-05-14');
  });
});

describe('queues on Home', () => {
  it('WEB-02 are late only if an item that nobody has is overdue', async () => {
    const kim = await worker('kim.home');
    const lee = await worker('lee.home');
    const of = await team('Helped', [[kim.personId], [lee.personId]]);
    for (const [name, hour] of [
      ['Calm queue', 48],
      ['Late queue', -48],
    ] as const) {
      const { id } = await worklist({ SmartWorklistTemplate: name, TeamID: of });
      await item(id, { PersonID: lee.personId, DueDate: hours(-72) });
      await item(id, { DueDate: hours(hour) });
    }
    const { text } = await (await testSession(p, 'kim.home')).get('/');
    const [late = '', calm = ''] = [...text.matchAll(/<bdi>(?:Calm|Late) queue[^]*?<\/a>/g)].map(([each]) => each);
    assert.match(late, /Late queue<\/bdi>\s*<span class="small muted"><span class="late">1 overdue<\/span>, oldest /);
    assert.match(calm, /Calm queue<\/bdi>\s*<span class="small muted">oldest /);
  });
});

describe('drafts of tasks', () => {
  it('WEB-02 hold answers that are not saved, valid or not, until the task ends', async () => {
    await save('importformtemplate', {
      ImportFormTemplate: 'Drafted',
      Questions: [
        { ImportFormQuestion: 'Signed', QuestionType: 'Boolean', Sequence: 1 },
        {
          ImportFormQuestion: 'Cost',
          QuestionType: 'Money',
          ShownWhen: "/Form/Answers/Signed = 'true'",
          Sequence: 2,
        },
      ],
    });
    const loan = await save('loan', { Loan: '990001' });
    const task = await save('importform', { Template: 'Drafted', Object: 'Loan', ObjectID: loan['LoanID'] });
    const ID = task['ImportFormID'];
    const form = async (answer: Promise<WorklistRow>): Promise<WorklistRow> => (await answer)['Form'] as WorklistRow;
    const cost = (root: WorklistRow): WorklistRow | undefined =>
      (root['Questions'] as WorklistRow[]).find((each) => each['Name'] === 'Cost');
    const drafted = await form(ok(call('importform/draft', { ID, Signed: 'yes', Cost: 'a lot' })));
    assert.equal(cost(drafted)?.['Shown'], true);
    assert.equal(cost(drafted)?.['ShownBy'], 'Signed');
    assert.equal(cost(drafted)?.['ShownFor'], 'Yes');
    assert.match(String(cost(drafted)?.['Problem']), /Cost: /);
    await ok(call('importform/draft', { ID, Cost: '12' }));
    const describeTask = (query: string): Promise<WorklistRow> =>
      form(read(p.admin, 'importform/describe', `&ID=${String(ID)}${query}`));
    const later = await describeTask('&WithDraft=true');
    assert.deepEqual([cost(later)?.['Value'], cost(later)?.['Shown']], ['12', true]);
    assert.equal(typeof later['DraftDate'], 'string');
    assert.deepEqual([cost(await describeTask(''))?.['Value']], [undefined], 'the task itself is unchanged');
    assert.equal((await select('importform', ID))['Version'], 1);
    await ok(call('importform/update', { ID, Signed: 'yes', Cost: '12', ActualCompletion: clock.now() }));
    assert.equal((await p.platform.store.query('select 1 from importformdraft')).length, 0);
    await refused(call('importform/draft', { ID, Cost: '13' }), 'STATE_REFUSES', 'ID');
  });
});
