import type { TextDecoder as Decoder } from 'node:util';
import { decompressRtf } from './compressed-rtf.ts';

/** A file in a container. */
export interface TnefFile {
  readonly name: string | null;
  readonly mime: string | null;
  readonly contentId: string | null;
  readonly bytes: Buffer;
}

/** What a container (`winmail.dat`, MS-OXTNEF) holds. */
export interface TnefContent {
  readonly text: string | null;
  readonly html: string | null;
  readonly rtf: Buffer | null;
  readonly files: readonly TnefFile[];
}

const SIGNATURE = 0x223e9f78;
/** Most attributes and properties that are read, and how deep mails may be embedded. */
const ATTRIBUTES_MAX = 5_000;
const PROPERTIES_MAX = 10_000;
const DEPTH_MAX = 3;

/** Attributes, by the number that follows the level. */
const attribute = {
  body: 0x0002800c,
  codePage: 0x00069007,
  properties: 0x00069003,
  fileBegins: 0x00069002,
  fileTitle: 0x00018010,
  fileData: 0x0006800f,
  fileProperties: 0x00069005,
} as const;

/** Properties of MAPI. */
const property = {
  body: 0x1000,
  bodyHtml: 0x1013,
  rtfCompressed: 0x1009,
  fileData: 0x3701,
  fileName: 0x3704,
  fileLongName: 0x3707,
  fileMime: 0x370e,
  fileContentId: 0x3712,
  displayName: 0x3001,
} as const;

/** Types of properties whose values have a fixed number of bytes, padded to four. */
const fixedBytes: Readonly<Record<number, number>> = {
  0x0002: 4,
  0x0003: 4,
  0x0004: 4,
  0x0005: 8,
  0x0006: 8,
  0x0007: 8,
  0x000a: 4,
  0x000b: 4,
  0x0014: 8,
  0x0040: 8,
  0x0048: 16,
};
const TYPE_STRING8 = 0x001e;
const TYPE_UNICODE = 0x001f;
const TYPE_OBJECT = 0x000d;
const TYPE_BINARY = 0x0102;
const MULTIPLE = 0x1000;
/** An object's value begins with the identifier of its interface. */
const OBJECT_ID_BYTES = 16;

type Value = string | Buffer;

/** Reads from a buffer, and throws RangeError beyond its end. */
class Reader {
  private readonly source: Buffer;
  private at: number;

  constructor(source: Buffer, at = 0) {
    this.source = source;
    this.at = at;
  }

  get remaining(): number {
    return this.source.length - this.at;
  }

  byte(): number {
    return this.bytes(1).readUInt8();
  }

  short(): number {
    return this.bytes(2).readUInt16LE();
  }

  long(): number {
    return this.bytes(4).readUInt32LE();
  }

  bytes(count: number): Buffer {
    if (count > this.remaining) throw new RangeError('the container ends too early');
    this.at += count;
    return this.source.subarray(this.at - count, this.at);
  }

  /** Reads bytes that are padded to a multiple of four; the padding at the end of the source may be missing. */
  padded(count: number): Buffer {
    const value = this.bytes(count);
    this.at = Math.min(this.at + ((4 - (count % 4)) % 4), this.source.length);
    return value;
  }
}

interface OpenFile {
  title: string | null;
  data: Buffer | null;
  properties: ReadonlyMap<number, Value>;
}

interface OpenContainer {
  decoder: Decoder;
  body: string | null;
  properties: ReadonlyMap<number, Value>;
  readonly files: OpenFile[];
}

/**
 * Unpacks a container. What follows damage is omitted; undefined if it is no container.
 *
 * @example
 *   unpackTnef(Buffer.from('x')); // undefined
 */
export function unpackTnef(source: Buffer, depth = 0): TnefContent | undefined {
  if (source.length < 6 || source.readUInt32LE() !== SIGNATURE) return undefined;
  const container: OpenContainer = {
    decoder: new TextDecoder('windows-1252'),
    body: null,
    properties: new Map(),
    files: [],
  };
  untilDamage(() => {
    const reader = new Reader(source, 6);
    for (let count = 0; count < ATTRIBUTES_MAX && reader.remaining >= 9; count++) {
      reader.byte();
      const name = reader.long();
      readAttribute(container, name, reader.bytes(reader.long()));
      reader.short();
    }
  });
  const { decoder, body, properties, files } = container;
  const compressed = properties.get(property.rtfCompressed);
  const html = properties.get(property.bodyHtml);
  return {
    text: textOf(properties.get(property.body)) ?? body,
    html: Buffer.isBuffer(html) ? decoder.decode(html) : textOf(html),
    rtf: (Buffer.isBuffer(compressed) ? decompressRtf(compressed) : undefined) ?? null,
    files: files.flatMap((file) => filesOf(file, depth)),
  };
}

