import { parseFieldPath } from '../../../kernel/declare/field-path.ts';
import type { RecordType } from '../../../kernel/declare/record.ts';
import type { Registry } from '../../../kernel/declare/registry.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import type { LayoutFact, LayoutPanel } from '../case/case-layout.ts';

/** A layout while it is edited. */
export interface LayoutDraft {
  header: LayoutFact[];
  milestones: string[];
  panels: LayoutPanel[];
  side: string[];
  tabs: string[];
}

/** A list of a draft: `header`, `panels`, `panels/2/facts`, `side`, `tabs` or `milestones`. */
type ListPath = string;

/** What a button of the editor does: moves or removes an entry of a list, or adds one to it. */
export interface LayoutEdit {
  readonly verb: 'up' | 'down' | 'remove' | 'add';
  readonly list: ListPath;
  /** The place of the entry; of a new one the end. */
  readonly at: number;
  /** What to add: a field, a title, a name. */
  readonly text: string;
}

/** Parses the text of a draft that the page itself wrote. @throws BAD_PARAMETER for another text */
export function parseDraft(text: string): LayoutDraft {
  try {
    const {
      header = [],
      milestones = [],
      panels = [],
      side = [],
      tabs = [],
    } = JSON.parse(text) as Partial<LayoutDraft>;
    return { header, milestones, panels, side, tabs };
  } catch {
    throw new PlatformError('BAD_PARAMETER', { field: 'Layout', message: 'Layout: expected the draft of this page.' });
  }
}

/** Returns the edit that a pressed button names: `up panels/2/facts 1`. */
export function parseEdit(value: string, text: string): LayoutEdit | undefined {
  const [, verb, list = '', at = '0'] =
    /^(up|down|remove|add) (header|milestones|side|tabs|panels(?:\/\d{1,3}\/facts)?)(?: (\d{1,3}))?$/.exec(value) ?? [];
  return verb === undefined ? undefined : { verb: verb as LayoutEdit['verb'], list, at: Number(at), text: text.trim() };
}

/** Applies an edit. @throws BAD_PARAMETER for an unknown field, with the nearest ones */
export function applyEdit(
  draft: LayoutDraft,
  { verb, list: path, at, text }: LayoutEdit,
  { registry, record }: { readonly registry: Registry; readonly record: RecordType },
): void {
  const entries = listAt(draft, path);
  if (!entries) return;
  if (verb === 'add') {
    if (text === '') throw new PlatformError('BAD_PARAMETER', { field: path, message: 'Enter what to add.' });
    entries.push(newEntry(path, text, registry, record));
    return;
  }
  if (verb === 'remove') entries.splice(at, 1);
  else move(entries, at, verb === 'up' ? at - 1 : at + 1);
}

function move(entries: unknown[], from: number, to: number): void {
  if (to < 0 || to >= entries.length || from >= entries.length) return;
  const [moved] = entries.splice(from, 1);
  entries.splice(to, 0, moved);
}

function newEntry(path: ListPath, text: string, registry: Registry, record: RecordType): unknown {
  if (path === 'header' || path.endsWith('/facts'))
    return { field: parseFieldPath(registry, record, text, 'Field').path };
  return path === 'panels' && !PANELS.includes(text) ? { title: text, facts: [] } : panelOrName(path, text);
}

/** The panels that the page has by itself. */
export const PANELS: readonly string[] = ['Parties', 'Legal checks', 'Balances'];

function panelOrName(path: ListPath, text: string): unknown {
  return path === 'panels' ? { panel: text } : text;
}

function listAt(draft: LayoutDraft, path: ListPath): unknown[] | undefined {
  const [, panel] = /^panels\/(\d+)\/facts$/.exec(path) ?? [];
  if (panel !== undefined) return draft.panels[Number(panel)]?.facts as LayoutFact[] | undefined;
  return draft[path as keyof LayoutDraft];
}

/** Returns what a layout shows, a line for each entry, for comparing two of them. */
export function linesOf(draft: LayoutDraft): readonly string[] {
  return [
    ...draft.header.map(({ field }) => `Header: ${field}`),
    ...draft.milestones.map((name) => `Milestone: ${name}`),
    ...draft.panels.flatMap(({ panel, title = '', facts = [] }) =>
      panel === undefined
        ? [`Panel: ${title}`, ...facts.map(({ field }) => `${title}: ${field}`)]
        : [`Panel: ${panel}`],
    ),
    ...draft.side.map((name) => `Side: ${name}`),
    ...draft.tabs.map((name) => `Tab: ${name}`),
  ];
}

/** Returns the fields that a layout can show: of the record itself, its loan and its property, as paths. */
export function fieldPaths(registry: Registry, record: RecordType): readonly string[] {
  const paths: string[] = [];
  const add = (from: RecordType, prefix: string, depth: number): void => {
    for (const { name, field } of from.shown) {
      paths.push(prefix + name);
      const target = field.to === undefined || depth === 0 ? undefined : registry.record(field.to);
      if (target && (target.name === 'Loan' || target.name === 'Property' || target.name === 'Organization'))
        add(target, `${prefix}${name.replace(/ID$/, '')}.`, depth - 1);
    }
  };
  add(record, '', 2);
  return paths;
}
