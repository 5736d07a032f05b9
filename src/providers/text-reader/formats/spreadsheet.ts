import { UnreadableFile, type OpenText, type TextFile } from '../../../contracts/text-reader.ts';
import { FILE_CHARACTERS_MAX, sectionsOf, TextCollector } from './sections.ts';
import { openZip, relatedParts, relationId, type ZipParts } from './zip-parts.ts';

/** Most texts that cells share. */
const SHARED_MAX = 2_000_000;

/** Opens an XLSX file: names of the worksheets, and the values of their cells as they are stored, row by row. */
export async function openSpreadsheet({ bytes }: TextFile): Promise<OpenText> {
  const zip = await openZip(bytes);
  const shared = await sharedTexts(zip);
  const text = new TextCollector();
  for (const { name, part } of await sheetParts(zip)) {
    text.add(`${name}\n`);
    await collectCells(zip, part, { shared, text });
  }
  return sectionsOf(text.text());
}

async function sheetParts(zip: ZipParts): Promise<readonly { readonly name: string; readonly part: string }[]> {
  const main = 'xl/workbook.xml';
  const parts = await relatedParts(zip, main);
  const sheets: { name: string; part: string }[] = [];
  await zip.read(main, {
    open(element, attributes) {
      const part = element === 'sheet' ? parts.get(relationId(attributes) ?? '') : undefined;
      if (part !== undefined) sheets.push({ name: attributes['name'] ?? '', part });
    },
  });
  return sheets;
}

async function sharedTexts(zip: ZipParts): Promise<readonly string[]> {
  const texts: string[] = [];
  let current = '';
  let length = 0;
  let isText = false;
  let isPhonetic = false;
  await zip.read('xl/sharedStrings.xml', {
    open(name) {
      if (name === 'si') current = '';
      else if (name === 'rPh') isPhonetic = true;
      else if (name === 't') isText = true;
    },
    close(name) {
      if (name === 't') isText = false;
      else if (name === 'rPh') isPhonetic = false;
      else if (name === 'si') texts.push(current);
    },
    text(piece) {
      if (!isText || isPhonetic) return;
      current += piece;
      length += piece.length;
      if (length > FILE_CHARACTERS_MAX || texts.length > SHARED_MAX)
        throw new UnreadableFile('The workbook has too much text.');
    },
  });
  return texts;
}

async function collectCells(
  zip: ZipParts,
  part: string,
  { shared, text }: { readonly shared: readonly string[]; readonly text: TextCollector },
): Promise<void> {
  let type = '';
  let value = '';
  let isValue = false;
  await zip.read(part, {
    open(name, attributes) {
      if (name === 'c') [type, value] = [attributes['t'] ?? '', ''];
      else if (name === 'v' || name === 't') isValue = true;
    },
    close(name) {
      if (name === 'v' || name === 't') isValue = false;
      else if (name === 'c' && value !== '') text.add(`${type === 's' ? (shared[Number(value)] ?? '') : value}\t`);
      else if (name === 'row') text.endLine();
    },
    text(piece) {
      if (isValue) value += piece;
    },
  });
  text.endLine();
}
