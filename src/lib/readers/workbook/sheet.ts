import { setImmediate } from 'node:timers/promises';
import type { SourceRow } from '../../../contracts/import-engine.ts';
import { columnNames, unreadableRow, isReason, documentError } from '../columns.ts';
import { BATCH_ROWS_MAX, COLUMNS_MAX, formatCount } from '../limits.ts';
import { localName } from '../xml-events.ts';
import type { Archive } from './archive.ts';
import { cellName, columnOf, numberText } from './number-format.ts';
import { partEvents, textCollector, unescapeText, type WorkbookParts } from './parts.ts';

/** How the rows of a worksheet are named and read. */
export interface SheetOptions {
  readonly name: string;
  readonly part: string;
  /** Added to the number of a row to make its line. */
  readonly lineOffset: number;
  readonly hasHeader: boolean;
  /** Column names without a header; by default columns are named by position. */
  readonly named: readonly string[] | undefined;
  /** Lower-cased names of columns whose numbers are not converted to days. */
  readonly textColumns: ReadonlySet<string>;
}

/** Rows of a worksheet, with its columns. */
export interface SheetRows {
  readonly columns: readonly string[];
  readonly rows: readonly SourceRow[];
}

/** A cell as written; its text is made once its column is known. */
interface Cell {
  readonly column: number;
  readonly type: string;
  readonly style: number;
  readonly text: string;
  /** A formula without a stored result. */
  readonly lacksResult: boolean;
}

/** Reads the rows of a worksheet in order. The first row that is not empty names the columns. */
export async function* sheetRows(
  archive: Archive,
  parts: WorkbookParts,
  options: SheetOptions,
): AsyncGenerator<SheetRows, void, undefined> {
  const table = new SheetTable(parts, options);
  const events = partEvents(
    archive,
    options.part,
    sheetHandler((number, cells, width) => table.add(number, cells, width)),
  );
  let isReported = false;
  for await (const _ of events) {
    const { columns, waiting } = table;
    if (columns === undefined || (isReported && waiting.length === 0)) continue;
    isReported = true;
    table.waiting = [];
    const size = Math.max(1, Math.min(BATCH_ROWS_MAX, Math.floor(BATCH_VALUES_MAX / Math.max(1, columns.length))));
    for (let at = 0; at === 0 || at < waiting.length; at += size) {
      // Few bytes may expand to many rows and columns; let other calls run in between.
      if (at > 0) await setImmediate();
      yield { columns, rows: waiting.slice(at, at + size).map((row) => table.rowOf(row)) };
    }
  }
}

/** Most values yielded at once: a row has one for each column, however few cells are written. */
const BATCH_VALUES_MAX = 200_000;

/** A row as written; its values are made when it is yielded. */
interface RawRow {
  readonly number: number;
  readonly cells: readonly Cell[];
  readonly width: number;
}

/** Collects the cells of each row. `width` is the number of cells, including empty ones. */
function sheetHandler(
  row: (number: number, cells: readonly Cell[], width: number) => void,
): Parameters<typeof partEvents>[2] {
  const inline = textCollector();
  let number = 0;
  let cells: Cell[] = [];
  let column = -1;
  let cell = { type: '', style: 0, text: '', isFormula: false, hasResult: false };
  let inValue = false;
  return {
    open(name, attributes) {
      const local = localName(name);
      if (local === 'c') {
        column = columnOf(attributes['r'] ?? '') ?? column + 1;
        cell = {
          type: attributes['t'] ?? 'n',
          style: Number(attributes['s'] ?? 0),
          text: '',
          isFormula: false,
          hasResult: false,
        };
        inline.begin();
      } else if (local === 'v') inValue = cell.hasResult = true;
      else if (local === 'f') cell.isFormula = true;
      else if (local === 'row') {
        const reported = attributes['r'] === undefined ? number + 1 : Number(attributes['r']);
        if (!Number.isInteger(reported) || reported <= number || reported > ROWS_MAX)
          throw documentError(`The worksheet's rows are not in order after row ${number}: the workbook is damaged.`);
        number = reported;
        cells = [];
        column = -1;
      } else inline.open(local);
    },
    text(text) {
      if (inValue) cell.text += text;
      else inline.text(text);
    },
    close(name) {
      const local = localName(name);
      if (local === 'v') inValue = false;
      else if (local === 'c') {
        const text = cell.type === 'inlineStr' ? inline.end() : cell.text;
        const lacksResult = cell.isFormula && !cell.hasResult;
        if (column < COLUMNS_MAX && (text !== '' || lacksResult))
          cells.push({ column, type: cell.type, style: cell.style, text, lacksResult });
      } else if (local === 'row') row(number, cells, column + 1);
      else inline.close(local);
    },
  };
}

