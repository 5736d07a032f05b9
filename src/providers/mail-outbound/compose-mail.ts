import { Readable } from 'node:stream';
import type { SendMailOptions } from 'nodemailer';
import { recipientsOf } from '../../contracts/mail-validation.ts';
import type { MailAddress, MailAttachment, OutboundMail } from '../../contracts/mail-outbound.ts';

/**
 * Returns a mail in the form of the library that writes it. Content comes only from the arguments: the library itself
 * would open files and addresses that a mail names. Blind-copy recipients are in the envelope and in no header.
 */
export function composeMail(mail: OutboundMail): SendMailOptions {
  const {
    messageId,
    date,
    from,
    returnPath = from.address,
    replyTo = [],
    to,
    cc = [],
    subject,
    text,
    html,
    headers = {},
    attachments = [],
  } = mail;
  return {
    messageId: `<${messageId}>`,
    date: new Date(date),
    from: addressOf(from),
    ...(replyTo.length === 0 ? {} : { replyTo: replyTo.map(addressOf) }),
    to: to.map(addressOf),
    ...(cc.length === 0 ? {} : { cc: cc.map(addressOf) }),
    subject,
    ...(text === undefined ? {} : { text }),
    ...(html === undefined ? {} : { html }),
    headers: { ...headers },
    attachments: attachments.map((attachment) => ({
      filename: attachment.fileName,
      contentType: attachment.mime,
      contentDisposition: 'attachment' as const,
      content: Readable.from(openLazily(attachment), { objectMode: false }),
    })),
    envelope: { from: returnPath, to: [...recipientsOf(mail)] },
    xMailer: false,
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

function addressOf({ address, name = '' }: MailAddress): { readonly name: string; readonly address: string } {
  return { name, address };
}

/** Opens on the first read. */
async function* openLazily(attachment: MailAttachment): AsyncGenerator<Uint8Array> {
  yield* attachment.open();
}
