import { isUtf8 } from 'node:buffer';
import { PlatformError } from '../door/errors.ts';

/**
 * Encoding of a document. ISO-8859-1 is read as windows-1252, its superset, which is what senders mean by it.
 */
export type XmlEncoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252' | 'us-ascii';

/** What the first bytes of a document declare. */
export interface XmlProlog {
  readonly encoding: XmlEncoding;
  readonly markBytes: number;
  /** The XML declaration as sent, or empty text. */
  readonly declaration: string;
  /** The same declaration with UTF-8 as its encoding, for the converted document. */
  readonly declarationUtf8: string;
}

/**
 * The XML declaration must end within these bytes. The longest one in practice has about 120, twice that in UTF-16.
 */
export const PROLOG_BYTES_MAX = 1024;

const EQUALS = String.raw`[ \t\r\n]*=[ \t\r\n]*`;
const DECLARATION = new RegExp(
  String.raw`^<\?xml[ \t\r\n]+version${EQUALS}(?:"([^"<]*)"|'([^'<]*)')` +
    String.raw`(?:[ \t\r\n]+encoding${EQUALS}(?:"([A-Za-z][\w.-]*)"|'([A-Za-z][\w.-]*)'))?` +
    String.raw`(?:[ \t\r\n]+standalone${EQUALS}(?:"(?:yes|no)"|'(?:yes|no)'))?[ \t\r\n]*\?>$`,
);
const SUPPORTED = 'UTF-8, UTF-16 with a byte order mark, ISO-8859-1, windows-1252, US-ASCII';

/**
 * Parses the byte order mark and the XML declaration.
 *
 * @param head the first {@link PROLOG_BYTES_MAX} bytes of the document, or all of a shorter one
 * @throws BAD_XML if the encoding is not supported, or the mark and the declaration contradict each other
 */
