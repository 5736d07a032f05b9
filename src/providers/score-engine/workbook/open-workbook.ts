import type { DocumentContent } from '../../../kernel/ports/documents.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { serialOfText } from './day-serial.ts';
import type { CellFormat, WorkbookArchive, WorkbookReader } from './workbook-reader.ts';
import { FormulaSyntaxError, parseFormula, SHEET_COLUMNS, SHEET_ROWS, type Formula } from './formula-syntax.ts';
import { CellError, type ErrorCode, type Scalar } from './cell-value.ts';

/** Largest workbook that is calculated: it is read completely for each calculation. */
const WORKBOOK_BYTES_MAX = 16 * 1024 * 1024;
/** Largest unpacked size of all parts read, some of which are read twice. */
const INFLATED_BYTES_MAX = 128 * 1024 * 1024;
const CELLS_MAX = 200_000;
const FORMULAS_MAX = 20_000;
const NAMES_MAX = 5_000;

/** A cell with its content. `value` is the saved value until the cell is calculated or filled. */
export interface Cell {
  readonly row: number;
  readonly column: number;
  readonly style: number;
  readonly formula?: CellFormula;
  value: Scalar;
}

/** A formula in its cell. A shared formula is shifted from where it was written by `shift`. */
export interface CellFormula {
  readonly parsed: Formula | CellError;
  readonly shift: { readonly rows: number; readonly columns: number };
  readonly lists: boolean;
}

/** A worksheet. Height and width extend to the last existing cell. */
export interface Sheet {
  readonly name: string;
  readonly part: string;
  readonly cells: Map<number, Cell>;
  readonly formulas: Cell[];
  height: number;
  width: number;
}

/** A workbook's name for a cell, a range or a formula. */
export interface DefinedName {
  readonly name: string;
  /** Index of the only sheet that sees the name; undefined if all do. */
  readonly sheet: number | undefined;
  readonly parsed: Formula | CellError;
}

/** A workbook that has been read completely. */
export interface Workbook {
  readonly archive: WorkbookArchive;
  readonly sheets: readonly Sheet[];
  readonly names: readonly DefinedName[];
  readonly formats: readonly CellFormat[];
  readonly from1904: boolean;
}

/** Returns the error for a workbook that cannot be used. */
export function workbookError(what: string): PlatformError {
  return new PlatformError('STATE_REFUSES', { field: 'RenderID', message: `RenderID: the workbook ${what}.` });
}

/** Returns the key of a cell within its sheet. */
export const cellKey = (row: number, column: number): number => row * SHEET_COLUMNS + column;

/**
 * Reads a workbook with its formulas and names. @throws STATE_REFUSES if it has macros, refers to external data or is
 * too large; BAD_PARAMETER if it is damaged
 */
export async function openWorkbook(reader: WorkbookReader, content: DocumentContent): Promise<Workbook> {
  if (content.size > WORKBOOK_BYTES_MAX)
    throw workbookError(`has ${content.size} bytes; at most ${WORKBOOK_BYTES_MAX} are taken`);
  const archive = boundedArchive(await reader.open(content));
  await assertPlain(reader, archive);
  const { sheets: sheetParts, from1904, formats, strings } = await reader.parts(archive);
  const [main] = await reader.relations(archive, '', 'officeDocument');
  const names = main ? await readNames(reader, archive, main.part) : [];
  const sheets: Sheet[] = [];
  const room = { cells: CELLS_MAX, formulas: FORMULAS_MAX };
  for (const { name, part } of sheetParts)
    sheets.push(await readSheet(reader, archive, { name, part, from1904, strings, room }));
  return { archive, sheets, names, formats, from1904 };
}

/** Returns the archive with a limit on the bytes read in total. */
function boundedArchive(archive: WorkbookArchive): WorkbookArchive {
  let read = 0;
  return {
    names: archive.names,
    has: (name) => archive.has(name),
    async *read(name) {
      for await (const piece of archive.read(name)) {
        read += piece.length;
        if (read > INFLATED_BYTES_MAX) throw workbookError(`unpacks to more than ${INFLATED_BYTES_MAX} bytes`);
        yield piece;
      }
    },
  };
}

