import { crc32 } from 'node:zlib';
import { fromBufferPromise, type Entry, type ZipFile } from 'yauzl';
import { UnreadableFile } from '../../../contracts/text-reader.ts';
import { localName, xmlEvents } from '../../../lib/readers/xml-events.ts';

/** Most files of an archive. */
const ENTRIES_MAX = 10_000;
/** Most bytes that all parts together may unpack to. */
const INFLATED_BYTES_MAX = 400 * 1024 * 1024;
/** Largest ratio of a part: XML shrinks to a tenth, repeated rows to a hundredth, a bomb to a thousandth. */
const RATIO_MAX = 250;
const RATIO_FROM_BYTES = 4 * 1024 * 1024;

const BOMB = 'The file unpacks to far more than a document of its size.';
const DAMAGED = 'The file is damaged: it was cut off or changed.';

/** The parts of a document that is a ZIP archive of XML. */
export interface ZipParts {
  /** Names of the parts, as written. */
  readonly names: readonly string[];
  has(name: string): boolean;
  /** Calls a handler with the elements and texts of a part. Throws {@link UnreadableFile}. */
  read(name: string, handler: PartHandler): Promise<void>;
}

/** Receives the elements of a part by their names without prefix. */
export interface PartHandler {
  open?(name: string, attributes: Readonly<Record<string, string>>): void;
  close?(name: string): void;
  text?(text: string): void;
}

/** Opens an archive. Throws {@link UnreadableFile} if it is damaged, encrypted or a bomb. */
export async function openZip(bytes: Uint8Array): Promise<ZipParts> {
  const entries = new Map<string, Entry>();
  let file: ZipFile;
  try {
    file = await fromBufferPromise(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), { lazyEntries: true });
    if (file.entryCount > ENTRIES_MAX) throw new UnreadableFile(`The file contains more than ${ENTRIES_MAX} parts.`);
    for await (const entry of file.eachEntry()) entries.set(entry.fileName.toLowerCase(), entry);
  } catch (error) {
    throw error instanceof UnreadableFile ? error : new UnreadableFile(DAMAGED);
  }
  let inflated = 0;
  const bytesOf = async function* (entry: Entry): AsyncGenerator<Uint8Array, void, undefined> {
    if (entry.isEncrypted()) throw new UnreadableFile('The file is encrypted with a password.');
    if (entry.uncompressedSize > RATIO_FROM_BYTES && entry.uncompressedSize > RATIO_MAX * entry.compressedSize)
      throw new UnreadableFile(BOMB);
    let check = 0;
    try {
      for await (const chunk of (await file.openReadStreamPromise(entry)) as AsyncIterable<Buffer>) {
        inflated += chunk.length;
        if (inflated > INFLATED_BYTES_MAX) throw new UnreadableFile(BOMB);
        check = crc32(chunk, check);
        yield chunk;
      }
    } catch (error) {
      throw error instanceof UnreadableFile ? error : new UnreadableFile(DAMAGED);
    }
    if (check !== entry.crc32) throw new UnreadableFile(DAMAGED);
  };
  return {
    names: [...entries.values()].map(({ fileName }) => fileName),
    has: (name) => entries.has(name.toLowerCase()),
    async read(name, handler) {
      const entry = entries.get(name.toLowerCase());
      if (!entry) return;
      const damaged = (): UnreadableFile => new UnreadableFile(`${DAMAGED.slice(0, -1)} (${name.slice(0, 100)}).`);
      const events = xmlEvents(bytesOf(entry), {
        open: (written, attributes) => handler.open?.(localName(written), attributes),
        close: (written) => handler.close?.(localName(written)),
        text: (piece) => handler.text?.(piece),
        fail: damaged,
      });
      try {
        while ((await events.next()).done !== true);
      } catch (error) {
        throw error instanceof UnreadableFile ? error : damaged();
      }
    },
  };
}

/** Returns the parts that a part names, by the id of the relation: `rId7` → `ppt/slides/slide1.xml`. */
export async function relatedParts(zip: ZipParts, part: string): Promise<ReadonlyMap<string, string>> {
  const folder = part.slice(0, part.lastIndexOf('/') + 1);
  const related = new Map<string, string>();
  await zip.read(`${folder}_rels/${part.slice(folder.length)}.rels`, {
    open(name, { Id: id, Target: target, TargetMode: mode }) {
      if (name !== 'Relationship' || id === undefined || target === undefined || mode === 'External') return;
      related.set(id, target.startsWith('/') ? target.slice(1) : joinPath(folder, target));
    },
  });
  return related;
}

function joinPath(folder: string, target: string): string {
  const pieces = folder.split('/').slice(0, -1);
  for (const piece of target.split('/'))
    if (piece === '..') pieces.pop();
    else if (piece !== '.') pieces.push(piece);
  return pieces.join('/');
}

/** Returns the attribute of a relation's id, whatever its prefix. */
export function relationId(attributes: Readonly<Record<string, string>>): string | undefined {
  return Object.entries(attributes).find(([name]) => name.endsWith(':id'))?.[1];
}
