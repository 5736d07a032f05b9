import { filePart, multipartMail, rawMail } from './raw-mail.ts';

/** A mail as people write it. A header of null is left out; what is not given gets a plain value. */
export interface SampleMail {
  readonly from?: string | null;
  readonly to?: string | null;
  readonly cc?: string;
  readonly subject?: string | null;
  readonly text?: string;
  readonly html?: string;
  readonly messageId?: string | null;
  readonly inReplyTo?: string;
  readonly references?: readonly string[];
  readonly date?: string | null;
  /** What the server of the mailbox found out about the sender; null for a mail that it did not check. */
  readonly authentication?: string | null;
  /** Further headers. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly files?: readonly { readonly name: string; readonly mime: string; readonly content: string | Buffer }[];
}

let count = 0;

/** Returns a mail as a server delivers it. */
export function sampleMail(mail: SampleMail = {}): Buffer {
  const headers = headersOf(mail);
  const { text = 'Hello.', html, files = [] } = mail;
  if (html === undefined && files.length === 0)
    return rawMail({ ...headers, 'Content-Type': 'text/plain; charset=utf-8' }, Buffer.from(text));
  return multipartMail(headers, files.length > 0 ? 'multipart/mixed' : 'multipart/alternative', [
    { headers: { 'Content-Type': 'text/plain; charset=utf-8' }, content: Buffer.from(text) },
    ...(html === undefined
      ? []
      : [{ headers: { 'Content-Type': 'text/html; charset=utf-8' }, content: Buffer.from(html) }]),
    ...files.map(({ name, mime, content }) => filePart(mime, name, content)),
  ]);
}

const usual = {
  from: 'Ann Borrower <ann@sender.example>',
  to: 'cases@firm.example',
  subject: 'A question',
  date: 'Mon, 02 Mar 2026 09:00:00 +0000',
};

function headersOf(mail: SampleMail): Readonly<Record<string, string>> {
  const { from, to, cc, subject, date, messageId, inReplyTo, references, headers, ...more } = { ...usual, ...mail };
  const domain = /@([^\s>]+)/.exec(from ?? '')?.[1];
  const { authentication = domain === undefined ? null : `mail.example; dmarc=pass header.from=${domain}` } = more;
  const given: Record<string, string | null | undefined> = {
    'Authentication-Results': authentication,
    From: from,
    To: to,
    Cc: cc,
    Subject: subject,
    Date: date,
    'Message-ID': messageId === undefined ? `<sample-${++count}@sender.example>` : messageId && `<${messageId}>`,
    'In-Reply-To': inReplyTo && `<${inReplyTo}>`,
    References: references?.map((each) => `<${each}>`).join('\r\n '),
    ...headers,
  };
  return Object.fromEntries(
    Object.entries(given).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}
