/**
 * Every statement on the private tables of the queue library (pg-boss), one function each. The library may change these
 * tables in any release: `test/platform/worker/pgboss-sql.test.ts` compares them with what the statements use.
 */
import type { QueueFilter, QueueMessage, QueueState } from '../../kernel/ports/queue.ts';
import { arrayLiteral, type Db } from '../../kernel/database/store.ts';

/** The version of pg-boss that this file was compared with. Before changing it, read what changed in its tables. */
export const PGBOSS_VERSION = '12.35.0';

/** The table of jobs for the rotation of keys: its key, and the JSON columns whose property `sealed` is sealed. */
export const sealedJobs = {
  table: 'pgboss.job',
  key: [
    { name: 'name', type: 'text' },
    { name: 'id', type: 'uuid' },
  ],
  callColumn: 'data',
  failureColumns: ['output', 'source_output'],
} as const;

/** The queue that holds calls which used up their attempts. */
export const DEAD_LETTERS = 'DeadLetters';

/** Error code of an attempt whose worker ended without reporting; pg-boss writes no code of ours there. */
export const INTERRUPTED = 'INTERRUPTED';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Returns those texts that can be ids of messages, in lower case. */
export function messageIdsIn(ids: readonly string[]): string[] {
  return ids.filter((id) => UUID.test(id)).map((id) => id.toLowerCase());
}

/**
 * Returns the state of every named queue in the given order, then of queues that are no longer named but still hold
 * messages.
 *
 * Waiting and dead messages are found by pg-boss's own partial indexes. Running ones have no index: they are counted in
 * one pass over all rows, 75 ms for 300,000 messages. Counting them queue by queue took six times as long.
 */
export function selectQueueStates(db: Db, names: readonly string[]): Promise<QueueState[]> {
  return db.query<QueueState>(queueStatesText, [arrayLiteral(names)]);
}

const queueStatesText = `select q.name as "QueueName",
    case when q.place is null then 'abandoned' when coalesce(c.stopped, false) then 'stopped' else 'running' end
      as "State",
    coalesce(c.perminute, 0) as "MessagesPerMinute", w.waiting as "Waiting", w.oldest as "OldestSeconds",
    w.deferred as "Deferred", coalesce(r.running, 0) as "Running", coalesce(d.dead, 0) as "Dead",
    c.changeddate as "ChangedDate", c.changedpersonid as "ChangedPersonID"
  from (select coalesce(named.name, known.name) as name, named.place
    from unnest($1::text[]) with ordinality named (name, place)
    full join pgboss.queue known on known.name = named.name
    where known.name is distinct from '${DEAD_LETTERS}') q
  left join queuecontrol c on c.queuename = q.name
  cross join lateral (select count(*) filter (where start_after <= now())::integer as waiting,
      count(*) filter (where start_after > now())::integer as deferred,
      coalesce(floor(extract(epoch from now() - min(start_after) filter (where start_after <= now()))), 0)::integer
        as oldest
    from pgboss.job j
    where j.name = q.name and j.state < 'active' and not j.blocked) w
  left join (select name, count(*)::integer as running
    from pgboss.job
    where state = 'active'
    group by 1) r on r.name = q.name
  left join (select source_name as name, count(*)::integer as dead
    from pgboss.job
    where name = '${DEAD_LETTERS}' and state < 'active' and not blocked
    group by 1) d on d.name = q.name
  where q.place is not null or w.waiting + w.deferred + coalesce(r.running, 0) > 0
  order by q.place, q.name`;

/** A queue that has something due and is not stopped. */
export interface DueQueue {
  readonly name: string;
  readonly throttled: boolean;
}

/** Returns the named queues that have a message due and are not stopped, in random order. */
export function selectDueQueues(db: Db, names: readonly string[]): Promise<DueQueue[]> {
  return db.query<DueQueue>(
    `select q.name, coalesce(c.perminute, 0) > 0 as throttled
     from unnest($1::text[]) q (name)
     left join queuecontrol c on c.queuename = q.name
     where not coalesce(c.stopped, false)
       and exists (
         select from pgboss.job j
         where j.name = q.name and j.state < 'active' and not j.blocked and j.start_after <= now())
     order by random()`,
    [arrayLiteral(names)],
  );
}

