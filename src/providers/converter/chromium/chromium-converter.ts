import { PDFDocument } from '@cantoo/pdf-lib';
import type { ConvertedFile, Converter } from '../../../contracts/converter.ts';
import { bytesOf, type FileContent } from '../../../contracts/file-content.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import type { ChromiumPrinter } from '../../../lib/chromium/chromium-printer.ts';
import { chromiumPath, ChromiumUnavailable } from '../../../lib/chromium/chromium-process.ts';
import { hasVisibleText } from '../../../lib/chromium/inert-html.ts';
import { pdfHasText, pdfPageCount } from '../../../lib/pdf/pdf-text.ts';
import { decodeText } from '../../../lib/readers/decode-text.ts';
import { DAMAGED, unreadable } from '../unreadable.ts';
import { mailPages, textHtml } from './mail-pages.ts';

const PDF = 'application/pdf';
/** Largest file: the page that shows it is held in memory several times. */
const BYTES_MAX = 64 * 1024 * 1024;

/** Paper in inches. */
export interface Paper {
  readonly width: number;
  readonly height: number;
}

/** The parts of Chromium that print. */
export interface ChromiumParts {
  readonly printer: Pick<ChromiumPrinter, 'print'>;
  /** The name or path of the program; '' for any Chromium that is installed. */
  readonly command: () => string;
  readonly paper: Paper;
}

/** Returns the HTML documents that show a file, by media type. */
const pages: Readonly<Record<string, (bytes: Buffer, mime: string) => Promise<readonly string[]>>> = {
  'text/html': html,
  'application/xhtml+xml': html,
  'message/rfc822': mailPages,
  'text/plain': text,
  'text/csv': text,
  'text/markdown': text,
  'text/xml': text,
  'application/xml': text,
  'application/json': text,
  'image/gif': image,
  'image/webp': image,
  'image/bmp': image,
};

/** Converts what browsers show, by Chromium: nothing in it runs or is loaded. */
export function chromiumConverter(parts: ChromiumParts): Converter {
  return {
    doc: 'HTML, mail and text files, and images in GIF, WebP and BMP, by Chromium.',
    formats: Object.fromEntries(Object.keys(pages).map((mime) => [mime, [PDF]])),
    state() {
      const program = chromiumPath(parts.command());
      if (program !== undefined) return { ready: true, program };
      const name = parts.command() === '' ? 'Chromium' : parts.command();
      return { ready: false, missing: `The program ${name} is not installed. ${ADVICE}` };
    },
    async convert(file, to, { signal }): Promise<ConvertedFile> {
      const show = pages[file.mime];
      if (!show || to !== PDF) throw unreadable(file, `cannot be converted to ${to}`);
      if (file.size > BYTES_MAX)
        throw new PlatformError('TOO_LARGE', {
          message: `"${file.fileName}" has ${file.size} bytes; at most ${BYTES_MAX} are printed.`,
        });
      signal.throwIfAborted();
      const documents = await show(await bytesOf(file), file.mime).catch((error: unknown) => {
        throw unreadable(file, DAMAGED, error);
      });
      const printed: Uint8Array[] = [];
      for (const document of documents) printed.push(await print(parts, file, { html: document, signal }));
      return { mime: PDF, extension: 'pdf', bytes: await joined(printed) };
    },
  };
}

const ADVICE = 'Install Chromium, or set ChromiumCommand to its program.';
/** In inches. */
const MARGIN = 0.6;

async function print(
  { printer, paper }: ChromiumParts,
  file: FileContent,
  { html: document, signal }: { readonly html: string; readonly signal: AbortSignal },
): Promise<Uint8Array> {
  const layout = { ...paper, margin: MARGIN, isLandscape: false, header: '', footer: '' };
  const pdf = await printer.print(document, { ...layout, signal }).catch((error: unknown) => {
    if (!(error instanceof ChromiumUnavailable)) throw error;
    throw new PlatformError('CONVERTER_UNAVAILABLE', { message: `${error.message} ${ADVICE}`, cause: error });
  });
  if ((await pdfPageCount(pdf)) === 0) throw unreadable(file, DAMAGED);
  if (hasVisibleText(document) && !(await pdfHasText(pdf)))
    throw unreadable(file, 'has text that its own styles hide when it is printed');
  return pdf;
}

/** Returns PDF files as one. */
async function joined(parts: readonly Uint8Array[]): Promise<Uint8Array> {
  const [first, ...others] = parts;
  if (first === undefined) throw new Error('nothing was printed');
  if (others.length === 0) return first;
  const target = await PDFDocument.load(first, { updateMetadata: false });
  for (const part of others) {
    const source = await PDFDocument.load(part, { updateMetadata: false });
    for (const page of await target.copyPages(source, source.getPageIndices())) target.addPage(page);
  }
  return target.save();
}

/** The beginning of a page, in which its encoding is declared. */
const DECLARED_BYTES = 1_024;

async function html(bytes: Buffer): Promise<readonly string[]> {
  const declared = /charset\s*=\s*["']?([\w-]+)/i.exec(bytes.toString('latin1', 0, DECLARED_BYTES))?.[1];
  return [decodeText(bytes, declared)];
}

async function text(bytes: Buffer): Promise<readonly string[]> {
  return [textHtml(decodeText(bytes))];
}

async function image(bytes: Buffer, mime: string): Promise<readonly string[]> {
  const style = 'max-width:100%;max-height:9.5in;display:block;margin:auto';
  return [`<img style="${style}" src="data:${mime};base64,${bytes.toString('base64')}">`];
}
