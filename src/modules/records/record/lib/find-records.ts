import type { Context } from '../../../../kernel/door/context.ts';
import type { RecordType } from '../../../../kernel/declare/record.ts';
import { isClosed } from '../../../../kernel/records/search/read.ts';
import { fromOf, hasRecordClass } from '../../../../kernel/database/sql.ts';
import { hasSearchWords } from './search-words.ts';
import { isA } from '../../../../kernel/declare/registry.ts';

/** Most records of one type returned. */
export const FOUND_PER_TYPE_MAX = 50;

/**
 * Of a type without an index of words, as many of its newest records are searched by label. Labels of tasks, steps or
 * messages repeat those of their templates; there are millions of them.
 */
const UNINDEXED_MAX = 2_000;

/** A record that was found. */
export interface FoundRecord {
  readonly Object: string;
  readonly ObjectID: number;
  readonly Label: string | null;
  readonly Status: string | null;
  readonly UpdatedDate: string | null;
  readonly FoundBy: string;
  readonly Parent: string | null;
  readonly ParentID: number | null;
}

/** Searches all record types for a text in one statement: each type contributes its first few. */
export async function findRecords(
  ctx: Context,
  text: string,
  only: readonly RecordType[],
  size: number,
): Promise<FoundRecord[]> {
  const roots = ctx.registry
    .records()
    .filter(
      (record) =>
        record.base === undefined &&
        record.history !== false &&
        record.name !== 'ObjectSubscription' &&
        !isClosed(ctx, record) &&
        (only.length === 0 || only.some((one) => one.root === record)),
    );
  const pattern = prefixPattern(text);
  // A number that begins with zeros is part of a longer one, not an id.
  const id = /^[1-9]\d{0,14}$/.test(text) ? Number(text) : null;
  const derived = ctx.registry.records().filter((record) => record.base !== undefined && roots.includes(record.root));
  const byColumn = [...roots, ...derived].flatMap((record) =>
    (record.findBy ?? []).map((name) => columnPart(record, name, size)),
  );
  const byWords = hasSearchWords(text) ? roots.filter(({ words }) => words !== undefined) : [];
  const parts = [
    ...roots.map((root) => labelPart(root, size)),
    ...byColumn,
    ...byWords.map((root) => wordPart(root, size)),
    ...(id === null ? [] : roots.map(idPart)),
  ];
  if (parts.length === 0) return [];
  const all = [...parts, ...(await subscriberParts(ctx, text, roots))].join(' union all ');
  const rows = await ctx.db.query<FoundRecord>(`select * from (${all}) found where $2::text is not null`, [
    pattern,
    text,
    prefixPattern(lastNameFirst(text)),
    ...(id === null ? [] : [id]),
  ]);
  const may = new Map(
    ctx.registry
      .records()
      .map((record) => [
        record.name,
        ctx.user.permissions.has(ctx.registry.operation(`${record.module}/search`)?.permissionName ?? ''),
      ]),
  );
  const isRequested = (name: string): boolean =>
    only.length === 0 || only.some((one) => isA(ctx.registry.requireRecord(name, 'Object'), one));
  const seen = new Set<string>();
  return rows.filter((row) => {
    const key = `${row.Object}:${row.ObjectID}`;
    if (seen.has(key) || !may.get(row.Object) || !isRequested(row.Object)) return false;
    seen.add(key);
    return true;
  });
}

/** Returns the result columns of a root's rows in SQL. */
export function resultColumns(root: RecordType, foundBy: string): string {
  const { table } = root;
  const name = hasRecordClass(root) ? `${table}.recordclass::text` : `'${root.name}'::text`;
  return (
    `${name} as "Object", ${table}.${table}id as "ObjectID", ${table}.${table}::text as ` +
    `"Label", ${table}.status::text as "Status", ${table}.updateddate as "UpdatedDate", '${foundBy}'::text as ` +
    `"FoundBy", ${root.parent === undefined ? 'null::text' : `${table}.object::text`} as ` +
    `"Parent", ${root.parent === undefined ? 'null::bigint' : `${table}.objectid`} as "ParentID"`
  );
}

