import type { OpenText, TextFile } from '../../../contracts/text-reader.ts';
import { decodePicture, reduced } from './picture-file.ts';
import { tiffImages } from './tiff-images.ts';
import { webpImage, type Pixels } from './webp.ts';

/** Most pages of a TIFF file. */
const PAGES_MAX = 10_000;

/** Opens a picture, whose text must be recognized; a TIFF file may have several pages. */
export async function openImage({ bytes }: TextFile): Promise<OpenText> {
  const pageCount = countTiffPages(bytes) ?? 1;
  const tiff = isTiff(bytes) ? tiffImages(bytes) : undefined;
  let decoded: Pixels | undefined;
  return {
    pageCount,
    isPaged: true,
    pages: async (first, count) =>
      Array.from({ length: Math.max(0, Math.min(count, pageCount - first + 1)) }, () => ({
        text: '',
        isPicture: true,
      })),
    picture: async () => undefined,
    async image(page, width) {
      if (tiff) return tiff(page, width);
      decoded ??= await decodePicture(bytes);
      return decoded && webpImage(reduced(decoded, width));
    },
    close: async () => undefined,
  };
}

function isTiff(bytes: Uint8Array): boolean {
  return countTiffPages(bytes) !== undefined;
}

/** Returns the number of pages of a TIFF file, at least 1; undefined if it is none. */
function countTiffPages(bytes: Uint8Array): number | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  if (view.byteLength < 8) return undefined;
  const isLittle = view.getUint16(0) === 0x4949;
  if (!isLittle && view.getUint16(0) !== 0x4d4d) return undefined;
  if (view.getUint16(2, isLittle) !== 42) return undefined;
  const seen = new Set<number>();
  let at = view.getUint32(4, isLittle);
  while (at !== 0 && at + 2 <= view.byteLength && !seen.has(at) && seen.size < PAGES_MAX) {
    seen.add(at);
    const next = at + 2 + view.getUint16(at, isLittle) * 12;
    at = next + 4 <= view.byteLength ? view.getUint32(next, isLittle) : 0;
  }
  return Math.max(1, seen.size);
}
