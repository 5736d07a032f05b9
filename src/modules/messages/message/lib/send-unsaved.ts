import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import type { Parameters } from '../../../../kernel/parameters/parameters.ts';
import type { Recipient, RecipientKind } from '../../lib/recipients/recipient.ts';
import { composeMessage, type Composition } from '../../lib/sending/compose-message.ts';
import { warnComposed } from '../../lib/sending/compose-warnings.ts';
import { generatedDocuments } from '../../lib/sending/decide-message.ts';
import type { MessageDraft } from '../../lib/sending/message-draft.ts';
import type { message } from '../message.record.ts';
import { assertValuesUsed } from './merge-values.ts';

/** What message/send returns. */
export interface Sending {
  readonly MessageID: number | null;
  readonly MailDeliveryID: number | null;
  readonly Recipients: number;
  readonly Status: string | null;
}

/**
 * Writes a mail and sends it without saving a message.
 * @throws STATE_REFUSES for a message that needs a record of its own, UNKNOWN_PARAMETER for a value that nothing uses
 */
export async function sendUnsaved(
  ctx: Context<typeof message>,
  sent: Composition,
  values: Parameters,
): Promise<Sending> {
  const composed = await composeMessage(ctx, sent, { values });
  assertValuesUsed(composed);
  const { draft } = composed;
  assertNeedsNoRecord(draft);
  const receivers = draft.recipients.filter(({ kind }) => kind !== 'ReplyTo').length;
  if (receivers === 0)
    throw new PlatformError('MISSING_PARAMETER', {
      field: 'To',
      message: 'To: the message has no recipient with an address; send at least one address.',
    });
  warnComposed(ctx, composed, receivers);
  const documents = [...draft.attachmentIds, ...(await generatedDocuments(ctx, draft))];
  const { row } = await ctx.call('maildelivery/post', {
    ...contentOf(draft),
    To: listOf(draft, 'To'),
    Cc: listOf(draft, 'Cc'),
    Bcc: listOf(draft, 'Bcc'),
    ReplyTo: listOf(draft, 'ReplyTo'),
    Purpose: 'Message',
    ...(documents.length === 0 ? {} : { AttachmentID: documents }),
    ...(draft.provider === null ? {} : { Provider: draft.provider }),
  });
  return { MessageID: null, MailDeliveryID: row.MailDeliveryID, Recipients: receivers, Status: row.Status };
}

function contentOf({ values }: MessageDraft) {
  const { Object: className, ObjectID, Message, BodyText, BodyHTML, FromAddress, FromName } = values;
  const isOnlySubject = (BodyText ?? '') === '' && (BodyHTML ?? '') === '';
  return {
    Subject: Message ?? '',
    BodyText: isOnlySubject ? (Message ?? '') : (BodyText ?? null),
    BodyHTML: BodyHTML ?? null,
    FromAddress: FromAddress ?? null,
    FromName: FromName ?? null,
    ...(typeof className === 'string' && typeof ObjectID === 'number' ? { Object: className, ObjectID } : {}),
  };
}

/** Texts, notes, secure messages and bulk mail have an outcome, a link or a reader for each recipient. */
function assertNeedsNoRecord({ kind, values, isBulk }: MessageDraft): void {
  const reasons = [
    ...(kind === 'Email' ? [] : [`a message of type ${kind}`]),
    ...(values.SecureDelivery === true ? ['a secure message'] : []),
    ...(isBulk ? ['bulk mail'] : []),
  ];
  const [refused] = reasons;
  if (refused === undefined) return;
  throw new PlatformError('STATE_REFUSES', {
    field: 'MessageType',
    message: `MessageType: ${refused} cannot be sent without being saved; use message/generate.`,
  });
}

function listOf({ recipients }: MessageDraft, kind: RecipientKind): string {
  return recipients
    .filter((recipient) => recipient.kind === kind)
    .map(addressText)
    .join(', ');
}

function addressText({ address, name }: Recipient): string {
  return name === null ? address : `"${name.replace(/["\\]/g, '\\$&')}" <${address}>`;
}
