import type { OpenText } from '../../../contracts/text-reader.ts';
import { UnreadableFile } from '../../../contracts/text-reader.ts';
import { plainBody } from '../../../lib/text-search/words.ts';

/** Most characters of a page; those beyond are left out. */
export const PAGE_CHARACTERS_MAX = 100_000;
/** Most characters that are read of a file without pages. */
export const FILE_CHARACTERS_MAX = 50_000_000;
/** Characters of a section of a text without pages: about two printed pages. */
const SECTION_CHARACTERS = 5_000;
/** How far before the end of a section a line end is looked for. */
const SECTION_SLACK = 1_500;

/** Returns an opened text of pages that people see, such as slides; each is cut at {@link PAGE_CHARACTERS_MAX}. */
export function pagesOf(pages: readonly string[]): OpenText {
  return opened(
    pages.map((page) => plainBody(page).slice(0, PAGE_CHARACTERS_MAX).toWellFormed()),
    true,
  );
}

/** Returns an opened text without pages, divided at line ends. */
export function sectionsOf(text: string): OpenText {
  return opened(divide(plainBody(text.slice(0, FILE_CHARACTERS_MAX)).trim()), false);
}

/** Collects pieces of text up to {@link FILE_CHARACTERS_MAX} characters. */
export class TextCollector {
  private readonly pieces: string[] = [];
  private length = 0;

  /** Adds a piece. Throws {@link UnreadableFile} once the text is longer than any document. */
  add(piece: string): void {
    this.pieces.push(piece);
    this.length += piece.length;
    if (this.length > FILE_CHARACTERS_MAX)
      throw new UnreadableFile(`The file has more than ${FILE_CHARACTERS_MAX / 1_000_000} million characters.`);
  }

  /** Adds a line end if the text so far does not end with one. */
  endLine(): void {
    if (this.pieces.length > 0 && this.pieces.at(-1)?.endsWith('\n') !== true) this.add('\n');
  }

  text(): string {
    return this.pieces.join('');
  }
}

function divide(text: string): string[] {
  const sections: string[] = [];
  for (let start = 0; start < text.length;) {
    const limit = start + SECTION_CHARACTERS;
    const end = limit >= text.length ? text.length : endOfSection(text, limit);
    sections.push(text.slice(start, end).toWellFormed());
    start = end;
  }
  return sections.length === 0 ? [''] : sections;
}

/** Returns where a section ends: at a line end, else between two words. */
function endOfSection(text: string, limit: number): number {
  const earliest = limit - SECTION_SLACK;
  const line = text.lastIndexOf('\n', limit - 1);
  if (line >= earliest) return line + 1;
  const blank = text.lastIndexOf(' ', limit - 1);
  return blank >= earliest ? blank + 1 : limit;
}

function opened(pages: readonly string[], isPaged: boolean): OpenText {
  return {
    pageCount: pages.length,
    isPaged,
    pages: async (first, count) =>
      pages.slice(first - 1, first - 1 + count).map((text) => ({ text, isPicture: false })),
    picture: async () => undefined,
    close: async () => undefined,
  };
}
