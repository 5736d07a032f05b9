import type { LayoutContent, LayoutFact, LayoutPanel } from './content.ts';

/**
 * A list of a layout. Facts of a panel are in `panels/{at}`. `title` identifies that panel if others have been moved or
 * removed meanwhile.
 */
export interface ListPlace {
  readonly list: string;
  readonly title?: string | undefined;
}

/** An entry of a list. `name` identifies it if others have been moved or removed meanwhile. */
export interface EntryPlace extends ListPlace {
  readonly at: number;
  readonly name: string;
}

/** A change of a layout. Places count from 0. */
export type LayoutEdit =
  | { readonly verb: 'up' | 'down' | 'remove'; readonly from: EntryPlace }
  | { readonly verb: 'move'; readonly from: EntryPlace; readonly to: ListPlace; readonly at: number }
  | { readonly verb: 'label'; readonly from: EntryPlace; readonly text: string }
  | { readonly verb: 'add'; readonly to: ListPlace; readonly entry: LayoutEntry };

/** An entry of any list: a fact, a panel, or the name of a milestone, part of the side, or tab. */
export type LayoutEntry = LayoutFact | LayoutPanel | string;

/** The lists whose entries are names. */
const NAME_LISTS = ['milestones', 'side', 'tabs'] as const;

/** Returns what identifies an entry in its list: its field, its title, or its name. */
export function entryName(entry: LayoutEntry): string {
  if (typeof entry === 'string') return entry;
  if ('field' in entry) return entry.field;
  return entry.panel ?? entry.title ?? '';
}

/** Whether an entry of one list can be moved to another: facts between the header and panels. */
export function canMove(from: string, to: string): boolean {
  return from === to || (holdsFacts(from) && holdsFacts(to));
}

/** Whether a list has facts. */
export const holdsFacts = (list: string): boolean => list === 'header' || list.startsWith('panels/');

/** Returns the entries of a list; undefined if there is no such list, or if it is one of another panel. */
export function entriesOf(content: LayoutContent, { list, title }: ListPlace): readonly LayoutEntry[] | undefined {
  if (list === 'header' || list === 'panels') return content[list];
  const names = NAME_LISTS.find((each) => each === list);
  if (names) return content[names];
  const panel = content.panels[panelAt(list)];
  return panel?.facts && (title === undefined || panel.title === title) ? panel.facts : undefined;
}

const panelAt = (list: string): number => Number(/^panels\/(\d{1,3})$/.exec(list)?.[1] ?? -1);

/**
 * Returns the layout after an edit; undefined if it has lost what the edit is about. Entries that were moved meanwhile
 * are found by their names.
 */
export function applyEdit(content: LayoutContent, edit: LayoutEdit): LayoutContent | undefined {
  if (edit.verb === 'add') {
    const to = findList(content, edit.to);
    return to === undefined ? undefined : withEntries(content, to, (entries) => [...entries, edit.entry]);
  }
  const list = findList(content, edit.from);
  if (list === undefined) return undefined;
  const at = findEntry(content, list, edit.from);
  if (at === undefined) return undefined;
  switch (edit.verb) {
    case 'remove':
      return withEntries(content, list, (entries) => entries.toSpliced(at, 1));
    case 'label':
      return withEntries(content, list, (entries) => entries.with(at, relabeled(entries[at] ?? '', edit.text)));
    case 'up':
    case 'down':
      return withEntries(content, list, (entries) => moved(entries, at, at + (edit.verb === 'up' ? -1 : 1)));
    case 'move':
      return moveEntry(content, { list, at }, { to: findList(content, edit.to), at: edit.at });
  }
}

function moveEntry(
  content: LayoutContent,
  { list, at }: { readonly list: string; readonly at: number },
  target: { readonly to: string | undefined; readonly at: number },
): LayoutContent | undefined {
  const { to } = target;
  if (to === undefined || !canMove(list, to)) return undefined;
  if (to === list) return withEntries(content, list, (entries) => moved(entries, at, target.at));
  const entry = entriesOf(content, { list })?.[at];
  if (entry === undefined) return undefined;
  const without = withEntries(content, list, (entries) => entries.toSpliced(at, 1));
  return withEntries(without, to, (entries) => entries.toSpliced(Math.min(target.at, entries.length), 0, entry));
}

/** Returns the list that a place means now: a panel that was moved is found by its title. */
function findList(content: LayoutContent, place: ListPlace): string | undefined {
  if (entriesOf(content, place)) return place.list;
  if (place.title === undefined) return undefined;
  const at = content.panels.findIndex(({ title }) => title === place.title);
  return at < 0 ? undefined : `panels/${at}`;
}

function findEntry(content: LayoutContent, list: string, { at, name }: EntryPlace): number | undefined {
  const names = (entriesOf(content, { list }) ?? []).map(entryName);
  const found = names[at] === name ? at : names.indexOf(name);
  return found < 0 ? undefined : found;
}

function moved(entries: readonly LayoutEntry[], from: number, to: number): readonly LayoutEntry[] {
  const entry = entries[from];
  if (entry === undefined || to < 0 || to >= entries.length) return entries;
  return entries.toSpliced(from, 1).toSpliced(to, 0, entry);
}

/** Returns a fact with another label, or a panel with another title. An empty label is that of the field. */
function relabeled(entry: LayoutEntry, text: string): LayoutEntry {
  if (typeof entry === 'string') return entry;
  if ('field' in entry) return text === '' ? { field: entry.field } : { field: entry.field, label: text };
  return entry.panel === undefined && text !== '' ? { ...entry, title: text } : entry;
}

function withEntries(
  content: LayoutContent,
  list: string,
  change: (entries: readonly LayoutEntry[]) => readonly LayoutEntry[],
): LayoutContent {
  const entries = change(entriesOf(content, { list }) ?? []);
  const at = panelAt(list);
  if (at < 0) return { ...content, [list]: entries };
  const panel = { ...content.panels[at], facts: entries as readonly LayoutFact[] };
  return { ...content, panels: content.panels.with(at, panel) };
}

/** Returns the edit that was sent as JSON; undefined if it is none. */
export function parseEdit(text: string): LayoutEdit | undefined {
  const sent = parseObject(text);
  if (typeof sent?.['verb'] !== 'string') return undefined;
  const { verb, from, to, at, text: label, entry } = sent;
  if (verb === 'add') return isList(to) && isEntry(entry) ? { verb, to, entry } : undefined;
  if (!isEntryPlace(from)) return undefined;
  if (verb === 'up' || verb === 'down' || verb === 'remove') return { verb, from };
  if (verb === 'label') return { verb, from, text: typeof label === 'string' ? label : '' };
  return verb === 'move' && isList(to) && typeof at === 'number' ? { verb, from, to, at } : undefined;
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const sent = JSON.parse(text) as unknown;
    return isObject(sent) ? sent : undefined;
  } catch {
    return undefined;
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isList = (value: unknown): value is ListPlace =>
  isObject(value) &&
  typeof value['list'] === 'string' &&
  (value['title'] === undefined || typeof value['title'] === 'string');

const isEntryPlace = (value: unknown): value is EntryPlace =>
  isObject(value) && isList(value) && typeof value['at'] === 'number' && typeof value['name'] === 'string';

/** New entries are facts, panels or names; what they contain is checked when the draft is saved. */
const isEntry = (value: unknown): value is LayoutEntry => typeof value === 'string' || isObject(value);
