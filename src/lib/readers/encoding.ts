import { isAscii, isUtf8 } from 'node:buffer';
import type { ImportSource } from '../../contracts/import-engine.ts';
import { didYouMean, PlatformError } from '../../kernel/door/errors.ts';

/** Encodings in which ASCII bytes mean ASCII; all scanned bytes are in one of them. */
export type TextEncoding = 'utf-8' | 'windows-1252';

/** The start of a text and how it is encoded. */
export interface TextHead {
  /**
   * Undefined if neither a byte order mark nor the import type says it: then the first row that is not ASCII decides.
   */
  readonly encoding: TextEncoding | undefined;
  /** Whether the document starts with a byte order mark. */
  readonly hasMark: boolean;
  /** The first bytes, as returned by {@link textBytes}; independent of the source's chunks. */
  readonly head: Buffer;
  /** Whether the head is the whole document. */
  readonly isWhole: boolean;
  readonly sourceEncoding: SourceEncoding;
  readonly markBytes: number;
}

/** Encoding, delimiter and columns must be detectable within these bytes. */
export const HEAD_BYTES = 256 * 1024;

/** Description of the option `Encoding`. */
export const ENCODING_DOC =
  'UTF-8, UTF-16, windows-1252 (also used for ISO-8859-1) or US-ASCII; a byte order mark takes ' +
  'precedence. Without either it is UTF-8, or windows-1252 if the first row that is not ASCII is not ' +
  'UTF-8.';

type SourceEncoding = TextEncoding | 'utf-16le' | 'utf-16be';

const ENCODING_NAMES: Readonly<Record<string, SourceEncoding>> = {
  'utf-8': 'utf-8',
  utf8: 'utf-8',
  'us-ascii': 'utf-8',
  ascii: 'utf-8',
  'utf-16': 'utf-16le',
  utf16: 'utf-16le',
  'utf-16le': 'utf-16le',
  'utf-16be': 'utf-16be',
  'windows-1252': 'windows-1252',
  cp1252: 'windows-1252',
  'iso-8859-1': 'windows-1252',
  latin1: 'windows-1252',
};

/**
 * Reads the start of a text and its encoding.
 * @throws BAD_PARAMETER for an unknown encoding, and for UTF-16 that is not declared
 */
export async function readTextHead(source: ImportSource, option?: string): Promise<TextHead> {
  const declared = declaredEncoding(option);
  const raw = await headOf(source.open(), HEAD_BYTES);
  const mark = detectMark(raw);
  const written = mark?.encoding ?? declared;
  const isWide = written === 'utf-16le' || written === 'utf-16be';
  if (!isWide) assertText(raw);
  const bytes = raw.subarray(mark?.bytes ?? 0);
  return {
    encoding: isWide ? 'utf-8' : written,
    hasMark: mark !== undefined,
    head: isWide ? await utf16Head(bytes, written === 'utf-16be') : bytes,
    isWhole: raw.length < HEAD_BYTES,
    sourceEncoding: written ?? 'utf-8',
    markBytes: mark?.bytes ?? 0,
  };
}

/** Returns the bytes of a text without the byte order mark, in an encoding that can be scanned. */
export function textBytes(source: ImportSource, head: TextHead): AsyncIterable<Uint8Array> {
  const bytes = withoutStart(source.open(), head.markBytes);
  return head.sourceEncoding === 'utf-16le' || head.sourceEncoding === 'utf-16be'
    ? fromUtf16(bytes, head.sourceEncoding === 'utf-16be')
    : bytes;
}

/**
 * Parses the option Encoding; undefined if it is not set.
 * @throws BAD_PARAMETER
 */
export function declaredEncoding(option: string | undefined): SourceEncoding | undefined {
  if (option === undefined || option.trim() === '') return undefined;
  const encoding = ENCODING_NAMES[option.trim().toLowerCase()];
  if (encoding === undefined)
    throw new PlatformError('BAD_PARAMETER', {
      field: 'Encoding',
      message:
        `Encoding: "${option.slice(0, 40)}" is not known; expected UTF-8, UTF-16, windows-1252 or ` +
        `US-ASCII.${didYouMean(option, Object.keys(ENCODING_NAMES), 1)}`,
    });
  return encoding;
}

/** Returns the first bytes of a stream and closes it. There are fewer only if the stream has fewer. */
export async function headOf(bytes: AsyncIterable<Uint8Array>, count: number): Promise<Buffer> {
  const held: Buffer[] = [];
  let length = 0;
  for await (const piece of bytes) {
    held.push(Buffer.from(piece.subarray(0, count - length)));
    length += held.at(-1)?.length ?? 0;
    if (length >= count) break;
  }
  return Buffer.concat(held);
}

/** Converts the head to UTF-8 without a character that is cut off at its end. */
async function utf16Head(bytes: Buffer, bigEndian: boolean): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  const isCut = bytes.length > 1 && bytes.length % 2 === 1;
  for await (const part of fromUtf16(
    (async function* () {
      yield isCut ? bytes.subarray(0, -1) : bytes;
    })(),
    bigEndian,
  ))
    parts.push(part);
  return Buffer.concat(parts);
}

async function* withoutStart(
  bytes: AsyncIterable<Uint8Array>,
  count: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  let skip = count;
  for await (const chunk of bytes) {
    const rest = chunk.subarray(Math.min(skip, chunk.length));
    skip -= chunk.length - rest.length;
    if (rest.length > 0) yield rest;
  }
}

