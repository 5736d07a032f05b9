import { PlatformError } from '../../door/errors.ts';
import type { Principal } from '../../security/identity.ts';
import type { RecordType } from '../../declare/record.ts';
import type { Registry } from '../../declare/registry.ts';
import { sqlState } from '../../database/sql-state.ts';
import { arrayLiteral, type Db } from '../../database/store.ts';
import { concreteClass, isClosed } from '../search/read.ts';
import { fromOf, idOf, tablesOf } from '../../database/sql.ts';

/** A write that the database refused. */
interface AttemptedWrite {
  readonly record: RecordType;
  /** The records updated or deleted; empty for an insert. */
  readonly ids: readonly number[];
  /** The physical values to be stored, by `table.column`. */
  readonly stored?: ReadonlyMap<string, unknown>;
}

/** By the database's error, which is rethrown unchanged: the retry of the transaction depends on it. */
const attemptedWrites = new WeakMap<Error, AttemptedWrite>();

/** Runs a write. Where the database refuses it, notes what was attempted for {@link describeConflict}. */
export async function trackWrite<T>(attempt: AttemptedWrite, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof Error && !attemptedWrites.has(error)) attemptedWrites.set(error, attempt);
    throw error;
  }
}

/** The existing record that a write conflicts with. */
interface ConflictingRecord {
  readonly record: RecordType;
  readonly id: number;
  readonly name: string | undefined;
}

/** Where the conflicting record is looked up, and for whom. */
export interface ConflictLookup {
  readonly registry: Registry;
  readonly user: Principal;
  readonly db: Db;
}

/** The refusal of a write by a constraint, as the driver reports it. */
interface ConstraintFailure {
  readonly table: string;
  readonly constraint: string;
  readonly cause: Error;
}

/**
 * Returns an IN_USE or DUPLICATE_KEY error that names the conflicting record as `Object` and `ObjectID`. The record is
 * looked up as the user, after the failed work is undone, so that nobody learns of a record that they cannot see.
 * Without such a record, and for any other error, returns the error unchanged.
 */
export async function describeConflict(lookup: ConflictLookup, error: PlatformError): Promise<PlatformError> {
  const { code, cause } = error;
  if ((code !== 'IN_USE' && code !== 'DUPLICATE_KEY') || !(cause instanceof Error) || sqlState(cause) === undefined)
    return error;
  // The refusal must reach the caller even where the database cannot be queried now.
  const conflicting = await findConflict(lookup, code, cause).catch(() => undefined);
  if (!conflicting) return error;
  const { record, id, name } = conflicting;
  const field =
    error.field === undefined ? undefined : (record.columns.get(error.field.toLowerCase())?.name ?? error.field);
  const label = `${record.name} ${id}${name === undefined ? '' : ` "${name}"`}`;
  const message =
    code === 'IN_USE'
      ? `${label} still refers to this record; other records may too.`
      : `${field ?? 'The record'}: ${label} already has this value.`;
  return new PlatformError(code, {
    message,
    details: { Object: record.name, ObjectID: id },
    cause,
    ...(field === undefined ? {} : { field }),
  });
}

async function findConflict(
  lookup: ConflictLookup,
  code: 'IN_USE' | 'DUPLICATE_KEY',
  cause: Error,
): Promise<ConflictingRecord | undefined> {
  const { constraint_name: constraint = '', table_name: table = '' } = cause as {
    readonly constraint_name?: string;
    readonly table_name?: string;
  };
  const tableType = lookup.registry.record(table);
  // A derived type is closed where its base is.
  if (tableType?.table !== table || isClosed(lookup, tableType)) return undefined;
  const failure = { table, constraint, cause };
  const id = code === 'IN_USE' ? await findReferencing(lookup, failure) : await findDuplicate(lookup, failure);
  if (id === undefined) return undefined;
  const record = await concreteClass(lookup, lookup.db, tableType, id);
  const [row] = await lookup.db.query<{ name: string | null }>(
    `select ${record.root.table}.${record.root.table} as name
     from ${fromOf(record)} where ${idOf(record)} = $1::bigint`,
    [id],
  );
  if (!row) return undefined;
  const search = lookup.registry.find(record.module, 'search')?.operation.permissionName;
  const mayRead = search !== undefined && lookup.user.permissions.has(search);
  return { record, id, name: mayRead ? (row.name ?? undefined) : undefined };
}

