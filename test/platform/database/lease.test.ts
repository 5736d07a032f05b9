import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import fc from 'fast-check';
import { extendLeaseDuring, leaseEnd, leaseSql, type LeaseSql } from '../../../src/kernel/database/lease.ts';
import { Store, type Db } from '../../../src/kernel/database/store.ts';
import { silentLog } from '../../../src/kernel/ports/log.ts';
import { fixedClock } from '../../../src/kernel/time/clock.ts';
import { testDatabase } from '../../support/database.ts';

const staff = { personId: 1, firm: null, callId: 'leases' } as const;
const START = '2026-03-02T10:00:00.000Z';
const LEASE_SECONDS = 60;

/** Leases that count attempts and show in a status, as those of mails do. */
const counted = leaseSql({
  token: { column: 'attempts', type: 'integer' },
  state: { column: 'status', leased: 'Running' },
});
/** Leases with an ID beside an independent state, as those of watched files have. */
const identified = leaseSql({ token: { column: 'leaseid', type: 'uuid' } });

async function storeOf(t: TestContext): Promise<Store> {
  const { host, port, user, database } = await testDatabase(t);
  const store = new Store({ connection: { host, port, user, database }, log: silentLog, connectionsMax: 4 });
  t.after(() => store.end());
  await store.query(
    `create table work (id bigint primary key, status text not null default 'Waiting', attempts integer, leaseid uuid,
       leaseduntil timestamptz, result text)`,
  );
  return store;
}

async function insertRow(store: Store, id: number): Promise<void> {
  await store.query('insert into work (id) values ($1::bigint)', [id]);
}

/** Claims a row and returns the token of the lease; undefined if the row is leased. */
async function claim(db: Db, id: number, now: string, until: string): Promise<number | undefined> {
  const [row] = await db.query<{ attempts: number }>(
    `update work
     set ${counted.start('$3')}
     where id = $1::bigint and (status = 'Waiting' or ${counted.isExpired('$2')})
     returning attempts`,
    [id, now, until],
  );
  return row?.attempts;
}

/** Records a result under a token and ends the lease; returns whether the lease was still held. */
async function finish(db: Db, id: number, token: number, result: string): Promise<boolean> {
  const rows = await db.query(
    `update work
     set status = 'Done', result = $3::text, ${counted.end()}
     where id = $1::bigint and ${counted.isHeld('$2')}
     returning 1`,
    [id, token, result],
  );
  return rows.length > 0;
}

async function extend(db: Db, id: number, token: number, until: string): Promise<void> {
  await db.query(`update work set ${counted.extend('$3')} where id = $1::bigint and ${counted.isHeld('$2')}`, [
    id,
    token,
    until,
  ]);
}

async function flags(db: Db, lease: LeaseSql, id: number, now: string): Promise<Record<string, unknown> | undefined> {
  const [row] = await db.query(
    `select ${lease.isFree('$2', 'w')} as free, coalesce(${lease.isLeased('$2', 'w')}, false) as leased,
       coalesce(${lease.isExpired('$2', 'w')}, false) as expired
     from work w
     where id = $1::bigint`,
    [id, now],
  );
  return row;
}

/** Who has a row, until when, and which result was recorded. */
class PlainLease {
  result: string | null = null;
  private token = 0;
  private until = Number.NEGATIVE_INFINITY;

  claim(now: number): number | undefined {
    if (this.result !== null || this.until > now) return undefined;
    this.until = now + LEASE_SECONDS * 1_000;
    return ++this.token;
  }

  extend(token: number, now: number): void {
    if (this.isHeld(token)) this.until = now + LEASE_SECONDS * 1_000;
  }

  finish(token: number): boolean {
    if (!this.isHeld(token)) return false;
    this.result = `of ${token}`;
    return true;
  }

  private isHeld(token: number): boolean {
    return this.result === null && token === this.token;
  }
}

