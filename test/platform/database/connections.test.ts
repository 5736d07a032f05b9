import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { Store } from '../../../src/kernel/database/store.ts';
import { silentLog } from '../../../src/kernel/ports/log.ts';
import { testDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';

const staff = { personId: 1, firm: null, callId: 'connections' } as const;

async function storeOf(t: TestContext, connectionsMax: number): Promise<Store> {
  const { host, port, user, database } = await testDatabase(t);
  const store = new Store({ connection: { host, port, user, database }, log: silentLog, connectionsMax });
  t.after(() => store.end());
  return store;
}

/** Ends a connection as the server's administrator would. It is gone when the promise resolves. */
async function terminate(store: Store, pid: number): Promise<void> {
  await store.query('select pg_terminate_backend($1::integer, 5000)', [pid]);
}

const pidText = 'select pg_backend_pid() as pid';

describe('connections', () => {
  test('KRN-23 transactions on connections that are still being opened do not wait for one another', async (t) => {
    const store = await storeOf(t, 4);
    // Each begins only when all have begun, so they need four connections at once.
    let begun = 0;
    let all: () => void = () => undefined;
    const allBegun = new Promise<void>((resolve) => (all = resolve));
    const pids = await Promise.all(
      Array.from({ length: 4 }, () =>
        store.transaction(staff, async (transaction) => {
          const [row] = await transaction.query<{ pid: number }>(pidText);
          if (++begun === 4) all();
          await allBegun;
          return row?.pid;
        }),
      ),
    );
    assert.equal(new Set(pids).size, 4);
  });

  test('KRN-23 more transactions than connections take turns', async (t) => {
    const store = await storeOf(t, 2);
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, n) =>
        store.transaction(
          staff,
          async (transaction) => (await transaction.query<{ n: number }>('select $1::integer as n', [n]))[0]?.n,
        ),
      ),
    );
    assert.deepEqual(
      answers,
      Array.from({ length: 40 }, (_, n) => n),
    );
  });

  test('KRN-23 reads during the loss of all connections fail, and all reads after it succeed on new ones', async (t) => {
    const store = await storeOf(t, 6);
    // Each is sent again as soon as it fails, when other connections have lost their server but not yet their socket.
    const sentAgain = async (): Promise<unknown> =>
      store.query('select pg_sleep(60)').catch(() => Promise.allSettled([store.query(pidText), store.query(pidText)]));
    for (let round = 0; round < 3; round++) {
      const interrupted = Array.from({ length: 12 }, sentAgain);
      const others = 'from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()';
      const inTransaction = (text: string): Promise<object[]> =>
        store.transaction(staff, (transaction) => transaction.query(text));
      const isRunning = `select 1 ${others} and query like '%pg_sleep%' having count(*) = 6`;
      await eventually('all connections are in use', async () => (await inTransaction(isRunning))[0]);
      await inTransaction(`select pg_terminate_backend(pid) ${others}`);
      await Promise.all(interrupted);
      const pids = await Promise.all(Array.from({ length: 30 }, () => store.query<{ pid: number }>(pidText)));
      assert.equal(pids.flat().length, 30);
    }
  });

  test('KRN-23 a transaction whose connection is lost between two statements fails, keeps nothing and leaves the store usable', async (t) => {
    const store = await storeOf(t, 1);
    const failure = store.transaction(staff, async (transaction) => {
      const [row] = await transaction.query<{ pid: number }>(pidText);
      await transaction.query("insert into property (property) values ('lost')");
      await terminate(store, row?.pid ?? 0);
      await transaction.query("insert into property (property) values ('after the loss')");
    });
    await assert.rejects(failure, (error: Error & { code?: string }) =>
      /^(CONNECTION_|57P01|EPIPE|ECONNRESET)/.test(error.code ?? ''),
    );
    assert.equal(
      (await store.transaction(staff, (transaction) => transaction.query('select property from property'))).length,
      0,
    );
  });

  test('KRN-23 a statement that is running when its connection is lost fails', async (t) => {
    const store = await storeOf(t, 1);
    const failure = store.transaction(staff, async (transaction) => {
      const [row] = await transaction.query<{ pid: number }>(pidText);
      const [slept] = await Promise.allSettled([
        transaction.query('select pg_sleep(60)'),
        terminate(store, row?.pid ?? 0),
      ]);
      if (slept.status === 'rejected') throw slept.reason;
    });
    await assert.rejects(failure, (error: Error & { code?: string }) =>
      /^(CONNECTION_|57P01|EPIPE|ECONNRESET)/.test(error.code ?? ''),
    );
  });

  test('KRN-23 a statement that was not awaited aborts the transaction when it fails, and its error is returned', async (t) => {
    const store = await storeOf(t, 1);
    const failure = store.transaction(staff, async (transaction) => {
      await transaction.query("insert into property (property) values ('undone')");
      transaction.later('insert into contactmethod (contactmethod) values ($1::text)', ['without its contact']);
    });
    await assert.rejects(failure, (error: Error & { code?: string }) => error.code === '23502');
    assert.equal((await store.query('select property from property')).length, 0);
  });

  test('KRN-23 a statement that was not awaited fails with the savepoint in which it was sent, and the transaction continues', async (t) => {
    const store = await storeOf(t, 1);
    const refused = 'insert into contactmethod (contactmethod) values ($1::text)';
    await store.transaction(staff, async (transaction) => {
      await transaction.query("insert into property (property) values ('stays')");
      const sentLast = transaction.savepoint(async () => {
        await transaction.query("insert into property (property) values ('undone')");
        transaction.later(refused, ['without its contact']);
      });
      await assert.rejects(sentLast, (error: Error & { code?: string }) => error.code === '23502');
      const sentFirst = transaction.savepoint(async () => {
        transaction.later(refused, ['without its contact']);
        await transaction.query("insert into property (property) values ('undone too')");
      });
      await assert.rejects(sentFirst, (error: Error & { code?: string }) => error.code === '23502');
      await transaction.query("insert into property (property) values ('stays too')");
    });
    const rows = await store.query<{ property: string }>('select property from property order by propertyid');
    assert.deepEqual(
      rows.map(({ property }) => property),
      ['stays', 'stays too'],
    );
  });

  test('KRN-23 a transaction that has ended accepts no more statements', async (t) => {
    const store = await storeOf(t, 1);
    const ended = await store.transaction(staff, async (transaction) => ({ transaction }));
    await assert.rejects(ended.transaction.query('select 1'), /has ended/);
  });
});

