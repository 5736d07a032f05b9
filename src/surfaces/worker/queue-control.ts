import type { QueueControl, QueueState } from '../../kernel/ports/queue.ts';
import { arrayLiteral, type Db } from '../../kernel/database/store.ts';
import { DEAD_LETTERS } from './messages.ts';

/** Every queue that the settings name, in their order, and after them those that still hold messages and are named no more. */
export async function queueStates(db: Db, names: readonly string[]): Promise<QueueState[]> {
  return db.query<QueueState & Record<string, unknown>>(statesText, [arrayLiteral(names)]);
}

/**
 * What waits and what is dead is found by pg-boss's own partial indexes. What runs is not: it is counted in one pass over all
 * that is kept, 75 ms for 300,000 messages; once for each queue it took six times as long.
 */
const statesText = `select q.name as "QueueName", case when q.place is null then 'abandoned' when coalesce(c.stopped, false) then 'stopped' else 'running' end as "State",
    coalesce(c.perminute, 0) as "MessagesPerMinute", w.waiting as "Waiting", w.oldest as "OldestSeconds", w.deferred as "Deferred", coalesce(r.running, 0) as "Running",
    coalesce(d.dead, 0) as "Dead", c.changeddate as "ChangedDate", c.changedpersonid as "ChangedPersonID"
  from (select coalesce(named.name, known.name) as name, named.place from unnest($1::text[]) with ordinality named (name, place)
    full join pgboss.queue known on known.name = named.name where known.name is distinct from '${DEAD_LETTERS}') q
  left join queuecontrol c on c.queuename = q.name
  cross join lateral (select count(*) filter (where start_after <= now())::integer as waiting, count(*) filter (where start_after > now())::integer as deferred,
    coalesce(floor(extract(epoch from now() - min(start_after) filter (where start_after <= now()))), 0)::integer as oldest
    from pgboss.job j where j.name = q.name and j.state < 'active' and not j.blocked) w
  left join (select name, count(*)::integer as running from pgboss.job where state = 'active' group by 1) r on r.name = q.name
  left join (select source_name as name, count(*)::integer as dead from pgboss.job where name = '${DEAD_LETTERS}' and state < 'active' and not blocked group by 1) d on d.name = q.name
  where q.place is not null or w.waiting + w.deferred + coalesce(r.running, 0) > 0
  order by q.place, q.name`;

/** Keeps what is said of a queue; workers look at it each time before they take something. */
export async function controlQueue(
  db: Db,
  name: string,
  { stopped, messagesPerMinute }: QueueControl,
  personId: number,
): Promise<void> {
  await db.query(
    `insert into queuecontrol (queuename, stopped, perminute, changedpersonid) values ($1::text, coalesce($2::boolean, false), coalesce($3::integer, 0), $4::bigint)
     on conflict (queuename) do update set stopped = coalesce($2::boolean, queuecontrol.stopped), perminute = coalesce($3::integer, queuecontrol.perminute),
       changeddate = now(), changedpersonid = excluded.changedpersonid`,
    [name, stopped ?? null, messagesPerMinute ?? null, personId],
  );
}

/** A queue that has something due and is not stopped. */
export interface DueQueue {
  readonly name: string;
  readonly throttled: boolean;
}

/** The queues among those named that have something to be taken now, in any order. */
export function dueQueues(db: Db, names: readonly string[]): Promise<DueQueue[]> {
  return db.query<DueQueue & Record<string, unknown>>(
    `select q.name, coalesce(c.perminute, 0) > 0 as throttled from unnest($1::text[]) q (name) left join queuecontrol c on c.queuename = q.name
     where not coalesce(c.stopped, false) and exists (select from pgboss.job j where j.name = q.name and j.state < 'active' and not j.blocked and j.start_after <= now()) order by random()`,
    [arrayLiteral(names)],
  );
}

/**
 * Asks for leave to take messages from a throttled queue; answers how many may be taken. The allowance grows evenly with the
 * database's clock and is capped at one second's worth, or one message: after a pause a queue does not make up for it at once,
 * so that no minute has more than its number and one second's worth.
 */
export async function takeAllowance(db: Db, name: string, wanted: number): Promise<number> {
  const [row] = await db.query<{ granted: number }>(
    `with held as (
       select queuename, least(greatest(1, perminute / 60.0), allowance + greatest(0, extract(epoch from clock_timestamp() - refilled)) * perminute / 60.0) as available
       from queuecontrol where queuename = $1::text and perminute > 0 and not stopped for update)
     update queuecontrol c set allowance = held.available - least($2::integer, floor(held.available)), refilled = clock_timestamp()
     from held where c.queuename = held.queuename and held.available >= 1 returning least($2::integer, floor(held.available))::integer as granted`,
    [name, wanted],
  );
  return row?.granted ?? 0;
}

/** Gives back what was not used. */
export async function returnAllowance(db: Db, name: string, unused: number): Promise<void> {
  await db.query('update queuecontrol set allowance = allowance + $2::integer where queuename = $1::text', [
    name,
    unused,
  ]);
}
