import { escapeAttribute, escapeText } from '../../../../../kernel/xml/element.ts';
import { splitItems } from '../split-items.ts';
import { addedTo, childPath, namesOf } from './item-path.ts';
import type { ChildrenAt } from './schema-children.ts';

/** How a submission is rewritten. */
export interface Rewriting {
  /** Name of the items. */
  readonly itemName: string;
  /** The items that are written; all if it is undefined. */
  readonly items: ReadonlySet<number> | undefined;
  /** New texts by item and path; see item-path.ts. */
  readonly values: ReadonlyMap<number, Readonly<Record<string, string>>>;
  readonly childrenAt: ChildrenAt;
}

/**
 * Yields a submission with some of its items and new texts in them; everything else byte for byte as in the source,
 * files included. An element that gets an empty text is left out; one that is absent is added where the schema expects
 * it. Streams, holding one tag or chunk at a time. Expects a well-formed document.
 */
export async function* rewrittenItems(
  source: AsyncIterable<Uint8Array>,
  rewriting: Rewriting,
): AsyncGenerator<Uint8Array, void, undefined> {
  const { itemName, items, values } = rewriting;
  yield Buffer.from('<?xml version="1.0" encoding="UTF-8"?>\n');
  let isOpen = false;
  let current: { readonly item: number; readonly rewriter: ItemRewriter } | undefined;
  for await (const { item, bytes } of splitItems(source, itemName)) {
    if (item === 0) {
      yield bytes;
      isOpen = !Buffer.from(bytes).toString('latin1').endsWith('/>');
      continue;
    }
    if (items && !items.has(item)) continue;
    if (current?.item !== item) {
      yield Buffer.from('\n');
      current = { item, rewriter: new ItemRewriter(values.get(item) ?? {}, rewriting) };
    }
    yield* current.rewriter.take(bytes);
  }
  if (isOpen) yield Buffer.from('\n</ImportCollection>\n');
}

/** An open element. */
interface Frame {
  readonly path: string;
  /** Children so far by name. */
  readonly seen: Map<string, number>;
  /** Elements to add, in the order of the schema. */
  added: readonly (readonly [name: string, text: string])[];
  /** Its text is replaced, so what is inside is left out. */
  readonly isReplaced: boolean;
  /** The element as a whole is left out. */
  readonly isRemoved: boolean;
}

/** Rewrites one item from the chunks of {@link splitItems}: each is a whole tag, or text that begins with none. */
class ItemRewriter {
  private readonly values: ReadonlyMap<string, string>;
  private readonly rewriting: Rewriting;
  private readonly frames: Frame[] = [];
  /** Inside markup that is no element, such as a comment that came in several chunks. */
  private mark: string | undefined;
  private tail = '';

  constructor(values: Readonly<Record<string, string>>, rewriting: Rewriting) {
    this.values = new Map(Object.entries(values));
    this.rewriting = rewriting;
  }

  *take(bytes: Uint8Array): Generator<Uint8Array, void, undefined> {
    if (this.values.size === 0) return yield bytes;
    const isTag = this.mark === undefined && isElementTag(bytes);
    if (!isTag) {
      this.passMarkup(bytes);
      if (this.frames.at(-1)?.isReplaced !== true) yield bytes;
      return;
    }
    const tag = Buffer.from(bytes).toString('utf8');
    yield Buffer.from(tag.startsWith('</') ? this.close(tag) : this.open(tag));
  }

  /** Follows comments, CDATA sections and instructions, which may contain what looks like a tag. */
  private passMarkup(bytes: Uint8Array): void {
    const text = Buffer.from(bytes).toString('latin1');
    if (this.mark === undefined) {
      this.mark = markOf(text);
      if (this.mark === undefined) return;
      this.tail = '';
      // The start of the mark cannot be its end.
      const start = this.mark === '?>' ? 2 : 4;
      this.endMarkup(text.slice(start));
      return;
    }
    this.endMarkup(text);
  }