/** Parts with macros, data sources or references to other workbooks. */
const REFUSED_PARTS = new RegExp(
  String.raw`(?:^|\/)(?:vbaProject\.bin|connections\.xml)$` +
    String.raw`|\/(?:externalLinks|queryTables|activeX|macrosheets|dialogsheets)\/`,
  'i',
);

/** Throws if a workbook has any of these: a stored copy would pass them on to everyone who opens it. */
async function assertPlain(reader: WorkbookReader, archive: WorkbookArchive): Promise<void> {
  const outside = archive.names.find((name) => REFUSED_PARTS.test(name));
  if (outside !== undefined)
    throw workbookError(
      `contains ${outside.slice(0, 100)}: macros, other workbooks and data sources are not supported; save it as ` +
        '.xlsx without them',
    );
  for await (const _ of reader.events(archive, '[Content_Types].xml', {
    open(_name, { ContentType: type = '' }) {
      if (/macroEnabled|vbaProject/i.test(type)) throw workbookError('contains macros; save it as .xlsx without them');
    },
  }));
}

const localName = (name: string): string => name.slice(name.indexOf(':') + 1);

async function readNames(reader: WorkbookReader, archive: WorkbookArchive, part: string): Promise<DefinedName[]> {
  const names: DefinedName[] = [];
  let open: { name: string; sheet: number | undefined; text: string } | undefined;
  for await (const _ of reader.events(archive, part, {
    open(name, { name: given = '', localSheetId: sheet }) {
      if (localName(name) === 'definedName')
        open = { name: given, sheet: sheet === undefined ? undefined : Number(sheet), text: '' };
    },
    text(text) {
      if (open) open.text += text;
    },
    close(name) {
      if (localName(name) !== 'definedName' || !open) return;
      // Names such as _xlnm.Print_Area belong to the spreadsheet program.
      if (
        !open.name.startsWith('_xl') &&
        names.push({ name: open.name, sheet: open.sheet, parsed: parseCellFormula(open.text) }) > NAMES_MAX
      )
        throw workbookError(`has more than ${NAMES_MAX} names`);
      open = undefined;
    },
  }));
  return names;
}

/** Parses a cell's formula. One that cannot be parsed is an error value, which matters only if the cell is used. */
function parseCellFormula(text: string): Formula | CellError {
  try {
    return parseFormula(text);
  } catch (error) {
    if (error instanceof FormulaSyntaxError) return new CellError('#NAME?', error.message);
    throw error;
  }
}

interface SheetSource {
  readonly name: string;
  readonly part: string;
  readonly from1904: boolean;
  readonly strings: { at(index: number): string | undefined };
  /** Number of further cells and formulas allowed. */
  readonly room: { cells: number; formulas: number };
}

interface OpenCell {
  readonly row: number;
  readonly column: number;
  readonly style: number;
  readonly type: string;
  text: string;
  inline: string;
  formula?: { readonly kind: string; readonly index: string; readonly range: string; text: string };
}

interface SharedFormula {
  readonly parsed: Formula | CellError;
  readonly row: number;
  readonly column: number;
}

async function readSheet(reader: WorkbookReader, archive: WorkbookArchive, source: SheetSource): Promise<Sheet> {
  const sheet: Sheet = { name: source.name, part: source.part, cells: new Map(), formulas: [], height: 0, width: 0 };
  const shared = new Map<string, SharedFormula>();
  let [row, column] = [-1, -1];
  let cell: OpenCell | undefined;
  let inside = '';
  for await (const _ of reader.events(archive, source.part, {
    open(name, attributes) {
      const local = localName(name);
      if (local === 'row') [row, column] = [attributes['r'] === undefined ? row + 1 : Number(attributes['r']) - 1, -1];
      else if (local === 'c') {
        column = reader.columnOf(attributes['r'] ?? '') ?? column + 1;
        cell = { row, column, style: Number(attributes['s'] ?? 0), type: attributes['t'] ?? 'n', text: '', inline: '' };
      } else if (cell && local === 'f') cell.formula = openFormula(attributes);
      if (local === 'v' || local === 'f' || local === 't' || local === 'rPh') inside = local;
    },
    text(text) {
      if (!cell) return;
      if (inside === 'v') cell.text += text;
      else if (inside === 't') cell.inline += text;
      else if (inside === 'f' && cell.formula) cell.formula.text += text;
    },
    close(name) {
      if (localName(name) === inside) inside = '';
      if (localName(name) !== 'c' || !cell) return;
      addCell({ sheet, shared }, cell, source, reader);
      cell = undefined;
    },
  }));
  return sheet;
}

