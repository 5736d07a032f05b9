import { PDFHexString, PDFName, PDFNumber, type PDFDict, type PDFDocument } from '@cantoo/pdf-lib';

/** An entry of a PDF file's outline. */
export interface Bookmark {
  readonly title: string;
  /** Its page, from 0. */
  readonly page: number;
}

/** Gives a PDF file an outline, which viewers show when they open it. There must be at least one bookmark. */
export function addBookmarks(file: PDFDocument, bookmarks: readonly Bookmark[]): void {
  const { context, catalog } = file;
  const root = context.nextRef();
  const refs = bookmarks.map(() => context.nextRef());
  for (const [at, { title, page }] of bookmarks.entries()) {
    const [own, previous, next] = [refs[at], refs[at - 1], refs[at + 1]];
    if (!own) continue;
    const entry: PDFDict = context.obj({ Title: PDFHexString.fromText(title), Parent: root });
    entry.set(PDFName.of('Dest'), context.obj([file.getPage(page).ref, PDFName.of('Fit')]));
    if (previous) entry.set(PDFName.of('Prev'), previous);
    if (next) entry.set(PDFName.of('Next'), next);
    context.assign(own, entry);
  }
  const outline: PDFDict = context.obj({ Type: 'Outlines', Count: PDFNumber.of(bookmarks.length) });
  const [first, last] = [refs[0], refs.at(-1)];
  if (first) outline.set(PDFName.of('First'), first);
  if (last) outline.set(PDFName.of('Last'), last);
  context.assign(root, outline);
  catalog.set(PDFName.of('Outlines'), root);
  catalog.set(PDFName.of('PageMode'), PDFName.of('UseOutlines'));
}
