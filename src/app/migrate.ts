import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import type postgres from 'postgres';
import type { Connection } from '../kernel/database/store.ts';
import { declarations } from './catalog.gen.ts';
import { ConfigurationError } from './configuration-error.ts';
import { createReportViews } from './report-views.ts';
import { startConnection } from './start-connection.ts';

/** A numbered file of `db/`. */
export interface Migration {
  readonly name: string;
  readonly text: string;
  readonly hash: string;
}

const folder = new URL('../../db/', import.meta.url);

/** Advisory lock of migrations. The number is arbitrary, but the same in all processes. */
export const MIGRATION_LOCK = 7_322_094;

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
 * Migrates a database to the files of `db/`, each in its own transaction, one process at a time. Gives up waiting for a
 * table's lock after ten seconds, rather than block every later query; the start can be repeated. Refuses, without
 * changes, a file changed after it was applied, and a database with migrations that this version does not have.
 */
export async function migrate(connection: Connection, log: (line: string) => void): Promise<void> {
  const sql = startConnection(connection, { name: 'casewright migrate' });
  try {
    await sql.unsafe(`set lock_timeout = '60s'; select pg_advisory_lock(${MIGRATION_LOCK}); set lock_timeout = '10s'`);
    await sql.unsafe(
      'create table if not exists migration (name text primary key, hash text not null, applied timestamptz ' +
        'not null default now())',
    );
    const applied = new Map(
      (await sql.unsafe<{ name: string; hash: string }[]>('select name, hash from migration')).map((row) => [
        row.name,
        row.hash,
      ]),
    );
    const files = migrations();
    refuseForeign(applied, files);
    for (const file of files.filter((f) => !applied.has(f.name))) {
      await sql.begin(async (transaction) => {
        await transaction.unsafe(file.text);
        await compileHistory(transaction);
        await transaction.unsafe('insert into migration (name, hash) values ($1, $2)', [file.name, file.hash]);
      });
      log(`applied migration ${file.name}`);
    }
    await sql.begin((transaction) => createReportViews(transaction, declarations.records));
  } finally {
    await sql.end({ timeout: 5 });
  }
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
    if (now !== hash)
      throw new ConfigurationError(
        `migration ${name} was changed after it was applied to this database. The database was not modified; ` +
          'restore the original file and put the change into a new migration.',
      );
  }
}
