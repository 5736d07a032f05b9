import { PlatformError, namesHint } from '../../kernel/door/errors.ts';

/** The built-in panels of the page of a case. */
export const PANELS: readonly string[] = ['Parties', 'Legal checks', 'Balances'];
/** What the right side of the page can show. */
export const SIDE: readonly string[] = ['Tasks', 'Documents', 'Workflow'];
/** The tabs of the page. */
export const TABS: readonly string[] = ['Overview', 'Tasks', 'Documents', 'Messages', 'Ledger', 'Workflow', 'History'];

/** Most facts, panels and milestones of a layout. */
const ENTRIES_MAX = 100;
/** Most characters of a title or label. */
export const TITLE_MAX = 60;

/** A fact: the path of a field, such as `Loan.Property.County`, and its label if it is not that of the field. */
export interface LayoutFact {
  readonly field: string;
  readonly label?: string;
}

/** A panel: a built-in one, or a list of facts under a title. */
export interface LayoutPanel {
  readonly panel?: string;
  readonly title?: string;
  readonly facts?: readonly LayoutFact[];
}

/** What the page of a case shows, in order. */
export interface LayoutContent {
  readonly header: readonly LayoutFact[];
  /** The milestones that are shown; all, if empty. */
  readonly milestones: readonly string[];
  readonly panels: readonly LayoutPanel[];
  readonly side: readonly string[];
  readonly tabs: readonly string[];
}

/**
 * Parses the content of a layout, whatever it names: fields and panels may no longer exist.
 *
 * @throws BAD_PARAMETER that names the first wrong part and what was expected
 */
export function parseContent(text: string): LayoutContent {
  const parts = objectOf(parseJson(text), 'the layout', ['header', 'milestones', 'panels', 'side', 'tabs']);
  return {
    header: listOf(parts['header'], 'header').map((value, at) => parseFact(value, `header ${at + 1}`)),
    milestones: listOf(parts['milestones'], 'milestones').map((value, at) => textOf(value, `milestones ${at + 1}`)),
    panels: listOf(parts['panels'], 'panels').map((value, at) => parsePanel(value, `panels ${at + 1}`)),
    side: listOf(parts['side'], 'side').map((value) => textOf(value, 'side')),
    tabs: listOf(parts['tabs'], 'tabs').map((value) => textOf(value, 'tabs')),
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw wrongLayout(`it is not JSON: ${error instanceof Error ? error.message : ''}`);
  }
}

function parsePanel(value: unknown, at: string): LayoutPanel {
  const { panel, title, facts } = objectOf(value, at, ['panel', 'title', 'facts']);
  if (panel !== undefined) {
    if (title !== undefined || facts !== undefined)
      throw wrongLayout(`${at} has a panel and facts; expected one of them`);
    return { panel: textOf(panel, at) };
  }
  return {
    title: textOf(title, `title of ${at}`),
    facts: listOf(facts, `facts of ${at}`).map((one, n) => parseFact(one, `fact ${n + 1} of ${at}`)),
  };
}

function parseFact(value: unknown, at: string): LayoutFact {
  const { field, label } = typeof value === 'string' ? { field: value } : objectOf(value, at, ['field', 'label']);
  const path = textOf(field, `field of ${at}`, Number.POSITIVE_INFINITY);
  return label === undefined ? { field: path } : { field: path, label: textOf(label, `label of ${at}`) };
}

function objectOf<N extends string>(value: unknown, at: string, names: readonly N[]): { readonly [K in N]?: unknown } {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw wrongLayout(`${at} must be an object`);
  const unknown = Object.keys(value).find((name) => !(names as readonly string[]).includes(name));
  if (unknown !== undefined) throw wrongLayout(`${at} has an unknown part "${unknown}"`, namesHint(unknown, names));
  return value;
}

/** Returns a list; an absent one is empty. */
function listOf(value: unknown, at: string): readonly unknown[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw wrongLayout(`${at} must be a list`);
  if (value.length > ENTRIES_MAX)
    throw wrongLayout(`${at} has ${value.length} entries; at most ${ENTRIES_MAX} are possible`);
  return value as readonly unknown[];
}

function textOf(value: unknown, at: string, max = TITLE_MAX): string {
  if (typeof value !== 'string' || value.trim() === '') throw wrongLayout(`${at} must be a text`);
  if (value.length > max) throw wrongLayout(`${at} has ${value.length} characters; at most ${max} are possible`);
  return value.trim();
}

/** Returns the error about a layout. */
export function wrongLayout(message: string, hint = ''): PlatformError {
  return new PlatformError('BAD_PARAMETER', { field: 'Layout', message: `Layout: ${message}.${hint}` });
}
