import { contract } from '../kernel/ports/providers.ts';

/** A file whose text is read. It is held in memory as a whole. */
export interface TextFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** The text of a page. */
export interface PageText {
  /** Without control characters other than line ends and tabs. */
  readonly text: string;
  /** Where its words are, as {@link WordBoxes} of `src/lib/text-search/word-boxes.ts`; undefined without a layout. */
  readonly boxes?: Uint8Array;
  /** The page is a picture, or its characters have no meaning: its text must be recognized. */
  readonly isPicture: boolean;
}

/** A page as people see it. */
export interface PageImage {
  /** Pixels. */
  readonly width: number;
  readonly height: number;
  /** In the format WebP. */
  readonly bytes: Uint8Array;
}

/** A file that was opened. Calls must not overlap. */
export interface OpenText {
  readonly pageCount: number;
  /** Whether its pages are those that people see. Otherwise they are sections of a text. */
  readonly isPaged: boolean;
  /** Returns some pages in order; `first` counts from 1. Throws {@link UnreadableFile} if they cannot be read. */
  pages(first: number, count: number): Promise<readonly PageText[]>;
  /** Returns a page as a picture for a recognizer, in a format that it takes; undefined if the file is that picture. */
  picture(page: number): Promise<Uint8Array | undefined>;
  /**
   * Returns a page as an image at most `width` pixels wide; undefined if it cannot be drawn. Absent for files without
   * pages that people see.
   */
  image?(page: number, width: number): Promise<PageImage | undefined>;
  /** Frees what the file holds. */
  close(): Promise<void>;
}

/** Reads the text of files of some media types. Called outside any transaction; ends within its own time limits. */
export interface TextReader {
  readonly mediaTypes: readonly string[];
  /** Throws {@link UnreadableFile} for a file that no later attempt could read. */
  open(file: TextFile): Promise<OpenText>;
}

/** The text of a file cannot be read, now or later. The message is a sentence for people. */
export class UnreadableFile extends Error {
  override readonly name = 'UnreadableFile';
}

/** Readers of text; each has media types of its own. */
export const TEXT_READER = contract<TextReader>('text-reader');
