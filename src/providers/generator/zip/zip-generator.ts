import { Readable } from 'node:stream';
import { ZipFile } from 'yazl';
import type { FileContent } from '../../../contracts/file-content.ts';
import type { Generator } from '../../../contracts/generator.ts';

/** Puts documents into a zip file, each under its own name. */
export const zipGenerator: Generator = {
  doc: 'A zip file of the named documents.',
  options: {},
  reads: 'documents',
  templates: [],
  needsTemplate: false,
  async generate({ data, signal }) {
    if (data.kind !== 'documents') throw new Error('a zip file is made of documents');
    const { documents } = data;
    return {
      mime: 'application/zip',
      extension: 'zip',
      bytes: () => zipBytes(documents, signal),
    };
  },
};

/** Streams a zip file. The documents are opened one after the other, each when the one before it has been read. */
async function* zipBytes(documents: readonly FileContent[], signal: AbortSignal): AsyncIterable<Uint8Array> {
  const zip = new ZipFile();
  for (const [at, name] of distinctNames(documents.map(({ fileName }) => fileName)).entries()) {
    const document = documents[at];
    if (!document) continue;
    zip.addReadStreamLazy(name, { compress: isCompressible(document.mime) }, (pass) => {
      const stream = Readable.from(document.open());
      stream.once('error', (error) => (zip.outputStream as Readable).destroy(error));
      pass(null, stream);
    });
  }
  zip.end();
  for await (const piece of zip.outputStream as Readable) {
    signal.throwIfAborted();
    yield piece as Uint8Array;
  }
}

/** Returns names of which no two are equal, ignoring case: `letter.pdf`, `letter (2).pdf`. */
export function distinctNames(names: readonly string[]): readonly string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    const [, stem = name, extension = ''] = /^(.*?)(\.[^.]*)?$/s.exec(name) ?? [];
    let distinct = name;
    for (let count = 2; taken.has(distinct.toLowerCase()); count++) distinct = `${stem} (${count})${extension}`;
    taken.add(distinct.toLowerCase());
    return distinct;
  });
}

/** Whether compression is worth its time: pictures and archives are compressed already. */
function isCompressible(mime: string): boolean {
  return !/^(?:image\/(?!bmp|svg|tiff)|video|audio|application\/(?:zip|gzip|vnd\.openxml))/.test(mime);
}
