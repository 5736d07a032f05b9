import { PlatformError } from '../../../../kernel/door/errors.ts';
import { base64Decoder, type Base64Decoder } from '../../../../kernel/xml/base64.ts';
import type { SchemaIssue } from '../../../../kernel/xml/schema-issue.ts';
import {
  createScan,
  emit,
  emitThrough,
  emitTo,
  readMore,
  xmlErrorAt,
  startsWith,
  take,
  takeTag,
  type Scan,
} from './lift-scan.ts';
import { toUtf8Stream } from '../../../../kernel/xml/prolog.ts';

/** What to lift, and where to. */
export interface LiftOptions<T> {
  /** Name of the element whose base64 text is lifted, `Content`. */
  readonly element: string;
  /** Name of its parent element, `AttachmentItem`. */
  readonly parent: string;
  /**
   * Consumes the decoded bytes of one element; its result is returned as `value`. It reads at its own pace: the source
   * is not read ahead. If the base64 is invalid, the iteration throws, so that half a file is never stored; an error
   * that the sink then throws itself is ignored.
   */
  readonly sink: (index: number, bytes: AsyncIterable<Uint8Array>) => Promise<T>;
  /** Limit of the remaining document in bytes; default {@link REMAINDER_BYTES_MAX}. */
  readonly remainderBytesMax?: number;
  /** Limit of one element's decoded bytes; default {@link LIFTED_BYTES_MAX}. */
  readonly liftedBytesMax?: number;
  /** Limit of lifted elements; default {@link LIFTED_COUNT_MAX}. */
  readonly liftedCountMax?: number;
}

/** One lifted element. */
export interface LiftedContent<T> {
  readonly index: number;
  /** The text that replaces it, see {@link tokenOf}. */
  readonly token: string;
  /** The sink's result. */
  readonly value: T;
  readonly bytes: number;
  readonly line: number;
}

/** The result of {@link liftContent}. */
export interface LiftResult<T> {
  /** The document in UTF-8 with tokens in place of the lifted texts; every other element keeps its line. */
  readonly xml: Uint8Array;
  /** The lifted elements in order; those with invalid base64 are in `issues` instead. */
  readonly lifted: readonly LiftedContent<T>[];
  readonly issues: readonly SchemaIssue[];
}

/** A referral without its attachments; the same limit as a validation has. */
const REMAINDER_BYTES_MAX = 16 * 1024 * 1024;
/** One attachment. It is streamed, so this limits disk, not memory. */
const LIFTED_BYTES_MAX = 256 * 1024 * 1024;
/** Attachments of one document. */
const LIFTED_COUNT_MAX = 2_000;

/**
 * Returns the token that replaces the lifted element with this index. A colon is not base64, so no valid document can
 * contain it.
 */
export function tokenOf(index: number): string {
  return `lifted:${index}`;
}

