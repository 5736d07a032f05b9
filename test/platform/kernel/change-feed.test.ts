import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import postgres from 'postgres';
import { ChangeFeed } from '../../../src/kernel/changes/change-feed.ts';
import { CHANGES_MAX, isPosition, presentPosition, readChanges } from '../../../src/kernel/changes/read-changes.ts';
import { relatedChanges } from '../../../src/kernel/changes/related-records.ts';
import { indexPartitions } from '../../../src/kernel/records/history/history-partitions.ts';
import { tasks } from '../../../src/surfaces/scheduler/housekeeping.ts';
import { silentLog } from '../../../src/kernel/ports/log.ts';
import { expectOk } from '../../support/client.ts';
import { testPlatform } from '../../support/platform.ts';
import { eventually } from '../../support/eventually.ts';

const p = await testPlatform({ after });
const { store, registry } = p.platform;

/** A repeatable source of random numbers below a limit. */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

/** A transaction under way: what it has written, with a mark at its savepoint. */
class Writer {
  readonly sql: postgres.Sql;
  private readonly own: number[] = [];
  private written: string[] = [];
  private mark: number | undefined;
  isOpen = false;

  constructor(sql: postgres.Sql) {
    this.sql = sql;
  }

  async begin(): Promise<void> {
    await this.sql.unsafe('begin');
    this.isOpen = true;
    this.written = [];
    this.mark = undefined;
  }

  /** Inserts some rows, updates or deletes one, or goes back to a savepoint. */
  async write(pick: (below: number) => number): Promise<void> {
    const id = this.own[pick(Math.max(this.own.length, 1))];
    const action = pick(6);
    if (action === 0 && this.mark === undefined) {
      await this.sql.unsafe('savepoint s');
      this.mark = this.written.length;
    } else if (action === 1 && this.mark !== undefined) {
      await this.sql.unsafe('rollback to savepoint s');
      this.written.length = this.mark;
    } else if (action === 2 && id !== undefined) {
      const rows = await this.sql.unsafe(
        "update message set message = message || '.' where messageid = $1 returning 1",
        [id],
      );
      if (rows.length > 0) this.written.push(`update ${id}`);
    } else if (action === 3 && id !== undefined) {
      const rows = await this.sql.unsafe('delete from message where messageid = $1 returning 1', [id]);
      if (rows.length > 0) this.written.push(`delete ${id}`);
    } else {
      const rows = await this.sql.unsafe<{ id: string }[]>(
        "insert into message (message) select 'x' from generate_series(1, $1) returning messageid as id",
        [1 + pick(3)],
      );
      for (const row of rows) {
        this.own.push(Number(row.id));
        this.written.push(`insert ${row.id}`);
      }
    }
  }

  /** Ends the transaction and returns what it has committed. */
  async end(isCommitted: boolean): Promise<readonly string[]> {
    await this.sql.unsafe(isCommitted ? 'commit' : 'rollback');
    this.isOpen = false;
    return isCommitted ? this.written : [];
  }
}

