import { createHash } from 'node:crypto';
import type postgres from 'postgres';
import { allowsCustomFields, CUSTOM_COLUMN } from '../kernel/declare/custom-field.ts';
import type { RecordType } from '../kernel/declare/record.ts';
import { REPORT_ROLES } from '../kernel/database/store.ts';

/** The schema in which saved statements read. */
const SCHEMA = 'report';
const ROLES = Object.values(REPORT_ROLES).join(', ');

/** The report view of a record type, and the columns of its table that readers of the view may read. */
interface ReportView {
  readonly name: string;
  readonly text: string;
  readonly table: string;
  readonly columns: readonly string[];
}

/**
 * Returns the report view of a record type, with its declared column names; undefined for types closed to firms and
 * statements. Never contains protected numbers. The view of a derived type joins its base.
 */
function reportView(record: RecordType): ReportView | undefined {
  if (record.reach === 'none') return undefined;
  const { table, base } = record;
  const shown = new Map(
    record.shown
      .filter((column) => column.field.kind !== 'ssn')
      .map((column) => [column.name.toLowerCase(), `${column.table}.${quoted(column.column)}`]),
  );
  if (allowsCustomFields(record)) shown.set(CUSTOM_COLUMN, `${record.root.table}.${CUSTOM_COLUMN}`);
  const list = [...shown].map(([name, column]) =>
    column === `${table}.${quoted(name)}` ? column : `${column} as ${quoted(name)}`,
  );
  const from = base ? `${base.table} join ${table} on ${table}.${table}id = ${base.table}.${base.table}id` : table;
  const own = [...record.columns.values()]
    .filter((column) => column.table === table && column.read !== null && column.field.kind !== 'ssn')
    .map((column) => column.column);
  const columns = [...new Set([`${table}id`, ...own, ...(allowsCustomFields(record) && !base ? [CUSTOM_COLUMN] : [])])];
  // The text is hashed: a change of whitespace here would replace every view.
  const text =
    `create view ${SCHEMA}.${table} with (security_invoker = true) as ` + `select ${list.join(', ')} from ${from}`;
  return { name: table, text, table, columns: columns.map(quoted) };
}

/** A name as SQL takes it: quoted, since some fields have names that are keywords. */
function quoted(name: string): string {
  return `"${name}"`;
}

/**
 * Makes the report views match the declarations: creates missing views, replaces changed ones, and drops those without
 * a record type. Runs after migrations. Each view's comment is a hash of its definition, so that unchanged views, and
 * whatever an operator has built on them, stay untouched.
 *
 * Throws the database's error where something depends on a view that has to be replaced.
 */
export async function createReportViews(
  transaction: postgres.TransactionSql,
  records: readonly RecordType[],
): Promise<void> {
  const present = new Map(
    (
      await transaction.unsafe<{ name: string; hash: string | null }[]>(
        `select relname as name, obj_description(oid, 'pg_class') as hash
         from pg_class
         where relnamespace = '${SCHEMA}'::regnamespace and relkind = 'v'`,
      )
    ).map(({ name, hash }) => [name, hash]),
  );
  const requested = new Map(records.flatMap((record) => reportView(record) ?? []).map((view) => [view.name, view]));
  const statements: string[] = [];
  for (const name of present.keys()) {
    if (!requested.has(name)) statements.push(`drop view ${SCHEMA}."${name}"`);
  }
  for (const view of requested.values()) {
    const hash = createHash('sha256').update(view.text).update(view.columns.join()).digest('hex');
    if (present.get(view.name) === hash) continue;
    if (present.has(view.name)) statements.push(`drop view ${SCHEMA}.${view.name}`);
    statements.push(
      view.text,
      `comment on view ${SCHEMA}.${view.name} is '${hash}'`,
      `grant select on ${SCHEMA}.${view.name} to ${ROLES}`,
      // Takes the columns back first: a field that became secret must not stay readable.
      `revoke select on ${view.table} from ${ROLES}`,
      `grant select (${view.columns.join(', ')}) on ${view.table} to ${ROLES}`,
    );
  }
  if (statements.length > 0) await transaction.unsafe(statements.join(';\n'));
}
