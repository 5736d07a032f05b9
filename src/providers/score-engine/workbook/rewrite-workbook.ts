import { ZipFile } from 'yazl';
import { escapeAttribute, escapeText } from '../../../kernel/xml/element.ts';
import type { Workbook } from './open-workbook.ts';
import type { PartHandler, WorkbookArchive, WorkbookReader } from './workbook-reader.ts';
import { CellError, type Scalar } from './cell-value.ts';

/** New content of a cell. `formula`: the cell keeps its formula. */
export interface CellEdit {
  readonly row: number;
  readonly column: number;
  readonly value: Scalar;
  readonly formula: boolean;
}

/**
 * The changed cells, by their sheet's part and their names. `unshare`: shared formulas become values.
 */
export interface WorkbookEdits {
  readonly bySheet: ReadonlyMap<string, ReadonlyMap<string, CellEdit>>;
  readonly unshare: boolean;
  /** Time stamp of the files in the copy. */
  readonly at: Date;
}

/**
 * Writes the workbook with its cells filled. Values are stored as a spreadsheet program would; everything else is
 * unchanged. Omits the calculation chain, which programs rebuild.
 */
export async function* rewriteWorkbook(
  reader: WorkbookReader,
  { archive }: Pick<Workbook, 'archive'>,
  edits: WorkbookEdits,
): AsyncGenerator<Uint8Array, void, undefined> {
  const zip = new ZipFile();
  for (const name of archive.names) {
    if (name.endsWith('/') || /(?:^|\/)calcChain\.xml$/i.test(name)) continue;
    const changed = [...edits.bySheet].find(([part]) => part.toLowerCase() === name.toLowerCase())?.[1];
    const isList = name === '[Content_Types].xml' || /(?:^|\/)workbook\.xml\.rels$/i.test(name);
    const unchanged = isList ? withoutChain : copyOf;
    const bytes = await (changed
      ? sheetOf(reader, archive, name, { cells: changed, unshare: edits.unshare })
      : unchanged(reader, archive, name));
    zip.addBuffer(bytes, name, { mtime: edits.at });
  }
  zip.end();
  for await (const piece of zip.outputStream) yield piece as Uint8Array;
}

async function copyOf(_reader: WorkbookReader, archive: WorkbookArchive, name: string): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of archive.read(name)) pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces);
}

const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const localName = (name: string): string => name.slice(name.indexOf(':') + 1);

function tag(name: string, attributes: Readonly<Record<string, string>>, leaveOut: readonly string[] = []): string {
  let made = `<${name}`;
  for (const [key, value] of Object.entries(attributes))
    if (!leaveOut.includes(key)) made += ` ${key}="${escapeAttribute(value)}"`;
  return `${made}>`;
}

/** Reads a part while `handler` writes the result to `out`. */
async function copyPart(
  { reader, archive, part }: { reader: WorkbookReader; archive: WorkbookArchive; part: string },
  handler: PartHandler,
  out: string[],
): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const _ of reader.events(archive, part, handler)) {
    pieces.push(Buffer.from(out.join('')));
    out.length = 0;
  }
  return Buffer.concat([Buffer.from(HEAD), ...pieces, Buffer.from(out.join(''))]);
}

function withoutChain(reader: WorkbookReader, archive: WorkbookArchive, part: string): Promise<Buffer> {
  const out: string[] = [];
  let skipping = false;
  return copyPart(
    { reader, archive, part },
    {
      open(name, attributes) {
        skipping = /calcChain/i.test(`${attributes['PartName'] ?? ''}${attributes['Target'] ?? ''}`);
        if (!skipping) out.push(tag(name, attributes));
      },
      text: (text) => void out.push(escapeText(text)),
      close(name) {
        if (!skipping) out.push(`</${name}>`);
        skipping = false;
      },
    },
    out,
  );
}

/** Returns the content between a cell's tags, and the cell's type. */
function cellContent(
  prefix: string,
  value: Scalar,
  isFormula: boolean,
): { readonly type: string; readonly content: string } {
  const plain = (text: string): string => `<${prefix}v>${text}</${prefix}v>`;
  if (value === null) return { type: '', content: '' };
  if (value instanceof CellError) return { type: 'e', content: plain(value.code) };
  if (typeof value === 'boolean') return { type: 'b', content: plain(value ? '1' : '0') };
  if (typeof value === 'number') return { type: '', content: plain(String(value)) };
  // Text that looks like an escaped character must be escaped.
  const text = escapeText(
    value
      .replace(/_(?=x[0-9A-Fa-f]{4}_)/g, '_x005F_')
      .replace(
        /[\u0000-\u0008\u000b-\u001f\ufffe\uffff]/g,
        (control) => `_x${control.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`,
      ),
  );
  return isFormula
    ? { type: 'str', content: plain(text) }
    : {
        type: 'inlineStr',
        content: `<${prefix}is><${prefix}t xml:space="preserve">${text}</${prefix}t></${prefix}is>`,
      };
}

