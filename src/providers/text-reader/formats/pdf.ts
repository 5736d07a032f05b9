import { UnreadableFile, type OpenText, type PageText, type TextFile } from '../../../contracts/text-reader.ts';
import { packBoxes } from '../../../lib/text-search/word-boxes.ts';
import { webpImage, type Pixels } from './webp.ts';
import { pageCharacters, pageWords } from './pdf-characters.ts';
import { pdfium, viewOf, withMemory, type Pdfium } from './pdfium.ts';

/** Fewest letters and digits of a text layer: a stamp on a scan has fewer. */
const LETTERS_MIN = 20;
/** Share of a page that pictures must cover for it to be a scan. */
const PICTURE_SHARE_MIN = 0.5;
/** Share of characters without meaning above which a text layer is useless. */
const BROKEN_SHARE_MAX = 0.05;
/** Objects of a page that are looked at for pictures. */
const OBJECTS_MAX = 2_000;
/** Resolution of the pictures of pages, and most pixels of a side. */
const DOTS_PER_INCH = 300;
const PIXELS_MAX = 5_000;
const POINTS_PER_INCH = 72;

/** PDFium's codes: errors, kinds of objects, formats of bitmaps, and how pages are drawn. */
const ERROR = { password: 4, security: 5 } as const;
const PICTURE_OBJECTS: readonly number[] = [3, 4, 5];
const BITMAP_GRAY = 1;
const BITMAP_COLOR = 4;
const DRAW = 0x01 | 0x08;
const DRAW_COLORED = 0x01 | 0x10;
/** Most pixels of an image; a page that is long and narrow gets a smaller one. */
const IMAGE_PIXELS_MAX = 8_000_000;

/** Opens a PDF file. */
export async function openPdf({ bytes }: TextFile): Promise<OpenText> {
  const library = await pdfium();
  const memory = library.wasmExports.malloc(bytes.length);
  if (memory === 0) throw new UnreadableFile('The file is too large to be read.');
  library.HEAPU8.set(bytes, memory);
  const document = library._FPDF_LoadMemDocument(memory, bytes.length, 0);
  const code = document === 0 ? library._FPDF_GetLastError() : 0;
  const pageCount = document === 0 ? 0 : library._FPDF_GetPageCount(document);
  if (pageCount === 0) {
    library.wasmExports.free(memory);
    throw new UnreadableFile(
      code === ERROR.password || code === ERROR.security
        ? 'The file is encrypted with a password.'
        : 'The file is damaged: it is not a whole PDF file.',
    );
  }
  return {
    pageCount,
    isPaged: true,
    async pages(first, count) {
      const read: PageText[] = [];
      for (let page = first; page < first + count && page <= pageCount; page++)
        read.push(withPage(library, document, page, (handle) => readPage(library, handle)) ?? EMPTY_PAGE);
      return read;
    },
    async picture(page) {
      return withPage(library, document, page, (handle) => drawPage(library, handle));
    },
    async image(page, width) {
      const drawn = withPage(library, document, page, (handle) => drawColored(library, handle, width));
      return drawn && webpImage(drawn);
    },
    async close() {
      library._FPDF_CloseDocument(document);
      library.wasmExports.free(memory);
    },
  };
}

/** A page that is damaged, in a file whose other pages can be read. */
const EMPTY_PAGE: PageText = { text: '', isPicture: false };

function withPage<T>(library: Pdfium, document: number, page: number, run: (handle: number) => T): T | undefined {
  const handle = library._FPDF_LoadPage(document, page - 1);
  if (handle === 0) return undefined;
  try {
    return run(handle);
  } finally {
    library._FPDF_ClosePage(handle);
  }
}

function readPage(library: Pdfium, page: number): PageText {
  const textPage = library._FPDFText_LoadPage(page);
  if (textPage === 0) return { text: '', isPicture: isCovered(library, page) };
  try {
    const characters = pageCharacters(library, textPage);
    const { text, boxes } = pageWords(library, { page, textPage, characters });
    return { text, boxes: packBoxes(boxes), isPicture: isPicture(library, page, characters) };
  } finally {
    library._FPDFText_ClosePage(textPage);
  }
}

