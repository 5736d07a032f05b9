import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import type { SetStatement } from '../../../src/kernel/database/combined-call.ts';
import { CombinedTransactions, RunAlone } from '../../../src/kernel/database/combined-transactions.ts';
import { DedicatedConnection } from '../../../src/kernel/database/connection-pool.ts';
import type { PlatformError } from '../../../src/kernel/door/errors.ts';
import type { Actor, Transaction } from '../../../src/kernel/database/store.ts';
import { testPlatform } from '../../support/platform.ts';

const p = await testPlatform({ after });
const { store } = p.platform;
await store.script(`create table line (n integer primary key);
  create table paired (n integer, constraint paired_n unique (n) deferrable initially deferred);
  create function end_session() returns trigger language plpgsql as
    'begin perform pg_terminate_backend(pg_backend_pid()); return null; end';
  create constraint trigger ends after insert on line deferrable initially deferred
    for each row when (new.n = 901) execute function end_session()`);

const actor: Actor = { personId: null, firm: null, callId: 'combined' };
const CALLS = 8;
let key = 0;
let sets: number[][] = [];
const insert: SetStatement<number, number> = async (db, rows) => {
  sets.push([...rows]);
  const inserted = await db.query<{ n: number }>('insert into line select unnest($1::integer[]) returning n', [
    `{${rows.join(',')}}`,
  ]);
  return inserted.map(({ n }) => n);
};
async function insertOne(own: Transaction, n: number, isRefused = false): Promise<number> {
  const made = await own.together(insert, n);
  if (isRefused) throw new Error('refused');
  return made;
}
const numbers = (from: number): number[] => Array.from({ length: CALLS }, (_, n) => from + n);
const stored = async (from: number): Promise<number[]> => {
  const rows = await store.query<{ n: number }>('select n from line where n between $1 and $1 + 99 order by n', [from]);
  return rows.map(({ n }) => n);
};

/** Runs calls that begin at the same moment; returns their results or errors. */
function together<T>(
  all: readonly number[],
  run: (transaction: Transaction, n: number) => Promise<T>,
): Promise<PromiseSettledResult<T>[]> {
  key++;
  sets = [];
  return Promise.allSettled(all.map((n) => store.combined(`key ${key}`, { actor, run: (own) => run(own, n) })));
}

const outcomes = (settled: readonly PromiseSettledResult<unknown>[]): unknown[] =>
  settled.map((one) => {
    if (one.status === 'fulfilled') return one.value;
    return one.reason instanceof RunAlone ? 'alone' : (one.reason as Error).message;
  });

async function commitsOf(run: () => Promise<unknown>): Promise<number> {
  let commits = 0;
  const { query } = DedicatedConnection.prototype;
  DedicatedConnection.prototype.query = function (text, params, prepare, script) {
    if (text === 'commit') commits++;
    return query.call(this, text, params, prepare, script) as never;
  };
  try {
    await run();
  } finally {
    DedicatedConnection.prototype.query = query;
  }
  return commits;
}

