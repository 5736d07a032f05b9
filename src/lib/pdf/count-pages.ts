import type { FileContent } from '../../contracts/file-content.ts';
import { openPdf } from './open-pdf.ts';

/** Largest file that is opened to count its pages, in bytes. */
const BYTES_MAX = 50 * 1024 * 1024;

/** The pages of a PDF file, or why it cannot be printed, as the end of a sentence about it. */
export type PageCount = { readonly pages: number } | { readonly problem: string };

/** Counts the pages of a PDF file that is to be printed. */
export async function countPages(file: FileContent): Promise<PageCount> {
  const { mime, size } = file;
  if (mime !== 'application/pdf') return { problem: 'is not a PDF file; convert it first' };
  if (size > BYTES_MAX) return { problem: `has more than ${BYTES_MAX / 1024 / 1024} MB` };
  const pieces: Uint8Array[] = [];
  for await (const piece of file.open()) pieces.push(piece);
  try {
    const document = await openPdf(Buffer.concat(pieces));
    if (document.isEncrypted) return { problem: 'is encrypted; save it without a password' };
    const pages = document.getPageCount();
    return pages === 0 ? { problem: 'has no pages' } : { pages };
  } catch {
    return { problem: 'is damaged, or is not a PDF file' };
  }
}