describe('reads as a firm', () => {
  test('KRN-18 concurrent reads of many firms on few connections, with failures among them, each see only their own firm', async (t) => {
    const store = await storeOf(t, 2);
    const reads = Array.from({ length: 400 }, (_, n) => 1 + ((n * 7) % 9));
    const outcomes = await Promise.all(
      reads.map(async (firm, n) => {
        if (n % 11 === 0)
          await assert.rejects(
            store.readAs(firm, 'select 1 / ($1::integer - $1::integer)', [firm]),
            /division by zero/,
          );
        const [row] = await store.readAs<{ firm: string; role: string }>(
          firm,
          "select current_setting('casewright.firm') as firm, current_user::text as role",
        );
        return row;
      }),
    );
    assert.deepEqual(
      outcomes,
      reads.map((firm) => ({ firm: String(firm), role: 'casewright_reach' })),
    );
  });

  test('KRN-18 a read as a firm after its connection was lost sets the firm again', async (t) => {
    const store = await storeOf(t, 1);
    const text = "select pg_backend_pid() as pid, current_setting('casewright.firm') as firm";
    const [before] = await store.readAs<{ pid: number; firm: string }>(5, text);
    await terminate(store, before?.pid ?? 0);
    // Reads fail until the loss is noticed.
    const [after] = await eventually('a read succeeds', () => store.readAs<{ pid: number; firm: string }>(5, text));
    assert.equal(after?.firm, '5');
    assert.notEqual(after?.pid, before?.pid);
  });

  test('KRN-18 a read as a firm cannot write', async (t) => {
    const store = await storeOf(t, 1);
    await assert.rejects(store.readAs(5, "insert into contact (contact) values ('x')"), /read-only transaction/);
  });
});

