import { documentError } from '../columns.ts';
import { formatCount } from '../limits.ts';
import { localName, xmlEvents, type XmlHandler } from '../xml-events.ts';
import type { Archive } from './archive.ts';
import { builtInFormat, parseFormat, type CellFormat } from './number-format.ts';

/** The parts of a workbook besides its rows. */
export interface WorkbookParts {
  readonly sheets: readonly { readonly name: string; readonly part: string }[];
  readonly from1904: boolean;
  /** Cell formats by style. */
  readonly formats: readonly CellFormat[];
  readonly strings: SharedStrings;
}

/** Most worksheets; each is read for its header before anything is imported. */
const SHEETS_MAX = 200;
const STYLES_MAX = 100_000;

type PartHandler = Omit<XmlHandler, 'fail' | 'text' | 'close'> & Partial<Pick<XmlHandler, 'text' | 'close'>>;

/** Reads a part, yielding after each chunk. */
export async function* partEvents(
  archive: Archive,
  part: string,
  handler: PartHandler,
): AsyncGenerator<void, void, undefined> {
  yield* xmlEvents(archive.read(part), {
    text: () => undefined,
    close: () => undefined,
    ...handler,
    fail: (message, line) =>
      documentError(`The workbook's part ${part.slice(0, 100)} cannot be read: line ${line}, ${message}.`),
  });
}

async function readPart(archive: Archive, part: string, handler: PartHandler): Promise<void> {
  const events = partEvents(archive, part, handler);
  while ((await events.next()).done !== true);
}

/**
 * Reads the parts besides the rows.
 * @throws BAD_PARAMETER for an archive that is not a workbook
 */
export async function readParts(archive: Archive): Promise<WorkbookParts> {
  const [main] = await relations(archive, '', 'officeDocument');
  if (main === undefined || !archive.has(main.part))
    throw documentError('The document is an archive, but not a workbook; expected an .xlsx file.');
  const beside = await relations(archive, main.part);
  const sheets: { name: string; part: string }[] = [];
  let from1904 = false;
  let isWorkbook = false as boolean;
  await readPart(archive, main.part, {
    open(name, attributes) {
      const local = localName(name);
      if (local === 'workbook') isWorkbook = true;
      if (local === 'workbookPr') from1904 = /^(?:1|true)$/.test(attributes['date1904'] ?? '');
      if (local !== 'sheet') return;
      const id = Object.entries(attributes).find(([key]) => key.endsWith(':id') || key === 'id')?.[1];
      const relation = beside.find((each) => each.id === id);
      // Chart sheets have no rows.
      if (relation && !relation.type.endsWith('/worksheet')) return;
      if (!relation || relation.isExternal)
        throw documentError(`The worksheet ${(attributes['name'] ?? '').slice(0, 100)} is not in the workbook itself.`);
      // A small part that is referenced repeatedly would be read as a large workbook.
      if (sheets.some((sheet) => sheet.part === relation.part))
        throw documentError(
          `The worksheet ${(attributes['name'] ?? '').slice(0, 100)} uses the part of another worksheet: ` +
            'the workbook is damaged.',
        );
      if (sheets.push({ name: attributes['name'] ?? '', part: relation.part }) > SHEETS_MAX)
        throw documentError(`The workbook has more than ${SHEETS_MAX} worksheets.`);
    },
  });
  if (!isWorkbook) throw documentError('The document is an archive, but not a workbook; expected an .xlsx file.');
  const partOf = (type: string): string | undefined =>
    beside.find((each) => each.type.endsWith(`/${type}`) && !each.isExternal && archive.has(each.part))?.part;
  const [styles, strings] = [partOf('styles'), partOf('sharedStrings')];
  return {
    sheets,
    from1904,
    formats: styles === undefined ? [] : await readFormats(archive, styles),
    strings: strings === undefined ? new SharedStrings() : await readStrings(archive, strings),
  };
}

/** A reference from one part to another. */
export interface Relation {
  readonly id: string;
  readonly type: string;
  readonly part: string;
  readonly isExternal: boolean;
}

/** Reads the references of a part. External references are marked and never followed. */
export async function relations(archive: Archive, part: string, type = ''): Promise<Relation[]> {
  const at = part.lastIndexOf('/') + 1;
  const file = `${part.slice(0, at)}_rels/${part.slice(at)}.rels`;
  const found: Relation[] = [];
  if (!archive.has(file)) return found;
  await readPart(archive, file, {
    open(name, { Id: id = '', Type: kind = '', Target: target = '', TargetMode: mode }) {
      if (localName(name) !== 'Relationship' || !kind.endsWith(type)) return;
      if (
        found.push({ id, type: kind, part: resolvePart(part.slice(0, at), target), isExternal: mode === 'External' }) >
        STYLES_MAX
      )
        throw documentError('The workbook refers to more parts than a workbook has.');
    },
  });
  return found;
}

