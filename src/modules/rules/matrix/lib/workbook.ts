import { Readable } from 'node:stream';
import { ZipFile } from 'yazl';
import { escapeText } from '../../../../kernel/xml/element.ts';

/** Rows written at once. */
const ROWS_PER_PIECE = 500;

const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const RELATIONS = 'http://schemas.openxmlformats.org/package/2006/relationships';
const DOCUMENT = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const TYPES = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

/** The content type of a workbook. */
export const WORKBOOK_MIME = `${TYPES}.sheet`;

/**
 * Streams a workbook (.xlsx) with one worksheet. All cells are literal text: no formula runs, and no number loses its
 * zeros.
 */
export function writeWorkbook(sheet: string, rows: Iterable<readonly string[]>): AsyncIterable<Uint8Array> {
  const zip = new ZipFile();
  const parts: Readonly<Record<string, string>> = {
    '[Content_Types].xml':
      '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ' +
      'ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override ' +
      `PartName="/xl/workbook.xml" ContentType="${TYPES}.sheet.main+xml"/><Override ` +
      `PartName="/xl/worksheets/sheet1.xml" ContentType="${TYPES}.worksheet+xml"/></Types>`,
    '_rels/.rels':
      `<Relationships xmlns="${RELATIONS}"><Relationship Id="r1" Type="${DOCUMENT}/officeDocument" ` +
      'Target="xl/workbook.xml"/></Relationships>',
    'xl/workbook.xml':
      `<workbook xmlns="${MAIN}" xmlns:r="${DOCUMENT}"><sheets><sheet ` +
      `name="${escapeText(sheetName(sheet)).replaceAll('"', '&quot;')}" sheetId="1" ` +
      'r:id="r1"/></sheets></workbook>',
    'xl/_rels/workbook.xml.rels':
      `<Relationships xmlns="${RELATIONS}"><Relationship Id="r1" Type="${DOCUMENT}/worksheet" ` +
      'Target="worksheets/sheet1.xml"/></Relationships>',
  };
  for (const [name, xml] of Object.entries(parts)) zip.addBuffer(Buffer.from(HEAD + xml), name);
  zip.addReadStream(Readable.from(sheetPieces(rows)), 'xl/worksheets/sheet1.xml');
  zip.end();
  return zip.outputStream as unknown as AsyncIterable<Uint8Array>;
}

/** Returns a valid worksheet name: at most 31 characters, without those that Excel reserves. */
const sheetName = (name: string): string =>
  name
    .replace(/[[\]:*?/\\'\p{Cc}]/gu, ' ')
    .trim()
    .slice(0, 31)
    .trim() || 'Sheet1';

function* sheetPieces(rows: Iterable<readonly string[]>): Generator<string> {
  let piece = `${HEAD}<worksheet xmlns="${MAIN}"><sheetData>`;
  let number = 0;
  for (const row of rows) {
    number++;
    const cells = row.map((text, at) =>
      text === ''
        ? ''
        : `<c r="${columnName(at)}${number}" t="inlineStr"><is><t xml:space="preserve">${cellText(text)}</t></is></c>`,
    );
    piece += `<row r="${number}">${cells.join('')}</row>`;
    if (number % ROWS_PER_PIECE !== 0) continue;
    yield piece;
    piece = '';
  }
  yield `${piece}</sheetData></worksheet>`;
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
