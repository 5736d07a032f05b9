import { crc32, deflateRawSync } from 'node:zlib';

/** A file of an archive, written as it says: also what no program would write. */
export interface ZipFileSpec {
  readonly name: string;
  readonly content: string | Uint8Array;
  /** The mode of Unix, such as that of a link. */
  readonly mode?: number;
  readonly isEncrypted?: boolean;
  /** Sizes that the directory claims instead of the true ones. */
  readonly claimedSize?: number;
  readonly claimedPackedSize?: number;
}

/** Returns a zip archive of these files, byte for byte as described. */
export function zipOf(files: readonly ZipFileSpec[]): Buffer {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const file of files) {
    const name = Buffer.from(file.name);
    const content = Buffer.from(file.content);
    const packed = deflateRawSync(content);
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE((file.isEncrypted === true ? 1 : 0) | 0x800, 2);
    fields.writeUInt16LE(8, 4);
    fields.writeUInt32LE(crc32(content), 10);
    fields.writeUInt32LE(file.claimedPackedSize ?? packed.length, 14);
    fields.writeUInt32LE(file.claimedSize ?? content.length, 18);
    fields.writeUInt16LE(name.length, 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), fields, name, packed]);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(((file.mode ?? 0o100644) << 16) >>> 0, 6);
    tail.writeUInt32LE(at, 10);
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x03', 'latin1'), fields, tail, name]));
    locals.push(local);
    at += local.length;
  }
  const listed = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(files.length, 4);
  end.writeUInt16LE(files.length, 6);
  end.writeUInt32LE(listed.length, 8);
  end.writeUInt32LE(at, 12);
  return Buffer.concat([...locals, listed, Buffer.from('PK\x05\x06', 'latin1'), end]);
}
