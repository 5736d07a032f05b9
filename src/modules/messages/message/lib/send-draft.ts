import type { Row } from '../../../../kernel/door/answer.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { storedRecipients, type StoredRecipient } from '../../lib/recipients/stored-recipients.ts';
import { messageFiles } from '../../lib/reading/message-files.ts';
import { namedTemplate } from '../../lib/sending/choose-template.ts';
import { assertMaySendAs } from '../../lib/sending/assert-sender.ts';
import { sendStored } from '../../lib/sending/send-stored.ts';
import { kindOfStored } from '../../lib/sending/stored-kind.ts';
import type { message } from '../message.record.ts';

/** Who gets a stored message, and by which mail server. */
interface DraftSending {
  readonly provider?: string | null | undefined;
  /** Those who get it; by default all active recipients of the message. */
  readonly recipients?: readonly StoredRecipient[];
}

/**
 * Sends a stored message: a new decision, also if it was sent before. Returns to how many recipients.
 * @throws STATE_REFUSES for a received message; MISSING_PARAMETER without an active recipient; NO_PERMISSION for the
 * address of another sender
 */
export async function sendDraft(
  ctx: Context<typeof message>,
  row: Row<typeof message>,
  { provider, recipients }: DraftSending,
): Promise<number> {
  if (row.MailInboundID !== null)
    throw new PlatformError('STATE_REFUSES', {
      field: 'ID',
      message: `ID: Message ${row.MessageID} was received and cannot be sent. Answer it with a new message.`,
    });
  const template = await namedTemplate(ctx, { MessageTemplateID: row.MessageTemplateID, parentClass: undefined });
  if (row.FromAddress !== template?.FromAddress) await assertMaySendAs(ctx, row.FromAddress);
  const { sent } = await sendStored(ctx, row, recipients ?? (await storedRecipients(ctx, row.MessageID)), {
    kind: kindOfStored(row.MessageType),
    provider: provider ?? template?.Provider ?? null,
    isBulk: template?.IsBulk === true,
    attachmentIds: (await messageFiles(ctx.db, [row.MessageID])).map(({ id }) => id),
  });
  if (sent === 0)
    throw new PlatformError('MISSING_PARAMETER', {
      field: 'To',
      message: `To: Message ${row.MessageID} has no active recipient; send at least one address.`,
    });
  return sent;
}
