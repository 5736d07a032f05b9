/** Compiles a Word document (DOCX) as a template, and writes documents from it. */
import { Readable } from 'node:stream';
import { fromBufferPromise, type Entry, type ZipFile as OpenZip } from 'yauzl';
import { ZipFile } from 'yazl';
import type { DataShape, TemplateProblem } from '../../../contracts/generator.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { compilePart } from './docx-part.ts';
import { PartPictures } from './docx-pictures.ts';
import { childrenOf, isElement, parseMarkup } from './markup.ts';
import type { Pictures } from './pictures.ts';
import type { RenderContext } from './render.ts';
import { unknownFields, type PlacedTag, type TemplateNode } from './template.ts';

/** Most files in a document, and most bytes of all of them unpacked. */
const ENTRIES_MAX = 2_000;
const UNPACKED_BYTES_MAX = 256 * 1024 * 1024;
/** Pictures are packed already. */
const PACKED = /\.(?:png|jpe?g|gif|emf|wmf|ttf|odttf)$/i;
const CONTENT_TYPES = '[Content_Types].xml';
/** Content types of the parts with text. */
const TEXT_PART = /wordprocessingml\.(document\.main|header|footer|footnotes|endnotes)\+xml$/;

/** Writes a part; `image` writes a picture. */
type RenderPart = (nodes: readonly TemplateNode[], media: Pick<RenderContext, 'image' | 'counter'>) => string;

/** A compiled DOCX template. */
export interface DocxTemplate {
  /** The parts that contain tags, by name in the package. */
  readonly parts: ReadonlyMap<string, readonly TemplateNode[]>;
  readonly problems: (shape: DataShape | undefined) => readonly TemplateProblem[];
  /** Returns the document with its parts written by `render`, and the pictures that it wrote. */
  readonly write: (render: RenderPart, pictures: Pictures) => AsyncIterable<Uint8Array>;
}

/** Compiles a template. Throws BAD_TEMPLATE if the file is no DOCX, is damaged or encrypted, or unpacks to too much. */
export async function compileDocx(bytes: Uint8Array): Promise<DocxTemplate> {
  const files = await unpack(bytes);
  const parts = new Map<string, readonly TemplateNode[]>();
  const tags: PlacedTag[] = [];
  const problems: TemplateProblem[] = [];
  for (const [name, label] of textParts(files)) {
    const text = files.get(name)?.toString('utf8') ?? '';
    const compiled = readable(name, () => compilePart(text.replace(/^\uFEFF/, ''), label));
    tags.push(...compiled.tags);
    problems.push(...compiled.problems);
    if (compiled.tags.length > 0) parts.set(name, compiled.nodes);
  }
  return {
    parts,
    problems: (shape) => (shape === undefined ? problems : [...problems, ...unknownFields(tags, shape)]),
    write: (render, pictures) => pack(files, writeParts({ files, parts }, render, pictures)),
  };
}

/** Returns the files that filling in a template changes or adds. */
function writeParts(
  { files, parts }: { readonly files: ReadonlyMap<string, Buffer>; readonly parts: DocxTemplate['parts'] },
  render: RenderPart,
  pictures: Pictures,
): ReadonlyMap<string, Buffer> {
  const changed = new Map<string, Buffer>();
  let count = 0;
  let types = files.get(CONTENT_TYPES)?.toString('utf8') ?? '';
  for (const [name, nodes] of parts) {
    const counter = (): number => ++count;
    const media = new PartPictures(pictures, counter);
    changed.set(name, Buffer.from(render(nodes, { counter, image: (node, tag) => media.markup(node, tag) })));
    const relationships = name.replace(/([^/]+)$/, '_rels/$1.rels');
    const own = media.relationships(files.get(relationships)?.toString('utf8'));
    if (own === undefined) continue;
    changed.set(relationships, Buffer.from(own));
    for (const [file, bytes] of media.files()) changed.set(file, bytes);
    types = media.contentTypes(types);
    changed.set(CONTENT_TYPES, Buffer.from(types));
  }
  return changed;
}

