import type { PageCall } from '../page-call.ts';
import { plainText, rowOffset } from '../plain-text.ts';
import type { Parameters } from '../../../kernel/parameters/parameters.ts';

/** What the address of a ledger's page says about how it is shown. */
export interface LedgerState {
  /** Lines whose ledgers are shown below them. */
  readonly open: readonly number[];
  /** The line that is edited, or a new one. */
  readonly edit: number | 'new' | undefined;
  /** The template line that a new line is created from. */
  readonly from: number | undefined;
  /** The day through which lines are projected. */
  readonly through: string;
  readonly start: number;
  /** The lines that are shown; empty parts: all. */
  readonly filter: LineFilter;
}

/** Which lines are shown, as `ledger/lines` selects them. */
export interface LineFilter {
  readonly kind: '' | 'Debit' | 'Credit' | 'Payment';
  readonly state: '' | 'Totaled' | 'Excluded' | 'Unpaid' | 'Paid';
  readonly text: string;
}

const kinds = ['Debit', 'Credit', 'Payment'] as const;
const states = ['Totaled', 'Excluded', 'Unpaid', 'Paid'] as const;
/** Longest text that lines are searched for. */
const TEXT_MAX = 255;

/** Whether a filter leaves out lines. */
export function isFiltered({ kind, state, text }: LineFilter): boolean {
  return kind !== '' || state !== '' || text !== '';
}

/** Shows all lines. */
export const noFilter: LineFilter = { kind: '', state: '', text: '' };

function filterOf(query: Parameters): LineFilter {
  const named = <N extends string>(names: readonly N[], value: unknown): N | '' =>
    names.find((name) => name === plainText(value)) ?? '';
  return {
    kind: named(kinds, query['kind']),
    state: named(states, query['state']),
    text: plainText(query['text']).trim().slice(0, TEXT_MAX),
  };
}

/** Most ledgers shown below lines at once. */
const OPEN_MAX = 20;

/** Returns the address of a ledger's page. */
export function ledgerPath(id: number): string {
  return `/ledgers/${id}`;
}

/** Reads the state from the query of an address. What it does not understand is left out. */
export function stateOf(query: Parameters): LedgerState {
  const open = plainText(query['open'])
    .split('.')
    .flatMap((text) => idOf(text) ?? []);
  const edit = plainText(query['edit']);
  const through = plainText(query['through']);
  return {
    open: [...new Set(open)].slice(0, OPEN_MAX),
    edit: edit === 'new' ? 'new' : idOf(edit),
    from: idOf(plainText(query['from'])),
    through: isDay(through) ? through : '',
    start: rowOffset(query['RecordStart']),
    filter: filterOf(query),
  };
}

/** Returns the state that the form of a page was sent in. */
export function sentState(call: PageCall): LedgerState {
  return stateOf(Object.fromEntries(new URLSearchParams(plainText(call.form['State']))));
}

/** Returns the state as the query of an address. */
export function stateQuery({ open, edit, from, through, start, filter }: LedgerState): URLSearchParams {
  return new URLSearchParams({
    ...(open.length > 0 && { open: open.join('.') }),
    ...(edit !== undefined && { edit: String(edit) }),
    ...(from !== undefined && { from: String(from) }),
    ...(through !== '' && { through }),
    ...Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== '')),
    ...(start > 0 && { RecordStart: String(start) }),
  });
}

/** Returns the address of a ledger in a state. */
export function statePath(id: number, state: LedgerState, more: Readonly<Record<string, string>> = {}): string {
  const query = stateQuery(state);
  for (const [name, value] of Object.entries(more)) query.set(name, value);
  const text = query.toString();
  return text === '' ? ledgerPath(id) : `${ledgerPath(id)}?${text}`;
}

/** Returns a positive number that may be the ID of a record. */
export function idOf(text: string): number | undefined {
  return /^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined;
}

/** Whether a text is a day of the calendar: `2026-11-27`. */
export function isDay(text: string): boolean {
  return /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text));
}
