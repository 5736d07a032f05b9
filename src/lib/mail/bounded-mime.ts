import { isUtf8 } from 'node:buffer';
import PostalMime from 'postal-mime';
import { contentDecoder, type ContentDecoder } from './content-decoders.ts';
import { MailParseError, type MailLimits } from './parsed-mail.ts';
import { decodeUtf7, isUtf7 } from './utf7.ts';

interface StructuredHeader {
  value: string;
  readonly params: Record<string, string | undefined>;
}

/** A part of a mail, as the library holds it while it parses. */
interface MimePart {
  readonly state: 'header' | 'body' | 'finished';
  readonly childNodes: readonly MimePart[];
  readonly contentType: {
    readonly multipart: string | false;
    readonly parsed: StructuredHeader;
  };
  readonly contentDisposition: { readonly parsed: StructuredHeader };
  readonly contentTransferEncoding: { readonly encoding: string };
  contentDecoder: ContentDecoder | null;
  content: ArrayBuffer | null;
}

/** What the library does not declare. Its version is pinned, and tests fail if it changes these. */
interface MimeInternals {
  readonly root: MimePart;
  readonly currentNode: MimePart;
  processLine(line: Uint8Array, isFinal: boolean): Promise<void>;
  collectNode(node: MimePart, alternative: MimePart | false, isRelated: boolean): Promise<void>;
}

const library = PostalMime.prototype as unknown as MimeInternals;
const encoder = new TextEncoder();
const windows1252 = new TextDecoder('windows-1252');
/** Labels of text that is often something else than it says. */
const UNRELIABLE = /^(?:|us-ascii|ascii|ansi_x3\.4-1968|utf-?8|unknown|unknown-8bit|x-unknown|default)$/i;
const ENCODED_UTF7 = /=\?[\w-]*utf-?7\?([BQ])\?([^?\s]*)\?=/gi;

/** Largest invitation that is read as one. A larger one is an ordinary file. */
const CALENDAR_BYTES_MAX = 1024 * 1024;

/**
 * Parses MIME with limits on parts, header lines and text, and reads three things that the library does not: headers in
 * 8-bit charsets without encoding, text whose charset label is missing or wrong, and UTF-7.
 */
export class BoundedMime extends PostalMime {
  /** Bytes of text that were cut. */
  textBytesCut = 0;
  private readonly limits: Required<MailLimits>;
  private parts = 1;
  private headerLines = 0;
  private textBytes = 0;

  constructor(limits: Required<MailLimits>) {
    const { depthMax, headerBytesMax } = limits;
    super({ forceRfc822Attachments: true, maxNestingDepth: depthMax, maxHeadersSize: headerBytesMax });
    this.limits = limits;
  }

  /** The type of the whole mail, in lower case. */
  get contentType(): string {
    return this.internals.root.contentType.parsed.value.toLowerCase();
  }

  /** Called by the library for each line. */
  async processLine(line: Uint8Array, isFinal: boolean): Promise<void> {
    const part = this.internals.currentNode;
    const isHeader = isInHeader(part);
    if (isHeader) this.count('headerLines', 'header lines');
    await library.processLine.call(this, isHeader ? readableHeader(line) : line, isFinal);
    if (isHeader && !isInHeader(part)) part.contentDecoder &&= contentDecoder(part.contentTransferEncoding.encoding);
    if (this.internals.currentNode !== part) this.count('parts', 'parts');
  }

  /** Called by the library for each part once all are read, the root first. */
  async collectNode(node: MimePart, alternative: MimePart | false, isRelated: boolean): Promise<void> {
    if (node === this.internals.root) {
      let isFirst = true;
      for (const part of leaves(node)) {
        if (isCalendar(part) && bytesOf(part).length > CALENDAR_BYTES_MAX)
          part.contentType.parsed.value = 'application/octet-stream';
        if (!isText(part)) continue;
        correctCharset(part);
        if (!isFirst && isNamed(part)) part.contentDisposition.parsed.value = 'attachment';
        else if (part.contentDisposition.parsed.value !== 'attachment') this.cut(part);
        isFirst = false;
      }
    }
    await library.collectNode.call(this, node, alternative, isRelated);
  }

  private count(what: 'parts' | 'headerLines', words: string): void {
    const max = this.limits[`${what}Max`];
    this[what]++;
    if (this[what] > max) throw new MailParseError('TooManyParts', `The mail has more than ${max} ${words}.`);
  }

  private cut(part: MimePart): void {
    const bytes = bytesOf(part);
    const fits = Math.min(bytes.length, this.limits.textBytesMax - this.textBytes);
    this.textBytes += fits;
    this.textBytesCut += bytes.length - fits;
    if (fits < bytes.length) part.content = bytes.slice(0, fits).buffer;
  }

  private get internals(): MimeInternals {
    return this as unknown as MimeInternals;
  }
}

/** Returns a header line in UTF-8. Some programs write their system's charset into headers without encoding it. */
function readableHeader(line: Uint8Array): Uint8Array {
  const text = isUtf8(line) ? undefined : windows1252.decode(line);
  const encoded = text ?? (line.includes(0x3f) ? Buffer.from(line).toString('utf8') : undefined);
  if (encoded === undefined || (text === undefined && !/utf-?7\?/i.test(encoded))) return line;
  return encoder.encode(
    encoded.replace(ENCODED_UTF7, (_whole, encoding: string, word: string) => {
      const plain =
        encoding.toUpperCase() === 'B'
          ? Buffer.from(word, 'base64').toString('latin1')
          : word
              .replaceAll('_', ' ')
              .replace(/=([0-9A-F]{2})/gi, (_hex, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
      return `=?utf-8?B?${Buffer.from(decodeUtf7(plain)).toString('base64')}?=`;
    }),
  );
}

function isInHeader({ state }: MimePart): boolean {
  return state === 'header';
}

function* leaves(root: MimePart): Generator<MimePart> {
  const pending = [root];
  for (let next = pending.pop(); next; next = pending.pop()) {
    for (const child of next.childNodes.toReversed()) pending.push(child);
    if (next.contentType.multipart === false) yield next;
  }
}

function isText({ contentType }: MimePart): boolean {
  return /^text\/(?:plain|html)$/.test(contentType.parsed.value);
}

function isCalendar({ contentType }: MimePart): boolean {
  return /^(?:text\/calendar|application\/ics)$/.test(contentType.parsed.value);
}

function bytesOf({ content }: MimePart): Uint8Array<ArrayBuffer> {
  return new Uint8Array(content ?? new ArrayBuffer(0));
}

/** Whether a text part is a file beside the mail's own text. */
function isNamed({ contentType, contentDisposition }: MimePart): boolean {
  return Boolean(contentDisposition.parsed.params['filename'] ?? contentType.parsed.params['name']);
}

function correctCharset(part: MimePart): void {
  const { params } = part.contentType.parsed;
  const label = (params['charset'] ?? '').trim();
  const bytes = bytesOf(part);
  if (isUtf7(label)) {
    const text = decodeUtf7(Buffer.from(bytes).toString('latin1'));
    part.content = encoder.encode(text).buffer;
    params['charset'] = 'utf-8';
  } else if (UNRELIABLE.test(label)) {
    params['charset'] = isUtf8(bytes) ? 'utf-8' : 'windows-1252';
  }
}
