import { Readable } from 'node:stream';
import { ZipFile } from 'yazl';
import { escapeText } from '../../kernel/xml/element.ts';

/** Rows written at once. */
const ROWS_PER_PIECE = 100;

const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const RELATIONS = 'http://schemas.openxmlformats.org/package/2006/relationships';
const DOCUMENT = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const TYPES = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

/** The content type of a workbook. */
export const WORKBOOK_MIME = `${TYPES}.sheet`;

/** How a cell is stored and shown: as text, or as a number that the program formats. */
export type CellStyle = 'text' | 'head' | 'number' | 'money' | 'date' | 'time' | 'boolean';

/** A cell. `text` of a number is its decimal notation; of a date or time its serial number, see {@link dateSerial}. */
export interface WorkbookCell {
  readonly text: string;
  readonly style: CellStyle;
}

/** A worksheet: its name and rows. Plain strings are texts. */
export interface Worksheet {
  readonly name: string;
  readonly rows: Iterable<WorkbookRow> | AsyncIterable<WorkbookRow>;
  /** Widths of columns in characters; those of the program by default. */
  readonly widths?: readonly number[];
  /** Whether the first row stays visible. */
  readonly isHeadFrozen?: boolean;
  /** Whether its rows have a name that formulas can use: that of the worksheet, with `_` for other signs. */
  readonly isNamed?: boolean;
}

/** A row of a worksheet. */
export type WorkbookRow = readonly (string | WorkbookCell)[];

/** Rows that a worksheet can have. */
export const WORKBOOK_ROWS_MAX = 1_048_576;
/** Characters that the name of a worksheet can have. */
const SHEET_NAME_MAX = 31;
/** Characters that a cell can have. */
const CELL_CHARACTERS_MAX = 32_767;
/** What replaces the end of a longer text. */
const CUT_NOTE = ' … (cut: a cell holds 32,767 characters)';

/** The formats of cells, in the order of `cellXfs` below. */
const formats: readonly CellStyle[] = ['text', 'head', 'money', 'date', 'time'];

const STYLES =
  `<styleSheet xmlns="${MAIN}"><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font>` +
  '<font><b/><sz val="11"/><name val="Calibri"/></font></fonts>' +
  '<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill>' +
  '</fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>' +
  '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="5">' +
  '<xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>' +
  '<xf numFmtId="0" fontId="1" fillId="0" borderId="0" xfId="0" applyFont="1"/>' +
  '<xf numFmtId="4" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>' +
  '<xf numFmtId="14" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>' +
  '<xf numFmtId="22" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>' +
  '</cellXfs></styleSheet>';

/**
 * Streams a workbook (.xlsx) with at least one worksheet. Rows are read one worksheet after the other. Texts are
 * literal: no formula runs, and no number loses its zeros. The stream fails at a row beyond {@link WORKBOOK_ROWS_MAX}.
 */
export function writeWorkbook(worksheets: readonly Worksheet[]): AsyncIterable<Uint8Array> {
  const names = sheetNames(worksheets.map(({ name }) => name));
  const sheets = worksheets.map((sheet, at): SheetPart => ({ sheet, name: names[at] ?? '', number: at + 1, rows: 0 }));
  const zip = new ZipFile();
  const output = zip.outputStream as unknown as Readable;
  const add = (name: string, xml: string): void => zip.addBuffer(Buffer.from(HEAD + xml), name);
  // Programs that look at the first entry only recognize a workbook by it.
  add('[Content_Types].xml', contentTypes(sheets));
  add(
    '_rels/.rels',
    `<Relationships xmlns="${RELATIONS}"><Relationship Id="r1" Type="${DOCUMENT}/officeDocument" ` +
      'Target="xl/workbook.xml"/></Relationships>',
  );
  add('xl/_rels/workbook.xml.rels', workbookRelations(sheets));
  add('xl/styles.xml', STYLES);
  const contents = sheets.map((part) => {
    const content = Readable.from(sheetPieces(part), { highWaterMark: 1 });
    // A source that fails would leave the archive waiting for the rest of its entry.
    content.on('error', (error) => output.destroy(error));
    zip.addReadStream(content, `xl/worksheets/sheet${part.number}.xml`);
    return content;
  });
  output.once('close', () => contents.forEach((content) => content.destroy()));
  // Names refer to rows, which are counted when they have been written.
  zip.addReadStreamLazy('xl/workbook.xml', (pass) => pass(null, Readable.from([Buffer.from(workbookXml(sheets))])));
  zip.end();
  return output as AsyncIterable<Uint8Array>;
}

