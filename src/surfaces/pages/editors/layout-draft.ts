import type { AnswerRowFor } from '../../../kernel/declare/catalog.ts';
import { columnLabel } from '../../../kernel/declare/labels.ts';
import { parseFieldPath } from '../../../kernel/declare/field-path.ts';
import type { RecordType } from '../../../kernel/declare/record.ts';
import type { Registry } from '../../../kernel/declare/registry.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import type { LayoutContent } from '../../../lib/page-layouts/content.ts';
import type { LayoutDifference } from '../../../lib/page-layouts/differences.ts';
import {
  entriesOf,
  entryName,
  holdsFacts,
  type LayoutEdit,
  type LayoutEntry,
} from '../../../lib/page-layouts/edits.ts';
import type { PageCall } from '../page-call.ts';
import { recordIdFromPath } from '../record-address.ts';
import type { Crumb } from '../shell/top-bar.ts';
import type { EditorProblem, EditorPublishing, ProblemCounts } from './editor-shell.ts';

/** A problem of a layout, as `pagelayout/draft` returns it. */
interface SentProblem {
  readonly Severity: 'Error' | 'Warning';
  readonly Title: string;
  readonly Description: string;
  readonly List: string;
  readonly At?: number;
}

/** A layout as it is edited: what `pagelayout/draft` returns, with types for its JSON. */
export interface LayoutDraft {
  readonly id: number;
  /** The address of its editor. */
  readonly address: string;
  readonly name: string;
  /** The type of the cases that it is for. */
  readonly record: RecordType;
  readonly version: number;
  readonly published: number;
  readonly base: number;
  readonly updatedDate: string | null;
  readonly updatedPersonId: number | null;
  readonly content: LayoutContent;
  readonly differences: readonly LayoutDifference[];
  readonly problems: readonly SentProblem[];
  readonly mayEdit: boolean;
}

/** Reads a layout as it is edited. */
export async function readLayoutDraft(call: PageCall): Promise<LayoutDraft> {
  const { answer } = await call.call('pagelayout/draft', { ID: recordIdFromPath(call) });
  return layoutDraftOf(call, answer.row);
}

function layoutDraftOf(call: PageCall, row: AnswerRowFor<'pagelayout/draft'>): LayoutDraft {
  return {
    id: row.PageLayoutID,
    address: `/configure/layouts/${row.PageLayoutID}`,
    name: row.PageLayout ?? `Layout ${row.PageLayoutID}`,
    record: call.platform.registry.requireRecord(row.AppliesTo, 'AppliesTo'),
    version: row.Version,
    published: row.Published,
    base: row.Base,
    updatedDate: row.UpdatedDate ?? null,
    updatedPersonId: row.UpdatedPersonID ?? null,
    content: row.Layout,
    differences: row.Differences,
    problems: row.Problems,
    mayEdit: call.may('pagelayout/savedraft'),
  };
}

/** Returns the way to a page of a layout. Without `text` it is that of the editor. */
export function layoutCrumbs(call: PageCall, { name, address }: LayoutDraft, text?: string): Crumb[] {
  const own = { text: name, href: address };
  const plural = call.platform.registry.titlePluralOf('PageLayout');
  const way = [{ text: 'Configure', href: '/configure' }, { text: plural, href: '/records/pagelayout' }, own];
  return text === undefined ? way : [...way, { text }];
}

/** Returns what people call a list. */
export function listTitle(content: LayoutContent, list: string): string {
  const titles: Readonly<Record<string, string>> = {
    header: 'Header',
    panels: 'Panels',
    side: 'Right side',
    tabs: 'Tabs',
    milestones: 'Milestones',
  };
  return titles[list] ?? content.panels[Number(list.split('/')[1])]?.title ?? 'Panel';
}

/** A field that a layout can show. */
export interface FieldName {
  readonly path: string;
  /** What people call it: `Loan: Investor`. */
  readonly label: string;
}

/** Returns the fields that a layout can show: of the record itself, its loan, its property and its firm. */
export function fieldNames(registry: Registry, record: RecordType): readonly FieldName[] {
  const names: FieldName[] = [];
  const add = (from: RecordType, prefix: string, depth: number): void => {
    for (const { name, field } of from.shown) {
      const label = columnLabel(from, name);
      names.push({ path: prefix + name, label: prefix === '' ? label : `${from.title}: ${label}` });
      const target = field.to === undefined || depth === 0 ? undefined : registry.record(field.to);
      if (target && ['Loan', 'Property', 'Organization'].includes(target.name))
        add(target, `${prefix}${name.replace(/ID$/, '')}.`, depth - 1);
    }
  };
  add(record, '', 2);
  return names;
}

