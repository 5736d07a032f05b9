import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type postgres from 'postgres';
import type { Connection } from '../kernel/database/store.ts';
import { ConfigurationError } from './configuration-error.ts';
import { createReportViews } from './report-views.ts';
import { runOnline, splitMigration } from './online-statements.ts';
import { startConnection } from './start-connection.ts';

/** A numbered file of `db/`. */
export interface Migration {
  readonly name: string;
  readonly text: string;
  readonly hash: string;
}

const folder = new URL('../../db/', import.meta.url);

/** Advisory lock of migrations. The number is arbitrary, but the same in all processes. */
const MIGRATION_LOCK = 7_322_094;

/** Hashes of earlier texts of migrations, with the same result: they built their indexes in the transaction. */
const EARLIER_TEXTS: ReadonlyMap<string, string> = new Map([
  ['685b941a2cbf046edbd7ffb58649874d7cf80cdd78461b4c1ac14fabe4b880cf', '0047_waiting_steps.sql'],
  ['7157a236f9cd5aaead8f3ef5578fafdd74c89a9b858e3c9eaa2ff59fb3bec658', '0052_items_on_hold.sql'],
  ['d411f8d7884bac8b3af911c7f6ec2ba50bb2fb8b7664dbca7d09888afb5318f1', '0053_loan_numbers.sql'],
  ['882b0a2d403eff01fc89cad525a4b6b29222f9c872f41d8cb7c1538f704aac35', '0061_failed_steps.sql'],
  ['958161e22ef14ade0795b107145a078b6d6c5758b7ccd09b41c1ef9ef0a978d4', '0064_started_steps.sql'],
]);

/** Longest wait for a process that migrates, and how often it is asked for. */
const LOCK_MINUTES_MAX = 60;
const LOCK_POLL_MILLISECONDS = 100;

/** Returns the files of `db/`, in order. */
export function migrations(): Migration[] {
  return readdirSync(folder)
    .filter((name) => /^\d{4}_[a-z0-9_]+\.sql$/.test(name))
    .sort()
    .map((name) => {
      const text = readFileSync(new URL(name, folder), 'utf8');
      return { name, text, hash: createHash('sha256').update(text).digest('hex') };
    });
}

/**
 * Migrates a database to the files of `db/`, each in its own transaction and then its online statements, one process at
 * a time. Gives up waiting for a
 * table's lock after ten seconds, rather than block every later query; the start can be repeated. Refuses, without
 * changes, a file changed after it was applied, and a database with migrations that this version does not have.
 */
export async function migrate(connection: Connection, log: (line: string) => void): Promise<void> {
  const sql = startConnection(connection, { name: 'casewright migrate' });
  try {
    await takeMigrationLock(sql, log);
    await sql.unsafe(
      `create table if not exists migration (name text primary key, hash text not null, applied timestamptz
         not null default now());
       alter table migration add column if not exists online boolean not null default true`,
    );
    const rows = await sql.unsafe<MigrationRow[]>('select name, hash, online from migration');
    const applied = new Map(rows.map((row) => [row.name, row.hash]));
    const files = migrations();
    refuseForeign(applied, files);
    const unfinished = new Set(rows.filter((row) => !row.online).map((row) => row.name));
    const pending = files.filter((f) => !applied.has(f.name) || unfinished.has(f.name));
    for (const file of pending) {
      // Compiling takes most of the time of the first start. A new database has no changes to record until the end.
      const compile = applied.size > 0 || file === pending.at(-1);
      await applyMigration(sql, file, { isBegun: unfinished.has(file.name), compile });
      log(`applied migration ${file.name}`);
    }
    // Loaded here, because most commands on the store do not migrate, and all modules take half a second.
    const { declarations } = await import('./catalog.gen.ts');
    await sql.begin((transaction) => createReportViews(transaction, declarations.records));
    await sql.unsafe('select casewright_forget_foreign_changes()');
  } finally {
    await sql.end({ timeout: 5 });
  }
}

/** A row of the table of applied migrations. `online`: whether its online statements have run. */
interface MigrationRow {
  readonly name: string;
  readonly hash: string;
  readonly online: boolean;
}

/**
 * Applies a migration, or finishes one that was interrupted after its transaction (`isBegun`). `compile`: whether to
 * recompile the history triggers.
 */
async function applyMigration(
  sql: postgres.Sql,
  { name, text, hash }: Migration,
  { isBegun, compile }: { readonly isBegun: boolean; readonly compile: boolean },
): Promise<void> {
  const { transaction: first, online } = splitMigration(text);
  if (!isBegun)
    await sql.begin(async (transaction) => {
      await transaction.unsafe(first);
      if (compile) await compileHistory(transaction);
      await transaction.unsafe('insert into migration (name, hash, online) values ($1, $2, $3)', [
        name,
        hash,
        online.length === 0,
      ]);
    });
  await runOnline(sql, online);
  if (isBegun || online.length > 0) await sql.unsafe('update migration set online = true where name = $1', [name]);
}

/**
 * Waits until no other process migrates, at most an hour: indexes of large tables take minutes. Asks repeatedly instead
 * of waiting in the database, because a waiting statement holds a snapshot, and a concurrent build of an index would
 * wait for its end.
 */
export async function takeMigrationLock(sql: postgres.Sql, log: (line: string) => void): Promise<void> {
  const until = performance.now() + LOCK_MINUTES_MAX * 60_000;
  for (let hasLogged = false; ; hasLogged = true) {
    const [row] = await sql.unsafe<{ mine: boolean }[]>(`select pg_try_advisory_lock(${MIGRATION_LOCK}) as mine`);
    if (row?.mine) break;
    if (performance.now() > until)
      throw new Error(`another process has been migrating the database for ${LOCK_MINUTES_MAX} minutes`);
    if (!hasLogged) log('waiting for another process that migrates the database');
    await delay(LOCK_POLL_MILLISECONDS);
  }
  await sql.unsafe("set lock_timeout = '10s'");
}

/** Recompiles the history triggers for the current columns; does nothing before the migration that creates them. */
export async function compileHistory(transaction: postgres.TransactionSql): Promise<void> {
  const [row] = await transaction.unsafe<{ is_there: boolean }[]>(
    `select to_regproc('casewright_history_compile') is not null as is_there`,
  );
  if (row?.is_there) await transaction.unsafe('select casewright_history_compile()');
}

/** Refuses a database that another version migrated, or one of whose migrations was changed. */
export function refuseForeign(applied: ReadonlyMap<string, string>, files: readonly Migration[]): void {
  const known = new Map(files.map((f) => [f.name, f.hash]));
  for (const [name, hash] of applied) {
    const now = known.get(name);
    if (now === undefined)
      throw new ConfigurationError(
        `the database was migrated by a newer version of Casewright: it has the migration ${name}, which this ` +
          'version does not. Nothing was changed; start that version or a later one.',
      );
    if (now !== hash && EARLIER_TEXTS.get(hash) !== name)
      throw new ConfigurationError(
        `migration ${name} was changed after it was applied to this database. The database was not modified; ` +
          'restore the original file and put the change into a new migration.',
      );
  }
}