function sheetOf(
  reader: WorkbookReader,
  archive: WorkbookArchive,
  part: string,
  { cells, unshare }: { readonly cells: ReadonlyMap<string, CellEdit>; readonly unshare: boolean },
): Promise<Buffer> {
  const writer = new SheetWriter(reader, cells, unshare);
  return copyPart(
    { reader, archive, part },
    {
      open: (name, attributes) => writer.open(name, attributes),
      text: (text) => writer.text(text),
      close: (name) => writer.close(name),
    },
    writer.out,
  );
}

class SheetWriter {
  readonly out: string[] = [];
  private readonly reader: WorkbookReader;
  private readonly unshare: boolean;
  private readonly edits: ReadonlyMap<string, CellEdit>;
  /** Cells that the sheet does not have yet, inserted in the order of rows and columns. */
  private readonly waiting: CellEdit[];
  private prefix = '';
  private row = -1;
  private column = -1;
  private cell:
    | {
        readonly name: string;
        readonly attributes: Readonly<Record<string, string>>;
        readonly edit: CellEdit;
        formula: string;
        inFormula: boolean;
        isShared: boolean;
      }
    | undefined;

  constructor(reader: WorkbookReader, edits: ReadonlyMap<string, CellEdit>, unshare: boolean) {
    this.reader = reader;
    this.edits = edits;
    this.unshare = unshare;
    this.waiting = [...edits.values()].sort((a, b) => a.row - b.row || a.column - b.column);
  }

  open(name: string, attributes: Readonly<Record<string, string>>): void {
    const local = localName(name);
    if (this.cell) return this.openInside(this.cell, name, attributes);
    if (local === 'row') {
      this.prefix = name.slice(0, name.length - local.length);
      [this.row, this.column] = [attributes['r'] === undefined ? this.row + 1 : Number(attributes['r']) - 1, -1];
      this.putRows(this.row);
      this.out.push(tag(name, attributes, ['spans']));
    } else if (local === 'c') {
      this.column = this.reader.columnOf(attributes['r'] ?? '') ?? this.column + 1;
      this.putCells(this.column);
      const edit = this.edits.get(this.reader.cellName(this.column, this.row + 1));
      if (!edit) return void this.out.push(tag(name, attributes));
      this.waiting.splice(this.waiting.indexOf(edit), 1);
      this.cell = { name, attributes, edit, formula: '', inFormula: false, isShared: false };
    } else {
      if (local === 'sheetData') this.prefix = name.slice(0, name.length - local.length);
      this.out.push(tag(name, attributes));
    }
  }

  text(text: string): void {
    if (!this.cell) this.out.push(escapeText(text));
    else if (this.cell.inFormula) this.cell.formula += escapeText(text);
  }

  close(name: string): void {
    const local = localName(name);
    if (this.cell) {
      if (local === 'f' && this.cell.inFormula) {
        this.cell.formula += `</${name}>`;
        this.cell.inFormula = false;
      }
      if (local === 'c') this.closeCell(this.cell);
      return;
    }
    if (local === 'row') this.putCells(Number.POSITIVE_INFINITY);
    if (local === 'sheetData') this.putRows(Number.POSITIVE_INFINITY);
    this.out.push(`</${name}>`);
  }

  private openInside(
    cell: NonNullable<typeof this.cell>,
    name: string,
    attributes: Readonly<Record<string, string>>,
  ): void {
    if (localName(name) !== 'f') return;
    cell.inFormula = true;
    cell.isShared = attributes['t'] === 'shared';
    cell.formula = tag(name, attributes);
  }

  private closeCell({ name, attributes, edit, formula, isShared }: NonNullable<typeof this.cell>): void {
    this.cell = undefined;
    const formulaText = edit.formula && !(isShared && this.unshare) ? formula : '';
    const { type, content } = cellContent(this.prefix, edit.value, formulaText !== '');
    this.out.push(
      tag(name, { ...attributes, ...(type === '' ? {} : { t: type }) }, type === '' ? ['t'] : []),
      formulaText,
      content,
      `</${name}>`,
    );
  }

  private putCells(before: number): void {
    for (let edit = this.waiting[0]; edit?.row === this.row && edit.column < before; edit = this.waiting[0]) {
      this.waiting.shift();
      this.putCell(edit);
    }
  }

  private putCell(edit: CellEdit): void {
    const { type, content } = cellContent(this.prefix, edit.value, false);
    if (content !== '')
      this.out.push(
        tag(`${this.prefix}c`, {
          r: this.reader.cellName(edit.column, edit.row + 1),
          ...(type === '' ? {} : { t: type }),
        }),
        content,
        `</${this.prefix}c>`,
      );
  }

  private putRows(before: number): void {
    for (let edit = this.waiting[0]; edit && edit.row < before; edit = this.waiting[0]) {
      const { row } = edit;
      this.out.push(tag(`${this.prefix}row`, { r: String(row + 1) }));
      for (let next = this.waiting[0]; next?.row === row; next = this.waiting[0]) {
        this.waiting.shift();
        this.putCell(next);
      }
      this.out.push(`</${this.prefix}row>`);
    }
  }
}