/** Returns the index of a token, or undefined if the text is not a token. */
export function liftedIndex(text: string): number | undefined {
  const digits = /^\s*lifted:(\d{1,9})\s*$/.exec(text)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/**
 * Extracts the base64 text of every `parent/element` from a document while it streams in. The text may be plain or
 * CDATA, in several pieces, with comments and character references in between.
 *
 * Bytes are scanned for the few marks that matter instead of being parsed: a parser collects a whole text before it
 * returns it, and 40 MB of text must not be held in memory. The scan need not detect malformed documents: it removes
 * only valid base64, CDATA marks and references to base64 characters within the element, so the parser that reads the
 * remainder finds the fault. A property test compares the scan with the parser.
 *
 * @throws BAD_XML on a DOCTYPE, an unsupported encoding or an endless tag; TOO_LARGE beyond a limit; what the sink
 * throws. By then sinks of earlier elements have run, and the caller must remove the files they stored.
 */
export async function liftContent<T>(
  source: AsyncIterable<Uint8Array>,
  options: LiftOptions<T>,
): Promise<LiftResult<T>> {
  const chunks = toUtf8Stream(source);
  const scan = createScan(chunks, options.remainderBytesMax ?? REMAINDER_BYTES_MAX);
  const lifted: LiftedContent<T>[] = [];
  const faults: { message: string; line: number; open: readonly OpenElement[] }[] = [];
  const open: OpenElement[] = [];
  const documentCounts = new Map<string, number>();
  let count = 0;
  try {
    while (await emitTo(scan, LESS_THAN)) {
      const line = scan.line;
      const tag = await passMarkup(scan);
      if (tag === undefined) continue;
      if (tag.closes) {
        open.pop();
        continue;
      }
      const element = openElement(tag.name, open.at(-1)?.counts ?? documentCounts);
      const requested = tag.name === options.element && open.at(-1)?.name === options.parent;
      if (tag.empty) continue;
      open.push(element);
      if (!requested) continue;
      const index = count++;
      if (count > (options.liftedCountMax ?? LIFTED_COUNT_MAX))
        throw new PlatformError('TOO_LARGE', {
          message: `The document has more than ${count - 1} ${options.element} elements.`,
        });
      const outcome = await liftOne(scan, options, index);
      if ('problem' in outcome)
        faults.push({
          message: `${options.element} ${outcome.problem}; expected the file in base64.`,
          line,
          open: [...open],
        });
      else lifted.push({ index, token: tokenOf(index), value: outcome.value, bytes: outcome.bytes, line });
      if (outcome.closed) open.pop();
    }
  } finally {
    // Closing the source early keeps a request's body from hanging.
    await chunks.return(undefined);
  }
  const issues = faults.map((fault) => ({
    message: fault.message,
    line: fault.line,
    path: pathOf(fault.open),
    element: options.element,
  }));
  return { xml: scan.out.subarray(0, scan.outBytes), lifted, issues };
}

const LESS_THAN = 0x3c;
const AMPERSAND = 0x26;
const CLOSING_BRACKET = 0x5d;

interface OpenElement {
  readonly name: string;
  readonly position: number;
  /** How many children of each name the parent has; complete at the end of the document. */
  readonly siblings: Map<string, number>;
  readonly counts: Map<string, number>;
}

function openElement(name: string, siblings: Map<string, number>): OpenElement {
  const position = (siblings.get(name) ?? 0) + 1;
  siblings.set(name, position);
  return { name, position, siblings, counts: new Map() };
}

function pathOf(open: readonly OpenElement[]): string {
  return open
    .map(({ name, position, siblings }) => `/${name}${(siblings.get(name) ?? 1) > 1 ? `[${position}]` : ''}`)
    .join('');
}

interface Tag {
  readonly name: string;
  readonly closes: boolean;
  readonly empty: boolean;
}

/**
 * Passes on the markup that begins here. Returns a tag's description, or undefined for a comment, instruction or CDATA
 * section.
 */
async function passMarkup(scan: Scan): Promise<Tag | undefined> {
  if (await startsWith(scan, '<!--')) return emitThrough(scan, '-->', 4);
  if (await startsWith(scan, '<![CDATA[')) return emitThrough(scan, ']]>', 9);
  if (await startsWith(scan, '<?')) return emitThrough(scan, '?>', 2);
  if (await startsWith(scan, '<!'))
    throw xmlErrorAt(
      scan,
      'The document has a DOCTYPE or another declaration, which is not accepted; send it without one.',
    );
  const bytes = await takeTag(scan);
  if (bytes === undefined) return undefined;
  emit(scan, bytes);
  const closes = bytes[1] === 0x2f;
  const name = /^<\/?([^\s/>]*)/.exec(bytes.toString('utf8'))?.[1] ?? '';
  return { name, closes, empty: !closes && bytes.at(-2) === 0x2f };
}

/** State of reading one element's text. */
interface ContentReader {
  readonly decoder: Base64Decoder;
  readonly bytesMax: number;
  problem: string | undefined;
  inCdata: boolean;
  done: boolean;
  bytes: number;
  /** Line ends in the text. They are moved into the end tag, so that everything after it keeps its line. */
  breaks: number;
  afterReturn: boolean;
}

type LiftOutcome<T> = { readonly closed: boolean } & (
  | { readonly value: T; readonly bytes: number }
  | { readonly problem: string }
);

async function liftOne<T>(scan: Scan, options: LiftOptions<T>, index: number): Promise<LiftOutcome<T>> {
  const reading: ContentReader = {
    decoder: base64Decoder(),
    bytesMax: options.liftedBytesMax ?? LIFTED_BYTES_MAX,
    problem: undefined,
    inCdata: false,
    done: false,
    bytes: 0,
    breaks: 0,
    afterReturn: false,
  };
  const first = await nextDecodedBytes(scan, reading);
  let value: T | undefined;
  if (first === undefined) {
    reading.problem ??= 'is empty';
  } else {
    try {
      value = await options.sink(index, decodedChunks(scan, reading, first));
    } catch (error) {
      if (reading.problem === undefined || (error instanceof PlatformError && error.code === 'TOO_LARGE')) throw error;
    }
  }
  // Read to the end of the element: what the sink left, and what follows invalid base64.
  while ((await nextDecodedBytes(scan, reading)) !== undefined);
  const closed = await writeToken(scan, reading, options.element, tokenOf(index));
  return reading.problem === undefined
    ? { closed, value: value as T, bytes: reading.bytes }
    : { closed, problem: reading.problem };
}

function decodedChunks(scan: Scan, reading: ContentReader, first: Uint8Array): AsyncIterable<Uint8Array> {
  let pending: Uint8Array | undefined = first;
  // A plain object instead of a generator: leaving a `for await` early would end a generator, and the rest of the
  // element must still be read.
  const iterator: AsyncIterator<Uint8Array, undefined> = {
    next: async () => {
      const bytes = pending ?? (await nextDecodedBytes(scan, reading));
      pending = undefined;
      if (reading.problem !== undefined)
        throw new PlatformError('BAD_XML', { message: `The text ${reading.problem}.` });
      return bytes === undefined ? { done: true, value: undefined } : { done: false, value: bytes };
    },
    return: async () => ({ done: true, value: undefined }),
  };
  return { [Symbol.asyncIterator]: () => iterator };
}

/**
 * Returns the next decoded bytes, never empty, or undefined at the end of the element's text. After a problem the rest
 * of the text is skipped.
 */
async function nextDecodedBytes(scan: Scan, reading: ContentReader): Promise<Uint8Array | undefined> {
  while (!reading.done) {
    const text = await nextText(scan, reading);
    if (text === undefined) break;
    if (reading.problem !== undefined) continue;
    const bytes = reading.decoder.write(text);
    reading.problem = reading.decoder.problem;
    reading.bytes += bytes.length;
    if (reading.bytes > reading.bytesMax)
      throw new PlatformError('TOO_LARGE', { message: `An attachment is larger than ${reading.bytesMax} bytes.` });
    if (bytes.length > 0 && reading.problem === undefined) return bytes;
  }
  if (!reading.done) {
    reading.done = true;
    reading.decoder.end();
    reading.problem ??= reading.decoder.problem;
  }
  return undefined;
}

/**
 * Returns the next piece of character data, or undefined where the text ends: at the end tag, a child element or the
 * end of the source.
 */
async function nextText(scan: Scan, reading: ContentReader): Promise<Uint8Array | undefined> {
  for (;;) {
    if (scan.buffer.length === 0 && !(await readMore(scan))) return undefined;
    if (reading.inCdata) {
      if (scan.buffer[0] !== CLOSING_BRACKET)
        return takeText(scan, reading, indexOfEither(scan.buffer, CLOSING_BRACKET, CLOSING_BRACKET));
      if (!(await startsWith(scan, ']]>'))) return takeText(scan, reading, 1);
      take(scan, 3);
      reading.inCdata = false;
    } else if (scan.buffer[0] === LESS_THAN) {
      if (await startsWith(scan, '<!--')) await emitThrough(scan, '-->', 4);
      else if (await startsWith(scan, '<?')) await emitThrough(scan, '?>', 2);
      else if (await startsWith(scan, '<![CDATA[')) {
        take(scan, 9);
        reading.inCdata = true;
      } else {
        if (!(await startsWith(scan, '</'))) reading.problem ??= 'holds markup';
        return undefined;
      }
    } else if (scan.buffer[0] === AMPERSAND) {
      return takeCharacterReference(scan, reading);
    } else {
      return takeText(scan, reading, indexOfEither(scan.buffer, LESS_THAN, AMPERSAND));
    }
  }
}

function indexOfEither(buffer: Buffer, one: number, other: number): number {
  const a = buffer.indexOf(one);
  const within = a < 0 ? buffer : buffer.subarray(0, a);
  const b = one === other ? -1 : within.indexOf(other);
  return b < 0 ? within.length : b;
}

function takeText(scan: Scan, reading: ContentReader, count: number): Uint8Array {
  const text = take(scan, count);
  for (let i = 0; i < text.length; i++) {
    const byte = text[i];
    if (byte === 0x0d || (byte === 0x0a && !reading.afterReturn)) reading.breaks++;
    reading.afterReturn = byte === 0x0d;
  }
  return text;
}

/** Longest useful reference to a base64 character or white space; real documents do not write `&#x0000000041;`. */
const REFERENCE_BYTES_MAX = 16;

/** Consumes a character reference. .NET's writers send each carriage return of a text as `&#xD;`. */
async function takeCharacterReference(scan: Scan, reading: ContentReader): Promise<Uint8Array> {
  while (scan.buffer.length < REFERENCE_BYTES_MAX && !scan.buffer.includes(0x3b) && (await readMore(scan)));
  const parts = /^&#(?:x([0-9a-fA-F]+)|([0-9]+));/.exec(scan.buffer.toString('latin1', 0, REFERENCE_BYTES_MAX));
  const code = parts?.[1] === undefined ? Number(parts?.[2] ?? 0) : parseInt(parts[1], 16);
  if (!parts || code > 0x7e || (code < 0x20 && code !== 9 && code !== 10 && code !== 13)) {
    reading.problem ??= 'holds a reference to a character that is not base64';
    return take(scan, 1);
  }
  take(scan, parts[0].length);
  return Uint8Array.of(code);
}

/**
 * Writes the token in place of the text, and the text's line ends into the end tag, where they are harmless. Returns
 * whether the element ended; it did not if a child element or the end of the source came first.
 */
async function writeToken(scan: Scan, reading: ContentReader, element: string, token: string): Promise<boolean> {
  emit(scan, Buffer.from(token));
  const tag = (await startsWith(scan, '</')) ? await takeTag(scan) : undefined;
  if (tag === undefined) return false;
  // Before the tag's own white space: after a carriage return there, a line feed would not count as a line.
  const at = Math.min(2 + Buffer.byteLength(element), tag.length - 1);
  emit(scan, tag.subarray(0, at));
  emit(scan, Buffer.alloc(reading.breaks, '\n'));
  emit(scan, tag.subarray(at));
  return true;
}
