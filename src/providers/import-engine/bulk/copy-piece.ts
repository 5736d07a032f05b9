import { PlatformError } from '../../../kernel/door/errors.ts';
import { sqlState } from '../../../kernel/database/sql-state.ts';
import { DelimitedScanner } from '../../../lib/readers/scan-delimited.ts';
import { quoteName } from './sql-names.ts';
import { qualified, type Session, type TableName } from './staging-database.ts';
import type { BulkPiece } from './bulk-pieces.ts';
import type { StagingPlan } from './staging-plan.ts';

/** Bytes given to the connection at once. */
const CHUNK_BYTES = 1024 * 1024;

/** The result of copying a piece, with the rows that the database rejected although they passed the checks. */
export interface CopiedPiece {
  readonly loaded: number;
  readonly refused: readonly { readonly line: number; readonly message: string }[];
}

/** How a piece is copied. */
export interface CopyOptions {
  readonly table: TableName;
  readonly plan: StagingPlan;
  readonly timeoutSeconds: number;
  /** Whether nothing after the first rejected row is loaded. */
  readonly stopsAtFailure: boolean;
}

/** Returns the COPY statement of a piece. Empty cells are NULL, whether they were quoted or not. */
function copyStatement({ table, plan }: CopyOptions, { bytes, delimiter }: BulkPiece): string {
  const columns = plan.columns.map((column) => quoteName(column.name));
  const numbers = plan.numbered ? [quoteName(plan.numbered.row), quoteName(plan.numbered.line)] : [];
  // Checking every cell again costs a tenth of the copy, and most files have no such cells.
  const nulls = bytes.includes('""') ? `, force_null (${columns.join(', ')})` : '';
  const copied = [...numbers, ...columns].join(', ');
  // A tab is a literal like any other delimiter.
  const literal = delimiter === "'" ? "''" : delimiter;
  return (
    `copy ${qualified(table)} (${copied}) from stdin ` + `(format csv, delimiter '${literal}'${nulls}, encoding 'UTF8')`
  );
}

/**
 * Copies a piece into its table, in the session's transaction. Rows that the database rejects are found by bisection;
 * the others are loaded.
 */
export async function copyPiece(session: Session, piece: BulkPiece, options: CopyOptions): Promise<CopiedPiece> {
  if (piece.lines.length === 0) return { loaded: 0, refused: [] };
  return withTimeout(session, options.timeoutSeconds, async () => {
    const text = copyStatement(options, piece);
    const refused: CopiedPiece['refused'][number][] = [];
    let loaded = 0;
    let ends: Int32Array | undefined;
    const load = async (from: number, to: number): Promise<void> => {
      const start = from === 0 ? 0 : (ends?.[from - 1] ?? 0);
      const end = to === piece.lines.length ? piece.bytes.length : (ends?.[to - 1] ?? 0);
      try {
        loaded += await session.savepoint(() => session.copyFrom(text, chunks(piece.bytes.subarray(start, end))));
      } catch (error) {
        if (!isRowError(error)) throw error;
        if (to - from === 1)
          return void refused.push({ line: piece.lines[from] as number, message: rowErrorMessage(error) });
        ends ??= rowEnds(piece);
        const half = (from + to) >> 1;
        await load(from, half);
        if (refused.length > 0 && options.stopsAtFailure) return;
        await load(half, to);
      }
    };
    await load(0, piece.lines.length);
    return { loaded, refused };
  });
}

function* chunks(bytes: Buffer): Generator<Uint8Array, void, undefined> {
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) yield bytes.subarray(at, at + CHUNK_BYTES);
}

/** Returns the byte after each row. */
function rowEnds({ bytes, delimiter, lines }: BulkPiece): Int32Array {
  const { count, recordEnds } = new DelimitedScanner({ delimiter, quote: '"' }).write(bytes);
  if (count !== lines.length) throw new Error(`a piece of ${lines.length} rows was read as ${count}`);
  return recordEnds.slice(0, count).map((end) => end + 1);
}

/** Whether an error concerns a row's values: a type, a constraint, a row that is too large, a trigger. */
export function isRowError(error: unknown): boolean {
  const state = sqlState(error) ?? (error instanceof PlatformError ? sqlState(error.cause) : undefined);
  return state !== undefined && /^(?:22|23|54|P0001)/.test(state);
}

/** Returns the message for a rejected row. The database's own text may repeat the row's values. */
export function rowErrorMessage(error: unknown): string {
  const cause = error instanceof PlatformError ? error.cause : error;
  const { constraint_name: constraint, column_name: named } = cause as {
    constraint_name?: string;
    column_name?: string;
  };
  const column = named ?? (error instanceof PlatformError ? error.details?.['column'] : undefined);
  const state = sqlState(cause) ?? '';
  const why = rejectionReason(state, constraint);
  return `the table rejects the row${typeof column === 'string' ? ` for column ${column}` : ''}: ${why}.`;
}

function rejectionReason(state: string, constraint: string | undefined): string {
  if (state.startsWith('54')) return 'it is too large for a table row';
  if (state === '23502') return 'a value is required';
  return constraint === undefined ? 'it does not accept the value' : `its constraint ${constraint} does not allow it`;
}

/** Runs a function under a time limit. */
async function withTimeout<T>(session: Session, seconds: number, run: () => Promise<T>): Promise<T> {
  const [before] = await session.query<{ statement: string; lock: string }>(
    "select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock",
  );
  await session.query(`set local statement_timeout to ${seconds * 1_000}`);
  await session.query(`set local lock_timeout to ${seconds * 1_000}`);
  try {
    const result = await run();
    await session.query(`set local statement_timeout to '${before?.statement ?? '0'}'`);
    await session.query(`set local lock_timeout to '${before?.lock ?? '0'}'`);
    return result;
  } catch (error) {
    if (sqlState(error) !== '57014' && sqlState(error) !== '55P03') throw error;
    throw new PlatformError('STATE_REFUSES', {
      field: 'BulkCopyTimeout',
      message: `BulkCopyTimeout: a copy took longer than ${seconds} seconds.`,
      cause: error,
    });
  }
}
