import { PDFDocument, StandardFonts } from '@cantoo/pdf-lib';
import { ZipFile } from 'yazl';
import { buffer } from 'node:stream/consumers';
import { crc32, deflateSync } from 'node:zlib';
import { openPdf } from '../../src/providers/text-reader/formats/pdf.ts';

/** Returns a PDF file with a page for each text; each line of a text is a line of the page. */
export async function pdfOf(...pages: readonly string[]): Promise<Buffer> {
  const document = await PDFDocument.create();
  const font = await document.embedFont(StandardFonts.Helvetica);
  for (const text of pages) {
    const page = document.addPage([612, 792]);
    for (const [line, written] of text.split('\n').entries())
      page.drawText(written, { x: 72, y: 700 - line * 16, size: 12, font });
  }
  return Buffer.from(await document.save());
}

/** Returns a ZIP archive of texts by name. */
export function zipOf(parts: Readonly<Record<string, string | Buffer>>): Promise<Buffer> {
  const zip = new ZipFile();
  for (const [name, content] of Object.entries(parts)) zip.addBuffer(Buffer.from(content), name);
  zip.end();
  return buffer(zip.outputStream);
}

const RELATIONS = 'http://schemas.openxmlformats.org/package/2006/relationships';

/** Returns a DOCX file with a paragraph for each line. */
export function docxOf(text: string): Promise<Buffer> {
  const paragraphs = text
    .split('\n')
    .map((line) => `<w:p><w:r><w:t xml:space="preserve">${escaped(line)}</w:t></w:r></w:p>`)
    .join('');
  return zipOf({
    '[Content_Types].xml': contentTypes('wordprocessingml.document'),
    '_rels/.rels': `<Relationships xmlns="${RELATIONS}"/>`,
    'word/document.xml':
      '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>' +
      `${paragraphs}</w:body></w:document>`,
  });
}

/** Returns a text as it is written in XML. */
export function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

/** Returns the part that says what kind of document an archive is. */
function contentTypes(kind: string): string {
  const type = `application/vnd.openxmlformats-officedocument.${kind}.main+xml`;
  const space = 'http://schemas.openxmlformats.org/package/2006/content-types';
  return `<Types xmlns="${space}"><Default Extension="xml" ContentType="${type}"/></Types>`;
}

/** Returns a part that names others, by ids from r0 on. */
function relationsTo(...targets: readonly string[]): string {
  const each = targets.map((target, at) => `<Relationship Id="r${at}" Target="${target}"/>`);
  return `<Relationships xmlns="${RELATIONS}">${each.join('')}</Relationships>`;
}

/** Returns an XLSX file with the rows of its worksheets; texts are shared, as Excel writes them. */
export function xlsxOf(sheets: Readonly<Record<string, readonly (readonly (string | number)[])[]>>): Promise<Buffer> {
  const names = Object.keys(sheets);
  const shared: string[] = [];
  const cell = (value: string | number): string =>
    typeof value === 'number' ? `<c><v>${value}</v></c>` : `<c t="s"><v>${shared.push(value) - 1}</v></c>`;
  const parts = names.map((name) => {
    const rows = (sheets[name] ?? []).map((row) => `<row>${row.map(cell).join('')}</row>`).join('');
    return `<worksheet><sheetData>${rows}</sheetData></worksheet>`;
  });
  const listed = names.map((name, at) => `<sheet name="${escaped(name)}" r:id="r${at}"/>`);
  return zipOf({
    '[Content_Types].xml': contentTypes('spreadsheetml.sheet'),
    'xl/_rels/workbook.xml.rels': relationsTo(...names.map((_, at) => `worksheets/sheet${at}.xml`)),
    'xl/workbook.xml': `<workbook xmlns:r="x"><sheets>${listed.join('')}</sheets></workbook>`,
    ...Object.fromEntries(parts.map((part, at) => [`xl/worksheets/sheet${at}.xml`, part])),
    'xl/sharedStrings.xml': `<sst>${shared.map((text) => `<si><t>${escaped(text)}</t></si>`).join('')}</sst>`,
  });
}

/** Returns a PPTX file with a slide for each text, whose parts are numbered the other way round. */
export function pptxOf(...slides: readonly string[]): Promise<Buffer> {
  const numbers = slides.map((_, at) => slides.length - at);
  const listed = numbers.map((_, at) => `<p:sldId r:id="r${at}"/>`).join('');
  return zipOf({
    '[Content_Types].xml': contentTypes('presentationml.presentation'),
    'ppt/_rels/presentation.xml.rels': relationsTo(...numbers.map((number) => `slides/slide${number}.xml`)),
    'ppt/presentation.xml': `<p:presentation xmlns:p="p" xmlns:r="r">${listed}</p:presentation>`,
    ...Object.fromEntries(
      slides.map((text, at) => [
        `ppt/slides/slide${numbers[at]}.xml`,
        `<p:sld xmlns:p="p" xmlns:a="a"><a:p><a:r><a:t>${escaped(text)}</a:t></a:r></a:p></p:sld>`,
      ]),
    ),
  });
}

/**
 * Returns a PDF file whose pages are covered by pictures: white ones, with a text layer above them if a text is given,
 * or the given one.
 */
export async function scanOf(...pages: readonly (string | { readonly picture: Buffer })[]): Promise<Buffer> {
  const document = await PDFDocument.create();
  const font = await document.embedFont(StandardFonts.Helvetica);
  for (const each of pages) {
    const picture = await document.embedPng(typeof each === 'string' ? WHITE_PIXEL : each.picture);
    const page = document.addPage([612, 792]);
    page.drawImage(picture, { x: 0, y: 0, width: 612, height: 792 });
    if (typeof each === 'string' && each !== '') page.drawText(each, { x: 72, y: 700, size: 12, font });
  }
  return Buffer.from(await document.save());
}

/** Returns a picture of a page in the format PNG, 2,550 by 3,300 points, with one line of text. */
export async function createPdfPicture(text: string): Promise<Buffer> {
  const opened = await openPdf({ name: 'page.pdf', bytes: await pdfOf(text) });
  const gray = Buffer.from((await opened.picture(1)) ?? []);
  await opened.close();
  const [header = '', width = '', height = ''] = /^P5\n(\d+) (\d+)\n255\n/.exec(gray.toString('latin1', 0, 40)) ?? [];
  return pngOf(gray.subarray(header.length), Number(width), Number(height));
}

/** Returns gray points as a picture in the format PNG. */
function pngOf(gray: Buffer, width: number, height: number): Buffer {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 0, 0, 0, 0], 8);
  const lines = Array.from({ length: height }, (_, line) => [
    Buffer.of(0),
    gray.subarray(line * width, (line + 1) * width),
  ]);
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    pngPart('IHDR', head),
    pngPart('IDAT', deflateSync(Buffer.concat(lines.flat()), { level: 1 })),
    pngPart('IEND', Buffer.alloc(0)),
  ]);
}

function pngPart(name: string, content: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name), content]);
  const part = Buffer.alloc(named.length + 8);
  part.writeUInt32BE(content.length, 0);
  part.set(named, 4);
  part.writeUInt32BE(crc32(named), named.length + 4);
  return part;
}

/** A picture of one white point. */
const WHITE_PIXEL =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mP8/x8AAwMCAO+ip1sAAAAASUVORK5CYII=';
