import { PlatformError } from '../../door/errors.ts';
import type { Principal } from '../../security/identity.ts';
import type { RecordType } from '../../declare/record.ts';
import type { Registry } from '../../declare/registry.ts';
import { arrayLiteral, sqlState, type Db } from '../../database/store.ts';
import { concreteClass, isClosed } from '../search/read.ts';
import { fromOf, idOf, tablesOf } from '../../database/sql.ts';

/** What was being written when the database refused it. */
interface AttemptedWrite {
  readonly record: RecordType;
  /** The records that are changed or deleted; of a new one none. */
  readonly ids: readonly number[];
  /** The physical values that were to be stored, by `table.column`. */
  readonly stored?: ReadonlyMap<string, unknown>;
}

/** By the database's error, which goes up as it is: whether its transaction is to be run again is told by it. */
const attemptedWrites = new WeakMap<Error, AttemptedWrite>();

/** Runs what writes records. Where the database refuses it, what was attempted is kept with the error, for {@link describeConflict}. */
export async function trackWrite<T>(attempt: AttemptedWrite, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof Error && !attemptedWrites.has(error)) attemptedWrites.set(error, attempt);
    throw error;
  }
}

/** The record that stands in the way. */
interface ConflictingRecord {
  readonly record: RecordType;
  readonly id: number;
  readonly name: string | undefined;
}

/** Where a holder is looked for, and for whom. */
export interface ConflictLookup {
  readonly registry: Registry;
  readonly user: Principal;
  readonly db: Db;
}

/**
 * A refusal as IN_USE or DUPLICATE_KEY with the record that stands in the way, its type and id as `Object` and `ObjectID`: looked up
 * as the user once what failed is undone, so that nobody hears of a record that is out of reach. Where none is found it stays as it is.
 */
export async function describeConflict(around: ConflictLookup, error: PlatformError): Promise<PlatformError> {
  const { code, cause } = error;
  if ((code !== 'IN_USE' && code !== 'DUPLICATE_KEY') || !(cause instanceof Error) || sqlState(cause) === undefined)
    return error;
  // The refusal is what the caller must hear, also where the database cannot say more just now.
  const holder = await findConflict(around, code, cause).catch(() => undefined);
  if (!holder) return error;
  const { record, id, name } = holder;
  const field =
    error.field === undefined ? undefined : (record.columns.get(error.field.toLowerCase())?.name ?? error.field);
  const said = `${record.name} ${id}${name === undefined ? '' : ` "${name}"`}`;
  const message =
    code === 'IN_USE'
      ? `${said} still points to this record, and perhaps others do.`
      : `${field ?? 'The record'}: ${said} already has this value.`;
  return new PlatformError(code, {
    message,
    details: { Object: record.name, ObjectID: id },
    cause,
    ...(field === undefined ? {} : { field }),
  });
}

async function findConflict(
  around: ConflictLookup,
  code: 'IN_USE' | 'DUPLICATE_KEY',
  cause: Error,
): Promise<ConflictingRecord | undefined> {
  const { constraint_name: constraint = '', table_name: table = '' } = cause as {
    readonly constraint_name?: string;
    readonly table_name?: string;
  };
  const of = around.registry.record(table);
  // A type that derives from another is closed where the other is.
  if (!of || of.table !== table || isClosed(around, of)) return undefined;
  const id =
    code === 'IN_USE'
      ? await findReferencing(around, table, constraint, cause)
      : await findDuplicate(around, table, constraint, cause);
  if (id === undefined) return undefined;
  const record = await concreteClass(around, around.db, of, id);
  const [row] = await around.db.query<{ name: string | null }>(
    `select ${record.root.table}.${record.root.table} as name from ${fromOf(record)} where ${idOf(record)} = $1::bigint`,
    [id],
  );
  if (!row) return undefined;
  const search = around.registry.find(record.module, 'search')?.operation.permissionName;
  return {
    record,
    id,
    name: search !== undefined && around.user.permissions.has(search) ? (row.name ?? undefined) : undefined,
  };
}

/** A record that points to what was to be deleted. Deleting takes children along, to which something may point too: only the database knows which. */
async function findReferencing(
  { db }: ConflictLookup,
  table: string,
  constraint: string,
  cause: Error,
): Promise<number | undefined> {
  const [key] = await db.query<{ column: string; to: string }>(
    `select a.attname as column, t.relname as to from pg_constraint c join pg_class r on r.oid = c.conrelid join pg_class t on t.oid = c.confrelid join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[1]
     where c.contype = 'f' and cardinality(c.conkey) = 1 and c.conname = $1::text and r.relname = $2::text and r.relnamespace = 'public'::regnamespace`,
    [constraint, table],
  );
  if (!key) return undefined;
  const attempt = attemptedWrites.get(cause);
  // The database tells the id only to who is under no row security.
  const told = /\)=\((\d+)\)/.exec((cause as { readonly detail?: string }).detail ?? '')?.[1];
  const ids =
    told !== undefined
      ? [Number(told)]
      : attempt && tablesOf(attempt.record).some((part) => part.table === key.to)
        ? attempt.ids
        : [];
  const [row] = await db.query<{ id: number }>(
    `select ${table}id as id from public.${table} where "${key.column}" = any($1::bigint[]) order by 1 limit 1`,
    [arrayLiteral(ids)],
  );
  return row?.id;
}

/**
 * The record that has the values of a unique index which were to be stored. The keys are those of the index as the catalog writes them,
 * so that the comparison is the index's own, and takes it.
 */
async function findDuplicate(
  { db }: ConflictLookup,
  table: string,
  constraint: string,
  cause: Error,
): Promise<number | undefined> {
  const attempt = attemptedWrites.get(cause);
  const part = attempt && tablesOf(attempt.record).find((of) => of.table === table);
  if (!attempt?.stored || !part) return undefined;
  const keys = await db.query<{ key: string }>(
    `select pg_get_indexdef(i.indexrelid, n, false) as key from pg_index i join pg_class c on c.oid = i.indexrelid join pg_class r on r.oid = i.indrelid cross join generate_series(1, i.indnkeyatts) n
     where i.indisunique and i.indpred is null and c.relname = $1::text and r.relname = $2::text and c.relnamespace = 'public'::regnamespace order by n`,
    [constraint, table],
  );
  if (keys.length === 0) return undefined;
  const list = keys.map(({ key }) => key).join(', ');
  const sought = Object.fromEntries(
    [...attempt.stored]
      .filter(([name, value]) => name.startsWith(`${table}.`) && (value === null || typeof value !== 'object'))
      .map(([name, value]) => [name.slice(table.length + 1), value]),
  );
  const [row] = await db.query<{ id: number }>(
    `select ${table}id as id from public.${table} where (${list}) = (select ${list} from jsonb_populate_record((select before from public.${table} before where before.${table}id = $1::bigint), $2::text::jsonb)) and ${table}id is distinct from $1::bigint limit 1`,
    [attempt.ids[0] ?? null, JSON.stringify(sought)],
  );
  return row?.id;
}
