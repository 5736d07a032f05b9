import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { bad } from '../../../../kernel/parameters/parse-value.ts';
import { mailMegabytesMax } from '../settings.ts';
import { parseAddresses, parseHeaders } from './addresses.ts';
import { attachedDocuments, type MailContent } from './mail-content.ts';

/** Most documents of one mail. */
const ATTACHMENTS_MAX = 50;
const MEGABYTE = 1024 * 1024;

/** What a caller sends to post a mail. */
interface ContentParameters {
  readonly FromAddress?: string | null;
  readonly FromName?: string | null;
  readonly ReplyTo?: string | null;
  readonly To?: string | null;
  readonly Cc?: string | null;
  readonly Bcc?: string | null;
  readonly Subject: string;
  readonly BodyText?: string | null;
  readonly BodyHTML?: string | null;
  readonly Headers?: string | null;
  readonly AttachmentID?: readonly number[] | null;
}

/**
 * Returns the mail that parameters describe; its documents are read as the caller.
 * @throws MISSING_PARAMETER without a body; BAD_PARAMETER for addresses or headers; TOO_LARGE over the setting
 * MailMegabytesMax
 */
export async function contentFromParameters(
  ctx: Context,
  {
    FromAddress,
    FromName,
    ReplyTo,
    To,
    Cc,
    Bcc,
    Subject,
    BodyText,
    BodyHTML,
    Headers,
    AttachmentID,
  }: ContentParameters,
): Promise<MailContent> {
  if (!BodyText && !BodyHTML)
    throw new PlatformError('MISSING_PARAMETER', {
      field: 'BodyText',
      message: 'BodyText or BodyHTML is required.',
    });
  const attachmentIds = [...new Set(AttachmentID ?? [])];
  const content: MailContent = {
    from: { ...(FromAddress ? { address: FromAddress } : {}), ...(FromName ? { name: FromName } : {}) },
    replyTo: parseAddresses(ReplyTo, 'ReplyTo'),
    to: parseAddresses(To, 'To'),
    cc: parseAddresses(Cc, 'Cc'),
    bcc: parseAddresses(Bcc, 'Bcc'),
    subject: Subject,
    ...(BodyText ? { text: BodyText } : {}),
    ...(BodyHTML ? { html: BodyHTML } : {}),
    headers: parseHeaders(Headers),
    attachmentIds,
  };
  await checkMailSize(ctx, content);
  return content;
}

/**
 * Checks the documents of a mail, which are read as the caller, and its size.
 * @throws NOT_FOUND, STATE_REFUSES for a sealed document, BAD_PARAMETER for too many, TOO_LARGE over MailMegabytesMax
 */
export async function checkMailSize(
  ctx: Context,
  { attachmentIds, text = '', html = '' }: Pick<MailContent, 'attachmentIds' | 'text' | 'html'>,
): Promise<void> {
  if (attachmentIds.length > ATTACHMENTS_MAX) throw bad('AttachmentID', `at most ${ATTACHMENTS_MAX} documents`);
  const documents = await attachedDocuments(ctx, attachmentIds);
  const bytes =
    documents.reduce((sum, { size }) => sum + Math.ceil((size * 4) / 3), 0) +
    Buffer.byteLength(text) +
    Buffer.byteLength(html);
  const megabytes = ctx.settings.get(mailMegabytesMax);
  if (bytes > megabytes * MEGABYTE)
    throw new PlatformError('TOO_LARGE', {
      field: 'AttachmentID',
      message:
        `AttachmentID: the email with its documents has ${Math.ceil(bytes / MEGABYTE)} MB; ` +
        `expected at most ${megabytes} MB (setting MailMegabytesMax).`,
    });
}
