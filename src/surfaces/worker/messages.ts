import type { Cipher } from '../../kernel/security/cipher.ts';
import type { QueueFilter, QueueMessage } from '../../kernel/ports/queue.ts';
import { arrayLiteral, type Db } from '../../kernel/database/store.ts';
import { openFailure } from './envelope.ts';

/** Where failed calls end, to be looked at and queued again. */
export const DEAD_LETTERS = 'DeadLetters';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Ids that can be ids of messages; the others name none. */
export function messageIdsIn(ids: readonly string[]): string[] {
  return ids.filter((id) => UUID.test(id)).map((id) => id.toLowerCase());
}

/** The code of an attempt whose worker ended without a word; pg-boss writes no code of ours there. */
const INTERRUPTED = 'INTERRUPTED';

/**
 * A message goes through several rows: the job, its failed remains, the dead letter, the job that was queued again. The
 * failed remains always have a dead letter beside them and are left out. A dead letter keeps what it came from in source_*.
 */
const dead = `name = '${DEAD_LETTERS}'`;
const output = `case when ${dead} then source_output else output end`;
const columns = `data ->> 'messageId' as "QueueMessageID", case when ${dead} then source_name else name end as "QueueName",
  case when ${dead} then 'dead' else state::text end as "State", data ->> 'route' as "Operation", (data ->> 'personId')::bigint as "PersonID",
  data ->> 'label' as "QueueLabel", data ->> 'scheduleName' as "ScheduleName", data ->> 'scheduleId' as "ScheduleID",
  case when ${dead} then source_retry_count + 1 when started_on is null then 0 else retry_count + 1 end as "Attempts",
  case when ${dead} then source_created_on else created_on end as "QueuedDate", start_after as "StartAfter",
  case when ${dead} then created_on else completed_on end as "CompletedDate",
  coalesce((${output}) ->> 'code', case when (${output}) is not null then '${INTERRUPTED}' end) as "ErrorCode", (${output}) ->> 'sealed' as sealed`;

type MessageRow = Omit<QueueMessage, 'ErrorMessage' | 'alerts'> & { readonly sealed: string | null };

/** The conditions of a filter with their parameters; `queues` are all that the database has. */
function conditionsOf(
  filter: QueueFilter,
  queues: readonly string[],
): { readonly where: string; readonly values: unknown[] } {
  const values: unknown[] = [];
  const next = (value: unknown): string => `$${values.push(value)}`;
  const conditions = [`not (state = 'failed' and not ${dead})`];
  if (filter.ids) {
    const ids = next(arrayLiteral(messageIdsIn(filter.ids)));
    // Both ways are indexes: the first job bears the message's id, what came after it names that as its root.
    conditions.push(
      `((name = any(${next(arrayLiteral(queues))}::text[]) and id = any(${ids}::uuid[])) or source_root_id = any(${ids}::uuid[]))`,
    );
  }
  if (filter.queueName !== undefined)
    conditions.push(`case when ${dead} then source_name else name end = ${next(filter.queueName)}::text`);
  if (filter.state === 'dead') conditions.push(dead);
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

/** The messages of a filter, the latest first. */
export async function findMessages(
  db: Db,
  cipher: Cipher,
  filter: QueueFilter,
  queues: readonly string[],
): Promise<QueueMessage[]> {
  const { where, values } = conditionsOf(filter, queues);
  const order = filter.scheduled ? 'start_after, id' : 'created_on desc, id';
  const rows = await db.query<MessageRow>(
    `select ${columns} from pgboss.job where ${where} order by ${order} limit $${values.push(filter.size)}::integer offset $${values.push(filter.start)}::integer`,
    values,
  );
  return rows.map(({ sealed, ...row }) => {
    const failure = sealed === null ? undefined : openFailure(cipher, sealed);
    const interrupted =
      row.ErrorCode === INTERRUPTED
        ? 'The process that ran the call ended, or took too long, before it was done.'
        : null;
    return { ...row, ErrorMessage: failure?.message ?? interrupted, alerts: failure?.alerts ?? [] };
  });
}

/** The dead letters of a filter, the oldest first, locked so that two callers do not put back the same ones. */
export async function deadLettersOf(db: Db, filter: QueueFilter, queues: readonly string[]): Promise<string[]> {
  const { where, values } = conditionsOf({ ...filter, state: 'dead' }, queues);
  const rows = await db.query<{ id: string }>(
    `select id from pgboss.job where ${where} and state < 'active' order by created_on limit $${values.push(filter.size)}::integer for update skip locked`,
    values,
  );
  return rows.map((row) => row.id);
}
