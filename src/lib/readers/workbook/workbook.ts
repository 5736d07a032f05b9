import type { ImportSource, ImportTemplate } from '../../../contracts/import-engine.ts';
import { documentError, textColumns } from '../columns.ts';
import { headerOf } from '../delimited.ts';
import { headOf } from '../encoding.ts';
import { isArchive, isCompoundFile, openArchive } from './archive.ts';
import { readParts } from './parts.ts';
import { ROWS_MAX, sheetRows, type SheetRows } from './sheet.ts';

/** A workbook, opened. */
export interface OpenedWorkbook {
  readonly sheets: readonly OpenedSheet[];
}

/** A worksheet, each time read anew. */
export interface OpenedSheet {
  readonly name: string;
  rows(): AsyncGenerator<SheetRows, void, undefined>;
}

/**
 * Rows of the first worksheet have their own number as line; those of the second begin at 20,000,000, of the third at 30,000,000.
 * So a line is found again in the whole workbook, however long the sheets before it are, and shows where it stands.
 */
const SHEET_LINES = ROWS_MAX + 1;

/** Whether a document is a workbook, by its content: names of files say what people like. @throws BAD_PARAMETER for an encrypted one, and one from before 2007 */
export async function isWorkbook(source: ImportSource): Promise<boolean> {
  const head = await headOf(source.part(0, Math.min(source.size, SIGNATURE_BYTES)), SIGNATURE_BYTES);
  if (isCompoundFile(head))
    throw documentError(
      'The workbook is encrypted, or of a kind from before 2007 (.xls); send it without a password as .xlsx.',
    );
  return isArchive(head);
}

const SIGNATURE_BYTES = 8;

/** Opens a workbook. @throws BAD_PARAMETER where it is damaged, encrypted, or no workbook */
export async function openWorkbook(source: ImportSource, template: ImportTemplate): Promise<OpenedWorkbook> {
  const archive = await openArchive(source);
  const parts = await readParts(archive);
  const named = template.options.get('columns')?.split(',');
  const hasHeader = headerOf(template.options.get('header')) ?? named === undefined;
  const texts = textColumns(template);
  return {
    sheets: parts.sheets.map(({ name, part }, index) => ({
      name,
      rows: () =>
        sheetRows(archive, parts, {
          name,
          part,
          lineOffset: index === 0 ? 0 : (index + 1) * SHEET_LINES,
          hasHeader,
          named,
          textColumns: texts,
        }),
    })),
  };
}
