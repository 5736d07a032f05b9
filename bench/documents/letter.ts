import { ZipFile } from 'yazl';
import { f } from '../../src/kernel/declare/field.ts';
import type { TreeNode } from '../../src/kernel/door/answer.ts';
import { wordOf } from './document-rows.ts';

/** Fields in the text of the letter, and rows of its table. */
const FIELDS = 24;
const FEES = 12;
/** Paragraphs of about four lines: three pages with the table. */
const PARAGRAPHS = 30;

const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const RELATIONSHIPS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const WORD = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';
const TYPES = 'application/vnd.openxmlformats-officedocument.wordprocessingml';

const fieldNames = Array.from({ length: FIELDS }, (_, at) => `Field${at}`);

/** The letter's paragraphs as texts with tags, which the merge library reads, too. */
const paragraphs = Array.from({ length: PARAGRAPHS }, (_, at) => {
  const words = Array.from({ length: 55 }, (_each, word) => wordOf(1 + ((at * 55 + word * 7) % 3_000)));
  words.splice(5, 0, `{${fieldNames[at % FIELDS] ?? ''}}`);
  words.splice(40, 0, `{${fieldNames[(at * 5) % FIELDS] ?? ''}}`);
  return words.join(' ');
});

/** The values of the n-th letter, by name. */
export interface LetterValues {
  readonly [name: string]: string | readonly { readonly Fee: string; readonly Amount: string }[];
}

/** Returns the values of the n-th letter. */
export function letterValues(n: number): LetterValues {
  return {
    ...Object.fromEntries(fieldNames.map((name, at) => [name, `${wordOf(n + at)} & ${wordOf(2 * n + at)}`])),
    Fees: Array.from({ length: FEES }, (_, at) => ({ Fee: `fee ${wordOf(n + at)}`, Amount: `${n + at}.25` })),
  };
}

/** Returns values as the tree that generators read. */
export function letterTree(values: LetterValues): TreeNode {
  const leaf = (name: string, value: string): TreeNode => ({ name, value, field: f.text({ doc: 'A text.' }) });
  return {
    name: 'LetterItem',
    children: Object.entries(values).map(([name, value]) =>
      typeof value === 'string'
        ? leaf(name, value)
        : {
            name,
            list: true,
            children: value.map((row) => ({
              name: 'FeeItem',
              children: Object.entries(row).map(([key, text]) => leaf(key, text)),
            })),
          },
    ),
  };
}

/** Returns a letter of three pages as a Word document, with fields and a table with a row for each fee. */
export async function letterDocx(): Promise<Buffer> {
  const run = (text: string): string =>
    `<w:r><w:rPr><w:rFonts w:ascii="Calibri" w:hAnsi="Calibri"/><w:sz w:val="22"/></w:rPr>` +
    `<w:t xml:space="preserve">${text}</w:t></w:r>`;
  const paragraph = (text: string): string =>
    `<w:p><w:pPr><w:spacing w:after="160"/></w:pPr>${text
      .split(/(?<=[{}] )/)
      .map(run)
      .join('')}</w:p>`;
  const cell = (text: string): string =>
    `<w:tc><w:tcPr><w:tcW w:w="4500" w:type="dxa"/></w:tcPr>${paragraph(text)}</w:tc>`;
  const table =
    '<w:tbl><w:tblPr><w:tblW w:w="9000" w:type="dxa"/></w:tblPr><w:tblGrid><w:gridCol w:w="4500"/>' +
    '<w:gridCol w:w="4500"/></w:tblGrid>' +
    `<w:tr>${cell('{#Fees}{Fee}')}${cell('{Amount}{/Fees}')}</w:tr></w:tbl>`;
  const zip = new ZipFile();
  const add = (name: string, text: string): void =>
    zip.addBuffer(Buffer.from(`<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n${text}`), name);
  add(
    '[Content_Types].xml',
    `<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ` +
      'ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ' +
      'ContentType="application/xml"/><Override PartName="/word/document.xml" ' +
      `ContentType="${TYPES}.document.main+xml"/>` +
      `<Override PartName="/word/styles.xml" ContentType="${TYPES}.styles+xml"/></Types>`,
  );
  add(
    '_rels/.rels',
    `<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="r1" Type="${RELATIONSHIPS}/officeDocument" ` +
      'Target="word/document.xml"/></Relationships>',
  );
  add(
    'word/_rels/document.xml.rels',
    `<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="r1" Type="${RELATIONSHIPS}/styles" ` +
      'Target="styles.xml"/></Relationships>',
  );
  add('word/styles.xml', `<w:styles xmlns:w="${WORD}">${styles()}</w:styles>`);
  add(
    'word/document.xml',
    `<w:document xmlns:w="${WORD}"><w:body>${paragraphs.map(paragraph).join('')}${table}` +
      '<w:p/><w:sectPr><w:pgSz w:w="12240" w:h="15840"/></w:sectPr></w:body></w:document>',
  );
  zip.end();
  const pieces: Uint8Array[] = [];
  for await (const piece of zip.outputStream as AsyncIterable<Uint8Array>) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** As many styles as a word processor writes: a file of about 30 KB. */
function styles(): string {
  return Array.from(
    { length: 110 },
    (_, at) =>
      `<w:style w:type="paragraph" w:styleId="Style${at}"><w:name w:val="style ${at}"/><w:basedOn w:val="Normal"/>` +
      `<w:uiPriority w:val="${at}"/><w:pPr><w:spacing w:before="${at}"/></w:pPr><w:rPr><w:sz w:val="22"/></w:rPr>` +
      '</w:style>',
  ).join('');
}

/** Returns the same letter as HTML. */
export function letterHtml(): string {
  const body = paragraphs.map((text) => `<p style="margin:0 0 8pt">${text}</p>`).join('\n');
  const table = '<table>{#Fees}<tr><td>{Fee}</td><td>{Amount}</td></tr>{/Fees}</table>';
  return `<!doctype html><html><head><title>Letter</title></head><body>${body}\n${table}</body></html>`;
}
