import type postgres from 'postgres';

/** The line of a migration after which its statements run one by one, without a transaction. */
const MARK = /^-- online: .+$/m;
/** How long one of them may wait for transactions that use its table. Nobody waits for it meanwhile. */
const WAIT = '1h';

/** The two parts of a migration. */
export interface MigrationParts {
  /** Statements of one transaction. */
  readonly transaction: string;
  /**
   * Statements that run by themselves after it, such as `create index concurrently if not exists`. Each can be
   * repeated: after an interruption, all run again.
   */
  readonly online: readonly string[];
}

/** Splits a migration's text. An online statement ends with a semicolon at the end of a line. */
export function splitMigration(text: string): MigrationParts {
  const [transaction = '', ...rest] = text.split(MARK);
  const online = rest
    .join('')
    .replaceAll(/^--.*$/gm, '')
    .split(/;\s*$/m)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '');
  return { transaction, online };
}

/**
 * Runs online statements. An index that an interrupted build left unusable is dropped first: `if not exists` would
 * otherwise accept it.
 */
export async function runOnline(sql: postgres.Sql, statements: readonly string[]): Promise<void> {
  if (statements.length === 0) return;
  await sql.unsafe(`set lock_timeout = '${WAIT}'`);
  for (const statement of statements) {
    const [, name] = /^create (?:unique )?index concurrently if not exists (\w+)/i.exec(statement) ?? [];
    if (name !== undefined) await dropUnusable(sql, name);
    await sql.unsafe(statement);
  }
  await sql.unsafe(`set lock_timeout = '10s'`);
}

async function dropUnusable(sql: postgres.Sql, name: string): Promise<void> {
  const [unusable] = await sql.unsafe(
    'select 1 from pg_index where indexrelid = to_regclass($1::text) and not indisvalid',
    [`public.${name}`],
  );
  if (unusable) await sql.unsafe(`drop index concurrently if exists public.${name}`);
}
