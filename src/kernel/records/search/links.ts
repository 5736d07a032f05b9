import type { Context } from '../../door/context.ts';
import type { Parameters } from '../../parameters/parameters.ts';
import { parameter } from '../../parameters/parameters.ts';
import { bad, type RawValue } from '../../parameters/parse-value.ts';
import type { RecordType } from '../../declare/record.ts';
import { arrayLiteral } from '../../database/store.ts';
import { filterCondition, type FilterContext } from './filter.ts';
import { idOf } from '../../database/sql.ts';

/** The filter that restricts the other link filters to one set of links. */
const SET_FILTER = 'ObjectLinkType';
/** What each link filter finds, by name. Every search takes them besides its columns. */
export const linkFilterDocs: Readonly<Record<string, string>> = {
  LinkedTo: 'Records that are linked to one of these, each a record type and an id: Loan:5.',
  LinkedFrom: 'Records that one of these is linked to, each a record type and an id: Attachment:5.',
  NotLinkedTo: 'Records that are linked to none of these.',
  NotLinkedFrom: 'Records that none of these is linked to.',
  [SET_FILTER]: 'The set of links that the other link filters look at.',
};
/** Most records named by one link filter. */
const LINKED_RECORDS_MAX = 100;

/** Which way a filter follows links, and whether it finds the linked records or all others. */
interface LinkFilter {
  readonly own: 'primary' | 'linked';
  readonly other: 'primary' | 'linked';
  readonly not: boolean;
}

/**
 * The filters by lower-cased name. `LinkedTo`: the record found is the primary one of a link, the record named the
 * linked one.
 */
const linkFilters: Readonly<Record<string, LinkFilter>> = {
  linkedto: { own: 'primary', other: 'linked', not: false },
  linkedfrom: { own: 'linked', other: 'primary', not: false },
  notlinkedto: { own: 'primary', other: 'linked', not: true },
  notlinkedfrom: { own: 'linked', other: 'primary', not: true },
};

/** Whether a name is that of a link filter. */
export function isLinkFilter(name: string): boolean {
  const lower = name.toLowerCase();
  return lower === SET_FILTER.toLowerCase() || Object.hasOwn(linkFilters, lower);
}

/** One link filter among the filters of a search. */
interface SentLinkFilter {
  readonly name: string;
  readonly filters: Parameters;
}

/**
 * Returns the SQL condition of a link filter: `LinkedTo=Attachment:5`. A list of records means any of them; with Not,
 * none of them. A record that does not exist or is not visible has no visible links, so the result does not distinguish
 * the two.
 */
export function linkCondition(
  ctx: Context,
  record: RecordType,
  { name, filters }: SentLinkFilter,
  filterContext: FilterContext,
): string {
  const filter = linkFilters[name.toLowerCase()];
  if (!filter) return setFilterCondition(name, filters);
  const raw = filters[name] ?? null;
  const references = (Array.isArray(raw) ? (raw as readonly RawValue[]) : [raw]).flatMap((value): RawValue[] =>
    typeof value === 'string' ? value.split(',') : [value],
  );
  if (references.length > LINKED_RECORDS_MAX) throw bad(name, `at most ${LINKED_RECORDS_MAX} records`);
  const { sql } = filterContext;
  const family = sql.add(familyOf(ctx, record.root), 'text[]');
  const own = `link.${filter.own}objectid = ${idOf(record)} and link.${filter.own}object = any(${family})`;
  const others = references.map((value) => {
    const { of, id } = parseRecordReference(ctx, name, value);
    const objectId = `link.${filter.other}objectid = ${sql.add(id, 'bigint')}`;
    return `(${objectId} and link.${filter.other}object = any(${sql.add(familyOf(ctx, of), 'text[]')}))`;
  });
  const ofSet = linkSetCondition(ctx, name, filters, filterContext);
  const not = filter.not ? 'not ' : '';
  return `${not}exists (select 1 from objectlink link where ${own} and (${others.join(' or ')})${ofSet})`;
}

/** The filter on the set has no condition of its own: the other link filters include it. Alone it is refused. */
function setFilterCondition(name: string, filters: Parameters): string {
  if (Object.keys(filters).some((other) => Object.hasOwn(linkFilters, other.toLowerCase()))) return 'true';
  throw bad(name, 'it with LinkedTo, LinkedFrom, NotLinkedTo or NotLinkedFrom, whose links it restricts');
}

function linkSetCondition(ctx: Context, name: string, filters: Parameters, filterContext: FilterContext): string {
  const set = parameter(filters, SET_FILTER);
  const column = ctx.registry.requireRecord('ObjectLink', name).columns.get(SET_FILTER.toLowerCase());
  if (set === undefined || !column) return '';
  return ` and ${filterCondition({ ...column, table: 'link' }, set, SET_FILTER, filterContext)}`;
}

function parseRecordReference(
  ctx: Context,
  name: string,
  value: RawValue,
): { readonly of: RecordType; readonly id: number } {
  const match = typeof value === 'string' ? /^\s*(\w{1,60}):(\d{1,16})\s*$/.exec(value) : null;
  const id = Number(match?.[2]);
  if (!match || !Number.isSafeInteger(id) || id < 1) throw bad(name, 'a record type and an id, such as Attachment:5');
  return { of: ctx.registry.requireRecord(match[1] ?? '', name), id };
}

function familyOf(ctx: Context, record: RecordType): string {
  return arrayLiteral(ctx.registry.family(record).map((r) => r.name));
}