/** A message has several rows in turn: the job, the failed job, the dead letter, and the job that is queued again. */
const dead = `name = '${DEAD_LETTERS}'`;
const output = `case when ${dead} then source_output else output end`;
/** Failed jobs are left out: each has a dead letter, which stores the job's facts in its source_* columns. */
const columns = `data ->> 'messageId' as "QueueMessageID",
  case when ${dead} then source_name else name end as "QueueName",
  case when not ${dead} then state::text when state < 'active' then 'dead' else 'discarded' end as "State",
  data ->> 'route' as "Operation",
  (data ->> 'personId')::bigint as "PersonID",
  data ->> 'label' as "QueueLabel", data ->> 'scheduleName' as "ScheduleName", data ->> 'scheduleId' as "ScheduleID",
  case when ${dead} then source_retry_count + 1 when started_on is null then 0 else retry_count + 1 end as "Attempts",
  case when ${dead} then source_created_on else created_on end as "QueuedDate", start_after as "StartAfter",
  case when ${dead} then created_on else completed_on end as "CompletedDate",
  coalesce((${output}) ->> 'code', case when (${output}) is not null then '${INTERRUPTED}' end) as "ErrorCode",
  (${output}) ->> 'sealed' as sealed, data ->> 'sealed' as call`;

/** A message as it is stored: the call, and the failure's text and warnings, are still sealed. */
export type QueueMessageRow = Omit<QueueMessage, 'ErrorMessage' | 'alerts' | 'parameters' | 'parent'> & {
  readonly sealed: string | null;
  readonly call: string;
};

/** Builds the conditions of a filter with their parameters; `queues` are all queues that the database has. */
function conditionsOf(
  filter: QueueFilter,
  queues: readonly string[],
): { readonly where: string; readonly values: unknown[] } {
  const values: unknown[] = [];
  const next = (value: unknown): string => `$${values.push(value)}`;
  const conditions = [`not (state = 'failed' and not ${dead})`];
  if (filter.ids) {
    const ids = next(arrayLiteral(messageIdsIn(filter.ids)));
    // Both are indexed: the first job has the message's id, later ones name it as their root.
    const names = next(arrayLiteral(queues));
    conditions.push(
      `((name = any(${names}::text[]) and id = any(${ids}::uuid[])) or source_root_id = any(${ids}::uuid[]))`,
    );
  }
  if (filter.queueName !== undefined)
    conditions.push(`case when ${dead} then source_name else name end = ${next(filter.queueName)}::text`);
  if (filter.state === 'dead') conditions.push(`${dead} and state < 'active'`);
  else if (filter.state === 'discarded') conditions.push(`${dead} and state >= 'active'`);
  else if (filter.state !== undefined) conditions.push(`not ${dead} and state::text = ${next(filter.state)}::text`);
  if (filter.label !== undefined) conditions.push(`data ->> 'label' = ${next(filter.label)}::text`);
  if (filter.personId !== undefined)
    conditions.push(`(data ->> 'personId')::bigint = ${next(filter.personId)}::bigint`);
  if (filter.operation !== undefined)
    conditions.push(`data ->> 'route' = ${next(filter.operation.toLowerCase())}::text`);
  if (filter.errorCode !== undefined) conditions.push(`(${output}) ->> 'code' = ${next(filter.errorCode)}::text`);
  if (filter.scheduled)
    conditions.push(`not ${dead} and state in ('created', 'retry') and data ->> 'scheduleName' is not null`);
  return { where: conditions.join(' and '), values };
}

/** Returns the messages that match a filter, latest first; recurring calls by their next run. */
export function selectMessages(db: Db, filter: QueueFilter, queues: readonly string[]): Promise<QueueMessageRow[]> {
  const { where, values } = conditionsOf(filter, queues);
  const order = filter.scheduled ? 'start_after, id' : 'created_on desc, id';
  return db.query<QueueMessageRow>(
    `select ${columns}
     from pgboss.job
     where ${where}
     order by ${order}
     limit $${values.push(filter.size)}::integer offset $${values.push(filter.start)}::integer`,
    values,
  );
}

/** Locks the dead letters that match a filter; returns their ids, oldest first. Concurrent calls get different ones. */
export async function lockDeadLetters(db: Db, filter: QueueFilter, queues: readonly string[]): Promise<string[]> {
  const { where, values } = conditionsOf({ ...filter, state: 'dead' }, queues);
  const rows = await db.query<{ id: string }>(
    `select id
     from pgboss.job
     where ${where} and state < 'active'
     order by created_on
     limit $${values.push(filter.size)}::integer
     for update skip locked`,
    values,
  );
  return rows.map((row) => row.id);
}

/** Ends dead letters, which stay to be looked up for some days. Returns the ids of their messages. */
export async function discardDeadLetters(db: Db, ids: readonly string[], days: number): Promise<string[]> {
  const rows = await db.query<{ messageid: string }>(
    `update pgboss.job
     set state = 'cancelled', completed_on = now(), deletion_seconds = $2::integer * 86400
     where name = '${DEAD_LETTERS}' and id = any($1::uuid[]) and state < 'active'
     returning data ->> 'messageId' as messageid`,
    [arrayLiteral(ids), days],
  );
  return rows.map(({ messageid }) => messageid);
}

