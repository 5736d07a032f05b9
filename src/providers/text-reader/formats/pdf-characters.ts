import { BOXES_MAX, type WordBox } from '../../../lib/text-search/word-boxes.ts';
import { PAGE_CHARACTERS_MAX } from './sections.ts';
import { viewOf, withMemory, type Pdfium } from './pdfium.ts';

/** Characters of a run of text with one box; longer ones get several. */
const RUN_CHARACTERS_MAX = 1_000;
/** PDFium's mark for a hyphen at the end of a line. */
const LINE_HYPHEN = 2;
/** Size of the area that a page is mapped to, for its transformation to be exact to a thousandth of a thousandth. */
const DEVICE = 1_000_000;

/** Returns the code points of a page, by PDFium's index of characters; 0 for one without meaning. */
export function pageCharacters(library: Pdfium, textPage: number): Uint32Array {
  const count = Math.min(Math.max(library._FPDFText_CountChars(textPage), 0), PAGE_CHARACTERS_MAX);
  if (count === 0) return new Uint32Array(0);
  const together = withMemory(library, (count + 1) * 2, (buffer) => {
    const written = library._FPDFText_GetText(textPage, 0, count, buffer);
    if (written - 1 !== count) return undefined;
    const { buffer: memory } = library.HEAPU8;
    return Uint32Array.from(new Uint16Array(memory, buffer, count));
  });
  // Where characters have no meaning or need two units, indexes of the text are not those of the characters.
  return together ?? Uint32Array.from({ length: count }, (_, at) => library._FPDFText_GetUnicode(textPage, at));
}

/** A page whose characters have been read. */
interface ReadPage {
  readonly page: number;
  readonly textPage: number;
  readonly characters: Uint32Array;
}

/** Returns the text of a page with single blanks and line ends, words that a line end divides put together. */
export function pageWords(
  library: Pdfium,
  page: ReadPage,
): { readonly text: string; readonly boxes: readonly WordBox[] } {
  return withMemory(library, BOXES_BYTES, (memory) => collectWords(page.characters, placing(library, page, memory)));
}

function collectWords(
  characters: Uint32Array,
  place: ReturnType<typeof placing>,
): { readonly text: string; readonly boxes: readonly WordBox[] } {
  const boxes: WordBox[] = [];
  const text = new TextUnits(characters.length);
  let first = -1;
  let start = 0;
  const endRun = (last: number): void => {
    if (first >= 0 && boxes.length < BOXES_MAX) {
      const { left, top, right, bottom } = place(first, last);
      boxes.push({ start, left, top, right, bottom });
    }
    first = -1;
  };
  for (let at = 0; at < characters.length; at++) {
    const code = characters[at] ?? 0;
    if (code === LINE_HYPHEN) {
      endRun(at - 1);
      while (isBlank(characters[at + 1] ?? 0)) at++;
    } else if (isBlank(code)) {
      endRun(at - 1);
      text.addBlank(code);
    } else if (code > 0x20 && code !== 0x7f && code !== 0xfeff && code !== 0xfffe) {
      if (first >= 0 && at - first >= RUN_CHARACTERS_MAX) endRun(at - 1);
      if (first < 0) [first, start] = [at, text.length];
      text.add(code);
    }
  }
  endRun(characters.length - 1);
  return { text: text.toString(), boxes };
}

/** Collects the characters of a text: adding each to a string takes twice as long. */
class TextUnits {
  private readonly units: Uint16Array;
  length = 0;

  constructor(characters: number) {
    this.units = new Uint16Array(characters * 2);
  }

  add(code: number): void {
    if (code < 0x10000) this.units[this.length++] = code;
    else {
      this.units[this.length++] = 0xd7c0 + (code >> 10);
      this.units[this.length++] = 0xdc00 + (code & 0x3ff);
    }
  }

  /** Adds a blank or a line end, of which only one is between two words. */
  addBlank(code: number): void {
    if (this.length === 0) return;
    const last = this.units[this.length - 1];
    const isLineEnd = code === 0x0a || code === 0x0d;
    if (last === 0x20 && isLineEnd) this.units[this.length - 1] = 0x0a;
    else if (last !== 0x20 && last !== 0x0a) this.units[this.length++] = isLineEnd ? 0x0a : 0x20;
  }

  toString(): string {
    return Buffer.from(this.units.buffer, 0, this.length * 2)
      .toString('utf16le')
      .trimEnd()
      .toWellFormed();
  }
}

function isBlank(code: number): boolean {
  return code === 0x20 || (code >= 0x09 && code <= 0x0d) || code === 0xa0 || (code >= 0x2000 && code <= 0x200b);
}

/** Bytes of the boxes of two characters, as PDFium writes them. */
const BOXES_BYTES = 32;

/** A linear map from points of the page to thousandths of it as it is shown: it may be turned and cut. */
interface PageMap {
  readonly origin: Point;
  /** What a point more to the right, or up, adds. */
  readonly right: Point;
  readonly up: Point;
}

/** Returns a function that returns the box of a run of characters. `memory` has {@link BOXES_BYTES}. */
function placing(
  library: Pdfium,
  { page, textPage }: Pick<ReadPage, 'page' | 'textPage'>,
  memory: number,
): (first: number, last: number) => Omit<WordBox, 'start'> {
  const { origin, right, up } = pageMap(library, page);
  return (first, last) => {
    library._FPDFText_GetLooseCharBox(textPage, first, memory);
    library._FPDFText_GetLooseCharBox(textPage, last, memory + BOXES_BYTES / 2);
    const boxes = new Float32Array(library.HEAPU8.buffer, memory, 8);
    const [x1 = 0, y1 = 0, x2 = 0, y2 = 0, x3 = 0, y3 = 0, x4 = 0, y4 = 0] = boxes;
    const [left, rightmost] = [Math.min(x1, x2, x3, x4), Math.max(x1, x2, x3, x4)];
    const [bottom, top] = [Math.min(y1, y2, y3, y4), Math.max(y1, y2, y3, y4)];
    // Opposite corners stay opposite in any quarter turn.
    const ax = origin.x + right.x * left + up.x * bottom;
    const ay = origin.y + right.y * left + up.y * bottom;
    const bx = origin.x + right.x * rightmost + up.x * top;
    const by = origin.y + right.y * rightmost + up.y * top;
    return {
      left: thousandth(Math.floor(Math.min(ax, bx))),
      top: thousandth(Math.floor(Math.min(ay, by))),
      right: thousandth(Math.ceil(Math.max(ax, bx))),
      bottom: thousandth(Math.ceil(Math.max(ay, by))),
    };
  };
}

function pageMap(library: Pdfium, page: number): PageMap {
  const origin = toThousandths(library, page, { x: 0, y: 0 });
  const right = toThousandths(library, page, { x: 1_000, y: 0 });
  const up = toThousandths(library, page, { x: 0, y: 1_000 });
  const step = (to: Point): Point => ({ x: (to.x - origin.x) / 1_000, y: (to.y - origin.y) / 1_000 });
  return { origin, right: step(right), up: step(up) };
}

interface Point {
  readonly x: number;
  readonly y: number;
}

function toThousandths(library: Pdfium, page: number, { x, y }: Point): Point {
  return withMemory(library, 8, (at) => {
    library._FPDF_PageToDevice(page, 0, 0, DEVICE, DEVICE, 0, x, y, at, at + 4);
    const view = viewOf(library);
    return { x: view.getInt32(at, true) / (DEVICE / 1_000), y: view.getInt32(at + 4, true) / (DEVICE / 1_000) };
  });
}

function thousandth(value: number): number {
  return Math.min(1_000, Math.max(0, value));
}
