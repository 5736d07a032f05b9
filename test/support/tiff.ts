/** A page of a TIFF file for tests. */
export interface TiffParts {
  readonly width: number;
  readonly height: number;
  /** The compressed rows. */
  readonly bytes: Buffer;
  /** Further tags, each a number. */
  readonly tags?: Readonly<Record<number, number>>;
}

/** Returns a TIFF file (little endian, one strip for each page). */
export function tiffOf(...pages: readonly TiffParts[]): Buffer {
  const parts: Buffer[] = [Buffer.from('II*\0\0\0\0\0', 'latin1')];
  let at = 8;
  let link = 4;
  const append = (part: Buffer): number => {
    parts.push(part);
    at += part.length;
    return at - part.length;
  };
  const links: (readonly [place: number, target: number])[] = [];
  for (const { width, height, bytes, tags = {} } of pages) {
    const strip = append(bytes);
    const all: Readonly<Record<number, number>> = {
      256: width,
      257: height,
      258: 1,
      259: 1,
      262: 0,
      273: strip,
      277: 1,
      278: height,
      279: bytes.length,
      ...tags,
    };
    const entries = Object.entries(all);
    const directory = Buffer.alloc(2 + entries.length * 12 + 4);
    directory.writeUInt16LE(entries.length, 0);
    for (const [index, [tag, value]] of entries.entries()) {
      const entry = 2 + index * 12;
      directory.writeUInt16LE(Number(tag), entry);
      directory.writeUInt16LE(4, entry + 2);
      directory.writeUInt32LE(1, entry + 4);
      directory.writeUInt32LE(value, entry + 8);
    }
    const start = append(directory);
    links.push([link, start]);
    link = start + directory.length - 4;
  }
  const file = Buffer.concat(parts);
  for (const [place, target] of links) file.writeUInt32LE(target, place);
  return file;
}

/** Returns the bytes that a text of zeros and ones means. */
export function bitsOf(text: string): Buffer {
  const bits = text.replace(/\s/g, '');
  const padded = bits.padEnd(Math.ceil(bits.length / 8) * 8, '0');
  return Buffer.from(padded.match(/.{8}/g)?.map((byte) => Number.parseInt(byte, 2)) ?? []);
}
