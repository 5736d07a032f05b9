import { ZipFile } from 'yazl';
import { escapeAttribute, escapeText } from '../../../src/kernel/xml/element.ts';

/** A cell: text, a number, or `<c …>` attributes and content as markup. */
export type SheetCell = string | number | null | { readonly attributes?: string; readonly inner: string };

/** Contents of a test workbook. */
export interface WorkbookContent {
  readonly sheets: Readonly<Record<string, readonly (readonly SheetCell[])[] | string>>;
  /** Custom number formats, from 164; a cell's style is its index in this list, 0 is General. */
  readonly formats?: readonly (number | string)[];
  readonly shared?: readonly string[];
  readonly from1904?: boolean;
  /** Parts that replace or add to the generated ones. */
  readonly parts?: Readonly<Record<string, string | Buffer>>;
  readonly prefix?: string;
}

const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006/relationships';

/** Writes a workbook as spreadsheet programs do, with texts in their cells. */
export async function workbookOf(content: WorkbookContent): Promise<Buffer> {
  const names = Object.keys(content.sheets);
  const relation = (id: string, type: string, target: string): string =>
    `<Relationship Id="${id}" Type="${OFFICE}/${type}" Target="${target}"/>`;
  const sheetElement = (name: string, n: number): string =>
    `<sheet name="${escapeAttribute(name)}" sheetId="${n + 1}" r:id="s${n}"/>`;
  const sharedString = (text: string): string =>
    `<si>${text.startsWith('<') ? text : `<t>${escapeText(text)}</t>`}</si>`;
  const parts: Record<string, string | Buffer> = {
    '_rels/.rels':
      `<Relationships xmlns="${PACKAGE}">` + `${relation('rId1', 'officeDocument', 'xl/workbook.xml')}</Relationships>`,
    'xl/workbook.xml':
      `<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}">${content.from1904 ? '<workbookPr date1904="1"/>' : ''}` +
      `<sheets>${names.map(sheetElement).join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels':
      `<Relationships xmlns="${PACKAGE}">` +
      names.map((_, n) => relation(`s${n}`, 'worksheet', `worksheets/sheet${n}.xml`)).join('') +
      relation('st', 'styles', '/xl/styles.xml') +
      relation('sh', 'sharedStrings', 'sharedStrings.xml') +
      '</Relationships>',
    'xl/styles.xml': stylesOf(content.formats ?? []),
    'xl/sharedStrings.xml': `<sst xmlns="${MAIN}">${(content.shared ?? []).map(sharedString).join('')}</sst>`,
    ...Object.fromEntries(names.map((name, n) => [`xl/worksheets/sheet${n}.xml`, sheetOf(content.sheets[name]!)])),
    ...content.parts,
  };
  return zipOf(parts);
}

/** Returns an archive of these files. */
export async function zipOf(parts: Readonly<Record<string, string | Buffer>>): Promise<Buffer> {
  const zip = new ZipFile();
  for (const [name, part] of Object.entries(parts)) zip.addBuffer(Buffer.from(part), name);
  zip.end();
  const pieces: Buffer[] = [];
  for await (const piece of zip.outputStream as AsyncIterable<Buffer>) pieces.push(piece);
  return Buffer.concat(pieces);
}

function stylesOf(formats: readonly (number | string)[]): string {
  const own = formats.flatMap((format, n) =>
    typeof format === 'string' ? [`<numFmt numFmtId="${164 + n}" formatCode="${escapeAttribute(format)}"/>`] : [],
  );
  const cellFormats = formats.map((format, n) => `<xf numFmtId="${typeof format === 'string' ? 164 + n : format}"/>`);
  return (
    `<styleSheet xmlns="${MAIN}"><numFmts>${own.join('')}</numFmts>` +
    `<cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs>${cellFormats.join('')}</cellXfs></styleSheet>`
  );
}

function sheetOf(rows: readonly (readonly SheetCell[])[] | string): string {
  if (typeof rows === 'string') return rows;
  const rowElements = rows.map((cells, r) => {
    const cellElements = cells.map((cell, c) => cellOf(cell, `${letters(c)}${r + 1}`));
    return `<row r="${r + 1}">${cellElements.join('')}</row>`;
  });
  return `<worksheet xmlns="${MAIN}"><sheetData>${rowElements.join('')}</sheetData></worksheet>`;
}

function cellOf(cell: SheetCell, name: string): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return `<c r="${name}"><v>${cell}</v></c>`;
  if (typeof cell === 'string') return `<c r="${name}" t="inlineStr"><is><t>${escapeText(cell)}</t></is></c>`;
  return `<c r="${name}" ${cell.attributes ?? ''}>${cell.inner}</c>`;
}

function letters(column: number): string {
  return column < 26 ? String.fromCharCode(65 + column) : letters(Math.floor(column / 26) - 1) + letters(column % 26);
}
