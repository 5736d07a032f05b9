import { ZipFile } from 'yazl';
import { escapeAttribute, escapeText } from '../../../src/kernel/xml/element.ts';

/** A cell of a test workbook: a number, a text (`=…` is a formula), true or false, or its XML verbatim. */
export type TestCell = number | string | boolean | { readonly xml: string } | { readonly day: number };

/** Contents of a test workbook. */
export interface TestWorkbook {
  /** Cells by name, for each sheet. */
  readonly sheets: Readonly<Record<string, Readonly<Record<string, TestCell>>>>;
  /** Defined names, such as `Sheet1!$A$1`. */
  readonly names?: Readonly<Record<string, string>>;
  readonly from1904?: boolean;
  /** Other files in the archive. */
  readonly parts?: Readonly<Record<string, string | Buffer>>;
  readonly mainType?: string;
}

const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const DOCUMENT = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';

function cellXml(name: string, cell: TestCell): string {
  if (typeof cell === 'number') return `<c r="${name}"><v>${cell}</v></c>`;
  if (typeof cell === 'boolean') return `<c r="${name}" t="b"><v>${cell ? 1 : 0}</v></c>`;
  if (typeof cell === 'string')
    return cell.startsWith('=')
      ? `<c r="${name}"><f>${escapeText(cell.slice(1))}</f></c>`
      : `<c r="${name}" t="inlineStr"><is><t>${escapeText(cell)}</t></is></c>`;
  return 'xml' in cell ? cell.xml : `<c r="${name}" s="1"><v>${cell.day}</v></c>`;
}

function sheetXml(cells: Readonly<Record<string, TestCell>>): string {
  const rows = new Map<number, [string, string][]>();
  for (const [name, cell] of Object.entries(cells)) {
    const [, letters = '', row = '0'] = /^([A-Z]+)(\d+)$/.exec(name) ?? [];
    rows.set(Number(row), [...(rows.get(Number(row)) ?? []), [letters.padStart(3), cellXml(name, cell)]]);
  }
  const xml = [...rows]
    .sort(([a], [b]) => a - b)
    .map(
      ([row, made]) =>
        `<row r="${row}">${made
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .map(([, cell]) => cell)
          .join('')}</row>`,
    );
  return `<worksheet xmlns="${MAIN}"><sheetData>${xml.join('')}</sheetData></worksheet>`;
}

/** Returns a workbook (.xlsx) as a spreadsheet program writes it. Style 1 is that of dates. */
export async function testWorkbook({
  sheets,
  names = {},
  from1904 = false,
  parts = {},
  mainType = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml',
}: TestWorkbook): Promise<Buffer> {
  const titles = Object.keys(sheets);
  const sheetElements = titles.map(
    (title, at) => `<sheet name="${escapeAttribute(title)}" sheetId="${at + 1}" r:id="s${at + 1}"/>`,
  );
  const definedNames = Object.entries(names).map(
    ([name, of]) => `<definedName name="${name}">${escapeText(of)}</definedName>`,
  );
  const sheetRelations = titles.map(
    (_, at) => `<Relationship Id="s${at + 1}" Type="${DOCUMENT}/worksheet" Target="worksheets/sheet${at + 1}.xml"/>`,
  );
  const files: Record<string, string | Buffer> = {
    '[Content_Types].xml':
      `<Types xmlns="${PACKAGE}/content-types">` +
      '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>' +
      `<Override PartName="/xl/workbook.xml" ContentType="${mainType}"/>` +
      '<Override PartName="/xl/calcChain.xml" ContentType="x/calc"/></Types>',
    '_rels/.rels':
      `<Relationships xmlns="${PACKAGE}/relationships">` +
      `<Relationship Id="r1" Type="${DOCUMENT}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    'xl/workbook.xml':
      `<workbook xmlns="${MAIN}" xmlns:r="${DOCUMENT}"><workbookPr${from1904 ? ' date1904="1"' : ''}/>` +
      `<sheets>${sheetElements.join('')}</sheets>` +
      `<definedNames>${definedNames.join('')}</definedNames></workbook>`,
    'xl/_rels/workbook.xml.rels':
      `<Relationships xmlns="${PACKAGE}/relationships">` +
      sheetRelations.join('') +
      `<Relationship Id="st" Type="${DOCUMENT}/styles" Target="styles.xml"/>` +
      `<Relationship Id="cc" Type="${DOCUMENT}/calcChain" Target="calcChain.xml"/></Relationships>`,
    'xl/styles.xml':
      `<styleSheet xmlns="${MAIN}">` +
      '<cellXfs count="2"><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>',
    'xl/calcChain.xml': `<calcChain xmlns="${MAIN}"/>`,
    ...Object.fromEntries(
      titles.map((title, at) => [`xl/worksheets/sheet${at + 1}.xml`, sheetXml(sheets[title] ?? {})]),
    ),
    ...parts,
  };
  const zip = new ZipFile();
  for (const [name, content] of Object.entries(files)) zip.addBuffer(Buffer.from(content as string), name);
  zip.end();
  const pieces: Buffer[] = [];
  for await (const piece of zip.outputStream) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
}