interface SheetPart {
  readonly sheet: Worksheet;
  /** Distinct and valid. */
  readonly name: string;
  /** From 1. */
  readonly number: number;
  /** Rows and columns that have been written. */
  rows: number;
  columns?: number;
}

function contentTypes(sheets: readonly SheetPart[]): string {
  return (
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ' +
    'ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override ' +
    `PartName="/xl/workbook.xml" ContentType="${TYPES}.sheet.main+xml"/><Override ` +
    `PartName="/xl/styles.xml" ContentType="${TYPES}.styles+xml"/>` +
    sheets
      .map(
        ({ number }) => `<Override PartName="/xl/worksheets/sheet${number}.xml" ContentType="${TYPES}.worksheet+xml"/>`,
      )
      .join('') +
    '</Types>'
  );
}

function workbookRelations(sheets: readonly SheetPart[]): string {
  return (
    `<Relationships xmlns="${RELATIONS}">` +
    sheets
      .map(
        ({ number }) =>
          `<Relationship Id="r${number}" Type="${DOCUMENT}/worksheet" Target="worksheets/sheet${number}.xml"/>`,
      )
      .join('') +
    `<Relationship Id="r${sheets.length + 1}" Type="${DOCUMENT}/styles" Target="styles.xml"/></Relationships>`
  );
}

function workbookXml(sheets: readonly SheetPart[]): string {
  const quoted = (text: string): string => escapeText(text).replaceAll('"', '&quot;');
  const entries = sheets.map(
    ({ name, number }) => `<sheet name="${quoted(name)}" sheetId="${number}" r:id="r${number}"/>`,
  );
  const taken = new Set<string>();
  const ranges = sheets.flatMap(({ sheet, name, rows, columns = 0 }) => {
    if (sheet.isNamed !== true || columns === 0) return [];
    const range = distinct(rangeName(sheet.name), taken, '_');
    const end = `$${columnName(columns - 1)}$${rows}`;
    return `<definedName name="${range}">'${escapeText(name.replaceAll("'", "''"))}'!$A$1:${end}</definedName>`;
  });
  const defined = ranges.length > 0 ? `<definedNames>${ranges.join('')}</definedNames>` : '';
  return (
    `${HEAD}<workbook xmlns="${MAIN}" xmlns:r="${DOCUMENT}"><sheets>${entries.join('')}</sheets>` +
    `${defined}</workbook>`
  );
}

/** Returns a valid name of a range: letters, digits and `_`, and not the name of a cell such as `A1`. */
function rangeName(name: string): string {
  const plain = name.replace(/[^\p{L}\p{N}_]/gu, '_').slice(0, 200);
  return /^[\p{L}_]/u.test(plain) && !/^(?:[a-z]{1,3}\d+|r\d*c?\d*|c\d*)$/i.test(plain) ? plain : `_${plain}`;
}

/** Returns a name that is not taken, ignoring case, and takes it. */
function distinct(name: string, taken: Set<string>, separator: string): string {
  let found = name;
  for (let count = 2; taken.has(found.toLowerCase()); count++) {
    const end = `${separator}${count}`;
    found = name.slice(0, SHEET_NAME_MAX - end.length) + end;
  }
  taken.add(found.toLowerCase());
  return found;
}