/** Most rows of a worksheet, with room for those of other programs. */
export const ROWS_MAX = 9_999_999;

class SheetTable {
  columns: readonly string[] | undefined;
  waiting: RawRow[] = [];
  private isText: readonly boolean[] = [];
  private readonly parts: WorkbookParts;
  private readonly options: SheetOptions;

  constructor(parts: WorkbookParts, options: SheetOptions) {
    this.parts = parts;
    this.options = options;
  }

  add(number: number, cells: readonly Cell[], width: number): void {
    const { options } = this;
    if (cells.length === 0 && width <= COLUMNS_MAX) return;
    if (this.columns === undefined) {
      if (width > COLUMNS_MAX)
        throw documentError(
          `${this.where(number)} has more than the ${formatCount(COLUMNS_MAX)} columns that are read.`,
        );
      this.name(number, cells);
      if (options.hasHeader) return;
    }
    this.waiting.push({ number, cells, width });
  }

  rowOf({ number, cells, width }: RawRow): SourceRow {
    const { options } = this;
    const line = options.lineOffset + number;
    const problem = width > COLUMNS_MAX ? `has more than ${formatCount(COLUMNS_MAX)} cells` : undefined;
    return problem === undefined
      ? this.row(number, line, cells)
      : unreadableRow(line, `Row ${number}: the row ${problem}.`, options.name);
  }

  private where(number: number): string {
    return `Worksheet ${this.options.name.slice(0, 100)}, row ${number}`;
  }

  private name(number: number, cells: readonly Cell[]): void {
    const { hasHeader, named } = this.options;
    const names = Array.from({ length: (cells.at(-1)?.column ?? -1) + 1 }, () => '');
    if (hasHeader) for (const cell of cells) names[cell.column] = this.textOf(cell, true).text ?? '';
    this.columns = columnNames(hasHeader ? names : (named ?? names), this.where(number));
    this.isText = this.columns.map((column) => this.options.textColumns.has(column.toLowerCase()));
  }

  private row(number: number, line: number, cells: readonly Cell[]): SourceRow {
    const columns = this.columns ?? [];
    const values: Record<string, string> = {};
    for (const column of columns) if (!isReason(column)) values[column] = '';
    for (const cell of cells) {
      const column = columns[cell.column];
      const { text, problem } = this.textOf(cell, this.isText[cell.column] ?? false);
      const wrong =
        problem ?? (column === undefined && text !== '' ? 'has a value, but the header names no column' : undefined);
      if (wrong !== undefined)
        return unreadableRow(line, `Row ${number}: cell ${cellName(cell.column, number)} ${wrong}.`, this.options.name);
      if (column !== undefined && text !== undefined && !isReason(column)) values[column] = text;
    }
    return { line, sheet: this.options.name, values };
  }

  private textOf(cell: Cell, isText: boolean): { readonly text?: string; readonly problem?: string } {
    if (cell.lacksResult)
      return {
        problem: 'contains a formula without its result; open the workbook in a spreadsheet program and save it',
      };
    switch (cell.type) {
      case 's': {
        const text = this.parts.strings.at(Number(cell.text));
        return text === undefined
          ? { problem: `refers to the shared text ${cell.text.slice(0, 20)}, which the workbook lacks` }
          : { text };
      }
      case 'str':
        return { text: unescapeText(cell.text) };
      case 'inlineStr':
      case 'd':
        return { text: cell.text };
      case 'b':
        return { text: cell.text.trim() === '1' || cell.text.trim() === 'true' ? 'true' : 'false' };
      case 'e':
        return { problem: `contains the error ${cell.text.slice(0, 40)}` };
      case 'n': {
        const format = this.parts.formats[cell.style] ?? 'number';
        return { text: numberText(cell.text, isText && format === 'date' ? 'number' : format, this.parts.from1904) };
      }
      default:
        return { problem: `is of the unknown kind ${cell.type.slice(0, 20)}` };
    }
  }
}
