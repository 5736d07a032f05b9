import type { ImportIssue, ImportSource, ImportTemplate, SourceRow } from '../../../contracts/import-engine.ts';
import { fitsTemplate, missingColumns, documentError } from '../../../lib/readers/columns.ts';
import {
  countDelimitedRows,
  delimitedOptions,
  delimitedRows,
  openDelimited,
  type OpenedDelimited,
} from '../../../lib/readers/delimited.ts';
import { countRows, firstRows, rowEngine, type RowDocument } from '../../../lib/readers/row-document.ts';
import { isWorkbook, openWorkbook, type OpenedWorkbook } from '../../../lib/readers/workbook/workbook.ts';
import { delimitedCorrections } from './delimited-corrections.ts';

/** Reads delimited text and workbooks. */
export const delimitedEngine = rowEngine({
  doc:
    'Text with cells separated by commas, bars, tabs or semicolons, and workbooks (.xlsx) with all their ' +
    'worksheets.',
  options: delimitedOptions,
  open: openTable,
  fits: fitsTable,
  validate: validateTable,
  count: (document) => (isText(document) ? countDelimitedRows(document.opened) : countRows(document)),
  corrections: delimitedCorrections,
});

interface TableOfSheets extends RowDocument {
  readonly workbook: OpenedWorkbook;
}

interface TextTable extends RowDocument {
  readonly opened: OpenedDelimited;
}

function isText(document: RowDocument): document is TextTable {
  return 'opened' in document;
}

function isTableOfSheets(document: RowDocument): document is TableOfSheets {
  return 'workbook' in document;
}

async function openTable(source: ImportSource, template: ImportTemplate): Promise<RowDocument> {
  if (!(await isWorkbook(source))) return openText(source, template);
  const workbook = await openWorkbook(source, template);
  // The columns of the first worksheet that has any.
  for (const sheet of workbook.sheets) {
    for await (const { columns } of sheet.rows())
      return { workbook, columns, rows: () => sheetRows(workbook) } as TableOfSheets;
  }
  throw documentError('The workbook is empty; expected a worksheet with a row of column names.');
}

async function openText(source: ImportSource, template: ImportTemplate): Promise<TextTable> {
  const opened = await openDelimited(source, template);
  return { opened, columns: opened.form.columns, rows: () => delimitedRows(opened) };
}

async function* sheetRows(workbook: OpenedWorkbook): AsyncGenerator<readonly SourceRow[], void, undefined> {
  for (const sheet of workbook.sheets) {
    for await (const { rows } of sheet.rows()) if (rows.length > 0) yield rows;
  }
}

/**
 * Whether a document fits an import type by its columns or, without maps, by a first row with as many cells as columns.
 */
async function fitsTable(document: RowDocument, template: ImportTemplate): Promise<boolean> {
  const columns = document.columns ?? [];
  if (!fitsTemplate(template, columns)) return false;
  if (template.maps.length > 0) return true;
  const [first] = await firstRows(document, 1);
  return first?.problem === undefined && columns.length > 1;
}

async function validateTable(
  document: RowDocument,
  _source: ImportSource,
  template: ImportTemplate,
  issuesMax: number,
): Promise<readonly ImportIssue[]> {
  const issues: ImportIssue[] = [];
  const judge = (columns: readonly string[], where: string): void => {
    const present = columns.slice(0, COLUMNS_NAMED_MAX).join(', ');
    const more = columns.length > COLUMNS_NAMED_MAX ? ', …' : '';
    for (const column of missingColumns(template, columns))
      issues.push({
        line: 0,
        message: `${where}: the column ${column} is missing; there are ${present}${more}.`,
      });
  };
  if (!isTableOfSheets(document)) {
    judge(document.columns ?? [], 'The document');
    return issues.slice(0, issuesMax);
  }
  for (const sheet of document.workbook.sheets) {
    for await (const { columns } of sheet.rows()) {
      judge(columns, `Worksheet ${sheet.name}`);
      break;
    }
  }
  return issues.slice(0, issuesMax);
}

/** Most columns named in a message. */
const COLUMNS_NAMED_MAX = 20;