export function readProlog(head: Uint8Array): XmlProlog {
  const mark = readByteOrderMark(head);
  const bytes = head.subarray(mark.bytes, PROLOG_BYTES_MAX);
  const text =
    mark.encoding === 'utf-16le' || mark.encoding === 'utf-16be'
      ? new TextDecoder(mark.encoding).decode(bytes)
      : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  if (!/^<\?xml[ \t\r\n]/.test(text)) {
    return { encoding: mark.encoding ?? 'utf-8', markBytes: mark.bytes, declaration: '', declarationUtf8: '' };
  }
  const end = text.indexOf('?>');
  const parts = end < 0 ? null : DECLARATION.exec(text.slice(0, end + 2));
  if (!parts) throw badXml('The XML declaration is malformed; expected <?xml version="1.0" encoding="utf-8"?>.');
  const version = parts[1] ?? parts[2] ?? '';
  if (version !== '1.0') throw badXml(`The XML declaration says version "${version.slice(0, 20)}"; expected 1.0.`);
  const declared = parts[3] ?? parts[4];
  const declaration = parts[0];
  return {
    encoding: resolveEncoding(mark.encoding, declared),
    markBytes: mark.bytes,
    declaration,
    declarationUtf8:
      declared === undefined
        ? declaration
        : declaration.replace(/(encoding[ \t\r\n]*=[ \t\r\n]*["'])[\w.-]+/, '$1UTF-8'),
  };
}

/**
 * Returns the document in UTF-8 without a byte order mark, with a matching declaration. A document already in this form
 * is returned without a copy.
 *
 * @throws BAD_XML for a DOCTYPE, for an unsupported or contradictory encoding, and for bytes invalid in the encoding
 */
export function toUtf8(bytes: Uint8Array): Uint8Array {
  const prolog = readProlog(bytes.subarray(0, PROLOG_BYTES_MAX));
  const transcode = transcoder(prolog);
  const converted =
    transcode === undefined
      ? bytes.subarray(prolog.markBytes)
      : Buffer.concat([transcode(bytes), transcode(undefined)]);
  if (!isUtf8(converted))
    throw badXml(
      'The document contains bytes that are not UTF-8. If it is in another encoding, its XML declaration must name ' +
        'it; a charset in Content-Type is not enough.',
      firstBadLine(converted),
    );
  refuseDoctype(converted);
  return converted;
}

/**
 * Converts a streamed document to UTF-8, chunk by chunk. Invalid UTF-8 and a DOCTYPE are left to the parser.
 */
export async function* toUtf8Stream(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  let head: Uint8Array = new Uint8Array(0);
  let transcode: Transcode | undefined;
  let known = false;
  for await (const chunk of source) {
    if (known) {
      yield transcode ? transcode(chunk) : chunk;
      continue;
    }
    head = head.length === 0 ? chunk : Buffer.concat([head, chunk]);
    if (head.length < PROLOG_BYTES_MAX) continue;
    known = true;
    const prolog = readProlog(head);
    transcode = transcoder(prolog);
    yield transcode ? transcode(head) : head.subarray(prolog.markBytes);
  }
  if (!known) yield toUtf8(head);
  else if (transcode) yield transcode(undefined);
}

/**
 * Throws BAD_XML for a document type declaration, without which there are no entities to expand. It must precede the
 * root element, so nothing after that is read; the parser refuses a DOCTYPE elsewhere as malformed.
 *
 * @param utf8 the document, see {@link toUtf8}
 */
export function refuseDoctype(utf8: Uint8Array): void {
  const bytes = Buffer.from(utf8.buffer, utf8.byteOffset, utf8.byteLength);
  let at = 0;
  while (at < bytes.length) {
    const open = bytes.indexOf(0x3c, at);
    if (open < 0) return;
    const next = bytes[open + 1];
    if (next === 0x3f) at = endOf(bytes, '?>', open + 2);
    else if (next === 0x21 && bytes[open + 2] === 0x2d && bytes[open + 3] === 0x2d) at = endOf(bytes, '-->', open + 4);
    else if (next === 0x21 && bytes.toString('latin1', open + 2, open + 9).toUpperCase() === 'DOCTYPE') {
      throw badXml('The document has a DOCTYPE, which is not accepted; send it without one.', lineAt(bytes, open));
    } else return;
  }
}

type Transcode = (chunk: Uint8Array | undefined) => Uint8Array;

interface ByteOrderMark {
  readonly encoding: 'utf-8' | 'utf-16le' | 'utf-16be' | undefined;
  readonly bytes: number;
}

/** Byte order marks, longer ones first: the mark of UTF-32LE starts with that of UTF-16LE. */
const byteOrderMarks: readonly { readonly mark: readonly number[]; readonly encoding: string }[] = [
  { mark: [0xef, 0xbb, 0xbf], encoding: 'utf-8' },
  { mark: [0xff, 0xfe, 0, 0], encoding: 'utf-32' },
  { mark: [0, 0, 0xfe, 0xff], encoding: 'utf-32' },
  { mark: [0xff, 0xfe], encoding: 'utf-16le' },
  { mark: [0xfe, 0xff], encoding: 'utf-16be' },
];

function readByteOrderMark(head: Uint8Array): ByteOrderMark {
  const found = byteOrderMarks.find(({ mark }) => mark.every((byte, at) => head[at] === byte));
  if (found?.encoding === 'utf-32') throw badXml(`The document is in UTF-32; expected ${SUPPORTED}.`);
  if (found) return { encoding: found.encoding as ByteOrderMark['encoding'], bytes: found.mark.length };
  if (head.length > 1 && (head[0] === 0 || head[1] === 0))
    throw badXml('The document looks like UTF-16 without a byte order mark, which UTF-16 needs here.');
  return { encoding: undefined, bytes: 0 };
}

/**
 * Returns the encoding by declaration and byte order mark. Throws BAD_XML if they contradict each other.
 */
function resolveEncoding(marked: ByteOrderMark['encoding'], declared: string | undefined): XmlEncoding {
  if (declared === undefined) return marked ?? 'utf-8';
  const shown = declared.slice(0, 30);
  const name = declared.toLowerCase();
  const contradiction = (actual: string): PlatformError =>
    badXml(`The XML declaration says encoding "${shown}" but the document is ${actual}.`);
  if (name === 'utf-8' || name === 'utf8') {
    if (marked?.startsWith('utf-16')) throw contradiction('UTF-16 by its byte order mark');
    return 'utf-8';
  }
  if (['utf-16', 'utf-16le', 'utf-16be'].includes(name)) {
    if (marked === undefined || marked === 'utf-8')
      throw contradiction('written in single bytes; send it as UTF-8 and say so');
    if (name !== 'utf-16' && name !== marked) throw contradiction(`${marked.toUpperCase()} by its byte order mark`);
    return marked;
  }
  const encoding = singleByteEncodings.get(name);
  if (!encoding) throw badXml(`The encoding "${shown}" is not supported; expected ${SUPPORTED}.`);
  if (marked !== undefined) throw contradiction(`${marked.toUpperCase()} by its byte order mark`);
  return encoding;
}

/** Single-byte encodings by declared name. Senders write windows-1252 and declare ISO-8859-1, as browsers assume. */
const singleByteEncodings: ReadonlyMap<string, XmlEncoding> = new Map([
  ['iso-8859-1', 'windows-1252'],
  ['latin1', 'windows-1252'],
  ['windows-1252', 'windows-1252'],
  ['us-ascii', 'us-ascii'],
  ['ascii', 'us-ascii'],
]);

/**
 * Returns a function that converts chunks to UTF-8 (undefined marks the end); undefined if no conversion is needed.
 */
function transcoder(prolog: XmlProlog): Transcode | undefined {
  if (prolog.encoding === 'utf-8' && prolog.declaration === prolog.declarationUtf8) return undefined;
  const decode = decoderOf(prolog.encoding);
  let skip = prolog.markBytes;
  let declared = prolog.declaration.length;
  const utf8 = prolog.encoding === 'utf-8';
  return (chunk) => {
    const rest = chunk?.subarray(Math.min(skip, chunk.length));
    skip -= (chunk?.length ?? 0) - (rest?.length ?? 0);
    if (utf8 && declared === 0) return rest ?? new Uint8Array(0);
    if (utf8) {
      // The declaration is ASCII, so its length in characters is its length in bytes. Only the first chunk gets here;
      // it contains the whole declaration.
      const bytes = rest ?? new Uint8Array(0);
      const after = bytes.subarray(declared);
      declared = 0;
      return Buffer.concat([Buffer.from(prolog.declarationUtf8), after]);
    }
    const text = decode(rest);
    if (declared === 0) return Buffer.from(text);
    const whole = prolog.declarationUtf8 + text.slice(declared);
    declared = 0;
    return Buffer.from(whole);
  };
}

/**
 * Code points of windows-1252 from 0x80 to 0x9f. Explicit because decoders differ: some return the C1 controls there.
 */
const WINDOWS_1252 =
  '\u20ac\u0081\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\u008d\u017d\u008f' +
  '\u0090\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\u009d\u017e\u0178';

function decoderOf(encoding: XmlEncoding): (chunk: Uint8Array | undefined) => string {
  if (encoding === 'utf-16le' || encoding === 'utf-16be') {
    const decoder = new TextDecoder(encoding, { fatal: true, ignoreBOM: true });
    return (chunk) => {
      try {
        return chunk ? decoder.decode(chunk, { stream: true }) : decoder.decode();
      } catch (cause) {
        throw badXml('The document contains bytes that are not UTF-16.', undefined, cause);
      }
    };
  }
  return (chunk) => {
    const text = chunk ? Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString('latin1') : '';
    if (encoding === 'us-ascii' && /[^\0-\x7f]/.test(text))
      throw badXml('The XML declaration says US-ASCII but the document contains other bytes.');
    return text.replace(/[\x80-\x9f]/g, (c) => WINDOWS_1252.charAt(c.charCodeAt(0) - 0x80));
  };
}

function endOf(bytes: Buffer, mark: string, from: number): number {
  const at = bytes.indexOf(mark, from, 'latin1');
  return at < 0 ? bytes.length : at + mark.length;
}

function lineAt(bytes: Uint8Array, offset: number): number {
  let line = 1;
  for (let i = 0; i < offset; i++) if (bytes[i] === 0x0a) line++;
  return line;
}

/**
 * Returns the line of the first invalid byte. A line feed byte never occurs within a UTF-8 character, so it is the
 * first line that is not valid UTF-8 alone.
 */
function firstBadLine(bytes: Uint8Array): number {
  let line = 1;
  let from = 0;
  for (;;) {
    const end = bytes.indexOf(0x0a, from);
    if (end < 0 || !isUtf8(bytes.subarray(from, end))) return line;
    from = end + 1;
    line++;
  }
}

function badXml(message: string, line?: number, cause?: unknown): PlatformError {
  return new PlatformError('BAD_XML', {
    message: line === undefined ? message : `Line ${line}: ${message}`,
    ...(line === undefined ? {} : { details: { line } }),
    ...(cause === undefined ? {} : { cause }),
  });
}
