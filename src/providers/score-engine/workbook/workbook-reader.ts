import type { DocumentContent } from '../../../kernel/ports/documents.ts';

/** The files inside a workbook. */
export interface WorkbookArchive {
  readonly names: readonly string[];
  has(name: string): boolean;
  read(name: string): AsyncIterable<Uint8Array>;
}

/** Effect of a number format. */
export type CellFormat = 'number' | 'date' | { readonly zeros: string };

/** The events reported while a part is read. */
export interface PartHandler {
  open(name: string, attributes: Readonly<Record<string, string>>, line: number): void;
  text?(text: string): void;
  close?(name: string): void;
}

/** Metadata of a workbook that precedes its cells. */
export interface WorkbookParts {
  readonly sheets: readonly { readonly name: string; readonly part: string }[];
  readonly from1904: boolean;
  readonly formats: readonly CellFormat[];
  readonly strings: { at(index: number): string | undefined };
}

/** Reads workbooks. Imports use the same reader; the application injects it. */
export interface WorkbookReader {
  open(content: DocumentContent): Promise<WorkbookArchive>;
  parts(archive: WorkbookArchive): Promise<WorkbookParts>;
  /** Returns the relations of a part by the end of their type URI; '' for the document itself. */
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
