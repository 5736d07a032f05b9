import type { Context } from '../../door/context.ts';
import { CUSTOM_COLUMN } from '../../declare/custom-field.ts';
import { f } from '../../declare/field.ts';
import type { Column, RecordType } from '../../declare/record.ts';
import { valueText } from '../../parameters/value-text.ts';
import type { Cipher } from '../../security/cipher.ts';
import { maskedNumber, protectionPurpose, storedName } from '../save/protect.ts';
import type { Db } from '../../database/store.ts';
import { arrayLiteral } from '../../database/store.ts';
import { notFound } from '../search/read.ts';
import { fromOf, idOf, tablesOf } from '../../database/sql.ts';
import { assertPage } from '../search/search.ts';

/** The fields of the answer: one changed column of one change. */
export const historyFields = {
  At: f.timestamp({ doc: 'When.' }),
  Change: f.text({ doc: 'update, delete, or undelete, which has no fields.' }),
  PersonID: f.id({ doc: 'Who.' }),
  CallID: f.text({ doc: 'In which call: its correlation id.' }),
  Field: f.text({ doc: 'The column that changed.' }),
  OldValue: f.text({ doc: 'What it was.' }),
  NewValue: f.text({ doc: 'What it became: the value before the next change, or the present one.' }),
};

/** A row of {@link historyFields}. */
export interface HistoryRow {
  readonly At: string;
  readonly Change: string;
  readonly PersonID: number | null;
  readonly CallID: string | null;
  readonly Field?: string;
  readonly OldValue?: string | null | undefined;
  readonly NewValue?: string | null | undefined;
}

/** One stored change of one table's row. */
export interface HistoryEntry {
  readonly historyid: number;
  readonly at: string;
  readonly change: string;
  readonly personid: number | null;
  readonly callid: string | null;
  readonly tablename: string;
  readonly old: Readonly<Record<string, string | null>>;
}

/**
 * Returns the changes of a record, latest first. A firm's user sees those of records it can reach now; only staff see
 * those of deleted records.
 */
export async function historyOf(
  ctx: Context,
  record: RecordType,
  id: number,
  { start, size }: { readonly start: number; readonly size: number },
): Promise<readonly HistoryRow[]> {
  assertPage(start, size);
  const columns = visibleColumns(ctx, record);
  const present = await presentTexts(ctx, record, id, columns);
  if (!present && !ctx.user.universal) throw notFound(record, id);
  const tables = tablesOf(record).map((t) => t.table);
  // Values are read as text: as JSON numbers, amounts would pass through floating point.
  // The role under row security cannot read history; the query above has shown that the record is visible.
  const read = async (db: Db): Promise<{ entries: readonly HistoryEntry[]; since: string | null }> => ({
    entries: await db.query<HistoryEntry>(
      `select historyid, at, change, personid, callid, tablename,
         coalesce((select jsonb_object_agg(key, value #>> '{}') from jsonb_each(old)), '{}') as old
       from history
       where tablename = any($2::text[]) and recordid = $1::bigint and (change <> 'update' or old <> '{}')
       order by at desc, historyid desc limit 10000`,
      [id, arrayLiteral(tables)],
    ),
    since: (await db.query<{ since: string | null }>('select since from historyknown'))[0]?.since ?? null,
  });
  const { entries, since } = ctx.user.universal
    ? await read(ctx.db)
    : await ctx.inTransaction((own) => own.transaction().elevated(read));
  if (!present && entries.length === 0) throw notFound(record, id);
  const created = present?.[`${record.root.table}.createddate`];
  if (since !== null && !(typeof created === 'string' && Date.parse(created) >= Date.parse(since)))
    ctx.alert({
      code: 'NOT_KNOWN_BEFORE',
      id,
      text: `History before ${since} has been deleted.`,
    });
  const view: HistoryView = { cipher: ctx.cipher, columns, present: present ?? {}, root: record.root.table };
  return historyRows(entries, view).slice(start, start + size);
}

/** Returns the columns whose changes a user sees. */
export function visibleColumns({ user }: Pick<Context, 'user'>, record: RecordType): readonly Column[] {
  return [...record.columns.values()].filter(
    (c) => c.read !== null && (c.field.classification !== 'staff' || user.universal),
  );
}

/**
 * Returns the present values of a record as texts, by table and column, with its document of custom fields; undefined
 * if it is deleted or not visible.
 */
export async function presentTexts(
  ctx: Pick<Context, 'db'>,
  record: RecordType,
  id: number,
  columns: readonly Column[],
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const values = columns
    .filter((c) => !c.custom)
    .map((c) => `to_jsonb(${c.table}.${storedName(c)}) #>> '{}' as "${c.table}.${storedName(c)}"`);
  const [present] = await ctx.db.query(
    `select ${values.join(', ')}, to_jsonb(${record.root.table}.*) ->> '${CUSTOM_COLUMN}' as "${CUSTOM_COLUMN}"
     from ${fromOf(record)} where ${idOf(record)} = $1::bigint`,
    [id],
  );
  return present;
}

