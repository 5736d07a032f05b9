import { PlatformError } from '../../../kernel/door/errors.ts';
import type { RecordType } from '../../../kernel/declare/record.ts';
import type { RowNamed } from '../../../kernel/declare/catalog.ts';
import { isFilterName } from '../../../kernel/records/search/search.ts';
import { parametersFromQuery, type Parameters } from '../../../kernel/parameters/parameters.ts';
import { splitCommaList } from '../../../kernel/parameters/split-list.ts';
import { numberColumn } from '../records/number-search.ts';
import type { PageCall } from '../page-call.ts';
import { plainText, plainTexts, rowOffset } from '../plain-text.ts';
import { filterText, isOperator, takesValue } from './filters.ts';
import type { ListSource } from './list-sources.ts';

/** The value of `View` that means the list without any view. */
const ALL = 'all';
/** In a filter on a user: whoever looks at the list. */
const ME = 'me';

/** A filter of a list: a column, or another name that searches take, and the text that they take for it. */
export interface ListFilter {
  readonly name: string;
  readonly text: string;
}

/** What a list shows. Every list is an address, so that it can be mailed. */
export interface ListChoice {
  readonly filters: readonly ListFilter[];
  /** Named filters of the record type. */
  readonly named: readonly string[];
  /** A column, with a leading `-` for descending; empty for the list's own order. */
  readonly orderBy: string;
  /** Empty for the list's own columns. */
  readonly columns: readonly string[];
}

/** A list as an address asks for it. */
export interface ListState extends ListChoice {
  readonly view: RowNamed<'View'> | undefined;
  /** Whether it differs from its view. */
  readonly isChanged: boolean;
  /** Where the page begins, and the number of rows before it. */
  readonly cursor: string;
  readonly start: number;
  /** The field of a filter that is being added. */
  readonly added: string;
  /** A filter on a Social Security number, which may not be part of an address. */
  readonly refused: string | undefined;
}

const NO_CHOICE: ListChoice = { filters: [], named: [], orderBy: '', columns: [] };

/** Returns the list that an address asks for. Without any choice it is the first view, if there is one. */
export function readState(call: PageCall, source: ListSource, views: readonly RowNamed<'View'>[]): ListState {
  const { query } = call;
  const chosen = readChoice(call, source, query);
  const viewName = plainText(query['View']);
  const hasChoice = chosen.isSent || query['Changed'] !== undefined;
  const isFirst = viewName === '' && !hasChoice && source.path === '/cases';
  const view = isFirst ? views[0] : views.find(({ ViewID }) => String(ViewID) === viewName);
  const stored = view ? choiceOfView(call, source, view) : NO_CHOICE;
  const choice = hasChoice ? chosen.choice : stored;
  return {
    ...choice,
    view,
    isChanged: hasChoice && view !== undefined && !isEqual(choice, stored),
    cursor: plainText(query['Cursor']),
    start: rowOffset(query['RecordStart']),
    added: plainText(query['Add']),
    refused: chosen.refused,
  };
}

/** Returns the columns by which a list is sorted: those chosen, else its own. */
export function orderOf({ orderBy, orderOfAll = orderBy }: ListSource, state: ListState): string {
  if (state.orderBy !== '') return state.orderBy;
  return state.named.length > 0 ? orderBy : orderOfAll;
}

interface ReadChoice {
  readonly choice: ListChoice;
  readonly isSent: boolean;
  readonly refused: string | undefined;
}

function readChoice(call: PageCall, source: ListSource, sent: Parameters): ReadChoice {
  const { record } = source;
  const named = plainTexts(sent['SqlFilters']).flatMap(splitCommaList);
  const all = Object.entries(sent).flatMap(([name, value]) =>
    isFilterName(call.platform.registry, record, name)
      ? plainTexts(value).flatMap((text) => (text === '' ? [] : [{ name, text }]))
      : [],
  );
  const filters = [...all, ...builtFilter(sent)];
  const orderBy = plainText(sent['OrderBy']);
  const columns = plainTexts(sent['Columns']).flatMap(splitCommaList);
  const number = numberColumn(record)?.name.toLowerCase();
  const isNumber = ({ name, text }: ListFilter): boolean =>
    name.toLowerCase() === number && !/^(?:not )?null$/i.test(text);
  return {
    choice: { filters: filters.filter((filter) => !isNumber(filter)), named, orderBy, columns },
    isSent: filters.length > 0 || named.length > 0 || orderBy !== '' || columns.length > 0,
    refused: filters.find(isNumber)?.name,
  };
}

