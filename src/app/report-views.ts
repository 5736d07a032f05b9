import { createHash } from 'node:crypto';
import type postgres from 'postgres';
import { allowsCustomFields, CUSTOM_COLUMN } from '../kernel/declare/custom-field.ts';
import type { RecordType } from '../kernel/declare/record.ts';
import { REPORT_ROLES } from '../kernel/database/roles.ts';
import { fromOf } from '../kernel/database/sql.ts';
import { historyReport } from '../kernel/records/history/history-report.ts';
import { ConfigurationError } from './configuration-error.ts';

/** The schema in which saved statements read. */
const SCHEMA = 'report';
const ROLES = Object.values(REPORT_ROLES).join(', ');
/** PostgreSQL's code where `create or replace view` would drop, rename or retype a column. */
const INVALID_TABLE_DEFINITION = '42P16';
/** PostgreSQL's code where something depends on what is dropped. */
const DEPENDENT_OBJECTS = '2BP01';

/** A report view, and the columns of the table below that readers of the view may read. */
interface ReportView {
  readonly name: string;
  readonly text: string;
  /** Empty if the view reads with its owner's rights. */
  readonly columns: readonly string[];
}

const HISTORY_VIEW: ReportView = {
  name: 'history',
  text: `create view ${SCHEMA}.history as ${historyReport()}`,
  columns: [],
};

/**
 * Returns the report view of a record type, with its declared column names; undefined for types closed to firms and
 * statements. Never contains protected numbers. The view of a derived type joins its base. The columns in `first` come
 * first, in that order.
 */
function reportView(record: RecordType, first: readonly string[] = []): ReportView | undefined {
  if (record.reach === 'none' && !record.staffReports) return undefined;
  const { table, base } = record;
  const shown = new Map(
    record.shown
      .filter((column) => column.field.kind !== 'ssn')
      .map((column) => [column.name.toLowerCase(), `${column.table}.${quoted(column.column)}`]),
  );
  if (allowsCustomFields(record)) shown.set(CUSTOM_COLUMN, `${record.root.table}.${CUSTOM_COLUMN}`);
  const place = (name: string): number => (first.includes(name) ? first.indexOf(name) : first.length);
  const inOrder = [...shown].sort(([a], [b]) => place(a) - place(b));
  const list = inOrder.map(([name, column]) =>
    column === `${table}.${quoted(name)}` ? column : `${column} as ${quoted(name)}`,
  );
  const own = [...record.columns.values()]
    .filter((column) => column.table === table && column.read !== null && column.field.kind !== 'ssn')
    .map((column) => column.column);
  const columns = [...new Set([`${table}id`, ...own, ...(allowsCustomFields(record) && !base ? [CUSTOM_COLUMN] : [])])];
  // The text is hashed: a change of whitespace here would replace every view.
  const text =
    `create view ${SCHEMA}.${table} with (security_invoker = true) as ` +
    `select ${list.join(', ')} from ${fromOf(record)}`;
  return { name: table, text, columns: columns.map(quoted) };
}

/** A name as SQL takes it: quoted, since some fields have names that are keywords. */
function quoted(name: string): string {
  return `"${name}"`;
}

/** A report view as it is in the database. */
interface StoredView {
  readonly name: string;
  readonly hash: string | null;
  readonly columns: readonly string[];
}

/**
 * Makes the report views match the declarations: creates missing views, replaces changed ones, and drops others. Runs
 * after migrations. Each view's comment is a hash of its definition, so that unchanged views stay untouched. A replaced
 * view keeps its columns in their order and gets new ones at the end, so that statements with `*` and whatever an
 * operator has built on it stay; a column that has gone or has another type needs a new view.
 *
 * Throws a ConfigurationError where something depends on a view that has to be dropped.
 */
export async function createReportViews(
  transaction: postgres.TransactionSql,
  records: readonly RecordType[],
): Promise<void> {
  const stored = await transaction.unsafe<StoredView[]>(
    `select relname as name, obj_description(oid, 'pg_class') as hash,
       (select json_agg(attname order by attnum) from pg_attribute where attrelid = c.oid and attnum > 0) as columns
     from pg_class c
     where relnamespace = '${SCHEMA}'::regnamespace and relkind = 'v'`,
  );
  const present = new Map(stored.map((view) => [view.name, view]));
  const sources = new Map<string, ViewSource>(
    records.map((record) => [record.table, (first) => reportView(record, first)]),
  );
  sources.set(HISTORY_VIEW.name, () => HISTORY_VIEW);
  for (const name of present.keys()) if (!sources.get(name)?.()) await dropView(transaction, name);
  for (const [name, source] of sources) await settleView(transaction, source, present.get(name));
}

/** Returns a view, with the given columns first. */
type ViewSource = (first?: readonly string[]) => ReportView | undefined;

async function settleView(
  transaction: postgres.TransactionSql,
  source: ViewSource,
  present: StoredView | undefined,
): Promise<void> {
  const view = source(present?.columns);
  if (!view || present?.hash === hashOf(view)) return;
  if (present && !(await replaceView(transaction, view))) {
    await dropView(transaction, view.name);
    return settleView(transaction, source, undefined);
  }
  const statements = [
    ...(present ? [] : [view.text]),
    `comment on view ${SCHEMA}.${view.name} is '${hashOf(view)}'`,
    `grant select on ${SCHEMA}.${view.name} to ${ROLES}`,
    // Takes the columns back first: a field that became secret must not stay readable.
    ...(view.columns.length === 0
      ? []
      : [
          `revoke select on ${view.name} from ${ROLES}`,
          `grant select (${view.columns.join(', ')}) on ${view.name} to ${ROLES}`,
        ]),
  ];
  await transaction.unsafe(statements.join(';\n'));
}

function hashOf({ text, columns }: ReportView): string {
  return createHash('sha256').update(text).update(columns.join()).digest('hex');
}

/** Returns false where the view has columns that the new definition does not have, or of other types. */
async function replaceView(transaction: postgres.TransactionSql, { text }: ReportView): Promise<boolean> {
  try {
    await transaction.savepoint((own) => own.unsafe(text.replace('create view', 'create or replace view')));
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === INVALID_TABLE_DEFINITION) return false;
    throw error;
  }
}

async function dropView(transaction: postgres.TransactionSql, name: string): Promise<void> {
  await transaction.unsafe(`drop view ${SCHEMA}."${name}"`).catch((error: unknown) => {
    if (!(error instanceof Error && 'code' in error && error.code === DEPENDENT_OBJECTS)) throw error;
    const detail =
      'detail' in error && typeof error.detail === 'string' ? `: ${error.detail.replaceAll('\n', '; ')}` : '';
    throw new ConfigurationError(
      `the view ${SCHEMA}.${name} changed, but other objects of the database depend on it${detail}. Drop them, start ` +
        'again, and create them again.',
      { cause: error },
    );
  });
}
