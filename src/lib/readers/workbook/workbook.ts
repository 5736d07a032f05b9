import type { ImportSource, ImportTemplate } from '../../../contracts/import-engine.ts';
import { documentError, textColumns } from '../columns.ts';
import { headerOf } from '../delimited.ts';
import { headOf } from '../encoding.ts';
import { isArchive, isCompoundFile, openArchive } from './archive.ts';
import { readParts } from './parts.ts';
import { ROWS_MAX, sheetRows, type SheetRows } from './sheet.ts';

/** An opened workbook. */
export interface OpenedWorkbook {
  readonly sheets: readonly OpenedSheet[];
}

/** A worksheet; each call reads it from the start. */
export interface OpenedSheet {
  readonly name: string;
  rows(): AsyncGenerator<SheetRows, void, undefined>;
}

/**
 * Line offset of a worksheet. Lines of the first worksheet are its row numbers; those of the second start at
 * 20,000,000, of the third at 30,000,000. So a line identifies a row of the whole workbook, however long the earlier
 * sheets are.
 */
const SHEET_LINES = ROWS_MAX + 1;

/**
 * Whether a document is a workbook, by its content, since file names are unreliable.
 * @throws BAD_PARAMETER for an encrypted one, and one from before 2007
 */
export async function isWorkbook(source: ImportSource): Promise<boolean> {
  const head = await headOf(source.part(0, Math.min(source.size, SIGNATURE_BYTES)), SIGNATURE_BYTES);
  if (isCompoundFile(head))
    throw documentError('The workbook is encrypted or from before 2007 (.xls); send it without a password as .xlsx.');
  return isArchive(head);
}

const SIGNATURE_BYTES = 8;

/**
 * Opens a workbook.
 * @throws BAD_PARAMETER if it is damaged, encrypted, or not a workbook
 */
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