function detectMark(head: Uint8Array): { readonly encoding: SourceEncoding; readonly bytes: number } | undefined {
  const [a, b, c] = head;
  if (a === 0xef && b === 0xbb && c === 0xbf) return { encoding: 'utf-8', bytes: 3 };
  if (isUtf32Mark(head))
    throw new PlatformError('BAD_PARAMETER', {
      message: 'The document is in UTF-32; expected UTF-8, UTF-16 or windows-1252.',
    });
  if (a === 0xff && b === 0xfe) return { encoding: 'utf-16le', bytes: 2 };
  if (a === 0xfe && b === 0xff) return { encoding: 'utf-16be', bytes: 2 };
  return undefined;
}

function isUtf32Mark([a, b, c, d]: Uint8Array): boolean {
  return (a === 0xff && b === 0xfe && c === 0 && d === 0) || (a === 0 && b === 0 && c === 0xfe && d === 0xff);
}

/**
 * A text may have a few control characters, which fail their rows. Pictures, programs and undeclared UTF-16 are full of
 * them.
 */
function assertText(head: Uint8Array): void {
  let controls = 0;
  const looked = Math.min(head.length, 1024);
  for (let at = 0; at < looked; at++) if (CONTROL_BYTES[head[at] as number] === 1) controls++;
  if (controls * 5 <= looked) return;
  throw new PlatformError('BAD_PARAMETER', {
    message:
      'The document is not text, or it is undeclared UTF-16; expected text. Send UTF-16 with a byte order ' +
      'mark or the option Encoding.',
  });
}

/** Control bytes that are not line ends, tabs or separators. */
const CONTROL_BYTES = new Uint8Array(256).map((_, byte) => (byte < 0x1c && ![9, 10, 12, 13].includes(byte) ? 1 : 0));

/** Replaces half a surrogate pair: a byte that is never in UTF-8, so that its row fails as one in broken UTF-8. */
const BROKEN_UTF8 = Buffer.of(0xff);
/** Bytes converted to UTF-8 at once. */
const UTF16_BYTES = 64 * 1024;

async function* fromUtf16(
  source: AsyncIterable<Uint8Array>,
  bigEndian: boolean,
): AsyncGenerator<Uint8Array, void, undefined> {
  let stored = Buffer.alloc(0);
  for await (const chunk of source) {
    for (let at = 0; at < chunk.length; at += UTF16_BYTES) {
      const bytes = Buffer.concat([stored, chunk.subarray(at, at + UTF16_BYTES)]);
      let end = bytes.length - (bytes.length % 2);
      // The first half of a surrogate pair waits for the second.
      if (end >= 2 && ((bytes[bigEndian ? end - 2 : end - 1] as number) & 0xfc) === 0xd8) end -= 2;
      stored = Buffer.from(bytes.subarray(end));
      const whole = bytes.subarray(0, end);
      if (whole.length > 0) yield utf8Of(bigEndian ? whole.swap16() : whole);
    }
  }
  if (stored.length === 0) return;
  yield stored.length % 2 === 0
    ? utf8Of(bigEndian ? stored.swap16() : stored)
    : Buffer.concat([utf8Of(stored.subarray(0, stored.length - 1)), BROKEN_UTF8]);
}

function utf8Of(wide: Buffer): Buffer {
  const text = wide.toString('utf16le');
  if (text.isWellFormed()) return Buffer.from(text);
  return Buffer.concat(
    text
      .split(/([\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff])/)
      .map((part, index) => (index % 2 === 1 ? BROKEN_UTF8 : Buffer.from(part))),
  );
}

const windows1252 = new TextDecoder('windows-1252');

/**
 * Decodes bytes and detects invalid ones. If the encoding is unknown, the first row that is not ASCII decides it;
 * reading the document again decides the same.
 */
export class TextCodec {
  private encoding: TextEncoding | undefined;

  constructor(encoding: TextEncoding | undefined) {
    this.encoding = encoding;
  }

  /** The document's encoding, once it is decided. */
  get decided(): TextEncoding | undefined {
    return this.encoding;
  }

  /** Whether the bytes of a row are valid in the document's encoding; may decide the encoding. */
  accepts(bytes: Uint8Array): boolean {
    if (isAscii(bytes)) return true;
    this.encoding ??= isUtf8(bytes) ? 'utf-8' : 'windows-1252';
    return this.encoding === 'windows-1252' || isUtf8(bytes);
  }

  /** Returns a codec with the same state. */
  copy(): TextCodec {
    return new TextCodec(this.encoding);
  }

  /** Returns the bytes of a row in UTF-8, for corrections; invalid bytes stay unchanged. */
  toUtf8(bytes: Buffer): Buffer {
    return this.encoding === 'windows-1252' ? Buffer.from(windows1252.decode(bytes)) : Buffer.from(bytes);
  }

  /** Returns the text of accepted bytes. */
  text(bytes: Buffer, start = 0, end = bytes.length): string {
    return this.encoding === 'windows-1252'
      ? windows1252.decode(bytes.subarray(start, end))
      : bytes.toString('utf8', start, end);
  }
}

/** Why a row with invalid bytes fails. */
export const BROKEN_TEXT =
  'contains bytes that are not UTF-8; set the option Encoding of the import type, or send the file in UTF-8';
