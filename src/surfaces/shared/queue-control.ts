import type { QueueCalls, QueueControl, QueuePause } from '../../kernel/ports/queue.ts';
import type { Db } from '../../kernel/database/store.ts';

/** Stores that a queue is stopped, started or throttled. Workers read it before each claim. */
export async function controlQueue(
  db: Db,
  name: string,
  { stopped, messagesPerMinute, reason }: QueueControl,
  personId: number,
): Promise<void> {
  await db.query(
    `insert into queuecontrol (queuename, stopped, perminute, changedpersonid, reason)
     values ($1::text, coalesce($2::boolean, false), coalesce($3::integer, 0), $4::bigint, $5::text)
     on conflict (queuename) do update
       set stopped = coalesce($2::boolean, queuecontrol.stopped),
         perminute = coalesce($3::integer, queuecontrol.perminute),
         changeddate = now(), changedpersonid = excluded.changedpersonid,
         reason = excluded.reason`,
    [name, stopped ?? null, messagesPerMinute ?? null, personId, reason ?? null],
  );
}

/**
 * Takes from the allowance of a throttled queue and returns how many messages may be claimed.
 *
 * The allowance grows evenly with the database's clock. It is capped at one second's worth, or one message, so that a
 * queue does not catch up at once after a pause: no minute has more than its number plus one second's worth.
 */
export async function takeAllowance(db: Db, name: string, requested: number): Promise<number> {
  const [row] = await db.query<{ granted: number }>(
    `with held as (
       select queuename,
         least(
           greatest(1, perminute / 60.0),
           allowance + greatest(0, extract(epoch from clock_timestamp() - refilled)) * perminute / 60.0
         ) as available
       from queuecontrol
       where queuename = $1::text and perminute > 0 and not stopped
       for update)
     update queuecontrol c
     set allowance = held.available - least($2::integer, floor(held.available)), refilled = clock_timestamp()
     from held
     where c.queuename = held.queuename and held.available >= 1
     returning least($2::integer, floor(held.available))::integer as granted`,
    [name, requested],
  );
  return row?.granted ?? 0;
}

/** Returns unused allowance. */
export async function returnAllowance(db: Db, name: string, unused: number): Promise<void> {
  await db.query('update queuecontrol set allowance = allowance + $2::integer where queuename = $1::text', [
    name,
    unused,
  ]);
}

/** Stores that the calls of an operation wait in a queue, or why they do. */
export async function pauseOperation(
  db: Db,
  { queueName, operation }: QueueCalls,
  { personId, reason }: { readonly personId: number; readonly reason: string | null },
): Promise<void> {
  await db.query(
    `insert into queuepause (queuename, operation, reason, changedpersonid)
     values ($1::text, $2::text, $3::text, $4::bigint)
     on conflict (queuename, operation) do update
       set reason = excluded.reason, changedpersonid = excluded.changedpersonid`,
    [queueName, operation, reason, personId],
  );
}

/** Ends the pause of an operation. Returns whether there was one. Waits for workers that are blocking its calls. */
export async function endPause(db: Db, { queueName, operation }: QueueCalls): Promise<boolean> {
  const rows = await db.query<{ operation: string }>(
    'delete from queuepause where queuename = $1::text and operation = $2::text returning operation',
    [queueName, operation],
  );
  return rows.length > 0;
}

/** Returns the paused operations, without how many of their calls wait. */
export function selectPauses(db: Db): Promise<Omit<QueuePause, 'Waiting'>[]> {
  return db.query<Omit<QueuePause, 'Waiting'>>(
    `select queuename as "QueueName", operation as "Operation", changeddate as "ChangedDate",
       changedpersonid as "ChangedPersonID", reason as "Reason"
     from queuepause
     order by changeddate, queuename, operation`,
  );
}