/** Returns the id of the recurring call that a message belongs to, or null. */
export async function selectScheduleId(db: Db, id: string, queues: readonly string[]): Promise<string | null> {
  const [named] = await db.query<{ scheduleid: string | null }>(
    `select data ->> 'scheduleId' as scheduleid
     from pgboss.job
     where (name = any($2::text[]) and id = $1::uuid) or source_root_id = $1::uuid
     order by created_on desc
     limit 1`,
    [id, arrayLiteral(queues)],
  );
  return named?.scheduleid ?? null;
}

/** A job that waits or runs. */
export interface LiveJob {
  readonly name: string;
  readonly id: string;
  readonly state: string;
  readonly messageid: string;
}

/** Locks and returns the waiting and running jobs of a message or, with `scheduleId`, of a recurring call. */
export function lockLiveJobs(
  db: Db,
  { id, scheduleId }: { readonly id: string; readonly scheduleId: string | null },
  queues: readonly string[],
): Promise<LiveJob[]> {
  const isOf =
    scheduleId === null
      ? '((name = any($2::text[]) and id = $1::uuid) or source_root_id = $1::uuid)'
      : "name = any($2::text[]) and data ->> 'scheduleId' = $1::text";
  return db.query<LiveJob>(
    `select name, id, state::text as state, data ->> 'messageId' as messageid
     from pgboss.job
     where state <= 'active' and name <> '${DEAD_LETTERS}' and ${isOf}
     for update`,
    [scheduleId ?? id, arrayLiteral(queues)],
  );
}

/** Cancels a job that waits. */
export async function cancelWaitingJob(db: Db, name: string, id: string): Promise<void> {
  await db.query(
    `update pgboss.job
     set state = 'cancelled', completed_on = now()
     where name = $1::text and id = $2::uuid and state < 'active'`,
    [name, id],
  );
}

/** A copy of a job to insert as canceled. */
export interface CanceledCopy {
  readonly name: string;
  /** The message id that the copy takes. */
  readonly id: string;
  /** The job whose data it copies. */
  readonly copyOf: string;
  readonly retentionDays: number;
}

/**
 * Inserts a canceled copy of a job under an id, so that nothing can be queued under that id. Does nothing if the id is
 * taken.
 */
export async function insertCanceledCopy(db: Db, { name, id, copyOf, retentionDays }: CanceledCopy): Promise<void> {
  await db.query(
    `insert into pgboss.job (id, name, data, state, completed_on, deletion_seconds, keep_until, policy)
     select $2::uuid, name, data || jsonb_build_object('messageId', $2::text), 'cancelled', now(), deletion_seconds,
       now() + interval '${retentionDays} days', policy
     from pgboss.job
     where name = $1::text and id = $3::uuid
     on conflict do nothing`,
    [name, id, copyOf],
  );
}

/** Returns the ids of all running jobs, by queue. */
export function selectRunningJobs(
  db: Db,
  queues: readonly string[],
): Promise<{ readonly name: string; readonly ids: string[] }[]> {
  return db.query<{ name: string; ids: string[] }>(
    `select name, json_agg(id) as ids from pgboss.job where state = 'active' and name = any($1::text[]) group by name`,
    [arrayLiteral(queues)],
  );
}

/** A claimed job and the attempt that it was claimed for. */
export interface ClaimedJob {
  readonly id: string;
  readonly retryCount: number;
}

/** Makes the running attempt of a job its last. */
export async function makeAttemptLast(db: Db, name: string, { id, retryCount }: ClaimedJob): Promise<void> {
  await db.query(
    `update pgboss.job
     set retry_limit = retry_count
     where name = $1::text and id = $2::uuid and retry_count = $3::integer and state = 'active'`,
    [name, id, retryCount],
  );
}

/** Returns claimed jobs to their queue as if they had not been claimed: due now, and without counting the attempt. */
export async function unclaimJobs(db: Db, name: string, jobs: readonly ClaimedJob[]): Promise<void> {
  await db.query(
    `update pgboss.job j
     set state = 'retry', started_on = null, heartbeat_on = null, start_after = now()
     from unnest($2::uuid[], $3::integer[]) t (id, attempt)
     where j.name = $1::text and j.id = t.id and j.retry_count = t.attempt and j.state = 'active'`,
    [name, arrayLiteral(jobs.map((job) => job.id)), arrayLiteral(jobs.map((job) => job.retryCount))],
  );
}

/** A condition on rows of `idempotency`: neither a job nor a dead letter of the row's message is left. */
export const messageIsGone = `not exists (
      select from pgboss.queue q
      join pgboss.job j on j.name = q.name and j.id = idempotency.messageid)
    and not exists (select from pgboss.job j where j.source_root_id = idempotency.messageid)`;