describe('reads of single rows', () => {
  const firmText =
    "select pg_backend_pid() as pid, current_setting('casewright.firm') as firm, current_user::text as role";
  interface Session {
    readonly pid: number;
    readonly firm: string;
    readonly role: string;
  }

  test('KRN-18 concurrent reads of many firms on few connections, with failures among them, each see only their own firm', async (t) => {
    const store = await storeOf(t, 2);
    const reads = Array.from({ length: 400 }, (_, n) => 1 + (Math.floor(n / 5) % 9));
    const sessions = await Promise.all(
      reads.map(async (firm, n) => {
        if (n % 11 === 0)
          await assert.rejects(
            store.readAs(firm, 'select 1 / ($1::integer - $1::integer)', [firm], 'point'),
            /division by zero/,
          );
        const [row] = await store.readAs<Session>(firm, firmText, [], n % 3 === 0 ? undefined : 'point');
        return { firm: row?.firm, role: row?.role };
      }),
    );
    assert.deepEqual(
      sessions,
      reads.map((firm) => ({ firm: String(firm), role: 'casewright_reach' })),
    );
  });

  test('KRN-23 those of one firm, and those of staff, share a connection, and a failure is only its own', async (t) => {
    const store = await storeOf(t, 4);
    const reads = {
      firm: (text: string) => store.readAs<Session>(5, text, [], 'point'),
      staff: (text: string) => store.query<Session>(text, [], 'point'),
    };
    // The first of each opens the connection.
    await reads.firm(firmText);
    await untilShared(store);
    for (const [who, read] of Object.entries(reads)) {
      const outcomes = await Promise.allSettled(
        Array.from({ length: 20 }, (_, n) => read(n === 7 ? 'select 1 / (n - n) from (select 1 as n) row' : firmText)),
      );
      assert.equal(outcomes.filter(({ status }) => status === 'rejected').length, 1, who);
      const pids = outcomes.flatMap((one) => (one.status === 'fulfilled' ? one.value.map(({ pid }) => pid) : []));
      assert.equal(new Set(pids).size, 1, who);
    }
  });

  test('KRN-23 no read joins a connection on which another one is blocked', async (t) => {
    const store = await storeOf(t, 2);
    const { pid } = await untilShared(store);
    await store.transaction(staff, async (transaction) => {
      await transaction.query('select pg_advisory_xact_lock(42)');
      const blocked = store.query('select pg_advisory_xact_lock_shared(42)', [], 'point');
      const now = performance.now();
      const { mock } = t.mock.method(performance, 'now', () => now + 1_000);
      const [other] = await store.query<{ pid: number }>(pidText, [], 'point');
      mock.restore();
      assert.notEqual(other?.pid, pid);
      // The lock is released by the end of the transaction.
      void blocked.catch(() => undefined);
    });
  });

  test('KRN-23 when a shared connection is lost, the reads on it fail, and later ones get another', async (t) => {
    const store = await storeOf(t, 2);
    const { pid } = await untilShared(store);
    const reads = Array.from({ length: 5 }, () => store.query('select pg_sleep(60)', [], 'point'));
    const outcomes = Promise.allSettled(reads);
    await terminate(store, pid);
    assert.ok((await outcomes).every(({ status }) => status === 'rejected'));
    assert.notEqual((await untilShared(store)).pid, pid);
  });
});

/** Reads until the connection that plain reads share is open: two reads at once run on it. */
async function untilShared(store: Store): Promise<{ readonly pid: number }> {
  return eventually('two reads share a connection', async () => {
    const [[one], [two]] = await Promise.all([
      store.query<{ pid: number }>(pidText, [], 'point'),
      store.query<{ pid: number }>(pidText, [], 'point'),
    ]);
    return one !== undefined && one.pid === two?.pid ? one : undefined;
  });
}
