import { storedAnswerBody } from '../../../../kernel/door/idempotency.ts';
import type { Cipher } from '../../../../kernel/security/cipher.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError, type Alert } from '../../../../kernel/door/errors.ts';
import { f, required } from '../../../../kernel/declare/field.ts';
import type { QueueFilter, QueueMessage } from '../../../../kernel/ports/queue.ts';
import { defined } from '../../../../kernel/parameters/defined.ts';
import type { Db } from '../../../../kernel/database/store.ts';
import { subjectOf, type Subject } from './subject.ts';
import { notFoundText } from '../../../../kernel/records/search/read.ts';

/** Stands for the cause of failures that have none, such as calls whose process ended. */
export const NO_CAUSE = 'none';

/** Answer fields of a queued call. */
export const messageFields = {
  QueueMessageID: f.text({ doc: 'The ID of the message.' }),
  QueueName: f.text({ doc: 'Its queue.' }),
  State: f.text({ doc: 'created, retry, paused, active, completed, cancelled, dead or discarded.' }),
  Operation: f.text({ doc: 'The operation to call.' }),
  PersonID: f.id({ doc: 'As whom.' }),
  QueueLabel: f.text({ doc: 'Its label.' }),
  Object: f.text({ doc: 'The record type that the call is about, if it names one record.' }),
  ObjectID: f.id({ doc: 'That record.' }),
  ScheduleName: f.text({ doc: 'The schedule on which it recurs.' }),
  ScheduleID: f.text({ doc: 'The first message of the recurring call that it belongs to.' }),
  Attempts: f.integer({ doc: 'How many attempts were made.' }),
  QueuedDate: f.timestamp({ doc: 'When it was queued.' }),
  StartAfter: f.timestamp({ doc: 'The earliest time of the next attempt.' }),
  CompletedDate: f.timestamp({ doc: 'When it ended.' }),
  ErrorCode: f.text({
    doc: 'The code of the last failure, INTERRUPTED if its process ended before it was done, or OK.',
  }),
  ErrorMessage: f.text({ doc: 'The message of the last failure.' }),
  Cause: required(
    f.text({
      doc: 'A hash that failures of one cause share: their texts differ only in IDs, numbers and quotes.',
    }),
  ),
  CorrelationID: f.text({ doc: 'The name of the call in logs.' }),
};

/** Parameters that filter messages. */
export const messageFilters = {
  QueueName: f.text({ doc: 'Only messages of this queue.', max: 100 }),
  QueueLabel: f.text({ doc: 'Only messages with this label.', max: 100 }),
  Operation: f.text({ doc: 'Only calls of this operation, as `module/operation`.', max: 200 }),
  PersonID: f.id({ doc: 'Only messages of this user.' }),
  ErrorCode: f.text({ doc: 'Only messages whose last failure had this code.', max: 50 }),
  Cause: f.text({
    doc: 'Only messages whose last failure had this cause, as queue/causes lists it; `none` without one.',
    max: 32,
  }),
};

interface MessageFilters {
  readonly QueueName?: string | null | undefined;
  readonly QueueLabel?: string | null | undefined;
  readonly Operation?: string | null | undefined;
  readonly PersonID?: number | null | undefined;
  readonly ErrorCode?: string | null | undefined;
  readonly Cause?: string | null | undefined;
}

/**
 * Returns the filter sent, limited to what the caller may see: all messages with universal access and the permission
 * QueueSearch, else the caller's own.
 */
export function messageFilter(ctx: Context, sent: MessageFilters): Omit<QueueFilter, 'start' | 'size'> {
  const all = ctx.user.universal && ctx.user.permissions.has('QueueSearch');
  const { personId } = ctx.user;
  if (!all && sent.PersonID && sent.PersonID !== personId)
    throw new PlatformError('NO_PERMISSION', {
      field: 'PersonID',
      message: 'PersonID: you can see only your own messages.',
    });
  return {
    ...(sent.QueueName ? { queueName: ctx.queue.queueOf(sent.QueueName) } : {}),
    ...(sent.QueueLabel ? { label: sent.QueueLabel } : {}),
    ...(sent.Operation ? { operation: sent.Operation } : {}),
    ...(sent.ErrorCode ? { errorCode: sent.ErrorCode } : {}),
    ...(sent.Cause ? { cause: causeText(sent.Cause) } : {}),
    ...(all ? defined({ personId: sent.PersonID ?? undefined }) : { personId }),
  };
}

/** Returns a cause as the queue's filter takes it. */
export function causeText(cause: string): string {
  const text = cause.toLowerCase();
  return text === NO_CAUSE ? '' : text;
}

/** A message as an answer shows it. */
type MessageRow = Omit<QueueMessage, 'Cause'> & Subject & { readonly Cause: string };

/** Returns a message as an answer shows it. */
export function messageRow(ctx: Pick<Context, 'registry'>, message: QueueMessage): MessageRow {
  return { ...message, Cause: message.Cause ?? NO_CAUSE, ...subjectOf(ctx, message) };
}

/** Runs a query on the queue's tables, which are closed to firms' users; the filter limits what they see. */
export function withQueueAccess<T>(ctx: Context, run: (db: Db) => Promise<T>): Promise<T> {
  if (ctx.user.universal) return run(ctx.db);
  return ctx.operation.effect === 'write'
    ? ctx.transaction().elevated(run)
    : ctx.inTransaction((own) => own.transaction().elevated(run));
}

/** Returns the messages that match a filter. */
export function findMessages(ctx: Context, filter: QueueFilter): Promise<readonly QueueMessage[]> {
  return withQueueAccess(ctx, (db) => ctx.queue.find(db, filter));
}

/** Returns the messages with these ids, each once. Throws NOT_FOUND for an id that the caller may not see. */
export async function requireMessages(ctx: Context, ids: readonly string[]): Promise<readonly QueueMessage[]> {
  const requestedIds = [...new Set(ids.map((id) => id.toLowerCase()))];
  const found = new Map(
    (await findMessages(ctx, { ...messageFilter(ctx, {}), ids: requestedIds, start: 0, size: requestedIds.length * 4 }))
      .toReversed()
      .map((m) => [m.QueueMessageID, m]),
  );
  for (const id of requestedIds)
    if (!found.has(id))
      throw new PlatformError('NOT_FOUND', {
        field: 'ID',
        message: `ID: ${notFoundText({ name: 'Queued message' }, id.slice(0, 36))}`,
      });
  return [...found.values()];
}

/** Returns the stored answer of a message's call, or null if there is none (yet, or any more). */
export function storedResult(db: Db, cipher: Cipher, message: QueueMessage): Promise<string | null> {
  return storedAnswerBody(db, cipher, message.PersonID, `queue ${message.QueueMessageID}`);
}

/** Returns the warnings of a stored answer. */
export function alertsOf(result: string | null): Alert[] {
  if (result === null) return [];
  const { Alerts = [] } = JSON.parse(result) as { Alerts?: readonly { Code: string; Text: string; ID?: number }[] };
  return Alerts.map((a) => ({ code: a.Code, text: a.Text, ...(a.ID === undefined ? {} : { id: a.ID }) }));
}