/** What history is compared with, and which columns of it the caller sees. */
export interface HistoryView {
  readonly cipher: Cipher;
  readonly columns: readonly Column[];
  readonly present: Readonly<Record<string, unknown>>;
  /** The table of the root type. */
  readonly root: string;
}

/** Returns the rows of stored changes, latest first; the values after each are those before the next. */
export function historyRows(
  entries: readonly HistoryEntry[],
  { cipher, columns, present, root }: HistoryView,
): readonly HistoryRow[] {
  const byPhysical = new Map(columns.map((c) => [`${c.table}.${storedName(c)}`, c]));
  const { [CUSTOM_COLUMN]: document, ...values } = present;
  const later = new Map<string, unknown>([
    ...Object.entries(values),
    ...Object.entries(customValues(document)).map(([name, value]) => [`${root}.${name}`, value] as const),
  ]);
  return entries.flatMap((entry): readonly HistoryRow[] => {
    // Every table of a record is restored; the undelete is listed once, for the root.
    if (entry.change === 'undelete') return entry.tablename === root ? [changeOf(entry)] : [];
    return Object.entries(expandCustomFields(entry, later)).flatMap(([name, old]): HistoryRow[] => {
      const key = `${entry.tablename}.${name}`;
      const column = byPhysical.get(key);
      const field = column?.name ?? customFieldName(name);
      const next = (later.get(key) ?? null) as string | null;
      const number = column?.field.kind === 'ssn' ? openChange(cipher, column, [old, next]) : undefined;
      const [before, after] = number ?? [old, next];
      if (field === undefined || !isChange(entry, before, after)) return [];
      later.set(key, old);
      const [OldValue, NewValue] = number ? number.map(maskedOrNull) : [before, after];
      return [{ ...changeOf(entry), Field: field, OldValue, NewValue: entry.change === 'delete' ? null : NewValue }];
    });
  });
}

/** Returns two stored forms of a protected number in the clear: equal last digits do not make equal numbers. */
function openChange(
  cipher: Cipher,
  column: Column,
  [old, next]: readonly [unknown, unknown],
): readonly [string | null, string | null] {
  // History and the query of the present row have ciphertexts as hexadecimal text.
  const open = (stored: unknown): string | null =>
    typeof stored === 'string'
      ? cipher.open(protectionPurpose(column), Buffer.from(stored.slice('\\x'.length), 'hex')).toString()
      : null;
  return [open(old), open(next)];
}

function maskedOrNull(number: string | null): string | null {
  return number === null ? null : maskedNumber(number);
}

function changeOf({ at, change, personid, callid }: HistoryEntry): HistoryRow {
  return { At: at, Change: change, PersonID: personid, CallID: callid };
}

/** Returns the name of a custom field that is no longer declared; undefined for any other name. */
function customFieldName(name: string): string | undefined {
  return name.startsWith(`${CUSTOM_COLUMN}.`) ? name.slice(CUSTOM_COLUMN.length + 1) : undefined;
}

/** Whether a stored old value is worth listing. */
function isChange({ change }: HistoryEntry, old: string | null, next: unknown): boolean {
  // History keeps the whole row of a delete; its empty columns say nothing.
  if (change === 'delete') return old !== null;
  // When a child's parent changes its class, the id is stored too, whether it changed or not.
  return change !== 'update' || old !== next;
}

/** Returns the members of a document of custom fields as texts, by the names of their columns. */
function customValues(document: unknown): Readonly<Record<string, string | null>> {
  if (typeof document !== 'string') return {};
  return Object.fromEntries(
    Object.entries(JSON.parse(document) as Record<string, unknown>).map(([name, value]) => [
      `${CUSTOM_COLUMN}.${name}`,
      value === null ? null : valueText(value),
    ]),
  );
}

/**
 * Returns the old values of a change, with one entry per custom field. A field that is only in the later document was
 * empty.
 */
function expandCustomFields(
  { old, tablename }: HistoryEntry,
  later: ReadonlyMap<string, unknown>,
): Readonly<Record<string, string | null>> {
  if (!(CUSTOM_COLUMN in old)) return old;
  const { [CUSTOM_COLUMN]: document, ...values } = old;
  const prefix = `${tablename}.${CUSTOM_COLUMN}.`;
  const known = [...later.keys()]
    .filter((key) => key.startsWith(prefix))
    .map((key) => [key.slice(tablename.length + 1), null] as const);
  return { ...values, ...Object.fromEntries(known), ...customValues(document) };
}
