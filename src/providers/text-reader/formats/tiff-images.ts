import { PDFDocument } from '@cantoo/pdf-lib';
import { UnreadableFile, type OpenText } from '../../../contracts/text-reader.ts';
import { addTiffPage } from '../../../lib/pdf/tiff-document.ts';
import { TiffError, tiffPages, type TiffPage } from '../../../lib/readers/tiff.ts';
import { openPdf } from './pdf.ts';

/** Points of US Letter, for pages that do not say how large they are. */
const PAPER = { width: 612, height: 792 } as const;
/** Most bytes of a page whose pixels are unpacked. */
const PAGE_BYTES_MAX = 320_000_000;

/**
 * Returns a function that draws pages of a TIFF file, as {@link OpenText.image} does: each as a page of a PDF file,
 * whose formats are those of TIFF.
 */
export function tiffImages(bytes: Uint8Array): NonNullable<OpenText['image']> {
  let pages: readonly TiffPage[] | undefined;
  return async (number, width) => {
    try {
      pages ??= tiffPages(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
      const page = pages[number - 1];
      return page && (await drawn(page, width));
    } catch (error) {
      if (error instanceof TiffError) throw new UnreadableFile(`The file ${error.message}.`, { cause: error });
      throw error;
    }
  };
}

async function drawn(page: TiffPage, width: number): ReturnType<NonNullable<OpenText['image']>> {
  if ((page.width * page.height * page.bits * page.samples) / 8 > PAGE_BYTES_MAX)
    throw new UnreadableFile(`The page has more than ${PAGE_BYTES_MAX / 1_000_000} million bytes.`);
  const target = await PDFDocument.create();
  addTiffPage(target, page, PAPER);
  const file = await openPdf({ name: 'page.pdf', bytes: await target.save() });
  try {
    return await file.image?.(1, width);
  } finally {
    await file.close();
  }
}
