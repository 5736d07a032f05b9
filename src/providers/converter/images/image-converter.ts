import { PDFDocument } from '@cantoo/pdf-lib';
import type { Converter } from '../../../contracts/converter.ts';
import { bytesOf } from '../../../contracts/file-content.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { addImagePage, type PageSize } from '../../../lib/pdf/image-page.ts';
import { addTiffPage } from '../../../lib/pdf/tiff-document.ts';
import { TiffError, tiffPages } from '../../../lib/readers/tiff.ts';
import { unreadable } from '../unreadable.ts';

const PDF = 'application/pdf';
const TIFF = 'image/tiff';
/** Largest file: it is unpacked in memory. */
const BYTES_MAX = 256 * 1024 * 1024;

/** Converts images to PDF in this process, a page each; `paper` in points. */
export function imageConverter(paper: PageSize): Converter {
  return {
    doc: 'Images in PNG, JPEG and TIFF with any number of pages.',
    formats: { 'image/png': [PDF], 'image/jpeg': [PDF], [TIFF]: [PDF] },
    state: () => ({ ready: true }),
    async convert(file, to, { signal }) {
      if (to !== PDF) throw unreadable(file, `cannot be converted to ${to}`);
      if (file.size > BYTES_MAX)
        throw new PlatformError('TOO_LARGE', {
          message: `"${file.fileName}" has ${file.size} bytes; at most ${BYTES_MAX} are converted.`,
        });
      signal.throwIfAborted();
      const bytes = await bytesOf(file);
      const target = await PDFDocument.create();
      try {
        if (file.mime === TIFF)
          for (const page of tiffPages(bytes)) {
            signal.throwIfAborted();
            addTiffPage(target, page, paper);
          }
        else {
          const problem = await addImagePage(target, { mime: file.mime, bytes }, paper);
          if (problem !== undefined) throw unreadable(file, problem);
        }
      } catch (error) {
        if (error instanceof TiffError) throw unreadable(file, error.message, error);
        throw error;
      }
      return { mime: PDF, extension: 'pdf', bytes: await target.save() };
    },
  };
}
