import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, describe, it } from 'node:test';
import fc from 'fast-check';
import type { TreeAnswer } from '../../../src/kernel/door/answer.ts';
import { calendarDay, fixedClock } from '../../../src/kernel/time/clock.ts';
import { timeZone } from '../../../src/kernel/declare/core-settings.ts';
import type { Principal } from '../../../src/kernel/security/identity.ts';
import type { CallOutcome } from '../../../src/kernel/door/call.ts';
import { invoke } from '../../../src/kernel/door/invoke.ts';
import type { Parameters } from '../../../src/kernel/parameters/parameters.ts';
import { parseRoute } from '../../../src/kernel/door/route.ts';
import { testPlatform } from '../../support/platform.ts';
import { worklistCalls } from '../../support/work/worklists.ts';

const clock = fixedClock('2026-06-03T15:00:00Z');
const p = await testPlatform({ after }, { clock });
const { ok, refused, call, worker, team, item, worklist, select } = worklistCalls(p);
const { store } = p.platform;
const HOUR = 3_600_000;

/** Calls an operation as a user, without HTTP. */
const as = (principal: Principal, route: string, parameters: Parameters = {}): Promise<CallOutcome> =>
  invoke(p.platform, {
    route: parseRoute(p.platform.registry, route.split('/'), 'POST'),
    parameters,
    principal,
    address: 'test',
    correlationId: randomUUID(),
  });

/** Creates `count` users with every permission and without API keys. */
async function persons(count: number, name: string): Promise<Principal[]> {
  const rows = await store.query<{ id: number }>(
    `insert into person (person, status, roles)
     select $1::text || n, 'Active', 'Staff' from generate_series(1, $2::integer) n
     returning personid as id`,
    [name, count],
  );
  return Promise.all(rows.map(({ id }) => p.platform.identity.ofPerson(id)));
}

/** Takes the user's next item and returns its ID; undefined if there is none. */
async function takeNext(principal: Principal, SmartWorklist?: string): Promise<number | undefined> {
  const { answer } = await as(
    principal,
    'smartworklistmember/next',
    SmartWorklist === undefined ? {} : { SmartWorklist },
  );
  if (answer.kind === 'nothing') return undefined;
  return Number((answer as TreeAnswer).root.children?.find(({ name }) => name === 'SmartWorklistMemberID')?.value);
}

interface Item {
  readonly id: number;
  readonly list: string;
  readonly listOpen: boolean;
  readonly team: number | null;
  readonly person: number | null;
  readonly priority: number | null;
  readonly sequence: number | null;
  readonly due: string | null;
  readonly skip: string | null;
  readonly ended: boolean;
}

interface Member {
  readonly team: number;
  readonly person: number;
  readonly priority: number | null;
  readonly from: string | null;
  readonly to: string | null;
}

/** Returns the item that `next` must give, computed straight from the rules. */
function oracle(
  items: readonly Item[],
  members: readonly Member[],
  person: number,
  list: string | undefined,
): number | undefined {
  const day = calendarDay(p.platform.settings.get(timeZone), clock.milliseconds());
  const teams = new Map(
    members
      .filter((m) => m.person === person && (m.from === null || m.from <= day) && (m.to === null || m.to >= day))
      .map((m) => [m.team, m.priority]),
  );
  const eligible = items.filter(
    (i) =>
      !i.ended &&
      i.listOpen &&
      (list === undefined || i.list === list) &&
      (i.skip === null || i.skip <= clock.now()) &&
      (i.person === null || i.person === person) &&
      (i.team === null || teams.has(i.team)),
  );
  const keys = (i: Item): readonly (number | string | null)[] => [
    i.person === person ? 0 : 1,
    i.team === null ? null : (teams.get(i.team) ?? null),
    i.priority,
    i.sequence,
    i.due,
    i.id,
  ];
  const compare = (a: Item, b: Item): number => {
    const [left, right] = [keys(a), keys(b)];
    for (const [at, x] of left.entries()) {
      const y = right[at] ?? null;
      if (x === y) continue;
      if (x === null || y === null) return x === null ? 1 : -1;
      return x < y ? -1 : 1;
    }
    return 0;
  };
  return eligible.toSorted(compare)[0]?.id;
}

