import { PDFiumLibrary } from '@hyzyla/pdfium';

/**
 * The functions of PDFium that its package exports without types. Pointers and handles are numbers. The version is
 * pinned in package.json, and the tests of the reader call each of them.
 */
export interface Pdfium {
  _FPDF_LoadMemDocument(bytes: number, size: number, password: number): number;
  _FPDF_CloseDocument(document: number): void;
  _FPDF_GetLastError(): number;
  _FPDF_GetPageCount(document: number): number;
  _FPDF_LoadPage(document: number, index: number): number;
  _FPDF_ClosePage(page: number): void;
  _FPDF_GetPageWidthF(page: number): number;
  _FPDF_GetPageHeightF(page: number): number;
  /** Page, start and size of the device area, rotation, point on the page, pointers to the integers of the result. */
  _FPDF_PageToDevice(...numbers: readonly number[]): number;
  _FPDF_RenderPageBitmap(...numbers: readonly number[]): void;
  _FPDFBitmap_CreateEx(width: number, height: number, format: number, pixels: number, stride: number): number;
  _FPDFBitmap_FillRect(...numbers: readonly number[]): number;
  _FPDFBitmap_Destroy(bitmap: number): void;
  _FPDFPage_CountObjects(page: number): number;
  _FPDFPage_GetObject(page: number, index: number): number;
  _FPDFPageObj_GetType(object: number): number;
  /** Object, then pointers to the floats left, bottom, right and top. */
  _FPDFPageObj_GetBounds(object: number, left: number, bottom: number, right: number, top: number): number;
  _FPDFText_LoadPage(page: number): number;
  _FPDFText_ClosePage(text: number): void;
  _FPDFText_CountChars(text: number): number;
  _FPDFText_GetText(text: number, start: number, count: number, buffer: number): number;
  _FPDFText_GetUnicode(text: number, index: number): number;
  /** The result is four floats: left, top, right and bottom. */
  _FPDFText_GetLooseCharBox(text: number, index: number, box: number): number;
  readonly wasmExports: { malloc(size: number): number; free(pointer: number): void };
  readonly HEAPU8: Uint8Array;
}

let loaded: Promise<Pdfium> | undefined;

/** Returns the library, loaded once per process. Its memory never shrinks. */
export function pdfium(): Promise<Pdfium> {
  loaded ??= PDFiumLibrary.init().then((library) => (library as unknown as { readonly module: Pdfium }).module);
  return loaded;
}

/** Runs a function with some memory of the library, which is freed afterwards. */
export function withMemory<T>(library: Pdfium, bytes: number, run: (pointer: number) => T): T {
  const pointer = library.wasmExports.malloc(bytes);
  if (pointer === 0) throw new RangeError('no memory');
  try {
    return run(pointer);
  } finally {
    library.wasmExports.free(pointer);
  }
}

/** Returns a view of the library's memory; valid until the library allocates. */
export function viewOf(library: Pdfium): DataView {
  return new DataView(library.HEAPU8.buffer);
}
