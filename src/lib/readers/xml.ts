import type { ImportSource, ImportTemplate, SourceRow } from '../../contracts/import-engine.ts';
import { PlatformError } from '../../kernel/door/errors.ts';
import type { XmlElement } from '../../kernel/xml/element.ts';
import { unreadableRow } from './columns.ts';
import { BATCH_ROWS_MAX, COLUMNS_MAX, formatCount, RECORD_BYTES_MAX } from './limits.ts';
import { checkDepth, RowProblem, RowValues } from './row-values.ts';
import { localName, xmlEvents } from './xml-events.ts';

/** ParameterString options of XML documents. */
export const xmlOptions: Readonly<Record<string, string>> = {
  Item: 'Names of the elements that are rows, separated by commas; default: each outermost element named {Class}Item.',
};

/** An element around rows, as its start tag was written. */
export interface XmlWrapper {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
}

/** A row of a document as written. */
export interface XmlItem {
  /** Number of the row, from 1. */
  readonly line: number;
  readonly wrappers: readonly XmlWrapper[];
  /** Undefined if the row is too large, see `problem`. */
  readonly element: XmlElement | undefined;
  readonly problem?: string;
}

/** Which elements are rows. */
export interface XmlRowNames {
  /** Lower-cased; undefined: every element whose name ends in Item. */
  readonly items: ReadonlySet<string> | undefined;
  /** Required name of a row, if the import type says what its rows are. */
  readonly expected: string | undefined;
}

/** Returns the row names of an import type's documents. */
export function rowNames(template: ImportTemplate): XmlRowNames {
  const option = template.options.get('item');
  if (option !== undefined && option.trim() !== '')
    return {
      items: new Set(
        option
          .toLowerCase()
          .split(',')
          .map((name) => name.trim()),
      ),
      expected: undefined,
    };
  const record = template.options.get('classname') ?? template.appliesTo;
  return { items: undefined, expected: record === undefined ? undefined : `${record}Item` };
}

/**
 * Returns the name of a document's root element.
 * @throws BAD_XML if it has none
 */
export async function rootName(source: ImportSource): Promise<string> {
  let root: string | undefined;
  const events = xmlEvents(source.open(), {
    open: (name) => void (root ??= localName(name)),
    close: () => undefined,
    text: () => undefined,
    fail: badXml,
  });
  try {
    for await (const _ of events) if (root !== undefined) return root;
  } catch (error) {
    // Faults after the root are reported when the rows are read.
    if (root === undefined) throw error;
    return root;
  }
  throw badXml('it has no root element', 1, 0);
}

/** Reads the rows of a document as written. Rows before an error are yielded before it is thrown. */
export async function* xmlItems(
  source: ImportSource,
  names: XmlRowNames,
): AsyncGenerator<readonly XmlItem[], void, undefined> {
  const gathering = new RowCollector(names);
  const events = xmlEvents(source.open(), gathering);
  try {
    for await (const _ of events) yield* gathering.takeItems();
  } catch (error) {
    yield* gathering.takeItems();
    throw error;
  }
  if (gathering.count === 0 && !gathering.root.endsWith('Collection')) {
    const items = names.items ? [...names.items].join(' or ') : 'elements whose names end in Item';
    throw badXml(`it has no row element; expected ${names.expected ?? items}`, 0, 0);
  }
}

/** Reads the rows of a document with their values; unreadable rows have the reason. */
export async function* xmlRows(
  source: ImportSource,
  names: XmlRowNames,
): AsyncGenerator<readonly SourceRow[], void, undefined> {
  for await (const items of xmlItems(source, names)) yield items.map((item) => rowOf(item, names));
}

function rowOf({ line, element, problem }: XmlItem, { items, expected }: XmlRowNames): SourceRow {
  try {
    if (!element) throw new RowProblem(problem ?? 'it cannot be read');
    const name = localName(element.name);
    if (!items && expected !== undefined && name.toLowerCase() !== expected.toLowerCase())
      throw new RowProblem(`it is a ${name}; expected ${expected}`);
    const row = new RowValues();
    addElement(row, element, '', 1);
    return { line, values: row.values };
  } catch (error) {
    if (!(error instanceof RowProblem)) throw error;
    return unreadableRow(
      line,
      `Item ${line}${element && element.line > 0 ? ` (line ${element.line})` : ''}: ${error.message}.`,
    );
  }
}

