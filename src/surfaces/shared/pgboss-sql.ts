// size: all statements on the tables of the queue library are in one place, to be compared with each release of it.
/**
 * Every statement on the private tables of the queue library (pg-boss), one function each. The library may change these
 * tables in any release: `test/platform/worker/pgboss-sql.test.ts` compares them with what the statements use.
 */
import type {
  DeadLetterCause,
  DiscardNote,
  FailedAttempt,
  MessageOutcome,
  QueueFilter,
  QueueMessage,
  QueueState,
} from '../../kernel/ports/queue.ts';
import { arrayLiteral, type Db, type Store } from '../../kernel/database/store.ts';

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

/** Most messages of a queue that are counted in one state. */
const COUNTED_MAX = 100_000;
/** Timeout of creating one of our indexes. */
const INDEX_MILLISECONDS = 3_600_000;

/** The cause of a dead letter; empty for none. Conditions repeat it as the index has it. */
const letterCause = "coalesce(source_output ->> 'cause', '')";

/**
 * Our own indexes on the table of jobs: by state, the newest first, the dead letters by time and by cause, and the
 * calls of paused operations by time. The library has none for these. Each is created online by the scheduler, and
 * again if the library has replaced its table.
 */
const ownIndexes = [
  { name: 'casewright_job_state', on: '(state, created_on desc, id)' },
  {
    name: 'casewright_job_dead',
    on: `(created_on desc) include (source_name) where name = '${DEAD_LETTERS}' and state < 'active' and not blocked`,
  },
  {
    name: 'casewright_job_cause',
    on: `((${letterCause}), created_on desc) where name = '${DEAD_LETTERS}' and state < 'active' and not blocked`,
  },
  {
    name: 'casewright_job_blocked',
    on: `(created_on desc, id) include (name) where blocked and state < 'active'`,
  },
] as const;

/** Indexes of earlier versions, which are dropped. */
const formerIndexes = ['casewright_job_paused'];

/**
 * Creates those of our indexes on the table of jobs that are missing or unusable, and drops those of earlier versions.
 * Returns how many it created.
 */
export async function createJobIndexes(store: Pick<Store, 'query' | 'outsideTransaction'>): Promise<number> {
  const stored = await store.query<{ name: string; usable: boolean }>(
    `select c.relname as name, i.indisvalid as usable
     from pg_index i
     join pg_class c on c.oid = i.indexrelid
     where i.indrelid = to_regclass('pgboss.job_common')`,
  );
  let created = 0;
  for (const { name, on } of ownIndexes) {
    const found = stored.find((each) => each.name === name);
    if (found?.usable) continue;
    if (found) await store.outsideTransaction(`drop index concurrently if exists pgboss.${name}`, INDEX_MILLISECONDS);
    await store.outsideTransaction(
      `create index concurrently if not exists ${name} on pgboss.job_common ${on}`,
      INDEX_MILLISECONDS,
    );
    created++;
  }
  for (const name of formerIndexes)
    if (stored.some((each) => each.name === name))
      await store.outsideTransaction(`drop index concurrently if exists pgboss.${name}`, INDEX_MILLISECONDS);
  return created;
}

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
 * Waiting messages are found by pg-boss's own partial index, running and dead ones by ours. No more than
 * {@link COUNTED_MAX} of each are counted: among a million messages that takes 20 ms, all of them 150.
 */
export function selectQueueStates(db: Db, names: readonly string[]): Promise<QueueState[]> {
  return db.query<QueueState>(queueStatesText, [arrayLiteral(names)]);
}

const queueStatesText = `select q.name as "QueueName",
    case when q.place is null then 'abandoned' when coalesce(c.stopped, false) then 'stopped' else 'running' end
      as "State",
    coalesce(c.perminute, 0) as "MessagesPerMinute", w.waiting as "Waiting", w.oldest as "OldestSeconds",
    w.deferred as "Deferred", coalesce(r.running, 0) as "Running",
    coalesce(p.paused, 0) as "Paused", coalesce(d.dead, 0) as "Dead",
    c.changeddate as "ChangedDate", c.changedpersonid as "ChangedPersonID",
    c.reason as "Reason"
  from (select coalesce(named.name, known.name) as name, named.place
    from unnest($1::text[]) with ordinality named (name, place)
    full join pgboss.queue known on known.name = named.name
    where known.name is distinct from '${DEAD_LETTERS}') q
  left join queuecontrol c on c.queuename = q.name
  cross join lateral (select count(*) filter (where start_after <= now())::integer as waiting,
      count(*) filter (where start_after > now())::integer as deferred,
      coalesce(floor(extract(epoch from now() - min(start_after) filter (where start_after <= now()))), 0)::integer
        as oldest
    from (select start_after
      from pgboss.job
      where name = q.name and state < 'active' and not blocked
      order by priority desc, created_on
      limit ${COUNTED_MAX}) j) w
  left join (select name, count(*)::integer as running
    from pgboss.job
    where state = 'active'
    group by 1) r on r.name = q.name
  left join (select source_name as name, count(*)::integer as dead
    from (select source_name
      from pgboss.job
      where name = '${DEAD_LETTERS}' and state < 'active' and not blocked
      order by created_on desc
      limit ${COUNTED_MAX}) j
    group by 1) d on d.name = q.name
  left join (select name, count(*)::integer as paused
    from (select name
      from pgboss.job
      where blocked and state < 'active'
      limit ${COUNTED_MAX}) j
    group by 1) p on p.name = q.name
  where q.place is not null or w.waiting + w.deferred + coalesce(r.running, 0) + coalesce(p.paused, 0) > 0
  order by q.place, q.name`;