/** Searches by the beginning of the label: with an index if the type has words, else among the newest records. */
function labelPart(root: RecordType, size: number): string {
  const { table } = root;
  const id = `${table}.${table}id`;
  // Row security keeps firms from the indexes; the function may use them.
  if (root.words !== undefined)
    return (
      `(select ${resultColumns(root, 'Label')} from casewright_find_labels('${table}', $1::text, $3::text, ${size}) ` +
      `hits join ${table} on ${id} = hits.id order by ${id} desc)`
    );
  const like = (pattern: string): string =>
    `casewright_fold(${table}.${table}) collate "C" like casewright_fold(${pattern}::text)`;
  const newest = `(select * from ${table} order by ${id} desc limit ${UNINDEXED_MAX})`;
  return (
    `(select ${resultColumns(root, 'Label')} from ${newest} ${table} where ${like('$1')} or ${like('$3')} ` +
    `order by ${id} desc limit ${size})`
  );
}

/**
 * Searches by words, with the index of the type's words. Words that begin with those of the text come first. The
 * function reads nothing if enough labels begin with the text: these come before.
 */
function wordPart(root: RecordType, size: number): string {
  const { table } = root;
  const id = `${table}.${table}id`;
  return (
    `(select ${resultColumns(root, 'Words')} from (` +
    `select id, bool_and(is_within) as is_within from casewright_find_words('${table}', $2::text, ${size}) ` +
    `group by id order by bool_and(is_within), id desc limit ${size}) hits ` +
    `join ${table} on ${id} = hits.id order by hits.is_within, ${id} desc)`
  );
}

function columnPart(record: RecordType, name: string, size: number): string {
  const { root, table } = record;
  return (
    `(select ${resultColumns(root, name)} from ${fromOf(record)} where ${table}.${name.toLowerCase()} = $2::text ` +
    // The sum keeps the planner from reading the table in this order when it expects many rows.
    `order by ${root.table}.${root.table}id + 0 desc limit ${size})`
  );
}

/** Returns the pattern for labels that begin with a text, in which `*` matches anything. */
function prefixPattern(text: string): string {
  return `${text.replace(/[\\%_]/g, '\\$&').replaceAll('*', '%')}%`;
}

/** Turns "Ada Fruhling" into the label form "Fruhling, Ada"; other texts are unchanged. */
function lastNameFirst(text: string): string {
  const words = text.split(' ').filter((word) => word !== '');
  return words.length < 2 || text.includes(',') ? text : `${words.at(-1) ?? ''}*, ${words.slice(0, -1).join(' ')}`;
}

function idPart(root: RecordType): string {
  return `(select ${resultColumns(root, 'ID')} from ${root.table} where ${root.table}.${root.table}id = $4::bigint)`;
}

/**
 * Returns parts that search by external ID, of the types only that have the text as one: planning a part for each of
 * some sixty types takes longer than all searches.
 */
async function subscriberParts(ctx: Context, text: string, roots: readonly RecordType[]): Promise<readonly string[]> {
  const known = await ctx.db.query<{ object: string }>(
    'select distinct object from objectsubscription where subscriberid = $1::text',
    [text],
  );
  const names = new Set(known.map(({ object }) => object));
  return roots.flatMap((root) => {
    const classes = ctx.registry.family(root).map(({ name }) => name);
    return classes.some((name) => names.has(name)) ? [subscriberPart(root, classes.join(','))] : [];
  });
}

function subscriberPart(root: RecordType, classes: string): string {
  return (
    `(select ${resultColumns(root, 'SubscriberID')} from ${root.table} where ${root.table}.${root.table}id in ` +
    `(select objectid from objectsubscription where subscriberid = $2::text and object = any('{${classes}}') ` +
    `limit ${FOUND_PER_TYPE_MAX}))`
  );
}
