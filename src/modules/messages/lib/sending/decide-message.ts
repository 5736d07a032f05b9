import type { Context } from '../../../../kernel/door/context.ts';
import type { Row } from '../../../../kernel/door/answer.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { planColumns } from '../../../../kernel/records/save/plan.ts';
import { saveRecord } from '../../../../kernel/records/save/save-record.ts';
import { updateRow } from '../../../../kernel/records/save/update-row.ts';
import { readRecord } from '../../../../kernel/records/search/read.ts';
import { generateWithin } from '../../../documents/public/document-data.ts';
import type { message } from '../../message/message.record.ts';
import { addRecipients, type StoredRecipient } from '../recipients/stored-recipients.ts';
import { linkDocuments } from './message-documents.ts';
import type { MessageDraft } from './message-draft.ts';
import { sendStored, type SendingOptions } from './send-stored.ts';

/** A message that was decided. */
export interface DecidedMessage {
  readonly row: Row<typeof message>;
  /** How many recipients it is sent to. */
  readonly sent: number;
}

/**
 * Stores a message with its recipients and documents, and decides to send it to them: all in the caller's transaction,
 * so that it is sent once if that commits and not at all otherwise. Without recipients it is only stored.
 *
 * @throws BAD_PARAMETER if nobody could send it; NOT_FOUND, STATE_REFUSES or TOO_LARGE for its documents
 */
export async function decideMessage(
  ctx: Context,
  draft: MessageDraft,
  options: SendingOptions = {},
): Promise<DecidedMessage> {
  const { row, recipients, attachmentIds } = await storeMessage(ctx, draft);
  const { sent } = await sendStored(ctx, row, recipients, {
    attachmentIds,
    kind: draft.kind,
    provider: draft.provider,
    isBulk: draft.isBulk,
    ...options,
  });
  return { row: await readRecord(ctx.db, ctx.registry.recordType('Message'), row.MessageID), sent };
}

/** A stored message with what is sent with it. */
interface StoredMessage {
  readonly row: Row<typeof message>;
  readonly recipients: readonly StoredRecipient[];
  readonly attachmentIds: readonly number[];
}

/** Stores a message with its recipients and documents, without sending it. */
async function storeMessage(ctx: Context, draft: MessageDraft): Promise<StoredMessage> {
  const record = ctx.registry.recordType('Message');
  const values = Object.fromEntries(
    Object.entries(draft.values).filter(([, value]) => value !== null),
  ) as MessageDraft['values'];
  const { row, id } = await saveRecord(ctx, planColumns(record, values), 'save');
  const threadId = await threadOf(ctx, id, draft.values.ParentMessageID);
  await updateRow(ctx, record, id, {
    ThreadID: threadId,
    ...(draft.recipients.length > 0 && draft.kind !== 'Note' ? { Status: 'Draft' } : {}),
  });
  const recipients = await addRecipients(ctx, id, draft.recipients);
  const attachmentIds = [...draft.attachmentIds, ...(await generatedDocuments(ctx, draft))];
  await linkDocuments(ctx, id, attachmentIds);
  return { row: { ...row, ThreadID: threadId }, recipients, attachmentIds };
}

/** Returns the first message of the conversation: that of the message replied to, or the message itself. */
export async function threadOf(ctx: Context, id: number, repliedId: number | null | undefined): Promise<number> {
  if (typeof repliedId !== 'number') return id;
  const [replied] = await ctx.db.query<{ thread: number }>(
    'select coalesce(threadid, messageid) as thread from message where messageid = $1::bigint',
    [repliedId],
  );
  return replied?.thread ?? id;
}

/** Generates the documents that a message's template attaches, on its record. Returns their ids. */
export async function generatedDocuments(ctx: Context, { documentTypes, values }: MessageDraft): Promise<number[]> {
  const { Object: className, ObjectID: id } = values;
  if (documentTypes.length === 0) return [];
  if (typeof className !== 'string' || typeof id !== 'number')
    throw new PlatformError('MISSING_PARAMETER', {
      field: 'ObjectID',
      message: 'ObjectID: the template attaches documents, which are generated for a record; send Object and ObjectID.',
    });
  const parent = { record: ctx.registry.requireRecord(className, 'Object'), id };
  const ids: number[] = [];
  for (const typeName of documentTypes)
    ids.push(await generateWithin(ctx, { typeName, field: 'AttachmentTemplates', parent }));
  return ids;
}
