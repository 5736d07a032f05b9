import type { DocumentContent } from '../../../kernel/ports/documents.ts';

/** The files inside a workbook. */
export interface WorkbookArchive {
  readonly names: readonly string[];
  has(name: string): boolean;
  read(name: string): AsyncIterable<Uint8Array>;
}

/** What a number format makes of a number. */
export type CellFormat = 'number' | 'date' | { readonly zeros: string };

/** The events reported while a part is read. */
export interface PartHandler {
  open(name: string, attributes: Readonly<Record<string, string>>, line: number): void;
  text?(text: string): void;
  close?(name: string): void;
}

/** What a workbook says of itself before its cells. */
export interface WorkbookParts {
  readonly sheets: readonly { readonly name: string; readonly part: string }[];
  readonly from1904: boolean;
  readonly formats: readonly CellFormat[];
  readonly strings: { at(index: number): string | undefined };
}

/** How workbooks are read: imports read them too, and there is one reader for both. The application hands it over. */
export interface WorkbookReader {
  open(content: DocumentContent): Promise<WorkbookArchive>;
  parts(archive: WorkbookArchive): Promise<WorkbookParts>;
  /** What a part refers to, by the end of the kind's address; '' is the document as a whole. */
  relations(
    archive: WorkbookArchive,
    part: string,
    type?: string,
  ): Promise<readonly { readonly type: string; readonly part: string; readonly isExternal: boolean }[]>;
  events(archive: WorkbookArchive, part: string, handler: PartHandler): AsyncGenerator<void, void, undefined>;
  numberText(raw: string, format: CellFormat, from1904: boolean): string;
  unescaped(text: string): string;
  cellName(column: number, row: number): string;
  columnOf(name: string): number | undefined;
}