const DAY = 86_400_000;
/** The day before which programs disagree about serial numbers: they count a February 29, 1900. */
const FIRST_DAY = Date.UTC(1900, 2, 1);

/**
 * Returns the serial number of a date or local time, `2026-11-18` or `2026-11-18T08:12:00`; undefined where worksheets
 * have none.
 */
export function dateSerial(local: string): string | undefined {
  const at = Date.parse(local.length <= 10 ? `${local}T00:00:00Z` : `${local}Z`);
  if (!Number.isFinite(at) || at < FIRST_DAY || at >= Date.UTC(10_000, 0, 1)) return undefined;
  return String(Number((at / DAY + 25_569).toFixed(9)));
}

/** Returns valid worksheet names: at most 31 characters, without those that Excel reserves, distinct. */
function sheetNames(names: readonly string[]): readonly string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    const plain = name.replace(/[[\]:*?/\\'\p{Cc}]/gu, ' ').trim();
    return distinct(plain.slice(0, SHEET_NAME_MAX).trim() || 'Sheet1', taken, ' ');
  });
}

async function* sheetPieces(part: SheetPart): AsyncGenerator<string> {
  const { rows, widths = [], isHeadFrozen = false } = part.sheet;
  const pane = '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>';
  const views = isHeadFrozen ? `<sheetViews><sheetView workbookViewId="0">${pane}</sheetView></sheetViews>` : '';
  const columns = widths.map((width, at) => `<col min="${at + 1}" max="${at + 1}" width="${width}" customWidth="1"/>`);
  const cols = columns.length > 0 ? `<cols>${columns.join('')}</cols>` : '';
  let piece = `${HEAD}<worksheet xmlns="${MAIN}">${views}${cols}<sheetData>`;
  let number = 0;
  for await (const row of rows) {
    number++;
    part.rows = number;
    part.columns ??= row.length;
    if (number > WORKBOOK_ROWS_MAX) throw new Error(`A worksheet has ${WORKBOOK_ROWS_MAX} rows at most.`);
    piece += `<row r="${number}">${row.map((cell, at) => cellXml(cell, `${columnName(at)}${number}`)).join('')}</row>`;
    if (number % ROWS_PER_PIECE !== 0) continue;
    yield piece;
    piece = '';
  }
  yield `${piece}</sheetData></worksheet>`;
}

function cellXml(cell: string | WorkbookCell, place: string): string {
  const { text, style } = typeof cell === 'string' ? { text: cell, style: 'text' as const } : cell;
  if (text === '') return '';
  const format = formats.indexOf(style);
  const start = `<c r="${place}"${format > 0 ? ` s="${format}"` : ''}`;
  if (style === 'boolean') return `${start} t="b"><v>${text === 'true' ? 1 : 0}</v></c>`;
  if (style === 'text' || style === 'head')
    return `${start} t="inlineStr"><is><t xml:space="preserve">${cellText(cut(text))}</t></is></c>`;
  return `${start}><v>${escapeText(text)}</v></c>`;
}

function cut(text: string): string {
  return text.length <= CELL_CHARACTERS_MAX ? text : text.slice(0, CELL_CHARACTERS_MAX - CUT_NOTE.length) + CUT_NOTE;
}

/** Returns the letters of a worksheet column: A, B, … Z, AA. */
function columnName(at: number): string {
  let name = '';
  for (let rest = at + 1; rest > 0; rest = Math.floor((rest - 1) / 26))
    name = String.fromCharCode(65 + ((rest - 1) % 26)) + name;
  return name;
}

/** Escapes characters that XML does not allow, as workbooks do, and text that looks like such an escape. */
const cellText = (text: string): string =>
  escapeText(
    text
      .replace(/_(?=x[0-9A-Fa-f]{4}_)/g, '_x005F_')
      .replace(
        /[\u0000-\u0008\u000b-\u001f\ufffe\uffff]/g,
        (control) => `_x${control.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`,
      ),
  );
