import { PDFDocument } from '@cantoo/pdf-lib';
import type { FileContent } from '../../../contracts/file-content.ts';
import type { Generator } from '../../../contracts/generator.ts';
import { f } from '../../../kernel/declare/field.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { addBookmarks, type Bookmark } from './bookmarks.ts';
import { addImagePage, type PageSize } from '../../../lib/pdf/image-page.ts';
import { openPdf } from '../../../lib/pdf/open-pdf.ts';

/** Largest sum of the documents in bytes: they are combined in memory. */
const BYTES_MAX = 256 * 1024 * 1024;
/** Most pages of a combined document. */
const PAGES_MAX = 20_000;

/** Bytes that are passed on together. */
const PIECE_BYTES = 256 * 1024;

const PDF = 'application/pdf';
const IMAGES: readonly string[] = ['image/png', 'image/jpeg'];

/** Sizes of pages in points. */
const PAGE_SIZES: Readonly<Record<string, PageSize>> = {
  Letter: { width: 612, height: 792 },
  A4: { width: 595.28, height: 841.89 },
};

const options = {
  Bookmarks: f.boolean({ doc: 'Whether the file has a bookmark for each document.', default: true }),
  Duplex: f.boolean({
    doc: 'Whether each document begins on a new sheet when printed on both sides: an odd one gets a blank page.',
    default: false,
  }),
  PageSize: f.choice(['Letter', 'A4'], { doc: 'The size of pages that show an image.', default: 'Letter' }),
};

/** Combines PDF files and images to one PDF file. */
export const mergedPdfGenerator: Generator<typeof options> = {
  doc: 'One PDF file of the named documents, which are PDF files and images.',
  options,
  reads: 'documents',
  templates: [],
  needsTemplate: false,
  async generate({ data, options: { Bookmarks, Duplex, PageSize: size }, signal }) {
    if (data.kind !== 'documents') throw new Error('documents are combined');
    const { documents } = data;
    assertSize(documents);
    const pageSize = PAGE_SIZES[size] ?? { width: 612, height: 792 };
    const target = await PDFDocument.create();
    const bookmarks: Bookmark[] = [];
    for (const [at, document] of documents.entries()) {
      signal.throwIfAborted();
      const firstPage = target.getPageCount();
      await addDocument(target, document, pageSize);
      const count = target.getPageCount();
      if (count > PAGES_MAX) throw tooLarge(`more than ${PAGES_MAX} pages`);
      bookmarks.push({ title: document.fileName.replace(/\.[^.]{1,8}$/, ''), page: firstPage });
      if (Duplex && (count - firstPage) % 2 === 1 && at < documents.length - 1) addBlankPage(target);
    }
    if (Bookmarks) addBookmarks(target, bookmarks);
    const bytes = await target.save();
    return {
      mime: PDF,
      extension: 'pdf',
      async *bytes() {
        for (let start = 0; start < bytes.length; start += PIECE_BYTES) {
          signal.throwIfAborted();
          yield bytes.subarray(start, start + PIECE_BYTES);
        }
      },
    };
  },
};

function assertSize(documents: readonly FileContent[]): void {
  const sum = documents.reduce((total, { size }) => total + size, 0);
  if (sum > BYTES_MAX) throw tooLarge(`${sum} bytes`);
}

function tooLarge(found: string): PlatformError {
  return new PlatformError('TOO_LARGE', {
    message: `The documents have ${found} together; at most ${BYTES_MAX} bytes and ${PAGES_MAX} pages are combined.`,
  });
}

/** Adds the pages of a document. */
async function addDocument(target: PDFDocument, document: FileContent, pageSize: PageSize): Promise<void> {
  const { mime } = document;
  const isImage = IMAGES.includes(mime);
  if (mime !== PDF && !isImage)
    throw refused(document, `is ${mime}; expected a PDF file, or an image in PNG or JPEG. Convert it to PDF first`);
  const pieces: Uint8Array[] = [];
  for await (const piece of document.open()) pieces.push(piece);
  const bytes = Buffer.concat(pieces);
  if (isImage) {
    const problem = await addImagePage(target, { mime, bytes }, pageSize);
    if (problem !== undefined) throw refused(document, problem);
    return;
  }
  const source = await openFlat(document, bytes);
  for (const page of await target.copyPages(source, source.getPageIndices())) target.addPage(page);
}

/** Opens a PDF file. Values of its form become part of its pages: a combined file has no form. */
async function openFlat(document: FileContent, bytes: Uint8Array): Promise<PDFDocument> {
  const source = await openPdf(bytes).catch(() => {
    throw refused(document, DAMAGED);
  });
  if (source.isEncrypted) throw refused(document, 'is encrypted; save it without a password');
  if (pageCount(source) === 0) throw refused(document, DAMAGED);
  flattenForm(source);
  return source;
}

const DAMAGED = 'is damaged, or is not a PDF file; open and save it again, or leave it out';

/** Returns the number of pages; 0 if the file has no tree of pages. */
function pageCount(source: PDFDocument): number {
  try {
    return source.getPageCount();
  } catch {
    return 0;
  }
}

function flattenForm(source: PDFDocument): void {
  try {
    const form = source.getForm();
    if (form.getFields().length > 0) form.flatten();
  } catch {
    // A form that cannot be read keeps the appearance that the file gives its fields.
  }
}

function addBlankPage(target: PDFDocument): void {
  const { width, height } = target.getPage(target.getPageCount() - 1).getSize();
  target.addPage([width, height]);
}

function refused({ fileName }: FileContent, problem: string): PlatformError {
  return new PlatformError('BAD_PARAMETER', { field: 'ID', message: `ID: "${fileName}" ${problem}.` });
}
