import { createHash } from 'node:crypto';
import { recipientsOf } from '../../../contracts/mail-validation.ts';
import { base64 } from '../../../lib/sending/base64.ts';
import type { MailAddress, MailAttachment, OutboundMail } from '../../../contracts/mail-outbound.ts';

interface JsonAddress {
  readonly email: string;
  readonly name?: string;
}

/**
 * Returns a mail as the JSON document that is posted. Files are read, encoded and handed on piece by piece: never is
 * more than one piece in memory. The document's last byte is a piece of its own, so that whoever has not read to the
 * end knows that the service has no complete document.
 */
export async function* mailJson(mail: OutboundMail): AsyncGenerator<Uint8Array> {
  yield Buffer.from(JSON.stringify(headOf(mail)).slice(0, -1));
  const { attachments = [] } = mail;
  for (const [n, attachment] of attachments.entries()) {
    yield Buffer.from(`${n === 0 ? ',"attachments":[' : ','}${attachmentHead(attachment)}`);
    yield* base64(attachment.open());
    yield Buffer.from('"}');
  }
  yield Buffer.from(attachments.length === 0 ? '}' : ']}');
}

/** Returns the bytes of a mail's JSON document if they are known before it is read: without attachments. */
export function mailJsonBytes(mail: OutboundMail): number | undefined {
  return (mail.attachments ?? []).length === 0 ? Buffer.byteLength(JSON.stringify(headOf(mail))) : undefined;
}

/**
 * Returns the key by which a service recognizes a repeated attempt: the same for the same mail to the same recipients.
 * An attempt for some of them is another request, which the service must not answer from the first one.
 */
export function idempotencyKey(mail: OutboundMail): string {
  const recipients = recipientsOf(mail)
    .map((address) => address.toLowerCase())
    .sort();
  return createHash('sha256')
    .update([mail.messageId, ...recipients].join('\n'))
    .digest('hex');
}

function headOf(mail: OutboundMail): object {
  const { from, returnPath, replyTo = [], to, cc = [], bcc = [], subject, text, html } = mail;
  const pending = new Set(recipientsOf(mail).map((address) => address.toLowerCase()));
  // Each recipient once, in the first list that has them.
  const takenFrom = (addresses: readonly MailAddress[]): readonly JsonAddress[] =>
    addresses.filter(({ address }) => pending.delete(address.toLowerCase())).map(jsonAddress);
  return {
    from: jsonAddress(from),
    ...(returnPath === undefined ? {} : { return_path: returnPath }),
    ...(replyTo.length === 0 ? {} : { reply_to: replyTo.map(jsonAddress) }),
    to: takenFrom(to),
    cc: takenFrom(cc),
    bcc: takenFrom(bcc),
    subject,
    ...(text === undefined ? {} : { text }),
    ...(html === undefined ? {} : { html }),
    headers: headersOf(mail),
  };
}

/** Returns the headers. A mail to some of its recipients shows all of them, as the others' copies do. */
function headersOf(mail: OutboundMail): Readonly<Record<string, string>> {
  const { messageId, date, to, cc = [], bcc = [], headers = {} } = mail;
  const isPartial = recipientsOf(mail).length < recipientsOf({ to, cc, bcc }).length;
  return {
    'Message-ID': `<${messageId}>`,
    Date: new Date(date).toUTCString().replace('GMT', '+0000'),
    ...(isPartial && to.length > 0 ? { To: to.map(headerAddress).join(', ') } : {}),
    ...(isPartial && cc.length > 0 ? { Cc: cc.map(headerAddress).join(', ') } : {}),
    ...headers,
  };
}

function jsonAddress({ address, name = '' }: MailAddress): JsonAddress {
  return name === '' ? { email: address } : { email: address, name };
}

function headerAddress({ address, name = '' }: MailAddress): string {
  return name === '' ? address : `"${name.replace(/["\\]/g, String.raw`\$&`)}" <${address}>`;
}

/** Returns the beginning of an attachment, up to its content. */
function attachmentHead({ fileName, mime }: MailAttachment): string {
  return JSON.stringify({ filename: fileName, content_type: mime, content: '' }).slice(0, -2);
}
