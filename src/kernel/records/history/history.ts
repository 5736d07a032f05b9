import type { Context } from '../../door/context.ts';
import { CUSTOM_COLUMN } from '../../declare/custom-field.ts';
import { f } from '../../declare/field.ts';
import type { Column, RecordType } from '../../declare/record.ts';
import type { Db } from '../../database/store.ts';
import { arrayLiteral } from '../../database/store.ts';
import { notFound } from '../search/read.ts';
import { fromOf, idOf, tablesOf } from '../../database/sql.ts';
import { assertPage } from '../search/search.ts';

/** One changed column of one change. */
export const historyFields = {
  At: f.timestamp({ doc: 'When.' }),
  Change: f.text({ doc: 'update, delete, or undelete, which has no fields.' }),
  PersonID: f.id({ doc: 'Who.' }),
  CallID: f.text({ doc: 'In which call: its correlation id.' }),
  Field: f.text({ doc: 'The column that changed.' }),
  OldValue: f.text({ doc: 'What it was.' }),
  NewValue: f.text({ doc: 'What it became: the value before the next change, or the present one.' }),
};

interface HistoryEntry {
  readonly historyid: number;
  readonly at: string;
  readonly change: string;
  readonly personid: number | null;
  readonly callid: string | null;
  readonly tablename: string;
  readonly old: Readonly<Record<string, string | null>>;
}

/** The changes of a record, latest first. A firm's user sees those of records that it reaches now; deleted ones only staff. */
export async function historyOf(
  ctx: Context,
  record: RecordType,
  id: number,
  start: number,
  size: number,
): Promise<Record<string, unknown>[]> {
  assertPage(start, size);
  const columns = [...record.columns.values()].filter(
    (c) => c.read !== null && c.field.kind !== 'ssn' && (c.field.classification !== 'staff' || ctx.user.universal),
  );
  const [present] = await ctx.db.query(
    `select ${columns
      .filter((c) => !c.custom)
      .map((c) => `to_jsonb(${c.table}.${c.column}) #>> '{}' as "${c.table}.${c.column}"`)
      .join(
        ', ',
      )}, to_jsonb(${record.root.table}.*) ->> '${CUSTOM_COLUMN}' as "${CUSTOM_COLUMN}" from ${fromOf(record)} where ${idOf(record)} = $1::bigint`,
    [id],
  );
  if (!present && !ctx.user.universal) throw notFound(record, id);
  const tables = tablesOf(record).map((t) => t.table);
  // Values are read as text: as JSON numbers amounts would pass through floating point.
  // History is closed to the reached role: that the record is within reach has been shown above.
  const read = async (db: Db): Promise<{ entries: readonly HistoryEntry[]; since: string | null }> => ({
    entries: await db.query<HistoryEntry>(
      `select historyid, at, change, personid, callid, tablename, coalesce((select jsonb_object_agg(key, value #>> '{}') from jsonb_each(old)), '{}') as old from history where tablename = any($2::text[]) and recordid = $1::bigint and (change <> 'update' or old <> '{}') order by at desc, historyid desc limit 10000`,
      [id, arrayLiteral(tables)],
    ),
    since: (await db.query<{ since: string | null }>('select since from historyknown'))[0]?.since ?? null,
  });
  const { entries, since } = ctx.user.universal
    ? await read(ctx.db)
    : await ctx.inTransaction((own) => own.transaction().elevated(read));
  if (!present && entries.length === 0) throw notFound(record, id);
  const made = present?.[`${record.root.table}.createddate`];
  if (since !== null && !(typeof made === 'string' && Date.parse(made) >= Date.parse(since)))
    ctx.alert({
      code: 'NOT_KNOWN_BEFORE',
      id,
      text: `The history is not known before ${since}; what is older has been deleted.`,
    });
  return historyRows(entries, columns, present ?? {}, record.root.table).slice(start, start + size);
}

function historyRows(
  entries: readonly HistoryEntry[],
  columns: readonly Column[],
  present: Readonly<Record<string, unknown>>,
  root: string,
): Record<string, unknown>[] {
  const byPhysical = new Map(columns.map((c) => [`${c.table}.${c.column}`, c]));
  const { [CUSTOM_COLUMN]: document, ...values } = present;
  const later = new Map<string, unknown>([
    ...Object.entries(values),
    ...Object.entries(customValues(document)).map(([name, value]) => [`${root}.${name}`, value] as const),
  ]);
  const rows: Record<string, unknown>[] = [];
  for (const entry of entries) {
    if (entry.change === 'undelete') {
      // Each table of a record has come back; that is told once, of the root.
      if (entry.tablename === root)
        rows.push({ At: entry.at, Change: entry.change, PersonID: entry.personid, CallID: entry.callid });
      continue;
    }
    for (const [name, old] of Object.entries(expandCustomFields(entry, later))) {
      const key = `${entry.tablename}.${name}`;
      const column = byPhysical.get(key);
      // A deleted row is kept whole; what was empty in it tells nothing.
      // A custom field that is no more is told under the name that it was made with.
      const field =
        column?.name ?? (name.startsWith(`${CUSTOM_COLUMN}.`) ? name.slice(CUSTOM_COLUMN.length + 1) : undefined);
      if (field === undefined || (entry.change === 'delete' && old === null)) continue;
      // Of a child that changed its parent's class the id is kept with it, whether it changed or not.
      if (entry.change === 'update' && old === (later.get(key) ?? null)) continue;
      rows.push({
        At: entry.at,
        Change: entry.change,
        PersonID: entry.personid,
        CallID: entry.callid,
        Field: field,
        OldValue: old,
        NewValue: entry.change === 'delete' ? null : (later.get(key) ?? null),
      });
      later.set(key, old);
    }
  }
  return rows;
}

/** The members of a document of custom fields, as texts, by the names that their columns have. */
function customValues(document: unknown): Readonly<Record<string, string | null>> {
  if (typeof document !== 'string') return {};
  return Object.fromEntries(
    Object.entries(JSON.parse(document) as Record<string, unknown>).map(([name, value]) => [
      `${CUSTOM_COLUMN}.${name}`,
      value === null ? null : String(value),
    ]),
  );
}

/** The old values of a change, its document of custom fields taken apart: what is in the later one and was not in it, was empty. */
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
