import type { Context } from '../../../kernel/door/context.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { lockNames } from '../../../kernel/database/advisory-lock.ts';
import { STAGING_ROLE } from '../../../kernel/database/roles.ts';
import { sqlState } from '../../../kernel/database/sql-state.ts';
import type { Db, Store, Transaction } from '../../../kernel/database/store.ts';
import { quoteName } from './sql-names.ts';

/** Schema of staging tables, in every database. */
export const STAGING_SCHEMA = 'staging';

/** A transaction in the database of the staging tables. */
export interface Session extends Db {
  savepoint<T>(run: () => Promise<T>): Promise<T>;
  copyFrom(text: string, bytes: Iterable<Uint8Array>): Promise<number>;
  /** Runs configured statements with minimal rights, with staging tables on the search path. */
  restricted<T>(run: () => Promise<T>): Promise<T>;
}

/** A step of a run that is done once: the run and the step's unique name. */
export interface RunStep {
  readonly run: string;
  readonly name: string;
}

/** The database of a load. */
export interface StagingDatabase {
  /** Undefined: the installation's own. */
  readonly connection: string | undefined;
  /**
   * Runs the part of a piece that concerns staging tables. In the installation's own database it belongs to the piece's
   * transaction. In another database it commits before the piece, together with a note that the step is done and its
   * result (as JSON): if the piece is lost afterwards, the step is not repeated. Without a step the work must be
   * idempotent.
   */
  withSession<T>(own: Context, step: RunStep | undefined, work: (session: Session) => Promise<T>): Promise<T>;
}

/** A table by schema and name. */
export interface TableName {
  readonly schema: string;
  readonly name: string;
}

/** Returns a table's quoted SQL name. */
export function qualified({ schema, name }: TableName): string {
  return `${quoteName(schema)}.${quoteName(name)}`;
}

/** The installation's own database. Row security does not apply to staging tables. */
export const ownDatabase: StagingDatabase = {
  connection: undefined,
  withSession: (own, _step, work) => {
    const transaction = own.transaction();
    return transaction.elevated(() => work(toSession(transaction, STAGING_ROLE)));
  },
};

/** Returns a database whose open session is used for all work. */
export function databaseOfSession(place: StagingDatabase, session: Session): StagingDatabase {
  return { connection: place.connection, withSession: (_own, _step, work) => work(session) };
}

/** Steps of runs in another database, one row for each unfinished run. */
const STEP_TABLE = `${STAGING_SCHEMA}.casewright_step`;

/** Returns a database declared in the environment; whoever declared it decided the rights of its user. */
export function namedDatabase(connection: string, store: Store): StagingDatabase {
  return {
    connection,
    withSession: async (own, step, work) => {
      // The piece's transaction waits for the other database.
      await own.db.query(`set local idle_in_transaction_session_timeout to '${WAIT_HOURS_MAX}h'`);
      try {
        return await store.transaction({ personId: null, firm: null, callId: own.correlationId }, (transaction) => {
          const session = toSession(transaction, undefined);
          return step === undefined ? work(session) : runOnce(session, step, work);
        });
      } catch (error) {
        throw namedDatabaseError(error, connection);
      }
    },
  };
}

/**
 * Returns the error to report for another database. A rejection would repeat and is final; an unavailable database is
 * retried.
 */
function namedDatabaseError(error: unknown, connection: string): unknown {
  const state = sqlState(error) ?? '';
  const facts = { field: 'Connection', cause: error };
  if (/^(?:28|3D)/.test(state))
    return new PlatformError('STATE_REFUSES', {
      ...facts,
      message: `Connection: the database ${connection} rejects the user declared in the environment.`,
    });
  if (/^(?:42|0A|3F)/.test(state)) {
    const reason = error instanceof Error ? error.message.slice(0, 300) : '';
    return new PlatformError('STATE_REFUSES', {
      ...facts,
      message: `Connection: the database ${connection} rejects it: ${reason}.`,
    });
  }
  const { code = '' } = error as { code?: string };
  return /^(?:ECONN|CONNECT|ENOTFOUND|EAI_|ENOENT|EPIPE|EHOST)/.test(code)
    ? new PlatformError('UNAVAILABLE', { ...facts, message: `The database ${connection} cannot be reached.` })
    : error;
}

/** Longest wait of a piece for another database. */
const WAIT_HOURS_MAX = 4;

async function runOnce<T>(
  session: Session,
  { run, name }: RunStep,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  const [row] = await session.query<{ step: string | null; answer: string | null }>(
    `select step, answer from ${STEP_TABLE} where run = $1::uuid for update`,
    [run],
  );
  if (row?.step === name) return JSON.parse(row.answer ?? 'null') as T;
  const answer = await work(session);
  await session.query(
    `insert into ${STEP_TABLE} (run, step, answer) values ($1::uuid, $2::text, $3::text) on conflict (run) do update
      set step = excluded.step, answer = excluded.answer`,
    [run, name, answer === undefined ? null : JSON.stringify(answer)],
  );
  return answer;
}

/** Creates the schema and the table of steps in another database if they are missing. */
export async function createStepTable(db: Db): Promise<void> {
  await lockNames(db, ['casewright staging']);
  const [found] = await db.query<{ schema: boolean; steps: boolean }>(
    'select to_regnamespace($1::text) is not null as schema, to_regclass($2::text) is not null as steps',
    [STAGING_SCHEMA, STEP_TABLE],
  );
  if (!found?.schema) await db.query(`create schema ${STAGING_SCHEMA}`);
  if (!found?.steps)
    await db.query(
      `create table ${STEP_TABLE} (run uuid primary key, step text not null, answer text, at timestamptz not null
        default now())`,
    );
}

/** Deletes the steps of a finished run. */
export async function deleteSteps(db: Db, run: string): Promise<void> {
  await db.query(`delete from ${STEP_TABLE} where run = $1::uuid`, [run]);
}

function toSession(transaction: Transaction, role: string | undefined): Session {
  return {
    query: (text, params) => transaction.query(text, params),
    savepoint: (run) => transaction.savepoint(run),
    copyFrom: (text, bytes) => transaction.copyFrom(text, bytes),
    async restricted(run) {
      await transaction.query(`set local search_path to ${STAGING_SCHEMA}, pg_catalog`);
      if (role !== undefined) await transaction.query(`set local role ${role}`);
      // On failure the rollback restores both.
      const result = await run();
      if (role !== undefined) await transaction.query('set local role none');
      await transaction.query('set local search_path to default');
      return result;
    },
  };
}
