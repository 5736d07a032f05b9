import { PDFiumLibrary, type PDFiumDocument } from '@hyzyla/pdfium';

let library: Promise<PDFiumLibrary> | undefined;

/** Pages that are searched for text. */
const SEARCHED_PAGES = 5;

/** Returns the number of pages of a PDF file; 0 if it is damaged or needs a password. */
export async function pdfPageCount(pdf: Uint8Array): Promise<number> {
  return (await withDocument(pdf, (document) => document.getPageCount())) ?? 0;
}

/**
 * Whether one of the first pages of a PDF file has text besides `edges`, what the edges of each page have: Chromium
 * reports no error when it prints nothing.
 */
export async function pdfHasText(pdf: Uint8Array, edges: readonly (string | RegExp)[] = []): Promise<boolean> {
  const found = await withDocument(pdf, (document) => {
    const count = document.getPageCount();
    for (let at = 0; at < Math.min(count, SEARCHED_PAGES); at++) {
      let text = document.getPage(at).getText();
      for (const edge of edges) text = text.replace(edge, '');
      if (/[\p{L}\p{N}]/u.test(text)) return true;
    }
    return count > SEARCHED_PAGES;
  });
  return found ?? false;
}

async function withDocument<T>(pdf: Uint8Array, read: (document: PDFiumDocument) => T): Promise<T | undefined> {
  const pdfium = await (library ??= PDFiumLibrary.init());
  const document = await pdfium.loadDocument(pdf).catch(() => undefined);
  if (!document) return undefined;
  try {
    return read(document);
  } finally {
    document.destroy();
  }
}
