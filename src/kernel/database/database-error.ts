import { PlatformError } from '../door/errors.ts';
import { sqlState } from './store.ts';

interface DatabaseError extends Error {
  readonly code?: string;
  readonly constraint_name?: string;
  readonly table_name?: string;
  readonly column_name?: string;
}

/** Errors after which the same transaction may succeed when it is run again: serialization failure and deadlock. */
export function isRetryable(error: unknown): boolean {
  const state = sqlState(error);
  return state === '40001' || state === '40P01';
}

const unavailable = /^(08|53|57P)/;

/** The declared spelling of a table's column; the database folds names. */
export type ColumnNameLookup = (table: string, column: string) => string | undefined;

/** What a caller may be told of a database's error, or undefined where it is none of the foreseen ones. Values are never repeated. */
export function fromDatabaseError(
  error: unknown,
  nameOf: ColumnNameLookup = () => undefined,
): PlatformError | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code = '' } = error as DatabaseError;
  // ENOENT says so of a socket that is not there; of a file it says something else.
  const isConnection =
    /^(ECONN|CONNECTION_|EPIPE)/.test(code) ||
    (code === 'ENOENT' && (error as NodeJS.ErrnoException).syscall === 'connect');
  if (isConnection)
    return new PlatformError('UNAVAILABLE', { message: 'The database cannot be reached.', cause: error });
  const state = sqlState(error);
  if (state === undefined) return undefined;
  const failure: DatabaseError = error;
  const { constraint_name: constraint, column_name: column, table_name: table = '' } = failure;
  const stored = column ?? columnFromConstraint(failure);
  const field = stored === undefined ? undefined : (nameOf(table, stored) ?? stored);
  const facts = { cause: error, ...(field === undefined ? {} : { field }) };
  switch (state) {
    case '23505':
      return new PlatformError('DUPLICATE_KEY', {
        ...facts,
        message: `${field ?? 'The record'}: another record already has this value.`,
      });
    case '23503':
      return error.message.startsWith('update or delete')
        ? new PlatformError('IN_USE', { cause: error })
        : new PlatformError('BAD_PARAMETER', {
            ...facts,
            message: `${field ?? 'An id'}: there is no record with this id.`,
          });
    case '23502':
      return new PlatformError('MISSING_PARAMETER', { ...facts, message: `${field ?? 'A field'} is required.` });
    case '23514':
      return new PlatformError('BAD_PARAMETER', {
        ...facts,
        message: `${field ?? 'A value'}: the value is not allowed (${constraint ?? 'check'}).`,
      });
    case '42501':
      // Only row security is foreseen; a table or function that the role may not use at all is a fault of ours.
      if (!error.message.includes('row-level security')) return undefined;
      return new PlatformError('NO_PERMISSION', {
        message: 'The record would lie outside of what you reach.',
        cause: error,
      });
    case '57014':
    case '25P03':
      return new PlatformError('TIMED_OUT', { cause: error });
    case '55P03':
    case '40001':
    case '40P01':
      return new PlatformError('CONCURRENT_CHANGE', { cause: error });
    default:
      if (unavailable.test(state))
        return new PlatformError('UNAVAILABLE', {
          message: 'The database is not available at the moment.',
          cause: error,
        });
      if (state.startsWith('54'))
        return new PlatformError('TOO_LARGE', {
          message: 'The call asks for more at once than the database takes.',
          cause: error,
        });
      return state.startsWith('22')
        ? new PlatformError('BAD_PARAMETER', {
            message: 'A value cannot be stored or compared as its type.',
            cause: error,
          })
        : undefined;
  }
}

/** Constraints are named `{table}_{column}_{kind}`; a unique index may be named like any other index. */
function columnFromConstraint(error: DatabaseError): string | undefined {
  const { constraint_name: constraint, table_name: table } = error;
  if (constraint === undefined || table === undefined || !constraint.startsWith(`${table}_`)) return undefined;
  return /^(.+)_(?:key|idx|fkey|check|excl)$/.exec(constraint.slice(table.length + 1))?.[1];
}

/** An unforeseen error's text for the error log: what stands in quotes and longer numbers may be personal and is masked. */
export function loggableMessage(error: unknown): string {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : typeof error;
  return text
    .replace(/"[^"]*"|'[^']*'|\([^)]*\)=\([^)]*\)/g, '"…"')
    .replace(/\d[\d-]{3,}/g, '####')
    .slice(0, 2_000);
}