const allItems = (): Promise<Item[]> =>
  store.query<Item & Record<string, unknown>>(
    `select i.smartworklistmemberid as id, w.smartworklist as list, w.canceleddate is null as "listOpen",
       i.teamid as team, i.personid as person, i.priority, i.sequence, i.duedate as due, i.skipdate as skip,
       (i.completiondate is not null or i.cancelleddate is not null) as ended
     from smartworklistmember i
     join smartworklist w using (smartworklistid)`,
  );
const allMembers = (): Promise<Member[]> =>
  store.query<Member & Record<string, unknown>>(
    `select collectionid as team, sourceobjectid as person, priority, effectivedate as "from", expiresdate as "to"
     from collectionmember`,
  );

const few = fc.option(fc.integer({ min: 1, max: 3 }), { nil: null });
const scenario = fc.record({
  members: fc.array(
    fc.record({
      team: fc.integer({ min: 0, max: 3 }),
      person: fc.integer({ min: 0, max: 2 }),
      priority: few,
      from: fc.option(fc.integer({ min: -2, max: 2 }), { nil: null }),
      days: fc.option(fc.integer({ min: 0, max: 3 }), { nil: null }),
    }),
    { minLength: 5, maxLength: 12 },
  ),
  items: fc.array(
    fc.record({
      list: fc.integer({ min: 0, max: 2 }),
      team: fc.option(fc.integer({ min: 0, max: 3 }), { nil: null }),
      person: fc.option(fc.integer({ min: 0, max: 2 }), { nil: null, freq: 3 }),
      priority: few,
      sequence: few,
      due: few,
      skip: fc.option(fc.integer({ min: -3, max: 6 }), { nil: null, freq: 4 }),
      ended: fc.boolean(),
    }),
    { minLength: 15, maxLength: 40 },
  ),
  draws: fc.array(
    fc.record({
      person: fc.integer({ min: 0, max: 2 }),
      list: fc.option(fc.constantFrom('One', 'Two', 'Nowhere'), { nil: undefined }),
      then: fc.constantFrom('complete', 'complete', 'skip', 'leave', 'requeue'),
      hours: fc.constantFrom(0, 0, 1, 12),
    }),
    { minLength: 8, maxLength: 20 },
  ),
});

type Scenario = typeof scenario extends fc.Arbitrary<infer T> ? T : never;

const hoursFromNow = (hours: number): string => new Date(clock.milliseconds() + hours * HOUR).toISOString();

async function storeMember(m: Scenario['members'][number], team?: number, person?: number): Promise<void> {
  const dayIn = (days: number): string => hoursFromNow(24 * days).slice(0, 10);
  const from = m.from === null ? null : dayIn(m.from);
  const to = m.days === null ? null : dayIn((m.from ?? -1) + m.days);
  await store.query(
    `insert into collectionmember (collectionid, sourceobjectid, priority, effectivedate, expiresdate)
     values ($1::bigint, $2::bigint, $3::integer, $4::date, $5::date)
     on conflict do nothing`,
    [team, person, m.priority, from, to],
  );
}

/** The records that the small numbers of a generated item index. */
interface ItemRecords {
  readonly lists: readonly { readonly id: number }[];
  readonly loan: number | undefined;
  readonly teams: readonly number[];
  readonly people: readonly Principal[];
}

async function storeItem(i: Scenario['items'][number], { lists, loan, teams, people }: ItemRecords): Promise<void> {
  // A canceled worklist has no open items.
  const ended = i.ended || i.list === 2;
  const openStatus = i.skip === null ? 'Queued' : 'Skipped';
  await store.query(
    `insert into smartworklistmember
       (smartworklistid, sourceobject, sourceobjectid, status, teamid, personid, priority, sequence,
        duedate, skipdate, completiondate)
     values ($1::bigint, 'Loan', $2::bigint, $3::text, $4::bigint, $5::bigint, $6::integer, $7::integer,
       $8::timestamptz, $9::timestamptz, $10::timestamptz)`,
    [
      lists[i.list]?.id,
      loan,
      ended ? 'Completed' : openStatus,
      i.team === null ? null : teams[i.team],
      i.person === null ? null : people[i.person]?.personId,
      i.priority,
      i.sequence,
      i.due === null ? null : hoursFromNow(i.due),
      i.skip === null ? null : hoursFromNow(i.skip),
      ended ? clock.now() : null,
    ],
  );
}

