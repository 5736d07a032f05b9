import type { Context } from '../../../kernel/door/context.ts';
import { fromDatabaseError } from '../../../kernel/database/database-error.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { callSignature, checkSignature } from '../../../kernel/door/signature.ts';
import { checkChanges } from '../../../kernel/database/statement-check.ts';
import { sqlState } from '../../../kernel/database/sql-state.ts';
import type { Db } from '../../../kernel/database/store.ts';
import {
  qualified,
  STAGING_SCHEMA,
  type StagingDatabase,
  type Session,
  type RunStep,
  type TableName,
} from './staging-database.ts';

const FIELD = 'ImportStatement';
/** Most statements of one ImportStatement. */
const STATEMENTS_MAX = 100;

/** What an ImportStatement can refer to. */
export interface StatementContext {
  readonly importFileId: number;
  readonly table: TableName;
  /** Undefined if the import type names none, or a record type: records are changed only by operations. */
  readonly target: TableName | undefined;
}

/** Whether an ImportStatement is a method signature, not SQL. */
function isSignature(text: string): boolean {
  return /^\s*\/?(?:api\/)?[A-Za-z]\w*\/[A-Za-z]/.test(text);
}

/**
 * Checks the ImportStatement of an import type that is being saved.
 * @throws BAD_STATEMENT, BAD_SIGNATURE
 */
export async function checkImportStatement(
  ctx: Context,
  text: string,
  hasTarget: boolean,
  isElsewhere: boolean,
): Promise<void> {
  if (isSignature(text)) {
    await checkSignature(ctx, text, { field: FIELD });
    return;
  }
  const table = { schema: STAGING_SCHEMA, name: 'tablename' };
  await statementsOf(
    fillPlaceholders(text, { importFileId: 1, table, target: hasTarget ? table : undefined }),
    isElsewhere ? undefined : STAGING_SCHEMA,
  );
}

/**
 * Runs the ImportStatement of an import type after its file is loaded: SQL on staging tables under a restricted role,
 * or a method signature, called as the run's user. Returns the message for the log.
 */
export async function runImportStatement(
  own: Context,
  { place, step }: { readonly place: StagingDatabase; readonly step: RunStep },
  text: string,
  facts: StatementContext,
): Promise<string> {
  if (isSignature(text)) {
    const values: Readonly<Record<string, string | number | undefined>> = {
      importfileid: facts.importFileId,
      tablename: facts.table.name,
      targettablename: facts.target?.name,
    };
    await callSignature(own, text, { field: FIELD }, (name) => values[name.toLowerCase()]);
    return 'ImportStatement: the method was called.';
  }
  return place.withSession(own, step, (session) => runStatements(session, place, fillPlaceholders(text, facts)));
}

/** Runs SQL without placeholders, in the session's transaction. */
async function runStatements(session: Session, place: StagingDatabase, text: string): Promise<string> {
  const isOwn = place.connection === undefined;
  const statements = await statementsOf(text, isOwn ? STAGING_SCHEMA : undefined, session);
  const counts: string[] = [];
  await session.restricted(async () => {
    for (const [i, statement] of statements.entries()) {
      try {
        const rows = await session.query(statement);
        const { command = '', count = 0 } = rows as unknown as { command?: string; count?: number };
        counts.push(`${command.split(' ')[0]} ${count}`);
      } catch (error) {
        throw statementError(error, i + 1);
      }
    }
  });
  return `ImportStatement: ${counts.join(', ')}.`;
}

/** Parses and checks the statements of a text: they may only read and change rows of the given schema. */
async function statementsOf(text: string, schema: string | undefined, db?: Db): Promise<readonly string[]> {
  const known = db && {
    columns: new Set(
      (
        await db.query<{ name: string }>(
          `select distinct a.attname as name from pg_attribute a join pg_class c on c.oid = a.attrelid
            join pg_namespace n on n.oid = c.relnamespace where n.nspname = $1::text`,
          [STAGING_SCHEMA],
        )
      ).map((row) => row.name),
    ),
    firstFunction: async (doubtful: readonly string[]) =>
      (
        await db.query<{ name: string }>(
          'select proname as name from pg_proc where proname = any($1::text[]) limit 1',
          [`{${doubtful.map((name) => `"${name.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`).join(',')}}`],
        )
      )[0]?.name,
  };
  // In another database the tables of any schema may be named, whose columns are unknown here.
  const statements = await checkChanges(
    text,
    { field: FIELD, schema, parameters: 0 },
    schema === undefined ? undefined : known,
  );
  if (statements.length > STATEMENTS_MAX)
    throw new PlatformError('BAD_STATEMENT', {
      field: FIELD,
      message: `${FIELD}: it has ${statements.length} statements; expected at most ${STATEMENTS_MAX}.`,
    });
  return statements;
}

/** Replaces `{TableName}`, `{TargetTableName}` and `{ImportFileID}` outside of quotes. */
function fillPlaceholders(text: string, { importFileId, table, target }: StatementContext): string {
  const values: Readonly<Record<string, string | undefined>> = {
    tablename: qualified(table),
    targettablename: target && qualified(target),
    importfileid: String(importFileId),
  };
  const pattern = /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\/|\{(\w{0,63})\}|[{}]/g;
  return text.replace(pattern, (token, name: string | undefined) => {
    if (!/^[{}]/.test(token)) return token;
    const value = values[name?.toLowerCase() ?? ''];
    if (value !== undefined) return value;
    if (name?.toLowerCase() === 'targettablename')
      throw new PlatformError('BAD_STATEMENT', {
        field: FIELD,
        message: `${FIELD}: TargetTableName does not name a staging table in the ParameterString.`,
      });
    throw new PlatformError('BAD_STATEMENT', {
      field: FIELD,
      message: `${FIELD}: expected only TableName, TargetTableName or ImportFileID in braces, outside of quotes.`,
    });
  });
}

/**
 * Returns a safe error: the database's text about a statement's syntax is shown, its text about rows may repeat their
 * values.
 */
function statementError(error: unknown, number: number): unknown {
  const state = sqlState(error);
  if (state === undefined || /^(?:40|08|53|57|XX)/.test(state)) return error;
  const form = /^(?:42|0A|26|34)/.test(state) && error instanceof Error ? error.message.slice(0, 300) : undefined;
  // The type only; the text after it repeats the value.
  const type =
    /^22(?:P02|007)/.test(state) && error instanceof Error
      ? /^invalid input syntax for type [a-z ]+/.exec(error.message)?.[0]
      : undefined;
  const reported = form ?? type ?? fromDatabaseError(error)?.message ?? `the database rejects it (${state})`;
  return new PlatformError('BAD_STATEMENT', {
    field: FIELD,
    message: `${FIELD}: statement ${number}: ${reported.replace(/\.$/, '')}.`,
    cause: error,
  });
}