/** Returns the filter that the form of a chip sends in parts. */
function builtFilter(sent: Parameters): readonly ListFilter[] {
  const [name, operator, value] = [plainText(sent['Field']), plainText(sent['Operator']), plainText(sent['Value'])];
  if (name === '') return [];
  if (!isOperator(operator)) return value === '' ? [] : [{ name, text: value }];
  return takesValue(operator) && value.trim() === ''
    ? []
    : [{ name, text: filterText({ operator, value: value.trim() }) }];
}

function choiceOfView(call: PageCall, source: ListSource, view: RowNamed<'View'>): ListChoice {
  const { choice } = readChoice(call, source, parametersFromQuery(view.Filters ?? ''));
  return { ...choice, orderBy: view.SortedBy ?? '', columns: splitCommaList(view.Columns ?? '') };
}

function isEqual(one: ListChoice, other: ListChoice): boolean {
  return choiceQuery(one).toString() === choiceQuery(other).toString();
}

function choiceQuery({ filters, named, orderBy, columns }: ListChoice): URLSearchParams {
  const query = filterQuery({ filters, named });
  if (orderBy !== '') query.set('OrderBy', orderBy);
  if (columns.length > 0) query.set('Columns', columns.join(','));
  return query;
}

/** Returns the filters of a list as a query string, as views store them. */
export function filterQuery({ filters, named }: Pick<ListChoice, 'filters' | 'named'>): URLSearchParams {
  const query = new URLSearchParams();
  for (const { name, text } of filters) query.append(name, text);
  if (named.length > 0) query.set('SqlFilters', named.join(','));
  return query;
}

/** Returns the address of a list with another choice; `more`: its place among the pages, or a filter being added. */
export function statePath(
  source: ListSource,
  state: ListState,
  change: Partial<ListChoice> = {},
  more: Readonly<Record<string, string>> = {},
): string {
  const query = choiceQuery({ ...state, ...change });
  if (state.view) query.set('View', String(state.view.ViewID));
  if (state.view && [...query.keys()].every((name) => name === 'View')) query.set('Changed', '1');
  for (const [name, value] of Object.entries(more)) if (value !== '') query.set(name, value);
  const text = query.toString();
  if (text !== '') return `${source.path}?${text}`;
  return source.path === '/cases' ? `${source.path}?View=${ALL}` : source.path;
}

/** Returns the address of a view, or of the list without any. */
export function viewPath(source: ListSource, view: RowNamed<'View'> | undefined): string {
  if (view) return `${source.path}?View=${view.ViewID}`;
  return source.path === '/cases' ? `${source.path}?View=${ALL}` : source.path;
}

/** Returns the filters as a search takes them. */
export function searchFilters(call: PageCall, source: ListSource, state: ListState): Parameters {
  const filters = new Map<string, string[]>();
  for (const { name, text } of state.filters) {
    const isUser = source.record.columns.get(name.toLowerCase())?.field.to === 'Person';
    const value = isUser && text.toLowerCase() === ME ? String(call.user.personId) : text;
    filters.set(name, [...(filters.get(name) ?? []), value]);
  }
  return {
    ...Object.fromEntries(
      [...filters].map(([name, values]) => [name, values.length === 1 ? (values[0] ?? '') : values]),
    ),
    ...(state.named.length > 0 && { SqlFilters: state.named.join(',') }),
  };
}

/** The record to which a list is restricted. */
export interface ParentFilter {
  readonly record: RecordType;
  readonly id: number;
}

/** Returns the record to which the filters restrict the list. */
export function parentOf(call: PageCall, { filters }: Pick<ListState, 'filters'>): ParentFilter | undefined {
  const textOf = (name: string): string => filters.find((each) => each.name === name)?.text ?? '';
  const record = call.platform.registry.record(textOf('Object'));
  const id = textOf('ObjectID');
  return record && /^\d{1,15}$/.test(id) ? { record, id: Number(id) } : undefined;
}

/** The refusal of a number in an address. */
export function numberInAddress(label: string, name: string): PlatformError {
  return new PlatformError('BAD_PARAMETER', {
    field: name,
    message: `${label}: use “Find by ${label}”, so that the number does not become part of the address.`,
  });
}
