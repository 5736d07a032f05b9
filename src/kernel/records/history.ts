import type { Context } from '../context.ts';
import { f } from '../field.ts';
import { bad } from '../parse-value.ts';
import type { Column, RecordType } from '../record.ts';
import type { Db } from '../store.ts';
import { arrayLiteral } from '../store.ts';
import { notFound } from './read.ts';
import { fromOf, idOf, tablesOf } from './sql.ts';
import { DISPLAY_SIZE_MAX } from './search.ts';

/** One changed column of one change. */
export const historyFields = {
  At: f.timestamp({ doc: 'When.' }),
  Change: f.text({ doc: 'update or delete.' }),
  PersonID: f.id({ doc: 'Who.' }),
  CallID: f.text({ doc: 'In which call: its correlation id.' }),
  Field: f.text({ doc: 'The column that changed.' }),
  OldValue: f.text({ doc: 'What it was.' }),
  NewValue: f.text({ doc: 'What it became: the value before the next change, or the present one.' }),
};

interface Entry {
  readonly historyid: number;
  readonly at: string;
  readonly change: string;
  readonly personid: number | null;
  readonly callid: string | null;
  readonly tablename: string;
  readonly old: Readonly<Record<string, string | null>>;
}

/** The changes of a record, latest first. A firm's user sees those of records that it reaches now; deleted ones only staff. */
export async function historyOf(ctx: Context, record: RecordType, id: number, start: number, size: number): Promise<Record<string, unknown>[]> {
  if (size < 1 || size > DISPLAY_SIZE_MAX) throw bad('DisplaySize', `a number of rows between 1 and ${DISPLAY_SIZE_MAX}`);
  if (start < 0) throw bad('RecordStart', 'a number of rows, 0 or more');
  const columns = [...record.columns.values()].filter((c) => c.read !== null && c.field.kind !== 'ssn');
  const [present] = await ctx.db.query<Record<string, unknown>>(`select ${columns.map((c) => `to_jsonb(${c.table}.${c.column}) #>> '{}' as "${c.table}.${c.column}"`).join(', ')} from ${fromOf(record)} where ${idOf(record)} = $1::bigint`, [id]);
  if (!present && !ctx.user.universal) throw notFound(record, id);
  const tables = tablesOf(record).map((t) => t.table);
  // Values are read as text: as JSON numbers amounts would pass through floating point.
  // History is closed to the reached role: that the record is within reach has been shown above.
  const read = (db: Db): Promise<Entry[]> => db.query<Entry>(`select historyid, at, change, personid, callid, tablename, (select jsonb_object_agg(key, value #>> '{}') from jsonb_each(old)) as old from history where tablename = any($2::text[]) and recordid = $1::bigint order by at desc, historyid desc limit 10000`, [id, arrayLiteral(tables)]);
  const entries = ctx.user.universal ? await read(ctx.db) : await ctx.inTransaction((own) => own.transaction().elevated(read));
  if (!present && entries.length === 0) throw notFound(record, id);
  return rowsOf(entries, columns, present ?? {}).slice(start, start + size);
}

function rowsOf(entries: readonly Entry[], columns: readonly Column[], present: Readonly<Record<string, unknown>>): Record<string, unknown>[] {
  const byPhysical = new Map(columns.map((c) => [`${c.table}.${c.column}`, c]));
  const later = new Map<string, unknown>(Object.entries(present));
  const rows: Record<string, unknown>[] = [];
  for (const entry of entries) {
    for (const [name, old] of Object.entries(entry.old)) {
      const key = `${entry.tablename}.${name}`;
      const column = byPhysical.get(key);
      // A deleted row is kept whole; what was empty in it tells nothing.
      if (!column || (entry.change === 'delete' && old === null)) continue;
      rows.push({ At: entry.at, Change: entry.change, PersonID: entry.personid, CallID: entry.callid, Field: column.name, OldValue: old, NewValue: entry.change === 'delete' ? null : (later.get(key) ?? null) });
      later.set(key, old);
    }
  }
  return rows;
}
