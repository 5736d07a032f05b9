import { existsSync, readFileSync } from 'node:fs';
import type postgres from 'postgres';
import type { Connection } from '../kernel/database/store.ts';
import { ConfigurationError } from './configuration-error.ts';
import { compileHistory, migrations, refuseForeign, takeMigrationLock } from './migrate.ts';
import { startConnection } from './start-connection.ts';

const folder = new URL('../../db/down/', import.meta.url);
/** Most names in one message. */
const NAMES_MAX = 5;

/** How a migration is undone: by statements, with what is lost, or not at all, with the reason. */
export type DownMigration = { readonly text: string; readonly loses: string } | { readonly reason: string };

/** A migration to undo. */
export interface DownStep {
  readonly name: string;
  readonly loses: string;
}

/**
 * Reads how a migration is undone from the file of its name in `db/down/`. The first line is `-- down: ` and what is
 * lost, followed by the statements; or `-- none: ` and why it cannot be undone. Undefined if there is no such file.
 */
export function readDownMigration(name: string): DownMigration | undefined {
  const file = new URL(name, folder);
  if (!existsSync(file)) return undefined;
  const text = readFileSync(file, 'utf8');
  const [, kind, words] = /^-- (down|none): (.+)/.exec(text) ?? [];
  if (kind === undefined || words === undefined)
    throw new Error(`db/down/${name}: expected a first line that begins with "-- down: " or "-- none: "`);
  return kind === 'none' ? { reason: words } : { text, loses: words };
}

/** Returns what undoing down to a migration loses, latest first. Throws if one cannot be undone. */
export async function planDown(connection: Connection, to: string): Promise<readonly DownStep[]> {
  const sql = startConnection(connection, { name: 'casewright migrate' });
  try {
    return (await stepsDown(sql, to)).map(({ name, loses }) => ({ name, loses }));
  } finally {
    await sql.end({ timeout: 5 });
  }
}

/**
 * Undoes migrations, latest first, each in its own transaction, until `to` is the last one applied. No process may be
 * serving. Start the older version afterwards: this one would apply them again.
 */
export async function migrateDown(connection: Connection, to: string, log: (line: string) => void): Promise<void> {
  const sql = startConnection(connection, { name: 'casewright migrate' });
  try {
    await takeMigrationLock(sql, log);
    await refuseServed(sql);
    for (const { name, text } of await stepsDown(sql, to)) {
      await sql.begin(async (transaction) => {
        await transaction.unsafe(text);
        await compileHistory(transaction);
        await transaction.unsafe('delete from migration where name = $1', [name]);
      });
      log(`undid migration ${name}`);
    }
  } finally {
    await sql.end({ timeout: 5 });
  }
}

async function stepsDown(sql: postgres.Sql, to: string): Promise<(DownStep & { readonly text: string })[]> {
  const applied = new Map(
    (await sql.unsafe<{ name: string; hash: string }[]>('select name, hash from migration')).map((row) => [
      row.name,
      row.hash,
    ]),
  );
  refuseForeign(applied, migrations());
  const names = [...applied.keys()].sort();
  const last = names.findLast((name) => name.startsWith(`${to}_`));
  if (!/^\d{4}$/.test(to) || last === undefined)
    throw new ConfigurationError(
      '--to: expected the number of a migration that this database has, one ' +
        `of ${names.map((name) => name.slice(0, 4)).join(', ')}`,
    );
  return names
    .filter((name) => name > last)
    .reverse()
    .map((name) => {
      const down = readDownMigration(name);
      if (down === undefined)
        throw new Error(
          `migration ${name} cannot be undone: it has no file in db/down. Nothing was changed; restore the backup ` +
            'that was taken before it.',
        );
      if ('reason' in down)
        throw new Error(
          `migration ${name} cannot be undone: ${down.reason}. Nothing was changed; restore the backup ` +
            'that was taken before it.',
        );
      return { name, ...down };
    });
}

/**
 * Refuses a store in use: a serving process would fail, or, worse, write what the older version does not understand.
 */
async function refuseServed(sql: postgres.Sql): Promise<void> {
  const others = await sql.unsafe<{ name: string; pid: number }[]>(
    `select application_name as name, pid
     from pg_stat_activity
     where datname = current_database() and application_name like 'casewright%' and pid <> pg_backend_pid()`,
  );
  if (others.length > 0)
    throw new Error(
      `the store is in use by ${others
        .slice(0, NAMES_MAX)
        .map(({ name, pid }) => `${name} (connection ${pid})`)
        .join(', ')}. Nothing was changed; stop every process of the installation first.`,
    );
}