describe('calls that wait for the same lock', () => {
  it('LED-12 commit together with one statement for all, and each gets its own answer', async () => {
    const commits = await commitsOf(async () => {
      const settled = await together(numbers(100), (own, n) => own.together(insert, n));
      assert.deepEqual(outcomes(settled), numbers(100));
    });
    // The first does not wait, and the others form a group.
    assert.equal(commits, 2);
    assert.deepEqual(sets, [numbers(100).slice(0, 1), numbers(100).slice(1)]);
    assert.deepEqual(await stored(100), numbers(100));
  });

  it('a call that fails before its first statement fails alone', async () => {
    const settled = await together(numbers(200), async (own, n) => {
      if (n === 202 || n === 207) throw new Error('refused');
      await own.query('select 1');
      return own.together(insert, n);
    });
    const expected = numbers(200).map((n) => (n === 202 || n === 207 ? 'refused' : n));
    assert.deepEqual(outcomes(settled), expected);
    assert.deepEqual(
      await stored(200),
      expected.filter((n) => n !== 'refused'),
    );
  });

  it('a call that fails later undoes its group, whose calls then run alone', async () => {
    const settled = await together(numbers(300), async (own, n) => {
      const made = await own.together(insert, n);
      if (n === 302) throw new Error('refused');
      return made;
    });
    const [group = []] = sets.filter((set) => set.includes(302));
    assert.ok(group.length > 1);
    assert.deepEqual(
      outcomes(settled),
      numbers(300).map((n) => (group.includes(n) ? 'alone' : n)),
    );
    assert.deepEqual(
      await stored(300),
      numbers(300).filter((n) => !group.includes(n)),
    );
  });

  it('a statement that the database refuses undoes its group, before and after the first one for a set', async () => {
    for (const [from, isBefore] of [
      [400, true],
      [500, false],
    ] as const) {
      const settled = await together(numbers(from), async (own, n) => {
        if (isBefore && n === from + 3) await own.query('select 1 / 0');
        const made = await own.together(insert, n);
        if (!isBefore && n === from + 3) own.later('select 1 / 0', []);
        return made;
      });
      const found = outcomes(settled);
      assert.equal(found[3], 'alone');
      assert.deepEqual(
        await stored(from),
        found.filter((one) => one !== 'alone'),
      );
    }
  });

  it('a call that needs the transaction to itself runs alone', async () => {
    const uses: readonly ((own: Transaction) => Promise<unknown>)[] = [
      (own) => own.savepoint(async () => undefined),
      (own) => own.actingAs(1, async () => undefined),
      (own) => own.report(actor, async () => undefined),
      (own) => own.copyFrom('copy line from stdin', []),
    ];
    for (const use of uses) {
      const settled = await together([600, 601], async (own, n) => {
        // Not even a call that handles the refusal stays.
        if (n === 601) await use(own).catch(() => undefined);
        return n;
      });
      assert.deepEqual(outcomes(settled), [600, 'alone']);
    }
  });

  it('after a failed group some calls run alone, then groups are formed again', async () => {
    const line = `line ${++key}`;
    const call = (n: number, isRefused = false): Promise<number> =>
      store.combined(line, { actor, run: (own) => insertOne(own, n, isRefused) });
    // The first call lasts, so that the key is never idle.
    const ended = Promise.withResolvers<undefined>();
    const lasting = store.combined(line, { actor, run: () => ended.promise });
    const failing = [call(700, true)];
    const others = Promise.allSettled(failing);
    ended.resolve(undefined);
    await Promise.all([lasting, others]);
    sets = [];
    await Promise.all(numbers(710).map((n) => call(n)));
    assert.deepEqual(await stored(700), numbers(710));
    await Promise.all(numbers(720).map((n) => call(n)));
    assert.ok(sets.some((set) => set.length > 1));
  });

  it('a group does not wait for calls that run alone', { timeout: 20_000 }, async () => {
    const shared = `key ${++key}`;
    const call = (n: number, isRefused = false): Promise<number> =>
      store.combined(shared, { actor, run: (own) => insertOne(own, n, isRefused) });
    const first = Promise.withResolvers<undefined>();
    const lasting = [store.combined(shared, { actor, run: () => first.promise })];
    // Three groups: the first fails, the second runs, and the third would wait for what runs alone.
    const waiting = Array.from({ length: 129 }, (_, n) => call(1_000 + n, n === 5));
    first.resolve(undefined);
    await Promise.allSettled(waiting.slice(0, 64));
    const second = Promise.withResolvers<undefined>();
    lasting.push(store.combined(shared, { actor, run: () => second.promise }));
    assert.equal(await waiting[128], 1_128);
    second.resolve(undefined);
    await Promise.allSettled([...lasting, ...waiting]);
  });

  it('calls whose commit the database refuses run alone', async () => {
    const settled = await together([800, 800, 801], async (own, n) => {
      await own.query('insert into paired values ($1)', [n]);
      return n;
    });
    // The first ran before the others.
    assert.deepEqual(outcomes(settled), [800, 'alone', 'alone']);
    assert.equal((await store.query('select 1 from paired')).length, 1);
  });

  it('a commit without an answer is reported to all calls, and is not made again', async () => {
    const settled = await together([900, 901, 902], (own, n) => own.together(insert, n));
    const [lone, ...others] = outcomes(settled);
    assert.equal(lone, 900);
    for (const one of others) assert.match(String(one), /connection/i);
  });

  it('LED-12 a call that waits too long is refused and never carried out; the others of its group are', async () => {
    const brief = new CombinedTransactions((by, run) => store.transaction(by, run), 50);
    const holding = Promise.withResolvers<undefined>();
    const first = brief.run('brief', { actor, run: () => holding.promise });
    const late = [
      brief.run('brief', { actor, run: (own) => insertOne(own, 1_200) }),
      brief.run('brief', { actor, run: (own) => own.query('insert into line values (1201)') }),
      // A call that handles the refusal sends nothing afterwards.
      brief.run('brief', {
        actor,
        run: (own) => insertOne(own, 1_202).catch(() => insertOne(own, 1_203)),
      }),
    ];
    for (const one of await Promise.allSettled(late)) {
      assert.equal(one.status, 'rejected');
      assert.match(String(one.reason), /more than 0\.05 seconds\. Nothing was changed/);
      assert.equal((one.reason as PlatformError).code, 'CONCURRENT_CHANGE');
    }
    // It joins the group that they have left.
    const joined = brief.run('brief', { actor, run: (own) => insertOne(own, 1_204) });
    holding.resolve(undefined);
    await first;
    assert.equal(await joined, 1_204);
    assert.deepEqual(await stored(1_200), [1_204]);
  });

  it('LED-12 a call whose caller has gone is not carried out, unless it was sent before', async () => {
    const shared = `key ${++key}`;
    const holding = Promise.withResolvers<undefined>();
    let hasGone = false;
    const isCanceled = (): boolean => hasGone;
    const first = store.combined(shared, { actor, run: () => holding.promise });
    const gone = [
      store.combined(shared, { actor, isCanceled, run: (own) => insertOne(own, 1_300) }),
      store.combined(shared, { actor, isCanceled, run: (own) => own.query('insert into line values (1301)') }),
    ];
    const others = [1_302, 1_303].map((n) => store.combined(shared, { actor, run: (own) => insertOne(own, n) }));
    let isInserted = false;
    const sent = store.combined(shared, {
      actor,
      isCanceled: () => isInserted,
      async run(own) {
        const made = await insertOne(own, 1_304);
        isInserted = true;
        await own.query('select 1');
        return made;
      },
    });
    hasGone = true;
    holding.resolve(undefined);
    await first;
    for (const one of await Promise.allSettled(gone)) {
      assert.equal(one.status, 'rejected');
      assert.match(String(one.reason), /closed the connection while the call waited/);
    }
    assert.deepEqual(await Promise.all([...others, sent]), [1_302, 1_303, 1_304]);
    assert.deepEqual(await stored(1_300), [1_302, 1_303, 1_304]);
  });
});
