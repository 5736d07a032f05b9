/** Templates of letters, and documents made of them. */
import { fromBufferPromise } from 'yauzl';
import { ZipFile } from 'yazl';
import { generatedBytes, noDocuments } from '../../src/contracts/conformance/generator.ts';
import type { FileContent } from '../../src/contracts/file-content.ts';
import type { DocumentData } from '../../src/contracts/generator.ts';
import type { TreeNode } from '../../src/kernel/door/answer.ts';
import { mailMergeGenerator } from '../../src/providers/generator/mail-merge/mail-merge-generator.ts';

export const DOCX_TYPE = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';

/** Returns a file in memory. */
export function fileOf(bytes: Buffer, mime: string): FileContent {
  const stream = async function* (start = 0, end = bytes.length): AsyncIterable<Uint8Array> {
    yield bytes.subarray(start, end);
  };
  return { fileName: 'template', mime, size: bytes.length, open: () => stream(), part: stream };
}

/** Returns a Word document with the body; further parts by name, such as `header1`. */
export async function docxFile(body: string, parts: Readonly<Record<string, string>> = {}): Promise<FileContent> {
  const zip = new ZipFile();
  const types = Object.keys(parts).map(
    (name) =>
      `<Override PartName="/word/${name}.xml" ContentType="application/vnd.openxmlformats-officedocument.` +
      `wordprocessingml.${name.replace(/\d/g, '')}+xml"/>`,
  );
  const add = (name: string, text: string): void => zip.addBuffer(Buffer.from(text), name);
  add(
    '[Content_Types].xml',
    `<Types><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.` +
      `wordprocessingml.document.main+xml"/>${types.join('')}</Types>`,
  );
  add('word/document.xml', `<w:document xmlns:w="w"><w:body>${body}</w:body></w:document>`);
  for (const [name, text] of Object.entries(parts)) add(`word/${name}.xml`, text);
  zip.end();
  const pieces: Uint8Array[] = [];
  for await (const piece of zip.outputStream as AsyncIterable<Uint8Array>) pieces.push(piece);
  return fileOf(Buffer.concat(pieces), DOCX_TYPE);
}

/** Fills in a template with a tree, or with a tree and documents, at 23:30 on March 9, 2026 in New York. */
export async function merge(template: FileContent, data: TreeNode | DocumentData): Promise<Uint8Array> {
  const made = await mailMergeGenerator.generate({
    template,
    options: { Currency: 'USD' },
    data: 'kind' in data ? data : { kind: 'tree', tree: data, document: noDocuments },
    locale: 'en-US',
    timeZone: 'America/New_York',
    now: '2026-03-10T03:30:00.000Z',
    signal: new AbortController().signal,
  });
  return generatedBytes(made);
}

/** Returns a part of a Word document: `document`, `header1`. */
export const partOf = async (bytes: Uint8Array, name: string): Promise<string> =>
  String(await entryOf(bytes, `word/${name}.xml`));

/** Returns a file of a package. */
export async function entryOf(bytes: Uint8Array, name: string): Promise<Buffer> {
  const zip = await fromBufferPromise(Buffer.from(bytes), { lazyEntries: true });
  for await (const entry of zip.eachEntry()) {
    if (entry.fileName !== name) continue;
    const pieces: Uint8Array[] = [];
    for await (const piece of await zip.openReadStreamPromise(entry)) pieces.push(piece as Uint8Array);
    return Buffer.concat(pieces);
  }
  throw new Error(`there is no ${name}`);
}

/** Returns the text of markup; `|` between paragraphs. */
export const textIn = (xml: string): string =>
  xml
    .replace(/<w:br\/>/g, '\n')
    .replace(/<\/w:p>/g, '|')
    .replace(/<[^>]*>/g, '')
    .replace(/\|$/, '');