/**
 * Adds an element as the parameters of an XML body: a leaf is a value, an element with only items is a collection, any
 * other a linked record.
 */
function addElement(row: RowValues, element: XmlElement, prefix: string, depth: number): void {
  checkDepth(depth);
  for (const [name, value] of Object.entries(element.attributes))
    if (!name.startsWith('xmlns') && !name.includes(':')) row.add(prefix + name, value);
  for (const child of element.children) {
    const name = prefix + localName(child.name);
    if (child.children.length === 0) row.add(name, child.text);
    else if (child.children.every((each) => localName(each.name).endsWith('Item')))
      child.children.forEach((each, index) => addElement(row, each, `${name}_${index}_`, depth + 1));
    else addElement(row, child, `${name}_`, depth + 1);
  }
}

interface ElementNode {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: ElementNode[];
  text: string;
  readonly line: number;
}

/** Builds a tree of each row, and of nothing else. */
class RowCollector {
  private items: XmlItem[] = [];
  count = 0;
  root = '';
  private readonly names: XmlRowNames;
  private wrappers: readonly XmlWrapper[] = [];
  private frames: ElementNode[] = [];
  private depth = 0;
  private elements = 0;
  private characters = 0;
  private problem: string | undefined;

  constructor(names: XmlRowNames) {
    this.names = names;
  }

  /** Returns the rows since the last call, in batches. */
  *takeItems(): Generator<readonly XmlItem[], void, undefined> {
    const { items } = this;
    this.items = [];
    for (let at = 0; at < items.length; at += BATCH_ROWS_MAX) yield items.slice(at, at + BATCH_ROWS_MAX);
  }

  open(name: string, attributes: Readonly<Record<string, string>>, line: number): void {
    this.root ||= localName(name);
    const parent = this.frames.at(-1);
    if (this.depth === 0 && !this.isRow(localName(name))) {
      this.wrappers = [...this.wrappers, { name, attributes }];
      return;
    }
    this.depth++;
    if (this.depth === 1) this.elements = this.characters = 0;
    this.countSize(1, name.length + Object.values(attributes).reduce((sum, value) => sum + value.length, 0));
    if (this.problem !== undefined) return;
    const frame: ElementNode = { name, attributes, children: [], text: '', line };
    parent?.children.push(frame);
    this.frames.push(frame);
  }

  text(text: string): void {
    const frame = this.frames.at(-1);
    if (!frame) return;
    this.countSize(0, text.length);
    if (this.problem === undefined) frame.text += text;
  }

  close(): void {
    if (this.depth === 0) {
      this.wrappers = this.wrappers.slice(0, -1);
      return;
    }
    this.depth--;
    const frame = this.frames.pop();
    if (frame && frame.children.length > 0 && !/[^ \t\r\n]/.test(frame.text)) frame.text = '';
    if (this.depth > 0) return;
    const item = { line: ++this.count, wrappers: this.wrappers };
    this.items.push(
      frame
        ? { ...item, element: frame }
        : { ...item, element: undefined, ...(this.problem === undefined ? {} : { problem: this.problem }) },
    );
    this.problem = undefined;
  }

  fail(message: string, line: number, column: number): Error {
    return badXml(message, line, column);
  }

  private isRow(name: string): boolean {
    return this.names.items ? this.names.items.has(name.toLowerCase()) : name.endsWith('Item') && name !== 'Item';
  }

  /** Releases a row that is too large at once and skips it to its end. */
  private countSize(elements: number, characters: number): void {
    this.elements += elements;
    this.characters += characters;
    if (this.problem !== undefined || (this.elements <= COLUMNS_MAX && this.characters <= RECORD_BYTES_MAX)) return;
    this.problem =
      this.elements > COLUMNS_MAX
        ? `it has more than ${formatCount(COLUMNS_MAX)} elements`
        : `it is longer than ${formatCount(RECORD_BYTES_MAX)} characters`;
    this.frames = [];
  }
}

function badXml(message: string, line: number, column: number): PlatformError {
  const where = line > 0 ? `Line ${line}, column ${column}: the` : 'The';
  return new PlatformError('BAD_XML', {
    message: `${where} document cannot be read: ${message}.`,
    details: { line, column },
  });
}