describe('the change feed', () => {
  it('WEB-02 returns each committed change once, at the first read after its commit, whatever the order of transactions, and none rolled back', async () => {
    const { host, port, user, database } = p.database;
    const sql = (): postgres.Sql =>
      postgres({
        host,
        port,
        user,
        database,
        ...(host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : {}),
        max: 1,
      });
    const writers = Array.from({ length: 6 }, () => new Writer(sql()));
    after(() => Promise.all(writers.map(({ sql: own }) => own.end())));
    const pick = random(20261123);
    let position = await presentPosition(store);
    let committed: string[] = [];
    const reads: number[] = [];
    const check = async (): Promise<void> => {
      const batch = await readChanges(store, position);
      assert.ok(isPosition(batch.position));
      const found = batch.changes.filter(({ table }) => table === 'message').map(({ change, id }) => `${change} ${id}`);
      // The order within a batch says nothing.
      assert.deepEqual(found.toSorted(), committed.toSorted());
      reads.push(found.length);
      position = batch.position;
      committed = [];
    };
    for (let step = 0; step < 700; step++) {
      const writer = writers[pick(writers.length)] as Writer;
      if (!writer.isOpen) await writer.begin();
      else if (pick(5) === 0) committed.push(...(await writer.end(pick(4) > 0)));
      else await writer.write(pick);
      if (pick(9) === 0) await check();
    }
    for (const writer of writers) if (writer.isOpen) committed.push(...(await writer.end(true)));
    await check();
    await check();
    assert.equal(reads.at(-1), 0);
    assert.ok(reads.filter((n) => n > 0).length > 20, 'the reads came between commits');
  });

  it('WEB-02 reads only what is new from its indexes, however long another transaction runs', async () => {
    const [row] = await store.query<Record<'QUERY PLAN', { Plan: unknown }[]>>(
      `explain (format json, costs off)
       select from history
       where xid >= pg_snapshot_xmax('1:2:'::pg_snapshot) and at > now() - interval '1 day'`,
    );
    assert.match(JSON.stringify(row), /_xid_idx/);
  });

  it('WEB-02 says that there is more than a batch instead of reading it', async () => {
    const position = await presentPosition(store);
    await store.query("insert into message (message) select 'x' from generate_series(1, $1::integer)", [
      CHANGES_MAX + 1,
    ]);
    const batch = await readChanges(store, position);
    assert.equal(batch.isOverflow, true);
    assert.equal(batch.changes.length, CHANGES_MAX);
    assert.equal((await readChanges(store, batch.position)).changes.length, 0);
  });

  it('WEB-02 names the records that a change is shown with: parents at any depth, before and after a move, and referenced users', async () => {
    const made = async (path: string, body: object): Promise<number> =>
      Number(Object.values(await expectOk(p.admin.post(`/api/${path}?Output=Json`, body)))[0]);
    const first = await made('contact/save', { LastName: 'First' });
    const second = await made('contact/save', { LastName: 'Second' });
    const position = await presentPosition(store);
    const message = await made('message/save', { Object: 'Contact', ObjectID: first, Message: 'm' });
    const answer = await made('message/save', { Object: 'Message', ObjectID: message, Message: 'a' });
    const added = await readChanges(store, position);
    const related = await relatedChanges({ db: store, registry }, added.changes);
    for (const [table, id] of [
      ['message', message],
      ['message', answer],
    ] as const)
      assert.ok(
        related
          .find((r) => r.table === table && r.id === id)
          ?.related.some((r) => r.table === 'contact' && r.id === first),
        table,
      );
    await store.query('update message set objectid = $2::bigint where messageid = $1::bigint', [message, second]);
    const moved = await readChanges(store, added.position);
    const [change] = (await relatedChanges({ db: store, registry }, moved.changes)).filter(
      ({ table }) => table === 'message',
    );
    assert.deepEqual(
      change?.related.map(({ id }) => id).toSorted((a, b) => a - b),
      [first, second],
    );
    await store.query('delete from message where messageid = $1::bigint', [message]);
    const gone = await readChanges(store, moved.position);
    const [deleted] = (await relatedChanges({ db: store, registry }, gone.changes)).filter(
      ({ table }) => table === 'message',
    );
    assert.equal(deleted?.change, 'delete');
    assert.deepEqual(deleted.related, [{ table: 'contact', id: second }]);
  });

  it('WEB-02 asks the database only while somebody listens', async () => {
    const texts: string[] = [];
    const feed = new ChangeFeed(
      {
        query: (text, params) => {
          texts.push(text);
          return store.query(text, params);
        },
      },
      silentLog,
    );
    assert.equal(feed.position, undefined);
    const seen: string[] = [];
    const stop = await feed.listen(({ changes }) => {
      seen.push(...changes.map(({ table, change }) => `${change} ${table}`));
    });
    await store.query("insert into message (message) values ('heard')");
    await eventually('the insert is heard', () => seen.includes('insert message'));
    stop();
    await feed.poll();
    const { length } = texts;
    await store.query("insert into message (message) values ('unheard')");
    await feed.poll();
    assert.equal(texts.length, length);
    await feed.stop();
  });

  it('WEB-02 builds the index of a partition that was too large to index in the migration, and deletes notes after a day', async () => {
    const partitions = async (): Promise<unknown[]> =>
      store.query(
        "select inhrelid::regclass::text as name from pg_inherits where inhparent = 'history_xid_idx'::regclass",
      );
    const before = await partitions();
    // A partition's index cannot be dropped alone.
    await store.query('drop index history_xid_idx');
    await store.query('create index history_xid_idx on only history (xid) where xid is not null');
    assert.equal(await indexPartitions(p.platform), before.length);
    assert.deepEqual((await partitions()).length, before.length);
    assert.equal(await indexPartitions(p.platform), 0);
    await store.query(
      "insert into recordadded (at, tablename, ids) values (now() - interval '2 days', 'message', '{7}')",
    );
    const task = tasks.find(({ name }) => name === 'notes of inserts');
    assert.equal(await task?.run(p.platform), 1);
  });

  it('WEB-02 forgets the transaction numbers of another cluster, which a restored dump brings along', async () => {
    const isForeign = async (): Promise<boolean | undefined> =>
      (await store.query<{ found: boolean }>('select casewright_forget_foreign_changes() as found'))[0]?.found;
    assert.equal(await isForeign(), false);
    await store.query("insert into recordadded (xid, tablename, ids) values ('999999999', 'message', '{1}')");
    await store.query(
      "insert into history (xid, tablename, recordid, change, old) values ('999999999', 'message', 1, 'update', '{}')",
    );
    const position = await presentPosition(store);
    assert.equal((await readChanges(store, position)).changes.length, 2);
    assert.equal(await isForeign(), true);
    assert.equal((await readChanges(store, position)).changes.length, 0);
  });
});
