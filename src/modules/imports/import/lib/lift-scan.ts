import { PlatformError } from '../../../../kernel/door/errors.ts';

/** A document being streamed: bytes not scanned yet, and bytes passed on to the output. */
export interface Scan {
  readonly chunks: AsyncIterator<Uint8Array, unknown>;
  buffer: Buffer;
  out: Buffer;
  outBytes: number;
  readonly outBytesMax: number;
  /** Line at the end of the output, which is the line of the next byte. */
  line: number;
  afterReturn: boolean;
}

/**
 * Longest tag with all its attributes. No interface comes near; without a limit an unclosed quote would swallow the
 * document.
 */
const TAG_BYTES_MAX = 64 * 1024;

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

/** Appends one more chunk to the buffer; false at the end of the source. */
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
  // Nine bytes distinguish all marks, so most calls do not wait.
  while (scan.buffer.length < text.length) {
    if (!text.startsWith(scan.buffer.toString('latin1')) || !(await readMore(scan))) return false;
  }
  return scan.buffer.toString('latin1', 0, text.length) === text;
}

/** Consumes bytes without passing them on. */
export function take(scan: Scan, count: number): Buffer {
  const taken = scan.buffer.subarray(0, count);
  scan.buffer = scan.buffer.subarray(count);
  return taken;
}

/** Passes bytes on. They are copied, so that a short piece does not keep its whole chunk alive. */
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

/** Passes bytes on up to the given byte, which is then next; false if the source ends first. */
export async function emitTo(scan: Scan, byte: number): Promise<boolean> {
  for (;;) {
    const at = scan.buffer.indexOf(byte);
    emit(scan, take(scan, at < 0 ? scan.buffer.length : at));
    if (at >= 0) return true;
    if (!(await readMore(scan))) return false;
  }
}

/**
 * Passes bytes on up to and including the mark, searched for after the first `from` bytes, or to the end of the source.
 */
export async function emitThrough(scan: Scan, mark: string, from: number): Promise<undefined> {
  emit(scan, take(scan, from));
  for (;;) {
    const at = scan.buffer.indexOf(mark, 0, 'latin1');
    if (at >= 0) {
      emit(scan, take(scan, at + mark.length));
      return undefined;
    }
    // The mark may be split across chunks.
    emit(scan, take(scan, Math.max(0, scan.buffer.length - mark.length + 1)));
    if (await readMore(scan)) continue;
    emit(scan, take(scan, scan.buffer.length));
    return undefined;
  }
}

/**
 * Consumes the whole tag that begins here, minding quotes. Passes the rest on and returns undefined if the source ends
 * first.
 */
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

/** Returns an error at the next byte's line. */
export function xmlErrorAt(scan: Scan, message: string): PlatformError {
  return new PlatformError('BAD_XML', { message: `Line ${scan.line}: ${message}`, details: { line: scan.line } });
}