describe('leases of rows', () => {
  test('of many concurrent claims one gets the row, and the others get nothing', async (t) => {
    const store = await storeOf(t);
    const clock = fixedClock(START);
    await insertRow(store, 1);
    const tokens = await Promise.all(
      Array.from({ length: 8 }, () =>
        store.transaction(staff, (db) => claim(db, 1, clock.now(), leaseEnd(clock, LEASE_SECONDS))),
      ),
    );
    assert.deepEqual(
      tokens.filter((token) => token !== undefined),
      [1],
    );
  });

  test('a row is free, leased and expired at the instants that its lease says, with and without a state', async (t) => {
    const store = await storeOf(t);
    const clock = fixedClock(START);
    await insertRow(store, 1);
    await insertRow(store, 2);
    const now = clock.now();
    const until = leaseEnd(clock, LEASE_SECONDS);
    assert.deepEqual(await flags(store, counted, 1, now), { free: true, leased: false, expired: false });
    assert.equal(await claim(store, 1, now, until), 1);
    await store.query(`update work set ${identified.start('$2', { token: '$1' })} where id = 2`, [
      '3f6dbb54-5c53-4b52-a0f6-5a1e2f0a7a01',
      until,
    ]);
    for (const [id, lease] of [
      [1, counted],
      [2, identified],
    ] as const) {
      clock.advance(LEASE_SECONDS * 1_000 - 1);
      assert.deepEqual(await flags(store, lease, id, clock.now()), { free: false, leased: true, expired: false });
      clock.advance(1);
      assert.deepEqual(await flags(store, lease, id, clock.now()), { free: true, leased: false, expired: true });
      clock.advance(-LEASE_SECONDS * 1_000);
      await store.query(`update work set ${lease.end()} where id = $1::bigint`, [id]);
      assert.deepEqual(await flags(store, lease, id, clock.now()), { free: true, leased: false, expired: false });
    }
  });

  test('a lease that is identified by a UUID cannot be started without one', () => {
    assert.throws(() => identified.start('$1'), /UUID/);
  });

  test('in any order of claims, crashes, extensions and late results a row does what a plain model does', async (t) => {
    const store = await storeOf(t);
    const step = fc.oneof(
      { weight: 4, arbitrary: fc.constant({ kind: 'claim' as const }) },
      {
        weight: 2,
        arbitrary: fc.record({ kind: fc.constant('finish' as const), token: fc.integer({ min: 1, max: 4 }) }),
      },
      {
        weight: 2,
        arbitrary: fc.record({ kind: fc.constant('extend' as const), token: fc.integer({ min: 1, max: 4 }) }),
      },
      {
        weight: 3,
        arbitrary: fc.record({ kind: fc.constant('wait' as const), seconds: fc.integer({ min: 1, max: 70 }) }),
      },
    );
    let id = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
        id++;
        await insertRow(store, id);
        const clock = fixedClock(START);
        const model = new PlainLease();
        for (const one of steps) {
          const now = clock.milliseconds();
          if (one.kind === 'wait') clock.advance(one.seconds * 1_000);
          else if (one.kind === 'claim')
            assert.equal(await claim(store, id, clock.now(), leaseEnd(clock, LEASE_SECONDS)), model.claim(now));
          else if (one.kind === 'finish')
            assert.equal(await finish(store, id, one.token, `of ${one.token}`), model.finish(one.token));
          else {
            await extend(store, id, one.token, leaseEnd(clock, LEASE_SECONDS));
            model.extend(one.token, now);
          }
        }
        const [row] = await store.query<{ result: string | null }>('select result from work where id = $1::bigint', [
          id,
        ]);
        assert.equal(row?.result ?? null, model.result);
      }),
      { numRuns: 60 },
    );
  });

  test('work that takes longer than its lease extends it until the work ends, also if it fails', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] });
    let extensions = 0;
    const { promise, resolve } = Promise.withResolvers<string>();
    const work = extendLeaseDuring(
      LEASE_SECONDS,
      () => extensions++,
      () => promise,
    );
    t.mock.timers.tick(LEASE_SECONDS * 1_000);
    assert.equal(extensions, 3);
    resolve('done');
    assert.equal(await work, 'done');
    await assert.rejects(
      extendLeaseDuring(
        LEASE_SECONDS,
        () => extensions++,
        () => Promise.reject(new Error('no')),
      ),
    );
    t.mock.timers.tick(LEASE_SECONDS * 1_000);
    assert.equal(extensions, 3);
  });
});