/**
 * Returns the path of a field that somebody named by its path or label.
 *
 * @throws BAD_PARAMETER with the nearest names
 */
export function fieldPath(registry: Registry, record: RecordType, text: string): string {
  const named = fieldNames(registry, record).filter(({ label }) => label.toLowerCase() === text.toLowerCase());
  return named[0]?.path ?? parseFieldPath(registry, record, text, 'Field').path;
}

/** Returns what an entry is called on the page of a case, and its path if that is another name. */
export function entryLabel(
  { registry }: PageCall['platform'],
  record: RecordType,
  entry: LayoutEntry,
): { readonly label: string; readonly path?: string } {
  const name = entryName(entry);
  if (typeof entry === 'string' || !('field' in entry)) return { label: name };
  if (entry.label !== undefined) return { label: entry.label, path: name };
  try {
    const { record: of, column } = parseFieldPath(registry, record, name, 'Field');
    return { label: columnLabel(of, column.name), path: name };
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    return { label: name };
  }
}

/** Returns the ID of an entry's element. It stays the same while the entry is moved within its list. */
export function entryIds(content: LayoutContent, list: string): readonly string[] {
  const key = list.startsWith('panels/') ? `panel-${slug(listTitle(content, list))}` : list;
  const counts = new Map<string, number>();
  return (entriesOf(content, { list }) ?? []).map((entry) => {
    const id = `${key}-${slug(entryName(entry))}`;
    const count = counts.get(id) ?? 0;
    counts.set(id, count + 1);
    return count === 0 ? id : `${id}-${count}`;
  });
}

const slug = (text: string): string => text.replace(/[^\p{L}\p{N}.]+/gu, '-');

/** Returns the problems as the editor shows them. */
export function layoutProblems({ content, problems }: LayoutDraft): readonly EditorProblem[] {
  return problems.map(({ Severity, Title, Description, List, At }) => ({
    severity: Severity === 'Error' ? 'error' : 'warning',
    title: `${Title}.`,
    text: html`${listTitle(content, List)}: ${Description}`,
    href: problemHref(content, List, At),
  }));
}

function problemHref(content: LayoutContent, list: string, at: number | undefined): string {
  const id = at === undefined ? undefined : entryIds(content, list)[at];
  return id === undefined ? `#list-${list.replace('/', '-')}` : `#${id}`;
}

/** Counts problems by severity. */
export function countLayoutProblems({ problems }: LayoutDraft): readonly ProblemCounts[] {
  const count = (of: SentProblem['Severity'], word: string, severity: ProblemCounts['severity']): ProblemCounts[] => {
    const { length } = problems.filter(({ Severity }) => Severity === of);
    return length === 0 ? [] : [{ text: `${length} ${word}${length === 1 ? '' : 's'}`, severity }];
  };
  return [...count('Error', 'error', 'error'), ...count('Warning', 'warning', 'warning')];
}

/** Returns how the draft can be published, and what keeps it from being. */
export function layoutPublishing(draft: LayoutDraft): EditorPublishing | undefined {
  if (!draft.mayEdit) return undefined;
  const href = `${draft.address}/publish`;
  const [error] = draft.problems.filter(({ Severity }) => Severity === 'Error');
  if (error) {
    const [count] = countLayoutProblems(draft);
    const place = problemHref(draft.content, error.List, error.At);
    return { href, refusal: { text: `Fix ${count?.text ?? 'errors'} to publish`, href: place } };
  }
  const isSame = draft.differences.length === 0;
  return { href, refusal: isSame ? { text: 'No changes to publish', href: '#main' } : undefined };
}

/** Returns a difference in words: "Header: Loan.Agency added". */
export function differenceText({ kind, list, name, change }: LayoutDifference): Markup {
  const words = { moved: 'moved', label: 'has another label' } as const;
  return html`${list}: <b><bdi>${name}</bdi></b> ${change === undefined ? kind : words[change]}`;
}

/** Returns what an edit does, in words: "Move Loan.Agency up in Header". */
export function editText(content: LayoutContent, edit: LayoutEdit): string {
  if (edit.verb === 'add') return `Add ${entryName(edit.entry)} to ${listTitle(content, edit.to.list)}`;
  const { name, list } = edit.from;
  const place = edit.from.title ?? listTitle(content, list);
  switch (edit.verb) {
    case 'up':
    case 'down':
      return `Move ${name} ${edit.verb} in ${place}`;
    case 'move':
      return `Move ${name} to ${edit.to.title ?? listTitle(content, edit.to.list)}`;
    case 'remove':
      return `Remove ${name}, ${place}`;
    case 'label':
      return holdsFacts(list) ? `Label ${name} “${edit.text}”` : `Rename ${name} to ${edit.text}`;
  }
}
