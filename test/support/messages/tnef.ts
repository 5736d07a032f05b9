/** A property of MAPI: its number, and a text or bytes. */
export type TnefProperty = readonly [id: number, value: string | Buffer];

/** A file to pack. */
export interface PackedFile {
  readonly title?: string;
  readonly data?: Buffer;
  readonly properties?: readonly TnefProperty[];
}

/** Packs a container such as winmail.dat (MS-OXTNEF). */
export function packTnef(properties: readonly TnefProperty[], files: readonly PackedFile[]): Buffer {
  const head = Buffer.alloc(6);
  head.writeUInt32LE(0x223e9f78);
  head.writeUInt16LE(1, 4);
  return Buffer.concat([
    head,
    attribute(1, 0x00069007, long(1252)),
    attribute(1, 0x00069003, propertyList(properties)),
    ...files.flatMap(({ title, data, properties: own = [] }) => [
      attribute(2, 0x00069002, Buffer.alloc(14)),
      ...(title === undefined ? [] : [attribute(2, 0x00018010, Buffer.from(`${title}\0`, 'latin1'))]),
      ...(data === undefined ? [] : [attribute(2, 0x0006800f, data)]),
      attribute(2, 0x00069005, propertyList(own)),
    ]),
  ]);
}

function attribute(level: number, name: number, data: Buffer): Buffer {
  const sum = Buffer.alloc(2);
  sum.writeUInt16LE(data.reduce((total, byte) => (total + byte) & 0xffff, 0));
  return Buffer.concat([Buffer.from([level]), long(name), long(data.length), data, sum]);
}

function propertyList(properties: readonly TnefProperty[]): Buffer {
  return Buffer.concat([
    long(properties.length),
    ...properties.flatMap(([id, value]) => {
      const type = Buffer.alloc(4);
      type.writeUInt16LE(typeof value === 'string' ? 0x001f : 0x0102);
      type.writeUInt16LE(id, 2);
      const bytes = typeof value === 'string' ? Buffer.from(`${value}\0`, 'utf16le') : value;
      return [type, long(1), long(bytes.length), bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4)];
    }),
  ]);
}

function long(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
