import type { PageCall } from '../page-call.ts';
import { plainText } from '../plain-text.ts';
import type { Parameters } from '../../../kernel/parameters/parameters.ts';
import { idOf, isDay } from './ledger-state.ts';

/** The address of the list of time entries. */
export const TIME_PATH = '/timesheets';

/** What the list of time entries shows. */
const TIME_VIEWS = ['review', 'approved', 'rejected', 'all', 'totals'] as const;
export type TimeView = (typeof TIME_VIEWS)[number];

/** Which time entries are listed. */
export interface TimeFilter {
  readonly view: TimeView;
  readonly person: number | undefined;
  /** The case: its record type and ID. */
  readonly case: { readonly type: string; readonly id: number } | undefined;
  readonly from: string;
  readonly to: string;
}

/** Reads the filter from the query of an address. What it does not understand is left out. */
export function timeFilter(call: PageCall, query: Parameters): TimeFilter {
  const view = plainText(query['view']);
  const person = plainText(query['person']);
  const type = call.platform.registry.record(plainText(query['type']))?.name;
  const id = idOf(plainText(query['case']));
  const [from, to] = [plainText(query['from']), plainText(query['to'])];
  return {
    view: TIME_VIEWS.find((each) => each === view) ?? 'review',
    person: person === 'me' ? call.user.personId : idOf(person),
    case: type === undefined || id === undefined ? undefined : { type, id },
    from: isDay(from) ? from : '',
    to: isDay(to) ? to : '',
  };
}

/** Returns the filter as the query of an address. */
export function timeQuery({ view, person, case: of, from, to }: TimeFilter): URLSearchParams {
  return new URLSearchParams({
    ...(view !== 'review' && { view }),
    ...(person !== undefined && { person: String(person) }),
    ...(of && { type: of.type, case: String(of.id) }),
    ...(from !== '' && { from }),
    ...(to !== '' && { to }),
  });
}

/** Returns the address of the list with a filter. */
export function timePath(filter: TimeFilter, more: Readonly<Record<string, string>> = {}): string {
  const query = timeQuery(filter);
  for (const [name, value] of Object.entries(more)) query.set(name, value);
  const text = query.toString();
  return text === '' ? TIME_PATH : `${TIME_PATH}?${text}`;
}
