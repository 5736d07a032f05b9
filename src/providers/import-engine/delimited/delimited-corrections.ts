import type { ImportEngine, ImportSource, ImportTemplate, SourceRow } from '../../../contracts/import-engine.ts';
import { IMPORT_REASON, isReason } from '../../../lib/readers/columns.ts';
import {
  delimiterOf,
  endsWithReason,
  headerOf,
  isBlankRecord,
  openDelimited,
  recordProblem,
  REASON_PREFIX,
  rawCell,
  type DelimitedForm,
  type OpenedDelimited,
} from '../../../lib/readers/delimited.ts';
import { declaredEncoding } from '../../../lib/readers/encoding.ts';
import {
  correctionsFileName,
  followFailed,
  oneLine,
  type FailedLine,
  type FailedLines,
} from '../../../lib/readers/failed-lines.ts';
import { CELL_BYTES_MAX } from '../../../lib/readers/limits.ts';
import type { DelimitedRecords } from '../../../lib/readers/scan-delimited.ts';
import { isWorkbook, openWorkbook, type OpenedWorkbook } from '../../../lib/readers/workbook/workbook.ts';

const MARK = Buffer.from('\ufeff');

/**
 * Returns the failed rows as they were sent, with the reason in a last column. Cells are repeated byte for byte,
 * invalid quotes included, so that senders recognize their rows; rows of a workbook become comma-separated text.
 */
export const delimitedCorrections: ImportEngine['corrections'] = (source, template, failed) => ({
  fileName: correctionsFileName(source.fileName, ['csv', 'txt', 'tsv', 'dat', 'psv']),
  mime: 'text/csv',
  bytes: correctedBytes(source, template, failed),
});

async function* correctedBytes(
  source: ImportSource,
  template: ImportTemplate,
  failed: AsyncIterable<FailedLine>,
): AsyncGenerator<Uint8Array, void, undefined> {
  const lines = await followFailed(failed);
  try {
    if (await isWorkbook(source)) yield* fromWorkbook(await openWorkbook(source, template), template, lines);
    else yield* fromText(await openDelimited(source, template), template, lines);
  } finally {
    await lines.close();
  }
}

async function* fromText(
  opened: OpenedDelimited,
  template: ImportTemplate,
  lines: FailedLines,
): AsyncGenerator<Uint8Array, void, undefined> {
  const { form } = opened;
  const declared = declaredEncoding(template.options.get('encoding'));
  // A byte order mark takes precedence over the declared encoding, and these bytes are UTF-8.
  if (form.hasMark || (declared !== undefined && declared !== 'utf-8')) yield MARK;
  if (form.hasHeader) yield Buffer.from(headerLine(form));
  const reasonAt = form.columns.findIndex(isReason);
  for await (const piece of opened.records()) {
    const { records, first, codec } = piece;
    const parts: Uint8Array[] = [];
    for (let record = first; record < records.count; record++) {
      if (isBlankRecord(records, record)) continue;
      recordProblem(piece, record);
      const reason = await lines.reasonOf(records.lines[record] as number);
      if (reason !== undefined)
        parts.push(
          codec.toUtf8(withoutReason(records, record, form, reasonAt)),
          Buffer.from(`${form.delimiter}${reasonCell(reason, form)}\r\n`),
        );
    }
    if (parts.length > 0) yield Buffer.concat(parts);
    if (lines.isExhausted) return;
  }
}

/** Returns a record as written, without an earlier reason. A record that was too long to read is omitted. */
function withoutReason(records: DelimitedRecords, record: number, form: DelimitedForm, reasonAt: number): Buffer {
  const first = records.firstCells[record] as number;
  const count = (records.firstCells[record + 1] as number) - first;
  const whole = records.bytes.subarray(records.recordStarts[record], records.recordEnds[record]);
  if (records.problems.has(record)) return whole.length > CELL_BYTES_MAX ? Buffer.alloc(0) : whole;
  const isOwnReason = !form.hasHeader && endsWithReason(records, record);
  const reasonColumn = count === form.columns.length ? reasonAt : -1;
  const left = isOwnReason ? count - 1 : reasonColumn;
  if (left < 0) return whole;
  const cells: Buffer[] = [];
  for (let index = 0; index < count; index++) {
    if (index === left) continue;
    if (cells.length > 0) cells.push(Buffer.from(form.delimiter));
    cells.push(rawCell(records, first + index));
  }
  return Buffer.concat(cells);
}

function headerLine(form: DelimitedForm): string {
  const names = [...form.columns.filter((column) => !isReason(column)), IMPORT_REASON];
  return `${names.map((name) => cellText(name, form)).join(form.delimiter)}\r\n`;
}

function reasonCell(reason: string, form: DelimitedForm): string {
  return cellText(form.hasHeader ? oneLine(reason) : REASON_PREFIX + oneLine(reason), form);
}

function cellText(text: string, { delimiter, quote }: Pick<DelimitedForm, 'delimiter' | 'quote'>): string {
  const isPlain = !text.includes(delimiter) && !/[\r\n\0]/.test(text) && (quote === undefined || !text.includes(quote));
  if (isPlain) return text;
  return quote === undefined
    ? text.replaceAll(delimiter, ' ').replace(/[\r\n]+/g, ' ')
    : quote + text.replaceAll(quote, quote + quote) + quote;
}

async function* fromWorkbook(
  workbook: OpenedWorkbook,
  template: ImportTemplate,
  lines: FailedLines,
): AsyncGenerator<Uint8Array, void, undefined> {
  const form = {
    delimiter: delimiterOf(template.options.get('delimiter')) ?? ',',
    quote: '"',
    hasMark: true,
    hasHeader: headerOf(template.options.get('header')) ?? !template.options.has('columns'),
    columns: await allColumns(workbook),
  };
  // Spreadsheet programs assume the machine's own encoding without a byte order mark.
  yield MARK;
  if (form.hasHeader) yield Buffer.from(headerLine(form));
  for (const sheet of workbook.sheets) {
    for await (const { rows } of sheet.rows()) {
      let text = '';
      for (const row of rows) {
        const reason = await lines.reasonOf(row.line);
        if (reason !== undefined) text += rowLine(row, reason, form);
      }
      if (text !== '') yield Buffer.from(text);
      if (lines.isExhausted) return;
    }
  }
}

function rowLine(row: SourceRow, reason: string, form: DelimitedForm): string {
  const cells = form.columns
    .filter((column) => !isReason(column))
    .map((column) => cellText(row.values[column] ?? '', form));
  return `${[...cells, reasonCell(reason, form)].join(form.delimiter)}\r\n`;
}

/** Returns the columns of all worksheets in order, each once. */
async function allColumns(workbook: OpenedWorkbook): Promise<string[]> {
  const all = new Map<string, string>();
  for (const sheet of workbook.sheets) {
    for await (const { columns } of sheet.rows()) {
      for (const column of columns) if (!all.has(column.toLowerCase())) all.set(column.toLowerCase(), column);
      break;
    }
  }
  return [...all.values()];
}
