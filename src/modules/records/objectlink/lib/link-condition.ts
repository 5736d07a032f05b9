import type { Context } from '../../../../kernel/door/context.ts';
import type { Parameters } from '../../../../kernel/parameters/parameters.ts';
import { parameter } from '../../../../kernel/parameters/parameters.ts';
import { bad, type RawValue } from '../../../../kernel/parameters/parse-value.ts';
import type { RecordType } from '../../../../kernel/declare/record.ts';
import type { SentFilter } from '../../../../kernel/declare/search-filter.ts';
import { arrayLiteral } from '../../../../kernel/database/store.ts';
import { filterCondition, type FilterContext } from '../../../../kernel/records/search/filter.ts';
import { idOf } from '../../../../kernel/database/sql.ts';

/** The filter that restricts the other link filters to one set of links. */
export const SET_FILTER = 'ObjectLinkType';
/** Most records named by one link filter. */
const LINKED_RECORDS_MAX = 100;

/** Which way a filter follows links, and whether it finds the linked records or all others. */
export interface LinkFilter {
  readonly own: 'primary' | 'linked';
  readonly other: 'primary' | 'linked';
  readonly not: boolean;
}

/**
 * Returns the SQL condition of a link filter: `LinkedTo=Attachment:5`. A list of records means any of them; with Not,
 * none of them. A record that does not exist or is not visible has no visible links, so the result does not distinguish
 * the two.
 */
export function linkCondition(
  ctx: Context,
  record: RecordType,
  { name, filters, filter }: SentFilter & { readonly filter: LinkFilter },
  filterContext: FilterContext,
): string {
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
  const ofSet = linkSetCondition(ctx, filters, filterContext);
  const not = filter.not ? 'not ' : '';
  return `${not}exists (select 1 from objectlink link where ${own} and (${others.join(' or ')})${ofSet})`;
}

function linkSetCondition(ctx: Context, filters: Parameters, filterContext: FilterContext): string {
  const set = parameter(filters, SET_FILTER);
  const column = ctx.registry.recordType('ObjectLink').columns.get(SET_FILTER.toLowerCase());
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