/** Returns the id of a record that points to what was to be deleted. */
async function findReferencing(
  { db }: ConflictLookup,
  { table, constraint, cause }: ConstraintFailure,
): Promise<number | undefined> {
  const [key] = await db.query<{ column: string; to: string }>(
    `select a.attname as column, t.relname as to
     from pg_constraint c join pg_class r on r.oid = c.conrelid join pg_class t on t.oid = c.confrelid
       join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[1]
     where c.contype = 'f' and cardinality(c.conkey) = 1 and c.conname = $1::text and r.relname = $2::text
       and r.relnamespace = 'public'::regnamespace`,
    [constraint, table],
  );
  if (!key) return undefined;
  const [row] = await db.query<{ id: number }>(
    `select ${table}id as id from public.${table} where "${key.column}" = any($1::bigint[]) order by 1 limit 1`,
    [arrayLiteral(referencedIds(key.to, cause))],
  );
  return row?.id;
}

/**
 * Returns the ids in a table that could not be deleted. A delete cascades to children, which may be referenced too:
 * only the database knows which. It reports the id only to a role without row security; otherwise it is one of those
 * attempted.
 */
function referencedIds(table: string, cause: Error): readonly number[] {
  const reported = /\)=\((\d+)\)/.exec((cause as { readonly detail?: string }).detail ?? '')?.[1];
  if (reported !== undefined) return [Number(reported)];
  const attempt = attemptedWrites.get(cause);
  return attempt && tablesOf(attempt.record).some((part) => part.table === table) ? attempt.ids : [];
}

/**
 * Returns the id of the record that already has the values of a unique index. The keys and the condition are those of
 * the index as the catalog prints them, so that the comparison is the index's own and uses it.
 */
async function findDuplicate(
  { db }: ConflictLookup,
  { table, constraint, cause }: ConstraintFailure,
): Promise<number | undefined> {
  const attempt = attemptedWrites.get(cause);
  const part = attempt && tablesOf(attempt.record).find((of) => of.table === table);
  if (!attempt?.stored || !part) return undefined;
  const keys = await db.query<{ key: string; condition: string | null }>(
    `select pg_get_indexdef(i.indexrelid, n, false) as key, pg_get_expr(i.indpred, i.indrelid) as condition
     from pg_index i join pg_class c on c.oid = i.indexrelid join pg_class r on r.oid = i.indrelid
       cross join generate_series(1, i.indnkeyatts) n
     where i.indisunique and c.relname = $1::text and r.relname = $2::text
       and c.relnamespace = 'public'::regnamespace
     order by n`,
    [constraint, table],
  );
  if (keys.length === 0) return undefined;
  const written = Object.fromEntries(
    [...attempt.stored]
      .filter(([name, value]) => name.startsWith(`${table}.`) && (value === null || typeof value !== 'object'))
      .map(([name, value]) => [name.slice(table.length + 1), value]),
  );
  const sought = `jsonb_populate_record(
    (select before from public.${table} before where before.${table}id = $1::bigint), $2::text::jsonb)`;
  const params = [attempt.ids[0] ?? null, JSON.stringify(written)];
  // Null equals null only in an index of nulls that are not distinct; an index is searched for it by `is null`.
  const [empty] = await db.query<{ nulls: readonly boolean[] }>(
    `select to_jsonb(array[${keys.map(({ key }) => `(${key}) is null`).join(', ')}]) as nulls from ${sought}`,
    params,
  );
  const conditions = keys.map(({ key }, n) =>
    empty?.nulls[n] ? `(${key}) is null` : `(${key}) = (select ${key} from ${sought})`,
  );
  const condition = keys[0]?.condition ?? 'true';
  const [row] = await db.query<{ id: number }>(
    `select ${table}id as id from public.${table}
     where ${conditions.join(' and ')} and (${condition}) and ${table}id is distinct from $1::bigint
     limit 1`,
    params,
  );
  return row?.id;
}
