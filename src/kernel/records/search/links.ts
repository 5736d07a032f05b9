import type { Context } from '../../door/context.ts';
import type { Parameters } from '../../parameters/parameters.ts';
import { parameter } from '../../parameters/parameters.ts';
import { bad, type RawValue } from '../../parameters/parse-value.ts';
import type { RecordType } from '../../declare/record.ts';
import { arrayLiteral } from '../../database/store.ts';
import { filterCondition, type FilterContext } from './filter.ts';
import { fromOf, idOf } from '../../database/sql.ts';

/** The filter that says which set of links the filters beside it mean. */
const SET_FILTER = 'ObjectLinkType';
/** What the filters on links find, by name: every search takes them beside its columns. */
export const linkFilterDocs: Readonly<Record<string, string>> = {
  LinkedTo: 'Records that are linked to one of these, each a record type and an id: Loan:5.',
  LinkedFrom: 'Records that one of these is linked to, each a record type and an id: Attachment:5.',
  NotLinkedTo: 'Records that are linked to none of these.',
  NotLinkedFrom: 'Records that none of these is linked to.',
  [SET_FILTER]: 'The set of links that the filters on links beside it mean.',
};
/** The most records that one filter of links names. */
const LINKED_RECORDS_MAX = 100;

/** Which way a filter follows links, and whether it finds what they lead to or everything else. */
interface LinkFilter {
  readonly own: 'primary' | 'linked';
  readonly other: 'primary' | 'linked';
  readonly not: boolean;
}

/** By lower-cased name. `LinkedTo`: the record found is a link's first and the one named is what it is linked to. */
const linkFilters: Readonly<Record<string, LinkFilter>> = {
  linkedto: { own: 'primary', other: 'linked', not: false },
  linkedfrom: { own: 'linked', other: 'primary', not: false },
  notlinkedto: { own: 'primary', other: 'linked', not: true },
  notlinkedfrom: { own: 'linked', other: 'primary', not: true },
};

/** Whether a search takes a filter of this name on links, beside its columns. */
export function isLinkFilter(name: string): boolean {
  const lower = name.toLowerCase();
  return lower === SET_FILTER.toLowerCase() || Object.hasOwn(linkFilters, lower);
}

/**
 * SQL of a filter on links: `LinkedTo=Attachment:5`. A list of records means any of them, with Not none of them. A record that does
 * not exist or is out of reach has no links that the user sees, so that the answer does not tell the two apart.
 */
export function linkCondition(
  ctx: Context,
  record: RecordType,
  name: string,
  filters: Parameters,
  filterContext: FilterContext,
): string {
  const filter = linkFilters[name.toLowerCase()];
  // The set belongs to the filters beside it, which take it up.
  if (!filter) {
    if (Object.keys(filters).some((other) => Object.hasOwn(linkFilters, other.toLowerCase()))) return 'true';
    throw bad(name, 'it beside LinkedTo, LinkedFrom, NotLinkedTo or NotLinkedFrom, whose links it chooses');
  }
  const raw = filters[name] ?? null;
  const named = (Array.isArray(raw) ? (raw as readonly RawValue[]) : [raw]).flatMap((value): RawValue[] =>
    typeof value === 'string' ? value.split(',') : [value],
  );
  if (named.length > LINKED_RECORDS_MAX) throw bad(name, `at most ${LINKED_RECORDS_MAX} records`);
  const { sql } = filterContext;
  const own = `link.${filter.own}objectid = ${idOf(record)} and link.${filter.own}object = any(${sql.add(familyOf(ctx, record.root), 'text[]')})`;
  const others = named.map((value) => {
    const { of, id } = parseRecordReference(ctx, name, value);
    return `(link.${filter.other}objectid = ${sql.add(id, 'bigint')} and link.${filter.other}object = any(${sql.add(familyOf(ctx, of), 'text[]')}))`;
  });
  const set = parameter(filters, SET_FILTER);
  const column = ctx.registry.requireRecord('ObjectLink', name).columns.get(SET_FILTER.toLowerCase());
  const ofSet =
    set === undefined || !column
      ? ''
      : ` and ${filterCondition({ ...column, table: 'link' }, set, SET_FILTER, filterContext)}`;
  return `${filter.not ? 'not ' : ''}exists (select 1 from objectlink link where ${own} and (${others.join(' or ')})${ofSet})`;
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

/** Deletes the outside identifiers and the links of records that are deleted, every firm's, also those that the caller does not reach. */
export async function deleteExternalIdsAndLinks(
  ctx: Context,
  { name }: RecordType,
  ids: readonly number[],
): Promise<void> {
  await ctx.transaction().elevated(async (db) => {
    await db.query('delete from objectsubscription where object = $1::text and objectid = any($2::bigint[])', [
      name,
      arrayLiteral(ids),
    ]);
    await db.query(
      `with gone as (delete from objectlink where (primaryobjectid = any($2::bigint[]) and primaryobject = $1::text) or (linkedobjectid = any($2::bigint[]) and linkedobject = $1::text) returning objectlinkid)
      delete from objectsubscription where object = 'ObjectLink' and objectid in (select objectlinkid from gone)`,
      [name, arrayLiteral(ids)],
    );
  });
}

/** Whether both records of a link that history keeps are there, so that it can be put back. */
export async function bothEndsExist(ctx: Context, old: Readonly<Record<string, unknown>>): Promise<boolean> {
  for (const side of ['primary', 'linked']) {
    const record = ctx.registry.record(String(old[`${side}object`]));
    const rows =
      record === undefined
        ? []
        : await ctx.db.query(`select 1 from ${fromOf(record)} where ${idOf(record)} = $1::bigint`, [
            Number(old[`${side}objectid`]),
          ]);
    if (rows.length === 0) return false;
  }
  return true;
}