  private endMarkup(text: string): void {
    this.tail = (this.tail + text).slice(-3);
    if (this.mark !== undefined && this.tail.endsWith(this.mark)) this.mark = undefined;
  }

  private open(tag: string): string {
    const name = /^<([^\s/>]+)/.exec(tag)?.[1] ?? '';
    const isEmpty = tag.endsWith('/>');
    const around = this.frames.at(-1);
    if (around?.isReplaced === true) {
      if (!isEmpty) this.frames.push({ ...around, seen: new Map(), added: [], isRemoved: false });
      return '';
    }
    const before = around ? this.addedBefore(around, name) : '';
    const path = around ? this.pathIn(around, name) : '';
    const text = path === '' ? undefined : this.values.get(path);
    const added = this.absentIn(path);
    const isRemoved = text === '';
    if (!isEmpty) this.frames.push({ path, seen: new Map(), added, isReplaced: text !== undefined, isRemoved });
    if (isRemoved) return before;
    const start = this.withAttributes(tag, path);
    if (!isEmpty) return before + start + escapeText(text ?? '');
    const inside = text === undefined ? elementsOf(added) : escapeText(text);
    return before + (inside === '' ? start : `${start.slice(0, -2).trimEnd()}>${inside}</${name}>`);
  }

  private close(tag: string): string {
    const frame = this.frames.pop();
    if (!frame || frame.isRemoved) return '';
    const around = this.frames.at(-1);
    if (around?.isReplaced === true) return '';
    return elementsOf(frame.added) + tag;
  }

  private pathIn(around: Frame, name: string): string {
    const position = (around.seen.get(name) ?? 0) + 1;
    around.seen.set(name, position);
    return childPath(around.path, name, position);
  }

  /** Returns the added elements that the schema expects before this child, and forgets them. */
  private addedBefore(around: Frame, name: string): string {
    if (around.added.length === 0) return '';
    const order = this.orderIn(around.path);
    const at = order.indexOf(name);
    const isBefore = ([added]: readonly [string, string]): boolean => at >= 0 && order.indexOf(added) < at;
    const due = around.added.filter(isBefore);
    around.added = around.added.filter((each) => !isBefore(each));
    return elementsOf(due);
  }

  /** Returns the new children of an element: those whose paths say that they are added. */
  private absentIn(path: string): Frame['added'] {
    const order = this.orderIn(path);
    return [...this.values]
      .flatMap(([key, text]): (readonly [string, string])[] => {
        const added = addedTo(key);
        return added?.path === path && text !== '' ? [[added.name, text]] : [];
      })
      .sort(([a], [b]) => order.indexOf(a) - order.indexOf(b));
  }

  private orderIn(path: string): readonly string[] {
    return this.rewriting
      .childrenAt(['ImportCollection', this.rewriting.itemName, ...namesOf(path)])
      .map((c) => c.name);
  }

  private withAttributes(tag: string, path: string): string {
    let changed = tag;
    for (const [key, text] of this.values) {
      const [at = '', name] = key.split('@');
      if (name === undefined || at !== path) continue;
      changed = changed.replace(new RegExp(`(\\s${name}\\s*=\\s*)("[^"]*"|'[^']*')`), (_all, before: string) =>
        text === '' ? '' : `${before}"${escapeAttribute(text)}"`,
      );
    }
    return changed;
  }
}

/** Whether a chunk is the tag of an element. */
function isElementTag(bytes: Uint8Array): boolean {
  const LESS_THAN = 0x3c;
  return bytes[0] === LESS_THAN && bytes[1] !== undefined && !/[!?]/.test(String.fromCharCode(bytes[1]));
}

/** Returns what ends the markup that a chunk begins; undefined for text. */
function markOf(text: string): string | undefined {
  if (text.startsWith('<!--')) return '-->';
  if (text.startsWith('<![C')) return ']]>';
  return text.startsWith('<?') ? '?>' : undefined;
}

const elementsOf = (added: Frame['added']): string =>
  added.map(([name, text]) => `<${name}>${escapeText(text)}</${name}>`).join('');