describe('next against a plain oracle', () => {
  it('WL-01 property: whatever the teams, priorities, dates and skips, the item returned is the one that the rules select', async () => {
    const people = await persons(3, 'drawing ');
    const teams = await Promise.all([0, 1, 2, 3].map((n) => team(`drawn ${n}`, [])));
    const loan = (
      await store.query<{ id: number }>("insert into loan (loan) values ('777777') returning loanid as id")
    )[0]?.id;
    const lists = await store.query<{ id: number }>(
      `insert into smartworklist (smartworklist, canceleddate) values ('One', null), ('Two', null), ('Two', now())
       returning smartworklistid as id`,
    );
    let given = 0;
    await fc.assert(
      fc.asyncProperty(scenario, async ({ members, items, draws }) => {
        await store.script('delete from smartworklistmember; delete from collectionmember');
        for (const m of members) await storeMember(m, teams[m.team], people[m.person]?.personId);
        for (const i of items) await storeItem(i, { lists, loan, teams, people });
        for (const { person, list, then, hours } of draws) {
          clock.advance(hours * HOUR);
          const who = people[person] as Principal;
          const expected = oracle(await allItems(), await allMembers(), who.personId, list);
          if (expected !== undefined && list === undefined) {
            const { answer } = await as(who, 'smartworklistmember/explain', { ID: expected });
            const explained = (answer as TreeAnswer).root.attributes;
            assert.deepEqual([explained?.['Place'], explained?.['Eligible']], [1, true]);
          }
          if (list === 'Nowhere') {
            await assert.rejects(takeNext(who, list), { code: 'BAD_PARAMETER' });
            continue;
          }
          const got = await takeNext(who, list);
          assert.equal(got, expected);
          if (got === undefined) continue;
          given++;
          const SkipDate = then === 'skip' ? { SkipDate: hoursFromNow(2) } : {};
          if (then !== 'leave') await as(who, `smartworklistmember/${then}`, { ID: got, ...SkipDate });
        }
      }),
      // No shrinking: the clock has moved on by then, so a smaller sample would be a different case.
      { numRuns: 20, endOnFailure: true },
    );
    assert.ok(given > 30, `only ${given} items were given`);
    await store.script('delete from smartworklistmember; delete from collectionmember');
  });
});