function openFormula(attributes: Readonly<Record<string, string>>): NonNullable<OpenCell['formula']> {
  return {
    kind: attributes['t'] ?? 'normal',
    index: attributes['si'] ?? '',
    range: attributes['ref'] ?? '',
    text: '',
  };
}

function addCell(
  { sheet, shared }: { readonly sheet: Sheet; readonly shared: Map<string, SharedFormula> },
  open: OpenCell,
  source: SheetSource,
  reader: WorkbookReader,
): void {
  const { row, column, style } = open;
  const value = valueOf(open, source, reader);
  if (value === null && !open.formula) return;
  if (!Number.isInteger(row) || row < 0 || row >= SHEET_ROWS || column >= SHEET_COLUMNS)
    throw workbookError(`is damaged: ${source.name.slice(0, 100)} has a cell beyond the end of a worksheet`);
  if (sheet.cells.has(cellKey(row, column)))
    throw workbookError(`is damaged: ${source.name.slice(0, 100)} has two cells ${reader.cellName(column, row + 1)}`);
  if (source.room.cells-- <= 0) throw workbookError(`has more than ${CELLS_MAX} cells that are not empty`);
  const cell: Cell = {
    row,
    column,
    style,
    value,
    ...(open.formula ? { formula: formulaOf(open.formula, open, shared) } : {}),
  };
  sheet.cells.set(cellKey(row, column), cell);
  if (cell.formula) {
    if (source.room.formulas-- <= 0) throw workbookError(`has more than ${FORMULAS_MAX} formulas`);
    sheet.formulas.push(cell);
  }
  sheet.height = Math.max(sheet.height, row + 1);
  sheet.width = Math.max(sheet.width, column + 1);
}

function formulaOf(
  { kind, index, range, text }: NonNullable<OpenCell['formula']>,
  { row, column }: OpenCell,
  shared: Map<string, SharedFormula>,
): CellFormula {
  const here = { rows: 0, columns: 0 };
  if (kind === 'shared' && text === '') {
    const first = shared.get(index);
    if (!first)
      return {
        parsed: new CellError('#REF!', 'its shared formula is missing'),
        shift: here,
        lists: false,
      };
    return {
      parsed: first.parsed,
      shift: { rows: row - first.row, columns: column - first.column },
      lists: false,
    };
  }
  if (
    kind === 'dataTable' ||
    (kind === 'array' && /^\$?[A-Z]+\$?\d+:/i.test(range) && new Set(range.split(':')).size > 1)
  )
    return {
      parsed: new CellError('#VALUE!', 'formulas of several cells are not calculated'),
      shift: here,
      lists: false,
    };
  const own = parseCellFormula(text);
  if (kind === 'shared') shared.set(index, { parsed: own, row, column });
  return { parsed: own, shift: here, lists: kind === 'array' };
}

const errorCodes: ReadonlySet<string> = new Set(['#NULL!', '#DIV/0!', '#VALUE!', '#REF!', '#NAME?', '#NUM!', '#N/A']);

function valueOf({ type, text, inline }: OpenCell, { from1904, strings }: SheetSource, reader: WorkbookReader): Scalar {
  switch (type) {
    case 's':
      return strings.at(Number(text)) ?? new CellError('#REF!', 'its shared text is missing');
    case 'str':
      return reader.unescaped(text);
    case 'inlineStr':
      return reader.unescaped(inline);
    case 'b':
      return /^(?:1|true)$/.test(text.trim());
    case 'e':
      return new CellError((errorCodes.has(text.trim()) ? text.trim() : '#VALUE!') as ErrorCode);
    case 'd':
      return serialOfText(text, from1904) ?? text;
    default: {
      const value = text.trim() === '' ? null : Number(text);
      return value === null || Number.isFinite(value) ? value : new CellError('#NUM!', 'its number is none');
    }
  }
}