/** Returns the text parts of a package with their names for authors; '' for the body. */
function textParts(files: ReadonlyMap<string, Buffer>): readonly (readonly [name: string, label: string])[] {
  const types = files.get(CONTENT_TYPES);
  if (!types) throw badFile('The file is not a Word document (DOCX): its list of parts is missing.');
  const root = readable(CONTENT_TYPES, () => parseMarkup(types.toString('utf8').replace(/^\uFEFF/, '')));
  const found = childrenOf(root).flatMap((node) => {
    if (!isElement(node)) return [];
    const kind = TEXT_PART.exec(node.attributes.get('ContentType') ?? '')?.[1];
    const name = (node.attributes.get('PartName') ?? '').replace(/^\//, '');
    return kind === undefined || !files.has(name) ? [] : [[name, labelOf(name, kind)] as const];
  });
  if (!found.some(([, label]) => label === ''))
    throw badFile('The file is not a Word document (DOCX): it has no body.');
  return [...found].sort(([, a], [, b]) => a.localeCompare(b));
}

function labelOf(name: string, kind: string): string {
  if (kind === 'document.main') return '';
  const number = /(\d+)\.xml$/.exec(name)?.[1];
  return number === undefined ? kind : `${kind} ${number}`;
}

function readable<T>(name: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof PlatformError) throw error;
    throw badFile(`The Word document is damaged: ${name} cannot be read (${(error as Error).message.slice(0, 200)}).`);
  }
}

/** Returns the files in a package, in order. */
async function unpack(bytes: Uint8Array): Promise<ReadonlyMap<string, Buffer>> {
  const files = new Map<string, Buffer>();
  let total = 0;
  try {
    const zip = await fromBufferPromise(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), {
      lazyEntries: true,
      validateEntrySizes: true,
    });
    if (zip.entryCount > ENTRIES_MAX) throw badFile(`The Word document contains more than ${ENTRIES_MAX} files.`);
    for await (const entry of zip.eachEntry()) {
      if (entry.fileName.endsWith('/')) continue;
      if (entry.isEncrypted()) throw badFile('The Word document is encrypted; save it without a password.');
      if (total + entry.uncompressedSize > UNPACKED_BYTES_MAX) throw tooLarge();
      const content = await entryBytes(zip, entry, UNPACKED_BYTES_MAX - total);
      total += content.length;
      files.set(entry.fileName, content);
    }
  } catch (error) {
    if (error instanceof PlatformError) throw error;
    throw badFile(
      `The file is not a Word document (DOCX), or it is damaged (${(error as Error).message.slice(0, 200)}).`,
    );
  }
  return files;
}

async function entryBytes(zip: OpenZip, entry: Entry, most: number): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of (await zip.openReadStreamPromise(entry)) as AsyncIterable<Uint8Array>) {
    length += piece.length;
    if (length > most) throw tooLarge();
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

function tooLarge(): PlatformError {
  return badFile(`The Word document unpacks to more than ${UNPACKED_BYTES_MAX} bytes.`);
}

function badFile(message: string): PlatformError {
  return new PlatformError('BAD_TEMPLATE', { message });
}

/** Streams a package with some of its files replaced, in the order of the template, and others added. */
async function* pack(
  files: ReadonlyMap<string, Buffer>,
  changed: ReadonlyMap<string, Buffer>,
): AsyncIterable<Uint8Array> {
  const zip = new ZipFile();
  for (const [name, content] of files)
    zip.addBuffer(changed.get(name) ?? content, name, { compress: !PACKED.test(name), mtime: EPOCH });
  for (const [name, content] of changed)
    if (!files.has(name)) zip.addBuffer(content, name, { compress: !PACKED.test(name), mtime: EPOCH });
  zip.end();
  yield* Readable.from(zip.outputStream) as AsyncIterable<Uint8Array>;
}

/** The same data make the same bytes. */
const EPOCH = new Date(Date.UTC(1980, 0, 2));