/** A queue that has something due and is not stopped. */
export interface DueQueue {
  readonly name: string;
  readonly throttled: boolean;
  /** The operations whose calls wait; null for none. */
  readonly paused: readonly string[] | null;
}

/** Returns the named queues that have a message due and are not stopped, in random order. */
export function selectDueQueues(db: Db, names: readonly string[]): Promise<DueQueue[]> {
  return db.query<DueQueue>(
    `select q.name, coalesce(c.perminute, 0) > 0 as throttled,
       (select json_agg(p.operation) from queuepause p where p.queuename = q.name) as paused
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
const errorCode = `coalesce((${output}) ->> 'code', case when (${output}) is not null then '${INTERRUPTED}' end)`;
/** Failed jobs with a dead letter are left out: it stores the job's facts in its source_* columns. */
const columns = `data ->> 'messageId' as "QueueMessageID",
  case when ${dead} then source_name else name end as "QueueName",
  case when not ${dead} and state < 'active' and blocked then 'paused'
    when not ${dead} then state::text when state < 'active' then 'dead' else 'discarded' end as "State",
  data ->> 'route' as "Operation",
  (data ->> 'personId')::bigint as "PersonID",
  data ->> 'label' as "QueueLabel", data ->> 'scheduleName' as "ScheduleName", data ->> 'scheduleId' as "ScheduleID",
  case when ${dead} then source_retry_count + 1 when started_on is null then 0 else retry_count + 1 end as "Attempts",
  case when ${dead} then source_created_on else created_on end as "QueuedDate", start_after as "StartAfter",
  case when ${dead} then created_on else completed_on end as "CompletedDate",
  ${errorCode} as "ErrorCode",
  (${output}) ->> 'cause' as "Cause", data ->> 'correlationId' as "CorrelationID",
  (${output}) -> 'attempts' as failures,
  case when ${dead} and state >= 'active' and output ? 'discardId' then output end as discarded,
  (${output}) ->> 'sealed' as sealed, data ->> 'sealed' as call`;

/** A message as it is stored: the call, and the failure's text and warnings, are still sealed. */
export type QueueMessageRow = Omit<QueueMessage, 'ErrorMessage' | 'alerts' | 'parameters' | 'parent' | 'failures'> & {
  readonly failures: readonly FailedAttempt[] | null;
  readonly sealed: string | null;
  readonly call: string;
};

/** Returns the cause of the messages that a filter finds; empty for none. */
function causeOf({ state }: QueueFilter): string {
  return state === 'dead' ? letterCause : `coalesce((${output}) ->> 'cause', '')`;
}

/** Builds the conditions of a filter with their parameters; `queues` are all queues that the database has. */
function conditionsOf(
  filter: QueueFilter,
  queues: readonly string[],
): { readonly where: string; readonly values: unknown[] } {
  const values: unknown[] = [];
  const next = (value: unknown): string => `$${values.push(value)}`;
  const conditions = [`not (state = 'failed' and dead_letter is not null and not ${dead})`];
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
  // As our indexes have it: among a million messages a page of dead letters took 1.2 s without them, and takes 3 ms.
  if (filter.state === 'dead') conditions.push(`${dead} and state < 'active' and not blocked`);
  else if (filter.state === 'discarded') conditions.push(`${dead} and state = 'cancelled'`);
  else if (filter.state === 'paused') conditions.push(`not ${dead} and blocked and state < 'active'`);
  else if (filter.state !== undefined)
    conditions.push(`not ${dead} and not blocked and state = ${next(filter.state)}::pgboss.job_state`);
  if (filter.label !== undefined) conditions.push(`data ->> 'label' = ${next(filter.label)}::text`);
  if (filter.personId !== undefined)
    conditions.push(`(data ->> 'personId')::bigint = ${next(filter.personId)}::bigint`);
  if (filter.operation !== undefined)
    conditions.push(`data ->> 'route' = ${next(filter.operation.toLowerCase())}::text`);
  if (filter.errorCode !== undefined) conditions.push(`${errorCode} = ${next(filter.errorCode)}::text`);
  if (filter.cause !== undefined) conditions.push(`${causeOf(filter)} = ${next(filter.cause)}::text`);
  if (filter.deadBefore !== undefined) conditions.push(`created_on < ${next(filter.deadBefore)}::timestamptz`);
  if (filter.discardId !== undefined) conditions.push(`output ->> 'discardId' = ${next(filter.discardId)}::text`);
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

/** A dead letter: the id of its row, and that of its message. */
export interface DeadLetter {
  readonly id: string;
  readonly messageid: string;
}

/** Returns how many dead letters match a filter, at most its size. */
export async function countDeadLetters(db: Db, filter: QueueFilter, queues: readonly string[]): Promise<number> {
  const { where, values } = conditionsOf({ ...filter, state: 'dead' }, queues);
  const [row] = await db.query<{ count: number }>(
    `select count(*)::integer as count
     from (
       select
       from pgboss.job
       where ${where}
       limit $${values.push(filter.size)}::integer) of`,
    values,
  );
  return row?.count ?? 0;
}

/** Locks the dead letters that match a filter, and returns them oldest first. Concurrent calls get different ones. */
export function lockDeadLetters(db: Db, filter: QueueFilter, queues: readonly string[]): Promise<DeadLetter[]> {
  const { where, values } = conditionsOf({ ...filter, state: 'dead' }, queues);
  return db.query<DeadLetter>(
    `select id, data ->> 'messageId' as messageid
     from pgboss.job
     where ${where} and state < 'active'
     order by created_on
     limit $${values.push(filter.size)}::integer
     for update skip locked`,
    values,
  );
}

/** The causes of dead letters, with their latest texts still sealed. */
export type DeadLetterCauseRow = Omit<DeadLetterCause, 'ErrorMessage'> & {
  readonly sealed: string | null;
  readonly looked: number;
};

/** Most dead letters that are grouped by cause: the latest. */
const GROUPED_MAX = 10_000;

/** Returns the causes of the latest dead letters, the most recent first, each with how many were looked at in all. */
export function selectDeadLetterCauses(db: Db, size: number): Promise<DeadLetterCauseRow[]> {
  return db.query<DeadLetterCauseRow>(
    `with letters as materialized (
       select id, created_on, source_name, data ->> 'route' as route, source_output ->> 'cause' as cause,
         coalesce(source_output ->> 'code', case when source_output is not null then '${INTERRUPTED}' end) as code
       from pgboss.job
       where name = '${DEAD_LETTERS}' and state < 'active' and not blocked
       order by created_on desc
       limit ${GROUPED_MAX}),
     causes as (
       select route, code, cause, count(*)::integer as count, min(created_on) as first, max(created_on) as last,
         string_agg(distinct source_name, ', ') as queues, (array_agg(id order by created_on desc, id))[1] as latest
       from letters
       group by route, code, cause
       order by last desc, latest
       limit $1::integer)
     select c.route as "Operation", c.code as "ErrorCode", c.cause as "Cause", c.count as "Count",
       c.first as "FirstDate", c.last as "LastDate", c.queues as "QueueNames",
       j.data ->> 'messageId' as "QueueMessageID", j.source_output ->> 'sealed' as sealed,
       (select count(*)::integer from letters) as looked
     from causes c
     join pgboss.job j on j.name = '${DEAD_LETTERS}' and j.id = c.latest
     order by c.last desc, c.latest`,
    [size],
  );
}

/** Makes discarded messages dead letters again. Returns the ids of their messages. */
export async function restoreDiscarded(db: Db, filter: QueueFilter, queues: readonly string[]): Promise<string[]> {
  const { where, values } = conditionsOf({ ...filter, state: 'discarded' }, queues);
  const rows = await db.query<{ messageid: string }>(
    `with chosen as materialized (
       select name, id
       from pgboss.job
       where ${where} and state = 'cancelled'
       order by created_on
       limit $${values.push(filter.size)}::integer
       for update skip locked)
     update pgboss.job
     set state = 'created', completed_on = null, output = null
     where (name, id) in (table chosen)
     returning data ->> 'messageId' as messageid`,
    values,
  );
  return rows.map(({ messageid }) => messageid);
}

/**
 * Returns the states of messages that were put back into their queues. `failing`: at least one attempt has failed,
 * and another follows.
 */
export function selectOutcomes(db: Db, ids: readonly string[]): Promise<MessageOutcome[]> {
  return db.query<MessageOutcome>(
    `select m.id,
       case when j.state is null then 'gone'
         when j.name = '${DEAD_LETTERS}' then case when j.state < 'active' then 'dead' else 'ended' end
         when j.state = 'completed' then 'completed'
         when j.state > 'active' then 'ended'
         when j.output is not null then 'failing'
         else 'waiting' end as state
     from unnest($1::uuid[]) m (id)
     left join lateral (
       select name, state, output
       from pgboss.job j
       where j.source_root_id = m.id and not (j.state = 'failed' and j.name <> '${DEAD_LETTERS}')
       order by created_on desc
       limit 1) j on true`,
    [arrayLiteral(ids)],
  );
}

/** Ends dead letters, which stay to be looked up for some days. Returns the ids of their messages. */
export async function discardDeadLetters(
  db: Db,
  { ids, note, days }: { readonly ids: readonly string[]; readonly note: DiscardNote; readonly days: number },
): Promise<string[]> {
  const rows = await db.query<{ messageid: string }>(
    `update pgboss.job
     set state = 'cancelled', completed_on = now(), deletion_seconds = $2::integer * 86400, output = $3::jsonb
     where name = '${DEAD_LETTERS}' and id = any($1::uuid[]) and state < 'active'
     returning data ->> 'messageId' as messageid`,
    [arrayLiteral(ids), days, JSON.stringify(note)],
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

/** Lets jobs end without a dead letter. The library has no option for it: a job without one gets its queue's. */
export async function removeDeadLetterQueue(db: Db, name: string, ids: readonly string[]): Promise<void> {
  await db.query('update pgboss.job set dead_letter = null where name = $1::text and id = any($2::uuid[])', [
    name,
    arrayLiteral(ids),
  ]);
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

/** Most calls that are looked at in one statement to find those of paused operations; workers repeat it. */
const BLOCKED_MAX = 5_000;

/**
 * Blocks those of a queue's next calls whose operation is paused, so that no worker claims them. It shares a lock on
 * the pauses: one that ends waits for this, and then releases what was blocked here.
 */
export async function blockPausedCalls(db: Db, name: string): Promise<void> {
  await db.query(
    `with paused as materialized (
       select operation
       from queuepause
       where queuename = $1::text
       for key share),
     next as (
       select id, data ->> 'route' as route
       from pgboss.job
       where name = $1::text and state < 'active' and not blocked and start_after <= now()
       order by priority desc, created_on
       limit ${BLOCKED_MAX}),
     held as (
       select j.id
       from next n
       join paused p on p.operation = n.route
       join pgboss.job j on j.name = $1::text and j.id = n.id and j.state < 'active'
       for update of j skip locked)
     update pgboss.job j
     set blocked = true
     from held
     where j.name = $1::text and j.id = held.id and j.state < 'active'`,
    [name],
  );
}

/** Lets calls run again whose operation is not paused any more, the oldest first. Returns how many. */
export async function releaseCalls(db: Db, size: number): Promise<number> {
  const [row] = await db.query<{ released: number }>(
    `with held as (
       select name, id
       from pgboss.job j
       where blocked and state < 'active'
         and not exists (
           select from queuepause p where p.queuename = j.name and p.operation = j.data ->> 'route')
       order by created_on
       limit $1::integer
       for update skip locked),
     released as (
       update pgboss.job j
       set blocked = false
       from held
       where j.name = held.name and j.id = held.id
       returning 1)
     select count(*)::integer as released from released`,
    [size],
  );
  return row?.released ?? 0;
}

/** Returns how many calls are blocked, by queue and operation; at most {@link COUNTED_MAX} are counted in all. */
export function countPausedCalls(
  db: Db,
): Promise<{ readonly name: string; readonly operation: string; readonly waiting: number }[]> {
  return db.query<{ name: string; operation: string; waiting: number }>(
    `select name, route as operation, count(*)::integer as waiting
     from (
       select name, data ->> 'route' as route
       from pgboss.job
       where blocked and state < 'active'
       limit ${COUNTED_MAX}) j
     group by name, route`,
  );
}

/** A condition on rows of `idempotency`: neither a job nor a dead letter of the row's message is left. */
export const messageIsGone = `not exists (
      select from pgboss.queue q
      join pgboss.job j on j.name = q.name and j.id = idempotency.messageid)
    and not exists (select from pgboss.job j where j.source_root_id = idempotency.messageid)`;