/** Reads until the data ends too early. */
function untilDamage(read: () => void): void {
  try {
    read();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
}

function readAttribute(container: OpenContainer, name: number, data: Buffer): void {
  const { decoder, files } = container;
  const file = files.at(-1);
  if (name === attribute.codePage) container.decoder = decoderOf(data);
  else if (name === attribute.body) container.body = stringOf(data, decoder);
  else if (name === attribute.properties) container.properties = propertiesOf(data, decoder);
  else if (name === attribute.fileBegins) files.push({ title: null, data: null, properties: new Map() });
  else if (file) readFileAttribute(file, { name, data, decoder });
}

function readFileAttribute(
  file: OpenFile,
  { name, data, decoder }: { readonly name: number; readonly data: Buffer; readonly decoder: Decoder },
): void {
  if (name === attribute.fileTitle) file.title = stringOf(data, decoder);
  else if (name === attribute.fileData) file.data = data;
  else if (name === attribute.fileProperties) file.properties = propertiesOf(data, decoder);
}

/** Returns the file of an attachment, or those of an embedded mail. */
function filesOf({ title, data, properties }: OpenFile, depth: number): readonly TnefFile[] {
  const text = (id: number): string | null => textOf(properties.get(id));
  const object = properties.get(property.fileData);
  const bytes = data ?? (Buffer.isBuffer(object) ? object : undefined);
  if (bytes === undefined) return [];
  const embedded = depth < DEPTH_MAX ? unpackTnef(bytes.subarray(OBJECT_ID_BYTES), depth + 1) : undefined;
  if (data === null && embedded) return embeddedFiles(embedded, text(property.displayName));
  return [
    {
      name: text(property.fileLongName) ?? title ?? text(property.fileName) ?? text(property.displayName),
      mime: text(property.fileMime)?.toLowerCase() ?? null,
      contentId: text(property.fileContentId),
      bytes,
    },
  ];
}

/** Returns the text of an embedded mail as a file, and its files. */
function embeddedFiles({ text, html, rtf, files }: TnefContent, name: string | null): readonly TnefFile[] {
  const file = (ending: string, mime: string, content: string | Buffer): TnefFile => ({
    name: `${name ?? 'message'}.${ending}`,
    mime,
    contentId: null,
    bytes: typeof content === 'string' ? Buffer.from(content) : content,
  });
  if (html !== null) return [file('html', 'text/html', html), ...files];
  if (text !== null) return [file('txt', 'text/plain', text), ...files];
  return rtf === null ? files : [file('rtf', 'application/rtf', rtf), ...files];
}

/** Returns the strings and bytes among the properties of a list (MS-OXTNEF 2.1.3.4); the rest is skipped. */
function propertiesOf(data: Buffer, decoder: Decoder): ReadonlyMap<number, Value> {
  const found = new Map<number, Value>();
  untilDamage(() => {
    const reader = new Reader(data);
    const count = Math.min(reader.long(), PROPERTIES_MAX);
    for (let n = 0; n < count; n++) {
      const type = reader.short();
      const id = reader.short();
      if (id >= 0x8000) skipName(reader);
      const value = propertyValue(reader, type, decoder);
      if (value !== undefined && !found.has(id)) found.set(id, value);
    }
  });
  return found;
}

/** Skips the name of a named property: a set, and a number or a text. */
function skipName(reader: Reader): void {
  reader.bytes(OBJECT_ID_BYTES);
  if (reader.long() === 0) reader.long();
  else reader.padded(reader.long());
}

/** Reads a property's values and returns the first if it is a text or bytes. */
function propertyValue(reader: Reader, type: number, decoder: Decoder): Value | undefined {
  const single = type & ~MULTIPLE;
  const isMultiple = (type & MULTIPLE) !== 0;
  const fixed = fixedBytes[single];
  if (fixed !== undefined) {
    reader.bytes((isMultiple ? reader.long() : 1) * fixed);
    return undefined;
  }
  if (![TYPE_STRING8, TYPE_UNICODE, TYPE_OBJECT, TYPE_BINARY].includes(single))
    throw new RangeError('an unknown type of property');
  const count = reader.long();
  let first: Value | undefined;
  for (let n = 0; n < count; n++) {
    const bytes = reader.padded(reader.long());
    first ??= single === TYPE_STRING8 || single === TYPE_UNICODE ? stringOf(bytes, decoder, single) : bytes;
  }
  return first;
}

function stringOf(bytes: Buffer, decoder: Decoder, type = TYPE_STRING8): string {
  const text = type === TYPE_UNICODE ? bytes.toString('utf16le') : decoder.decode(bytes);
  return text.replace(/\0[^]*$/, '');
}

function textOf(value: Value | undefined): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

/** Returns the decoder of a Windows code page; that of Western Europe if it is unknown. */
function decoderOf(data: Buffer): Decoder {
  const page = data.length >= 4 ? data.readUInt32LE() : 1252;
  const others: Readonly<Record<number, string>> = { 65001: 'utf-8', 932: 'shift_jis', 936: 'gbk', 949: 'euc-kr' };
  try {
    return new TextDecoder(others[page] ?? (page === 950 ? 'big5' : `windows-${page}`));
  } catch {
    return new TextDecoder('windows-1252');
  }
}
