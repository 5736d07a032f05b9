import type { Row } from '../../../../kernel/door/answer.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import type { Parameters } from '../../../../kernel/parameters/parameters.ts';
import { saveFromParameters } from '../../../../kernel/records/save/save.ts';
import { updateRow } from '../../../../kernel/records/save/update-row.ts';
import { MergeData } from '../../../../lib/merge/merge-data.ts';
import { gatherRecipients, warnMissing, type RecipientParameters } from '../../lib/recipients/gather-recipients.ts';
import { recipientKinds, type Recipient } from '../../lib/recipients/recipient.ts';
import { addRecipients, removeRecipients } from '../../lib/recipients/stored-recipients.ts';
import { threadOf } from '../../lib/sending/decide-message.ts';
import { kindOfStored } from '../../lib/sending/stored-kind.ts';
import { linkDocuments } from '../../lib/sending/message-documents.ts';
import type { message } from '../message.record.ts';

/** The parameters of a save besides the fields of the message. */
export interface DraftParameters extends RecipientParameters {
  readonly AttachmentID?: readonly number[] | null;
}

/**
 * Saves a message with the recipients and documents that a call names. Recipients of one kind replace those that the
 * draft has of it.
 *
 * @throws STATE_REFUSES for recipients of a message that was sent or received
 */
export async function saveDraft(
  ctx: Context<typeof message>,
  params: DraftParameters,
  fields: Parameters,
): Promise<{ readonly row: Row<typeof message> }> {
  const saved = await saveFromParameters(ctx, fields, 'save');
  const { id } = saved;
  let { row } = saved;
  if (saved.change === 'insert') row = await noteThread(ctx, row);
  const sentKinds = recipientKinds.filter((kind) => isSent(params[kind]) || isSent(params[`${kind}Address`]));
  const named = recipientKinds.some((kind) => isSent(params[`${kind}Method`]));
  if (sentKinds.length > 0 || named) {
    assertNotSent(row);
    const found = await gatherRecipients(ctx, {
      message: kindOfStored(row.MessageType),
      sent: params,
      template: undefined,
      data: new MergeData(ctx, { values: {}, parent: undefined, method: null }),
    });
    warnMissing(ctx, found);
    row = await replaceRecipients(ctx, row, sentKinds, found.recipients);
  }
  await linkDocuments(ctx, id, params.AttachmentID ?? []);
  return { row };
}

async function noteThread(ctx: Context<typeof message>, row: Row<typeof message>): Promise<Row<typeof message>> {
  const ThreadID = await threadOf(ctx, row.MessageID, row.ParentMessageID);
  await updateRow(ctx, ctx.record, row.MessageID, { ThreadID });
  return { ...row, ThreadID };
}

async function replaceRecipients(
  ctx: Context<typeof message>,
  row: Row<typeof message>,
  kinds: readonly Recipient['kind'][],
  recipients: readonly Recipient[],
): Promise<Row<typeof message>> {
  await removeRecipients(ctx, row.MessageID, kinds);
  await addRecipients(ctx, row.MessageID, recipients);
  await updateRow(ctx, ctx.record, row.MessageID, { Status: 'Draft' });
  return { ...row, Status: 'Draft' };
}

/** An empty text removes the recipients of its kind; a parameter that is not sent changes nothing. */
function isSent(text: string | null | undefined): boolean {
  return text !== undefined && text !== null;
}

function assertNotSent({ MessageID, InternetMessageID, MailInboundID }: Row<typeof message>): void {
  if (InternetMessageID === null && MailInboundID === null) return;
  const what = MailInboundID === null ? 'was sent' : 'was received';
  throw new PlatformError('STATE_REFUSES', {
    field: 'To',
    message:
      `To: Message ${MessageID} ${what}, so its recipients cannot be changed; send it to others with ` +
      'message/send, which takes its ID and new addresses.',
  });
}