function resolvePart(folder: string, target: string): string {
  const names: string[] = target.startsWith('/') ? [] : folder.split('/').filter((name) => name !== '');
  for (const name of target.split('/')) {
    if (name === '..') names.pop();
    else if (name !== '' && name !== '.') names.push(name);
  }
  return names.join('/');
}

async function readFormats(archive: Archive, part: string): Promise<CellFormat[]> {
  const own = new Map<number, CellFormat>();
  const formats: CellFormat[] = [];
  let inCellFormats = false;
  await readPart(archive, part, {
    open(name, attributes) {
      const local = localName(name);
      if (local === 'cellXfs') inCellFormats = true;
      else if (local === 'numFmt') own.set(Number(attributes['numFmtId']), parseFormat(attributes['formatCode'] ?? ''));
      else if (local === 'xf' && inCellFormats) {
        const id = Number(attributes['numFmtId'] ?? 0);
        formats.push(own.get(id) ?? builtInFormat(id));
      }
      if (own.size > STYLES_MAX || formats.length > STYLES_MAX)
        throw documentError(`The workbook has more than ${formatCount(STYLES_MAX)} styles.`);
    },
    close(name) {
      if (localName(name) === 'cellXfs') inCellFormats = false;
    },
  });
  return formats;
}

/** Largest total of shared texts in UTF-8. Send larger workbooks as delimited text, or save them with inline texts. */
const STRING_BYTES_MAX = 128 * 1024 * 1024;
const STRINGS_MAX = 8_000_000;

/** Texts by number, stored as bytes: strings took three times the memory. */
class SharedStrings {
  private bytes = Buffer.allocUnsafe(64 * 1024);
  private ends = new Uint32Array(4096);
  private count = 0;

  add(text: string): void {
    const start = this.count === 0 ? 0 : (this.ends[this.count - 1] as number);
    const size = Buffer.byteLength(text);
    if (start + size > STRING_BYTES_MAX || this.count >= STRINGS_MAX)
      throw documentError(
        `The workbook's shared texts are more than ${formatCount(STRINGS_MAX)} or longer than ` +
          `${formatCount(STRING_BYTES_MAX)} bytes together; send it as delimited text.`,
      );
    if (start + size > this.bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(2 * this.bytes.length, start + size));
      this.bytes.copy(larger, 0, 0, start);
      this.bytes = larger;
    }
    if (this.count >= this.ends.length) {
      const larger = new Uint32Array(2 * this.ends.length);
      larger.set(this.ends);
      this.ends = larger;
    }
    this.bytes.write(text, start);
    this.ends[this.count++] = start + size;
  }

  /** Returns a text by number; undefined if there is none. */
  at(index: number): string | undefined {
    if (!(index >= 0 && index < this.count)) return undefined;
    return this.bytes.toString('utf8', index === 0 ? 0 : this.ends[index - 1], this.ends[index]);
  }
}

async function readStrings(archive: Archive, part: string): Promise<SharedStrings> {
  const strings = new SharedStrings();
  const gather = textCollector();
  await readPart(archive, part, {
    open(name) {
      if (localName(name) === 'si') gather.begin();
      else gather.open(localName(name));
    },
    text: (text) => {
      gather.text(text);
    },
    close(name) {
      if (localName(name) === 'si') strings.add(gather.end());
      else gather.close(localName(name));
    },
  });
  return strings;
}

/** Joins the runs of a formatted text, without phonetic hints. */
export function textCollector(): {
  begin(): void;
  open(local: string): void;
  text(text: string): void;
  close(local: string): void;
  end(): string;
} {
  let gathered = '';
  let inText = false;
  let inPhonetic = false;
  return {
    begin: () => void (gathered = ''),
    open(local) {
      if (local === 't') inText = true;
      else if (local === 'rPh') inPhonetic = true;
    },
    text(text) {
      if (inText && !inPhonetic) gathered += text;
    },
    close(local) {
      if (local === 't') inText = false;
      else if (local === 'rPh') inPhonetic = false;
    },
    end: () => unescapeText(gathered),
  };
}

/** Decodes characters that XML cannot carry, which workbooks write as `_x000D_`. */
export function unescapeText(text: string): string {
  return text.includes('_x')
    ? text.replace(/_x([0-9A-Fa-f]{4})_/g, (whole, code: string) =>
        code === '0000' ? whole : String.fromCharCode(parseInt(code, 16)),
      )
    : text;
}
