import { parseFieldPath } from '../../../../kernel/declare/field-path.ts';
import type { RecordType } from '../../../../kernel/declare/record.ts';
import type { Registry } from '../../../../kernel/declare/registry.ts';
import { namesHint, PlatformError } from '../../../../kernel/door/errors.ts';

/** The panels that a page has by itself. */
const PANELS = ['Parties', 'Legal checks', 'Balances'] as const;
const SIDE = ['Tasks', 'Documents', 'Workflow'] as const;
const TABS = ['Overview', 'Tasks', 'Documents', 'Messages', 'Ledger', 'Workflow', 'History'] as const;

/** Most facts, panels and milestones of a layout. */
const ENTRIES_MAX = 100;
/** Most characters of a title or label. */
const TITLE_MAX = 60;

/** A fact: the path of a field, and its label if it is not that of the field. */
export interface LayoutFact {
  readonly field: string;
  readonly label?: string;
}

/** A panel: one that the page has by itself, or a list of facts under a title. */
export type LayoutPanel =
  | { readonly panel: (typeof PANELS)[number] }
  | { readonly title: string; readonly facts: readonly LayoutFact[] };

/** What the page of a case shows, in order. */
export interface LayoutContent {
  readonly header: readonly LayoutFact[];
  /** The milestones that are shown; all, if empty. */
  readonly milestones: readonly string[];
  readonly panels: readonly LayoutPanel[];
  readonly side: readonly (typeof SIDE)[number][];
  readonly tabs: readonly (typeof TABS)[number][];
}

/**
 * Parses the content of a layout for a record type. Field paths are returned as they are declared.
 *
 * @throws BAD_PARAMETER that names the first wrong part and what was expected, unknown fields with the nearest ones
 */
export function parseLayout(registry: Registry, record: RecordType, text: string): LayoutContent {
  const parts = objectOf(parseJson(text), 'the layout', ['header', 'milestones', 'panels', 'side', 'tabs']);
  const fact = (value: unknown, at: string): LayoutFact => parseFact(registry, record, value, at);
  return {
    header: listOf(parts['header'], 'header').map((value, at) => fact(value, `header ${at + 1}`)),
    milestones: listOf(parts['milestones'], 'milestones').map((value, at) => textOf(value, `milestones ${at + 1}`)),
    panels: listOf(parts['panels'], 'panels').map((value, at) => parsePanel(value, `panels ${at + 1}`, fact)),
    side: listOf(parts['side'], 'side').map((value) => oneOf(SIDE, value, 'side')),
    tabs: tabsOf(parts['tabs']),
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw wrong(`it is not JSON: ${error instanceof Error ? error.message : ''}`);
  }
}

function parsePanel(value: unknown, at: string, fact: (value: unknown, at: string) => LayoutFact): LayoutPanel {
  const { panel, title, facts } = objectOf(value, at, ['panel', 'title', 'facts']);
  if (panel !== undefined) {
    if (title !== undefined || facts !== undefined) throw wrong(`${at} has a panel and facts; expected one of them`);
    return { panel: oneOf(PANELS, panel, at) };
  }
  return {
    title: textOf(title, `title of ${at}`),
    facts: listOf(facts, `facts of ${at}`).map((one, n) => fact(one, `fact ${n + 1} of ${at}`)),
  };
}

function parseFact(registry: Registry, record: RecordType, value: unknown, at: string): LayoutFact {
  const { field, label } = typeof value === 'string' ? { field: value } : objectOf(value, at, ['field', 'label']);
  const { path } = parseFieldPath(
    registry,
    record,
    textOf(field, `field of ${at}`, Number.POSITIVE_INFINITY),
    'Layout',
  );
  return label === undefined ? { field: path } : { field: path, label: textOf(label, `label of ${at}`) };
}

function tabsOf(value: unknown): LayoutContent['tabs'] {
  const tabs = listOf(value, 'tabs').map((one) => oneOf(TABS, one, 'tabs'));
  if (!tabs.includes('Overview')) throw wrong('tabs must contain Overview');
  return tabs;
}

function objectOf<N extends string>(value: unknown, at: string, names: readonly N[]): { readonly [K in N]?: unknown } {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw wrong(`${at} must be an object`);
  const unknown = Object.keys(value).find((name) => !(names as readonly string[]).includes(name));
  if (unknown !== undefined) throw wrong(`${at} has an unknown part "${unknown}"`, namesHint(unknown, names));
  return value;
}

/** Returns a list; an absent one is empty. */
function listOf(value: unknown, at: string): readonly unknown[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw wrong(`${at} must be a list`);
  if (value.length > ENTRIES_MAX) throw wrong(`${at} has ${value.length} entries; at most ${ENTRIES_MAX} are possible`);
  return value as readonly unknown[];
}

function textOf(value: unknown, at: string, max = TITLE_MAX): string {
  if (typeof value !== 'string' || value.trim() === '') throw wrong(`${at} must be a text`);
  if (value.length > max) throw wrong(`${at} has ${value.length} characters; at most ${max} are possible`);
  return value.trim();
}

function oneOf<T extends string>(known: readonly T[], value: unknown, at: string): T {
  const text = textOf(value, at);
  const found = known.find((name) => name.toLowerCase() === text.toLowerCase());
  if (found === undefined) throw wrong(`${at} has an unknown entry "${text}"`, namesHint(text, known));
  return found;
}

function wrong(message: string, hint = ''): PlatformError {
  return new PlatformError('BAD_PARAMETER', { field: 'Layout', message: `Layout: ${message}.${hint}` });
}
