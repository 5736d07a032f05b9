/** Size of a tar block: a header takes one, contents are padded to whole ones. */
const BLOCK = 512;
/** Longest name and largest size of a plain header; others need an extended header before it. */
const NAME_BYTES_MAX = 100;
const SIZE_MAX = 0o77777777777;
/** Longest extended header that is read, in bytes: names are far shorter. */
const EXTENDED_BYTES_MAX = 64 * 1024;

/** A file in an archive. */
export interface TarEntry {
  readonly path: string;
  readonly size: number;
  /** Must be read to its end before the next entry. */
  readonly bytes: AsyncIterable<Uint8Array>;
}

/** Returns the header of a file in the format that every tar reads (pax). */
export function tarHeader(path: string, size: number): Buffer {
  const fits = Buffer.byteLength(path) <= NAME_BYTES_MAX && size <= SIZE_MAX;
  if (fits) return header(path, size, '0');
  const records = Buffer.from(record('path', path) + record('size', String(size)));
  return Buffer.concat([
    header('PaxHeader', records.length, 'x'),
    records,
    tarPadding(records.length),
    header(Buffer.from(path).subarray(0, NAME_BYTES_MAX).toString('latin1'), Math.min(size, SIZE_MAX), '0'),
  ]);
}

/** Returns the padding of a file to whole blocks. */
export function tarPadding(size: number): Buffer {
  return Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK);
}

/** Returns the end of an archive. */
export function tarEnd(): Buffer {
  return Buffer.alloc(2 * BLOCK);
}

/** Yields the files of an archive in order. Throws if it is truncated or not an archive. */
export async function* readTar(stream: AsyncIterable<Uint8Array>): AsyncIterable<TarEntry> {
  const source = new Source(stream);
  let extended: Readonly<Record<string, string>> = {};
  for (;;) {
    const block = await source.exactly(BLOCK);
    if (block.every((byte) => byte === 0)) return;
    if (Number.parseInt(block.toString('latin1', 148, 156), 8) !== checksum(block))
      throw new Error('the archive is damaged: a header does not match its checksum');
    const size = Number.parseInt(block.toString('latin1', 124, 136), 8);
    const type = block.toString('latin1', 156, 157);
    if (type === 'x') {
      if (size > EXTENDED_BYTES_MAX) throw new Error('the archive is damaged: an extended header is too long');
      extended = readRecords(await source.exactly(size));
      await source.exactly(tarPadding(size).length);
      continue;
    }
    if (type !== '0')
      throw new Error(`the archive is not a backup: it contains an entry of type ${JSON.stringify(type)}`);
    const whole = Number(extended['size'] ?? size);
    yield {
      path:
        extended['path'] ??
        block.toString('utf8', 0, block.indexOf(0) >>> 0 < NAME_BYTES_MAX ? block.indexOf(0) : NAME_BYTES_MAX),
      size: whole,
      bytes: source.upTo(whole),
    };
    await source.exactly(tarPadding(whole).length);
    extended = {};
  }
}

function header(path: string, size: number, type: string): Buffer {
  const block = Buffer.alloc(BLOCK);
  block.write(path, 0, NAME_BYTES_MAX, path.length === Buffer.byteLength(path) ? 'latin1' : 'utf8');
  block.write('0000600\0', 100, 'latin1');
  block.write('0000000\0', 108, 'latin1');
  block.write('0000000\0', 116, 'latin1');
  block.write(`${size.toString(8).padStart(11, '0')}\0`, 124, 'latin1');
  block.write(
    `${Math.floor(Date.now() / 1_000)
      .toString(8)
      .padStart(11, '0')}\0`,
    136,
    'latin1',
  );
  block.write(type, 156, 'latin1');
  block.write('ustar\u000000', 257, 'latin1');
  block.write(`${checksum(block).toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return block;
}

/** Returns the sum of all bytes, with those of the sum itself as blanks. */
function checksum(block: Buffer): number {
  return block.reduce((sum, byte, at) => sum + (at >= 148 && at < 156 ? 32 : byte), 0);
}

/** A record begins with its own length, which includes the length's digits. */
function record(name: string, value: string): string {
  const rest = Buffer.byteLength(` ${name}=${value}\n`);
  let length = rest + String(rest).length;
  if (String(length).length !== String(rest).length) length = rest + String(length).length;
  return `${length} ${name}=${value}\n`;
}

function readRecords(bytes: Buffer): Record<string, string> {
  const found: Record<string, string> = {};
  for (let at = 0; at < bytes.length;) {
    const blank = bytes.indexOf(0x20, at);
    const length = Number(bytes.toString('latin1', at, blank));
    if (blank < 0 || !Number.isInteger(length) || length <= 0)
      throw new Error('the archive is damaged: an extended header cannot be read');
    const [name = '', ...value] = bytes.toString('utf8', blank + 1, at + length - 1).split('=');
    found[name] = value.join('=');
    at += length;
  }
  return found;
}

/** A stream that is read by a given number of bytes at a time. */
class Source {
  private readonly pieces: AsyncIterator<Uint8Array>;
  private held: Buffer = Buffer.alloc(0);

  constructor(stream: AsyncIterable<Uint8Array>) {
    this.pieces = stream[Symbol.asyncIterator]();
  }

  async exactly(size: number): Promise<Buffer> {
    const parts: Uint8Array[] = [];
    for await (const part of this.upTo(size)) parts.push(part);
    return Buffer.concat(parts);
  }

  /** Yields the next `size` bytes. */
  async *upTo(size: number): AsyncIterable<Uint8Array> {
    for (let left = size; left > 0;) {
      if (this.held.length === 0) {
        const next = await this.pieces.next();
        if (next.done === true) throw new Error('the archive is truncated');
        this.held = Buffer.from(next.value.buffer, next.value.byteOffset, next.value.byteLength);
      }
      const part = this.held.subarray(0, left);
      this.held = this.held.subarray(part.length);
      left -= part.length;
      yield part;
    }
  }
}
