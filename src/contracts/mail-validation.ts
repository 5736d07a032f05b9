import { bad } from '../kernel/parameters/parse-value.ts';
import type { MailAddress, OutboundMail } from './mail-outbound.ts';

/** Most recipients of one mail. More are a list, where each gets their own mail. */
const RECIPIENTS_MAX = 100;
/** Most recipients that all copies of a message show. */
export const VISIBLE_RECIPIENTS_MAX = RECIPIENTS_MAX - 1;
/** Longest subject, and longest value of another header, in characters. */
const SUBJECT_LENGTH_MAX = 1_000;
const HEADER_LENGTH_MAX = 2_000;
const HEADERS_MAX = 20;
const NAME_LENGTH_MAX = 255;
/** Longest address that servers accept: 64 characters before the @, 254 in all. */
const ADDRESS_LENGTH_MAX = 254;

/**
 * One address without a name, letters of any script. Refuses quoted forms, which attackers use and people do not have:
 * no spaces, commas, brackets, quotes or control characters.
 */
const LETTER = String.raw`\p{L}\p{N}\p{M}`;
const ADDRESS = new RegExp(
  `^[${LETTER}.!#$%&'*+/=?^_\`{|}~-]{1,64}@` +
    `(?:[${LETTER}_](?:[${LETTER}_-]{0,61}[${LETTER}])?\\.)*` +
    `[${LETTER}](?:[${LETTER}-]{0,61}[${LETTER}])?$`,
  'u',
);
/** Ends a line or a text anywhere in a header. */
const CONTROLS = /[\p{Cc}\u2028\u2029]/u;

/** Headers that a mail may have besides the standard ones; names that begin with `X-` are allowed too. */
const headerNames = new Set([
  'in-reply-to',
  'references',
  'auto-submitted',
  'importance',
  'priority',
  'precedence',
  'list-id',
  'disposition-notification-to',
  'list-unsubscribe',
  'list-unsubscribe-post',
  'organization',
  'sensitivity',
]);

/** Whether a text is a mail address. */
export function isMailAddress(text: string): boolean {
  const [local = ''] = text.split('@');
  return text.length <= ADDRESS_LENGTH_MAX && ADDRESS.test(text) && !/^\.|\.\.|\.$/.test(local);
}

/**
 * Checks a mail.
 * @throws BAD_PARAMETER if nobody could send it, or if its texts would add headers or recipients
 */
export function assertMail(mail: OutboundMail): void {
  if (!/^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,100}@[A-Za-z0-9.-]{1,100}$/.test(mail.messageId))
    throw bad('MessageID', 'a name, @, and a host');
  assertAddresses('From', [mail.from]);
  if (mail.returnPath !== undefined) assertAddresses('ReturnPath', [{ address: mail.returnPath }]);
  assertAddresses('ReplyTo', mail.replyTo ?? []);
  for (const [field, addresses] of [
    ['To', mail.to],
    ['Cc', mail.cc ?? []],
    ['Bcc', mail.bcc ?? []],
  ] as const)
    assertAddresses(field, addresses);
  const recipients = recipientsOf(mail);
  if (recipients.length === 0) throw bad('To', 'at least one recipient');
  if (recipients.length > RECIPIENTS_MAX) throw bad('To', `at most ${RECIPIENTS_MAX} recipients`);
  if (CONTROLS.test(mail.subject) || mail.subject.length > SUBJECT_LENGTH_MAX)
    throw bad('Subject', `one line of at most ${SUBJECT_LENGTH_MAX} characters`);
  assertHeaders(mail.headers ?? {});
  assertAttachments(mail.attachments ?? []);
}

function assertAttachments(attachments: NonNullable<OutboundMail['attachments']>): void {
  for (const { fileName, mime } of attachments) {
    if (CONTROLS.test(fileName) || fileName === '' || fileName.length > NAME_LENGTH_MAX)
      throw bad('AttachmentID', `files whose names are one line of at most ${NAME_LENGTH_MAX} characters`);
    if (!/^[\w.+-]+\/[\w.+-]+(?:;\s*[\w-]+=[\w.-]+)*$/.test(mime)) throw bad('AttachmentID', 'files with a MIME type');
  }
}

function assertAddresses(field: string, addresses: readonly MailAddress[]): void {
  if (addresses.length > RECIPIENTS_MAX) throw bad(field, `at most ${RECIPIENTS_MAX} addresses`);
  for (const { address, name = '' } of addresses) {
    if (!isMailAddress(address)) throw bad(field, 'email addresses such as name@example.com');
    if (CONTROLS.test(name) || name.length > NAME_LENGTH_MAX)
      throw bad(field, `names of one line and at most ${NAME_LENGTH_MAX} characters`);
  }
}

function assertHeaders(headers: Readonly<Record<string, string>>): void {
  const entries = Object.entries(headers);
  if (entries.length > HEADERS_MAX) throw bad('Headers', `at most ${HEADERS_MAX} headers`);
  for (const [name, value] of entries) {
    if (!headerNames.has(name.toLowerCase()) && !/^x-[a-z0-9-]{1,60}$/i.test(name))
      throw bad('Headers', `names that begin with X-, or one of ${[...headerNames].join(', ')}`);
    if (typeof value !== 'string' || CONTROLS.test(value) || value.length > HEADER_LENGTH_MAX)
      throw bad('Headers', `values of one line and at most ${HEADER_LENGTH_MAX} characters`);
  }
}

/** Returns the addresses of all recipients of a mail, or of those in `onlyTo`, each once, in the order to, cc, bcc. */
export function recipientsOf({
  to,
  cc = [],
  bcc = [],
  onlyTo,
}: Pick<OutboundMail, 'to' | 'cc' | 'bcc' | 'onlyTo'>): readonly string[] {
  const all = new Map([...to, ...cc, ...bcc].map(({ address }) => [address.toLowerCase(), address]));
  if (!onlyTo) return [...all.values()];
  const only = new Set(onlyTo.map((address) => address.toLowerCase()));
  return [...all].flatMap(([key, address]) => (only.has(key) ? [address] : []));
}
