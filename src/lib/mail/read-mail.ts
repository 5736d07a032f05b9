import type { Attachment, Email } from 'postal-mime';
import { authenticationResultsOf } from './authentication-results.ts';
import { BoundedMime } from './bounded-mime.ts';
import { calendarEvents } from './calendar.ts';
import { attachedFileName } from './file-names.ts';
import {
  addressesOf,
  dateOf,
  deliveredTo,
  headerOf,
  isAutoSubmitted,
  messageIds,
  oneLine,
  referencesOf,
  returnPathOf,
} from './mail-headers.ts';
import type { MailFile, MailLimits, ParsedMail } from './parsed-mail.ts';
import { reportOf } from './report.ts';
import { unpackTnef, type TnefContent } from './tnef.ts';

const SUBJECT_CHARACTERS_MAX = 1_000;
const LIST_ID_CHARACTERS_MAX = 500;

type Limits = Required<MailLimits>;

/** Parses a mail in this thread. Throws whatever fails; `parseMail` limits time and memory. */
export async function readMail(source: Uint8Array, limits: Limits): Promise<ParsedMail> {
  const parser = new BoundedMime(limits);
  const email = await parser.parse(source);
  const warnings: string[] = [];
  const { headers } = email;
  const list = (field: 'to' | 'cc' | 'bcc' | 'replyTo', name: string): ParsedMail['to'] => {
    const all = email[field] ?? [];
    if (all.length > limits.addressesMax)
      warnings.push(`${name} has ${all.length} addresses; the first ${limits.addressesMax} are shown.`);
    return addressesOf(all.slice(0, limits.addressesMax));
  };
  const { files, container } = filesOf(email, limits, warnings);
  if (parser.textBytesCut > 0)
    warnings.push(`The last ${parser.textBytesCut} bytes of the text were omitted: it is too long.`);
  return {
    messageId: messageIds(headerOf(headers, 'message-id'))[0] ?? null,
    inReplyTo: messageIds(headerOf(headers, 'in-reply-to'))[0] ?? null,
    references: referencesOf(headers),
    date: dateOf(headerOf(headers, 'date')),
    subject: oneLine(email.subject ?? '', SUBJECT_CHARACTERS_MAX),
    from: addressesOf(email.from ? [email.from] : [])[0] ?? null,
    to: list('to', 'To'),
    cc: list('cc', 'Cc'),
    bcc: list('bcc', 'Bcc'),
    replyTo: list('replyTo', 'Reply-To'),
    deliveredTo: deliveredTo(headers),
    returnPath: returnPathOf(headers),
    listId: oneLine(headerOf(headers, 'list-id') ?? '', LIST_ID_CHARACTERS_MAX) || null,
    authentication: authenticationResultsOf(headers),
    autoSubmitted: isAutoSubmitted(headers),
    ...textOf(email, container),
    attachments: files,
    calendar: files.flatMap(({ mime, bytes }) =>
      isCalendar(mime) ? calendarEvents(Buffer.from(bytes).toString('utf8').replaceAll('\0', ''), null) : [],
    ),
    report: reportOf(parser.contentType, files),
    warnings,
  };
}

function isCalendar(mime: string): boolean {
  return mime === 'text/calendar' || mime === 'application/ics';
}

/** Returns the text of the mail, or that of its container if the mail has none. */
function textOf(email: Email, container: TnefContent | undefined): Pick<ParsedMail, 'text' | 'html'> {
  const { text, html } = isWritten(email.text) || isWritten(email.html) || !container ? email : container;
  return { text: storable(text ?? null), html: storable(html ?? null) };
}

function isWritten(text: string | undefined): boolean {
  return text !== undefined && text.trim() !== '';
}

/** Returns a text without NUL and half characters, which the database refuses, and without its last line end. */
function storable(text: string | null): string | null {
  return text === null ? null : text.replaceAll('\0', '').toWellFormed().replace(/\n$/, '');
}

interface MailFiles {
  readonly files: readonly MailFile[];
  /** The container whose text is the mail's, if the mail has none itself. */
  readonly container: TnefContent | undefined;
}

function filesOf({ attachments, text, html }: Email, limits: Limits, warnings: string[]): MailFiles {
  let container: TnefContent | undefined;
  const all = attachments.flatMap((attachment): readonly MailFile[] => {
    const file = fileOf(attachment);
    if (!isContainer(file)) return [file];
    const content = unpackTnef(Buffer.from(file.bytes));
    if (!content) {
      warnings.push(`${file.fileName} is not a readable container; it is attached as it came.`);
      return [file];
    }
    if (!isWritten(text) && !isWritten(html)) container ??= content;
    return unpacked(content, container === content);
  });
  return { files: withinLimits(all, limits, warnings), container };
}

function isContainer({ mime, fileName }: MailFile): boolean {
  return /^application\/(?:vnd\.)?ms-tnef$/.test(mime) || fileName.toLowerCase() === 'winmail.dat';
}

/** Returns the files of a container. Formatted text that is the mail's only text becomes a file. */
function unpacked({ text, html, rtf, files }: TnefContent, isBody: boolean): readonly MailFile[] {
  const own = files.map(({ name, mime, contentId, bytes }) => {
    const type = mime ?? 'application/octet-stream';
    return {
      fileName: attachedFileName(name, type),
      mime: type,
      contentId: plainId(contentId),
      isInline: contentId !== null,
      bytes,
    };
  });
  if (!isBody || text !== null || html !== null || rtf === null) return own;
  const mime = 'application/rtf';
  return [{ fileName: attachedFileName(null, mime), mime, contentId: null, isInline: false, bytes: rtf }, ...own];
}

function fileOf({ filename, mimeType, contentId, related, disposition, content }: Attachment): MailFile {
  const mime = /^[\w!#$&^.+-]{1,100}\/[\w!#$&^.+-]{1,100}$/.test(mimeType)
    ? mimeType.toLowerCase()
    : 'application/octet-stream';
  const bytes = typeof content === 'string' ? Buffer.from(content) : new Uint8Array(content);
  return {
    fileName: attachedFileName(filename, mime),
    mime,
    contentId: plainId(contentId),
    isInline: contentId !== undefined && (related === true || disposition === 'inline'),
    bytes,
  };
}

function plainId(contentId: string | null | undefined): string | null {
  return oneLine(contentId ?? '', 500).replace(/^<|>$/g, '') || null;
}

function withinLimits(all: readonly MailFile[], limits: Limits, warnings: string[]): readonly MailFile[] {
  let bytes = 0;
  const files = all.filter((file, n) => {
    const fits = n < limits.attachmentsMax && bytes + file.bytes.byteLength <= limits.attachmentBytesMax;
    if (fits) bytes += file.bytes.byteLength;
    return fits;
  });
  if (files.length < all.length)
    warnings.push(`${all.length - files.length} of ${all.length} attachments were omitted: too many or too large.`);
  return files;
}
