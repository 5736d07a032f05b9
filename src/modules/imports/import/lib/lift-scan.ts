import { PlatformError } from '../../../../kernel/door/errors.ts';

/** A document that streams past: what was not looked at yet, and what was passed on. */
export interface Scan {
  readonly chunks: AsyncIterator<Uint8Array, unknown>;
  buffer: Buffer;
  out: Buffer;
  outBytes: number;
  readonly outBytesMax: number;
  /** Line of the end of what was passed on, which is the line of what comes next. */
  line: number;
  afterReturn: boolean;
}

/** One tag with all its attributes. Nothing of the interfaces comes near; an unclosed quote would otherwise swallow the document. */
const TAG_BYTES_MAX = 64 * 1024;

/** Begins a scan. */
export function createScan(chunks: AsyncIterator<Uint8Array, unknown>, outBytesMax: number): Scan {
  return {
    chunks,
    buffer: Buffer.alloc(0),
    out: Buffer.alloc(Math.min(outBytesMax, 16 * 1024)),
    outBytes: 0,
    outBytesMax,
    line: 1,
    afterReturn: false,
  };
}

/** Reads one more chunk behind what is there; false at the end of the source. */
export async function readMore(scan: Scan): Promise<boolean> {
  const next = await scan.chunks.next();
  if (next.done === true) return false;
  const chunk = next.value;
  const added = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  scan.buffer = scan.buffer.length === 0 ? added : Buffer.concat([scan.buffer, added]);
  return true;
}

/** Whether these ASCII characters come next. */
export async function startsWith(scan: Scan, text: string): Promise<boolean> {
  // Nine bytes tell every mark apart, so most calls wait for nothing.
  while (scan.buffer.length < text.length) {
    if (!text.startsWith(scan.buffer.toString('latin1')) || !(await readMore(scan))) return false;
  }
  return scan.buffer.toString('latin1', 0, text.length) === text;
}

/** Takes bytes without passing them on. */
export function take(scan: Scan, count: number): Buffer {
  const taken = scan.buffer.subarray(0, count);
  scan.buffer = scan.buffer.subarray(count);
  return taken;
}

/** Passes bytes on. They are copied, so that a short piece does not keep the chunk that it came in. */
export function emit(scan: Scan, bytes: Buffer): void {
  const total = scan.outBytes + bytes.length;
  if (total > scan.outBytesMax) {
    throw new PlatformError('TOO_LARGE', {
      message: `The document without its attachments is larger than ${scan.outBytesMax} bytes.`,
    });
  }
  if (total > scan.out.length) {
    const larger = Buffer.allocUnsafe(Math.min(scan.outBytesMax, Math.max(total, scan.out.length * 2)));
    scan.out.copy(larger, 0, 0, scan.outBytes);
    scan.out = larger;
  }
  bytes.copy(scan.out, scan.outBytes);
  scan.outBytes = total;
  for (const byte of bytes) {
    if (byte === 0x0d || (byte === 0x0a && !scan.afterReturn)) scan.line++;
    scan.afterReturn = byte === 0x0d;
  }
}

/** Passes everything on up to this byte, which is then next; false when the source ends before. */
export async function emitTo(scan: Scan, byte: number): Promise<boolean> {
  for (;;) {
    const at = scan.buffer.indexOf(byte);
    emit(scan, take(scan, at < 0 ? scan.buffer.length : at));
    if (at >= 0) return true;
    if (!(await readMore(scan))) return false;
  }
}

/** Passes everything on up to and with this mark, looked for behind the first `from` bytes, or to the end of the source. */
export async function emitThrough(scan: Scan, mark: string, from: number): Promise<undefined> {
  emit(scan, take(scan, from));
  for (;;) {
    const at = scan.buffer.indexOf(mark, 0, 'latin1');
    if (at >= 0) {
      emit(scan, take(scan, at + mark.length));
      return undefined;
    }
    // The mark may be cut by the end of the chunk.
    emit(scan, take(scan, Math.max(0, scan.buffer.length - mark.length + 1)));
    if (await readMore(scan)) continue;
    emit(scan, take(scan, scan.buffer.length));
    return undefined;
  }
}

/** Takes the whole tag that begins here, quotes heeded; undefined, and the rest passed on, when the source ends before it does. */
export async function takeTag(scan: Scan): Promise<Buffer | undefined> {
  let quote = 0;
  for (let at = 1; ; at++) {
    if (at > TAG_BYTES_MAX) throw xmlErrorAt(scan, `A tag is longer than ${TAG_BYTES_MAX} bytes.`);
    if (at >= scan.buffer.length && !(await readMore(scan))) {
      emit(scan, take(scan, scan.buffer.length));
      return undefined;
    }
    const byte = scan.buffer[at];
    if (quote !== 0) quote = byte === quote ? 0 : quote;
    else if (byte === 0x22 || byte === 0x27) quote = byte;
    else if (byte === 0x3e) return take(scan, at + 1);
  }
}

/** A refusal at the line that comes next. */
export function xmlErrorAt(scan: Scan, message: string): PlatformError {
  return new PlatformError('BAD_XML', { message: `Line ${scan.line}: ${message}`, details: { line: scan.line } });
}
