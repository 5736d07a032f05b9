import { historyMonths } from '../../declare/core-settings.ts';
import type { Platform } from '../../ports/platform.ts';
import { sqlState } from '../../database/sql-state.ts';
import type { Transaction } from '../../database/store.ts';
import { createIndexConcurrently, dropIndexConcurrently } from '../../database/concurrent-index.ts';
import { deleteBefore, monthsAgo } from '../../database/delete-by-age.ts';

/** Months ahead for which a history partition exists. */
const MONTHS_AHEAD = 2;
/** How long a partition change waits for a lock. Every reader and writer of history waits for it. */
const LOCK_MILLISECONDS = 500;
/** Longest time to move the rows of one month; only its last moment holds a lock. */
const MOVE_MINUTES_MAX = 10;
/** Most rows moved under a lock while their month lasts and rows are still written; more wait until it is over. */
const MOVED_UNDER_LOCK_MAX = 10_000;
/** Months that one run moves out of the default partition. */
const MONTHS_MOVED_MAX = 12;
/** Advisory lock held while partitions change; a number that no other lock has. */
const STRUCTURE_LOCK = 7_322_140;

const partitionsText = `select c.relname as name
  from pg_inherits i
  join pg_class c on c.oid = i.inhrelid
  where i.inhparent = 'history'::regclass and c.relname ~ '^history_[0-9]{6}$'`;

/**
 * Changes partitions in one transaction that waits only briefly for locks, one process at a time. If history is busy,
 * the change is rolled back and left to the next run. Returns whether it was made.
 */
async function restructure(
  platform: Platform,
  what: string,
  run: (transaction: Transaction) => Promise<unknown>,
): Promise<boolean> {
  try {
    return await platform.store.transaction(
      { personId: null, firm: null, callId: 'housekeeping', statementMilliseconds: MOVE_MINUTES_MAX * 60_000 },
      async (transaction) => {
        const [row] = await transaction.query<{ mine: boolean }>(
          'select pg_try_advisory_xact_lock($1::bigint) as mine',
          [STRUCTURE_LOCK],
        );
        if (!row?.mine) return false;
        await transaction.query(`set local lock_timeout = '${LOCK_MILLISECONDS}ms'`);
        await run(transaction);
        return true;
      },
    );
  } catch (error) {
    // The lock was not available, or (23514) rows of the month were written to the default partition meanwhile.
    if (!['55P03', '40P01', '23514'].includes(sqlState(error) ?? '')) throw error;
    platform.log.info('history is busy; its partitions are changed at the next run', { what });
    return false;
  }
}

/**
 * Creates the partitions of this month and the next ones, and moves rows that went to the default partition because
 * theirs was missing.
 */
export async function makePartitions(platform: Platform): Promise<number> {
  const before = await platform.store.query(partitionsText);
  const today = platform.clock.now().slice(0, 10);
  for (let ahead = 0; ahead <= MONTHS_AHEAD; ahead++) {
    await restructure(platform, 'make', (transaction) =>
      transaction.query(
        `select casewright_history_partition(($1::date + make_interval(months => $2::integer))::date)`,
        [today, ahead],
      ),
    );
  }
  await moveStuckRows(platform, `${today.slice(0, 7)}-01`);
  return (await platform.store.query(partitionsText)).length - before.length;
}

/** Moves rows out of the default partition. A past month is not written to, so its rows are moved without a lock. */
async function moveStuckRows(platform: Platform, present: string): Promise<void> {
  const stuck = await platform.store.query<{ month: string; rows: number }>(
    `select date_trunc('month', at at time zone 'UTC')::date::text as month, count(*)::integer as rows
     from history_default
     group by 1
     order by 1
     limit ${MONTHS_MOVED_MAX}`,
  );
  for (const { month, rows } of stuck) {
    const isOver = month < present;
    if (!isOver && rows > MOVED_UNDER_LOCK_MAX) continue;
    await restructure(platform, `move ${rows} rows of ${month}`, async (transaction) => {
      if (!isOver) await transaction.query('lock table history_default in exclusive mode');
      await transaction.query('select casewright_history_unstick($1::date)', [month]);
    });
  }
}

/**
 * Deletes expired history. First stores from when on history is known, so that later queries for earlier times are
 * refused. Whole months are dropped with their partition, which costs nothing; rows in the default partition are
 * deleted.
 */
export async function dropHistory(platform: Platform): Promise<number> {
  const months = platform.settings.get(historyMonths);
  if (months <= 0) return 0;
  const first = monthsAgo(platform, months);
  await platform.store.query(
    'update historyknown set since = $1::timestamptz where since is null or since < $1::timestamptz',
    [first],
  );
  const oldest = `history_${first.slice(0, 4)}${first.slice(5, 7)}`;
  let dropped = 0;
  for (const { name } of (await platform.store.query<{ name: string }>(partitionsText)).filter(
    (partition) => partition.name < oldest,
  )) {
    if (await restructure(platform, `drop ${name}`, (transaction) => transaction.query(`drop table if exists ${name}`)))
      dropped++;
  }
  return dropped + (await deleteBefore(platform, 'history_default', 'at', first));
}

/**
 * Builds the index of transactions on partitions that were too large for the migration that added it, without locking
 * out writers. Returns how many were built.
 */
export async function indexPartitions({ store }: Platform): Promise<number> {
  const missing = await store.query<{ name: string; unusable: string | null }>(
    `select c.relname as name,
       (select i.indexrelid::regclass::text from pg_index i
        where i.indexrelid = to_regclass('public.' || c.relname || '_xid_idx') and not i.indisvalid) as unusable
     from pg_inherits p
     join pg_class c on c.oid = p.inhrelid
     where p.inhparent = 'history'::regclass
       and not exists (
         select from pg_inherits ip
         join pg_index i on i.indexrelid = ip.inhrelid
         where ip.inhparent = to_regclass('public.history_xid_idx') and i.indrelid = c.oid)`,
  );
  for (const { name, unusable } of missing) {
    if (unusable !== null) await dropIndexConcurrently(store, unusable);
    await createIndexConcurrently(store, {
      name: `${name}_xid_idx`,
      table: name,
      using: 'using btree (xid) where xid is not null',
    });
    await store.query(`alter index history_xid_idx attach partition ${name}_xid_idx`);
  }
  return missing.length;
}