/** Whether a page must be recognized: per page, because a scan may have a stamp or a number as its text layer. */
function isPicture(library: Pdfium, page: number, characters: Uint32Array): boolean {
  let letters = 0;
  let broken = 0;
  let visible = 0;
  for (const code of characters) {
    if (code <= 0x20 && code !== 0) continue;
    visible++;
    if (code === 0 || code === 0xfffd || (code >= 0xe000 && code <= 0xf8ff)) broken++;
    else if (code > 0x2f && letters < LETTERS_MIN && /[\p{L}\p{N}]/u.test(String.fromCodePoint(code))) letters++;
  }
  if (visible > 0 && broken > visible * BROKEN_SHARE_MAX) return true;
  return letters < LETTERS_MIN && isCovered(library, page);
}

/** Whether pictures cover more than half of a page. */
function isCovered(library: Pdfium, page: number): boolean {
  const area = library._FPDF_GetPageWidthF(page) * library._FPDF_GetPageHeightF(page);
  const count = Math.min(library._FPDFPage_CountObjects(page), OBJECTS_MAX);
  let covered = 0;
  for (let at = 0; at < count && covered <= area * PICTURE_SHARE_MIN; at++) {
    const object = library._FPDFPage_GetObject(page, at);
    if (PICTURE_OBJECTS.includes(library._FPDFPageObj_GetType(object))) covered += areaOf(library, object);
  }
  return covered > area * PICTURE_SHARE_MIN;
}

function areaOf(library: Pdfium, object: number): number {
  return withMemory(library, 16, (at) => {
    if (library._FPDFPageObj_GetBounds(object, at, at + 4, at + 8, at + 12) === 0) return 0;
    const view = viewOf(library);
    const [left, bottom, right, top] = [0, 4, 8, 12].map((offset) => view.getFloat32(at + offset, true));
    return Math.max(0, (right ?? 0) - (left ?? 0)) * Math.max(0, (top ?? 0) - (bottom ?? 0));
  });
}

/** Returns a page as a gray picture in the format PGM. */
function drawPage(library: Pdfium, page: number): Uint8Array {
  const points = { width: library._FPDF_GetPageWidthF(page), height: library._FPDF_GetPageHeightF(page) };
  const scale = Math.min(DOTS_PER_INCH / POINTS_PER_INCH, PIXELS_MAX / Math.max(points.width, points.height, 1));
  const width = Math.max(1, Math.round(points.width * scale));
  const height = Math.max(1, Math.round(points.height * scale));
  return withMemory(library, width * height, (pixels) => {
    const bitmap = library._FPDFBitmap_CreateEx(width, height, BITMAP_GRAY, pixels, width);
    library._FPDFBitmap_FillRect(bitmap, 0, 0, width, height, 0xffffffff);
    library._FPDF_RenderPageBitmap(bitmap, page, 0, 0, width, height, 0, DRAW);
    library._FPDFBitmap_Destroy(bitmap);
    const gray = library.HEAPU8.subarray(pixels, pixels + width * height);
    return Buffer.concat([Buffer.from(`P5\n${width} ${height}\n255\n`), gray]);
  });
}

/** Draws a page as people see it, on white. */
function drawColored(library: Pdfium, page: number, widthMax: number): Pixels {
  const points = {
    width: Math.max(library._FPDF_GetPageWidthF(page), 1),
    height: Math.max(library._FPDF_GetPageHeightF(page), 1),
  };
  const scale = Math.min(widthMax / points.width, Math.sqrt(IMAGE_PIXELS_MAX / (points.width * points.height)));
  const width = Math.max(1, Math.round(points.width * scale));
  const height = Math.max(1, Math.round(points.height * scale));
  return withMemory(library, width * height * 4, (pixels) => {
    const bitmap = library._FPDFBitmap_CreateEx(width, height, BITMAP_COLOR, pixels, width * 4);
    library._FPDFBitmap_FillRect(bitmap, 0, 0, width, height, 0xffffffff);
    library._FPDF_RenderPageBitmap(bitmap, page, 0, 0, width, height, 0, DRAW_COLORED);
    library._FPDFBitmap_Destroy(bitmap);
    return {
      width,
      height,
      data: Uint8ClampedArray.from(library.HEAPU8.subarray(pixels, pixels + width * height * 4)),
    };
  });
}
