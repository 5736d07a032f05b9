import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { PlatformError } from '../../../src/kernel/door/errors.ts';
import { Store, type Transaction } from '../../../src/kernel/database/store.ts';
import { silentLog } from '../../../src/kernel/ports/log.ts';
import { testDatabase } from '../../support/database.ts';

const staff = { personId: 1, firm: null, callId: 'copy' } as const;
const copy = 'copy copied (number, word) from stdin (format csv)';

async function storeOf(t: TestContext): Promise<Store> {
  return (await storesOf(t))[0];
}

/** Two stores on one database. */
async function storesOf(t: TestContext): Promise<[Store, Store]> {
  const { host, port, user, database } = await testDatabase(t);
  const made = (): Store => {
    const store = new Store({ connection: { host, port, user, database }, log: silentLog, connectionsMax: 1 });
    t.after(() => store.end());
    return store;
  };
  const [store, other] = [made(), made()];
  await store.query(
    "create table copied (number integer unique deferrable initially immediate, word text check (word <> 'refused'))",
  );
  return [store, other];
}

const bytes = (...pieces: string[]): Uint8Array[] => pieces.map((piece) => Buffer.from(piece));
const rowsOf = async (store: Store): Promise<number> =>
  Number((await store.query<{ n: number }>('select count(*) as n from copied'))[0]?.n);

/** Starts a copy whose source counts what was requested from it. */
async function* counted(pieces: number, piece: Uint8Array, requested: { pieces: number }): AsyncGenerator<Uint8Array> {
  for (let n = 0; n < pieces; n++) {
    requested.pieces++;
    yield await Promise.resolve(piece);
  }
}

describe('copying into a table', () => {
  test('KRN-23 copied rows commit with the transaction, pieces may split a row, and the connection stays usable', async (t) => {
    const store = await storeOf(t);
    const loaded = await store.transaction(staff, async (transaction) => {
      const first = await transaction.copyFrom(copy, bytes('1,o', 'ne\n2,"two\n', 'lines"\n', ''));
      const second = await transaction.copyFrom(copy, bytes('3,three\n'));
      return [
        first,
        second,
        (await transaction.query<{ word: string }>('select word from copied order by number')).map((row) => row.word),
      ];
    });
    assert.deepEqual(loaded, [2, 1, ['one', 'two\nlines', 'three']]);
    assert.equal(await rowsOf(store), 3);
  });

  test('KRN-23 an error for a value that does not fit names line and column but not the value; after the savepoint the transaction continues', async (t) => {
    const store = await storeOf(t);
    await store.transaction(staff, async (transaction) => {
      const failure = transaction.savepoint(() => transaction.copyFrom(copy, bytes('1,one\n', '123-45-6789,two\n')));
      await assert.rejects(
        failure,
        (error) =>
          error instanceof PlatformError &&
          error.code === 'BAD_PARAMETER' &&
          error.details?.['line'] === 2 &&
          error.details['column'] === 'number' &&
          !error.message.includes('6789'),
      );
      await transaction.copyFrom(copy, bytes('5,five\n'));
    });
    assert.equal(await rowsOf(store), 1);
  });

  test('KRN-23 a refusal after the last byte fails the copy instead of leaving it waiting', async (t) => {
    const store = await storeOf(t);
    await store.transaction(staff, async (transaction) => {
      await assert.rejects(
        transaction.savepoint(() => transaction.copyFrom(copy, bytes('1,one\n1,again\n'))),
        { code: '23505' },
      );
      await assert.rejects(
        transaction.savepoint(() => transaction.copyFrom(copy, bytes('1,refused\n'))),
        { code: '23514' },
      );
      await assert.rejects(
        transaction.savepoint(() => transaction.copyFrom('copy missing from stdin', bytes('1\n'))),
        { code: '42P01' },
      );
      assert.equal(await transaction.copyFrom(copy, bytes('2,two\n')), 1);
    });
    assert.equal(await rowsOf(store), 1);
  });

  test("KRN-23 a copy whose source fails keeps nothing and rethrows the source's error", async (t) => {
    const store = await storeOf(t);
    async function* failing(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('1,one\n');
      await Promise.resolve();
      throw new Error('the file ended');
    }
    await store.transaction(staff, async (transaction) => {
      await assert.rejects(
        transaction.savepoint(() => transaction.copyFrom(copy, failing())),
        { message: 'the file ended' },
      );
      await transaction.copyFrom(copy, bytes('2,two\n'));
    });
    assert.equal(await rowsOf(store), 1);
  });

  test('KRN-23 a refusal in the middle of a large copy is thrown at once: the rest of the source is not read', async (t) => {
    const store = await storeOf(t);
    const requested = { pieces: 0 };
    const piece = Buffer.from(`${'x'.repeat(64 * 1024)},bad\n`);
    await assert.rejects(
      store.transaction(staff, (transaction) => transaction.copyFrom(copy, counted(100_000, piece, requested))),
      { code: 'BAD_PARAMETER' },
    );
    assert.ok(requested.pieces < 10_000, `${requested.pieces} pieces were read`);
  });

  test('KRN-23 the source is read no faster than the database accepts it', async (t) => {
    const [store, other] = await storesOf(t);
    const requested = { pieces: 0 };
    const rows = Buffer.from('\n'.padStart(64 * 1024, 'y').replace(/^/, ','));
    let copying: Promise<number> | undefined;
    const holder = async (held: Transaction): Promise<void> => {
      await held.query('lock table copied in access exclusive mode');
      copying = store.transaction(staff, (transaction) => transaction.copyFrom(copy, counted(2_000, rows, requested)));
      // The copy waits for the lock before it requests the first byte.
      await other.query(`select 1`);
      assert.equal(requested.pieces, 0);
    };
    await other.transaction(staff, holder);
    assert.equal(await copying, 2_000);
    assert.equal(requested.pieces, 2_000);
  });

  test('KRN-23 a copy whose connection is lost fails, keeps nothing and leaves the store usable', async (t) => {
    const store = await storeOf(t);
    const failure = store.transaction(staff, async (transaction) => {
      const [row] = await transaction.query<{ pid: number }>('select pg_backend_pid() as pid');
      async function* cut(): AsyncGenerator<Uint8Array> {
        yield Buffer.from('1,one\n');
        await store.query('select pg_terminate_backend($1::integer, 5000)', [row?.pid]);
        for (let n = 2; n < 1_000; n++) yield Buffer.from(`${n},more\n`);
      }
      return transaction.copyFrom(copy, cut());
    });
    await assert.rejects(failure, (error: Error & { code?: string }) =>
      /^(CONNECTION_|57P01|EPIPE|ECONNRESET)/.test(error.code ?? ''),
    );
    assert.equal(await rowsOf(store), 0);
  });
});