describe('many at once', () => {
  it('WL-01 64 callers never get the same item twice, nor one that is not theirs, and no item is left over', async () => {
    const people = await persons(64, 'crowd ');
    const teams: { id: number; members: Set<number> }[] = [];
    for (let n = 0; n < 6; n++) {
      const members = people.filter((_person, at) => at % 6 === n || at % 5 === n);
      teams.push({
        id: await team(
          `crowded ${n}`,
          members.map(({ personId }, at) => (at % 3 === 0 ? [personId] : [personId, at % 3])),
        ),
        members: new Set(members.map(({ personId }) => personId)),
      });
    }
    const { id } = await worklist({ SmartWorklistTemplate: 'Crowd' });
    const [loan] = await store.query<{ id: number }>(
      "insert into loan (loan) values ('777778') returning loanid as id",
    );
    await store.query(
      `insert into smartworklistmember
         (smartworklistid, status, sourceobject, sourceobjectid, teamid, priority, duedate)
       select $1::bigint, 'Queued', 'Loan', $2::bigint, nullif(($3::bigint[])[1 + n % 7], 0), nullif(n % 4, 0),
         now() + n * interval '1 minute'
       from generate_series(1, 400) n`,
      [id, loan?.id, `{${[...teams.map((t) => t.id), 0].join()}}`],
    );
    const teamOf = new Map(
      (
        await store.query<{ id: number; team: number | null }>(
          `select smartworklistmemberid as id, teamid as team from smartworklistmember
           where smartworklistid = $1::bigint`,
          [id],
        )
      ).map((row) => [row.id, row.team]),
    );
    const given: [item: number, person: number][] = [];
    await Promise.all(
      people.map(async (who) => {
        for (let got = await takeNext(who, 'Crowd'); got !== undefined; got = await takeNext(who, 'Crowd')) {
          given.push([got, who.personId]);
          await as(who, 'smartworklistmember/complete', { ID: got });
        }
      }),
    );
    assert.equal(new Set(given.map(([item]) => item)).size, given.length, 'no item is given twice');
    const strangers = given.filter(
      ([item, person]) =>
        typeof teamOf.get(item) === 'number' &&
        teams.find((t) => t.id === teamOf.get(item))?.members.has(person) !== true,
    );
    assert.deepEqual(strangers, []);
    assert.equal(given.length, 400);
    const states = await store.query<{ status: string; n: number }>(
      'select status, count(*)::integer as n from smartworklistmember where smartworklistid = $1::bigint group by 1',
      [id],
    );
    assert.deepEqual(
      states.map(({ status, n }) => [status, n]),
      [['Completed', 400]],
    );
  });

  it('WL-01 WL-02 when two users start or complete one item, one succeeds; when they change the same items in opposite orders, both do', async () => {
    const [ann, bob] = [await worker('ann', 'Team lead'), await worker('bob', 'Team lead')];
    const { id } = await worklist({ TeamID: await team('Pair', [[ann.personId], [bob.personId]]) });
    const one = await item(id);
    const started = await Promise.all(
      [ann, bob].map(({ caller }) => call('smartworklistmember/start', { ID: one }, caller)),
    );
    assert.deepEqual(
      started.map(({ status }) => status).toSorted((a, b) => a - b),
      [200, 422],
    );
    const completed = await Promise.all(
      [ann, bob].map(({ caller }) => call('smartworklistmember/bulkcomplete', { ID: one }, caller)),
    );
    assert.deepEqual(
      completed.map(({ status }) => status).toSorted((a, b) => a - b),
      [200, 422],
    );
    assert.equal((await select('smartworklistmember', one))['Version'], 3);
    const many = await Promise.all(Array.from({ length: 20 }, () => item(id)));
    const [up, down] = await Promise.all([
      call('smartworklistmember/reassign', { ID: many, PersonID: ann.personId }),
      call('smartworklistmember/reassign', { ID: many.toReversed(), PersonID: bob.personId }),
    ]);
    assert.deepEqual([up.status, down.status], [200, 200]);
    const owners = new Set(
      await Promise.all(many.map(async (each) => (await select('smartworklistmember', each))['PersonID'])),
    );
    assert.equal(owners.size, 1, 'the later call assigns all items');
  });

  it('WL-02 requeue gives items that wait for a user who has left back to the team', async () => {
    const [gone, left] = [await worker('gone'), await worker('left')];
    const { id } = await worklist({
      SmartWorklistTemplate: 'Left behind',
      TeamID: await team('Leaving', [[gone.personId], [left.personId]]),
    });
    const made = await item(id);
    await ok(call('smartworklistmember/start', { ID: made }, gone.caller));
    await refused(call('person/delete', { ID: gone.personId }), 'IN_USE');
    await ok(call('person/save', { ID: gone.personId, Status: 'Inactive' }));
    await refused(call('smartworklistmember/reassign', { ID: made, PersonID: gone.personId }), 'NOT_FOUND', 'PersonID');
    const principal = await p.platform.identity.ofPerson(left.personId);
    assert.equal(await takeNext(principal, 'Left behind'), undefined);
    await ok(call('smartworklistmember/requeue', { ID: made }));
    assert.equal(await takeNext(principal, 'Left behind'), made);
    await refused(
      call('smartworklistmember/next', { SmartWorklist: 'n'.repeat(10_000) }),
      'BAD_PARAMETER',
      'SmartWorklist',
    );
    await refused(
      call('smartworklistmember/complete', { ID: Array.from({ length: 5_001 }, (_, n) => n + 1) }),
      'TOO_LARGE',
      'ID',
    );
  });
});
