import { PlatformError } from '../door/errors.ts';
import { EXAMPLE_DATE } from '../parameters/parse-value.ts';
import { DISK_FULL, isRolledBack, sqlState } from './sql-state.ts';

interface DatabaseError extends Error {
  readonly code?: string;
  readonly constraint_name?: string;
  readonly table_name?: string;
  readonly column_name?: string;
}

/** Whether the same transaction may succeed when retried: after a serialization failure or a deadlock. */
export function isRetryable(error: unknown): boolean {
  const state = sqlState(error);
  return state === '40001' || state === '40P01';
}

const DISK_FULL_TEXT =
  'The database is out of disk space. Nothing can be saved until the operator frees some; reading still ' +
  'works. This call saved nothing; send it again later.';

/** SQLSTATEs of a server that cannot serve now: lost connection, lack of resources, shutdown. */
const unavailable = /^(08|53|57P)/;

/**
 * The connection was lost before the database answered a commit: the transaction was carried out as a whole, or not at
 * all. Nothing that it may refer to is undone, and no claim on it is released.
 */
export class UnknownOutcome extends PlatformError {
  constructor(cause: unknown) {
    super('UNAVAILABLE', {
      message:
        'The connection to the database was lost while the call was saved: it is not known whether it was. Look for ' +
        'its result before you send it again; with its Idempotency-Key, it is not carried out twice.',
      details: { Reason: 'UnknownOutcome' },
      cause,
    });
  }
}

/** Returns {@link UnknownOutcome} for the failure of a commit that lost its connection, else the failure itself. */
export function commitFailure(error: unknown): unknown {
  const isLost =
    error instanceof Error && (isConnectionFailure(error) || (sqlState(error) !== undefined && !isRolledBack(error)));
  return isLost ? new UnknownOutcome(error) : error;
}

/** Returns the declared spelling of a table's column; the database folds names. */
export type ColumnNameLookup = (table: string, column: string) => string | undefined;

/** Returns the error for the caller, or undefined for a database error that is not foreseen. Never repeats values. */
export function fromDatabaseError(
  error: unknown,
  nameOf: ColumnNameLookup = () => undefined,
): PlatformError | undefined {
  if (!(error instanceof Error)) return undefined;
  if (isConnectionFailure(error))
    return new PlatformError('UNAVAILABLE', { message: 'The database cannot be reached.', cause: error });
  const state = sqlState(error);
  return state === undefined ? undefined : (constraintError(state, error, nameOf) ?? stateError(state, error));
}

function isConnectionFailure(error: DatabaseError): boolean {
  const { code = '' } = error;
  // ENOENT of a connect means a missing socket; of a file it means something else.
  const isMissingSocket = code === 'ENOENT' && (error as NodeJS.ErrnoException).syscall === 'connect';
  return isMissingSocket || /^(ECONN|CONNECTION_|EPIPE)/.test(code);
}

/** Returns the error for a violated constraint, naming the field as it is declared. */
function constraintError(state: string, error: DatabaseError, nameOf: ColumnNameLookup): PlatformError | undefined {
  const field = declaredField(error, nameOf);
  const details = { cause: error, ...(field === undefined ? {} : { field }) };
  switch (state) {
    case '23505':
      return new PlatformError('DUPLICATE_KEY', {
        ...details,
        message: `${field ?? 'The record'}: another record already has this value.`,
      });
    case '23503':
      if (error.message.startsWith('update or delete')) return new PlatformError('IN_USE', { cause: error });
      return new PlatformError('BAD_PARAMETER', {
        ...details,
        message: `${field ?? 'An ID'}: there is no record with this ID.`,
      });
    case '23502':
      return new PlatformError('MISSING_PARAMETER', { ...details, message: `${field ?? 'A field'} is required.` });
    case '23514':
      return new PlatformError('BAD_PARAMETER', {
        ...details,
        message: `${field ?? 'A value'}: the database does not allow this value.`,
      });
    default:
      return undefined;
  }
}

function declaredField(error: DatabaseError, nameOf: ColumnNameLookup): string | undefined {
  const column = error.column_name ?? columnFromConstraint(error);
  return column === undefined ? undefined : (nameOf(error.table_name ?? '', column) ?? column);
}

/** Returns the error for any other SQLSTATE that a caller can cause or wait out. */
function stateError(state: string, cause: Error): PlatformError | undefined {
  switch (state) {
    case '42501':
      // Only a violation of row security is foreseen; a table or function that the role may not use is our fault.
      if (!cause.message.includes('row-level security')) return undefined;
      return new PlatformError('NO_PERMISSION', {
        message: 'You would not have access to the record after this change.',
        cause,
      });
    case '57014':
    case '25P03':
      return new PlatformError('TIMED_OUT', { cause });
    case '55P03':
    case '40001':
    case '40P01':
      return new PlatformError('CONCURRENT_CHANGE', { cause });
    default:
      return stateClassError(state, cause);
  }
}

/** A number does not fit its column. */
const NUMERIC_OVERFLOW = '22003';

function stateClassError(state: string, cause: Error): PlatformError | undefined {
  if (state === DISK_FULL)
    return new PlatformError('UNAVAILABLE', { message: DISK_FULL_TEXT, details: { Reason: 'DiskFull' }, cause });
  if (unavailable.test(state))
    return new PlatformError('UNAVAILABLE', { message: 'The database is not available at the moment.', cause });
  if (state.startsWith('54'))
    return new PlatformError('TOO_LARGE', {
      message: 'The call is larger than the database can process at once.',
      cause,
    });
  if (state === NUMERIC_OVERFLOW)
    return new PlatformError('BAD_PARAMETER', {
      message: 'A number is too large. Amounts and balances have at most 15 digits before the decimal point.',
      cause,
    });
  return state.startsWith('22')
    ? new PlatformError('BAD_PARAMETER', {
        message: 'A value cannot be converted to the type of its column.',
        cause,
      })
    : undefined;
}

/** Returns the column in the name of a constraint or unique index: `{table}_{column}_{kind}`. */
function columnFromConstraint(error: DatabaseError): string | undefined {
  const { constraint_name: constraint, table_name: table } = error;
  if (constraint === undefined || table === undefined || !constraint.startsWith(`${table}_`)) return undefined;
  return /^(.+)_(?:key|idx|fkey|check|excl)$/.exec(constraint.slice(table.length + 1))?.[1];
}

/** What is not masked of a text: IDs of calls and errors, times, the date of examples, names that end in digits. */
const readable = [
  /\b[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b/,
  /\b\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?/,
  new RegExp(`\\b${EXAMPLE_DATE}\\b`),
  // An account or SSN with letters before it is longer, or has dashes.
  /(?<=[A-Za-z_])\d{4,6}(?![\d-])/,
];
/** The ID of a record, in the platform's own errors. Account, telephone and Social Security numbers are longer. */
const readableOfPlatform = /(?<![\d-])\d{4,8}(?![\d-])/;
const maskable = /\d[\d-]{3,}/;
const numbersBeside = (shown: readonly RegExp[]): RegExp =>
  new RegExp(`(${shown.map(({ source }) => source).join('|')})|${maskable.source}`, 'gi');
const numbers = numbersBeside(readable);
const numbersOfPlatform = numbersBeside([...readable, readableOfPlatform]);

/**
 * Returns an error's text for the error log. Quoted text, longer numbers, and dates without a time may be personal and
 * are masked; the IDs in the platform's own errors are not.
 */
export function loggableMessage(error: unknown): string {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : typeof error;
  return text
    .replace(/"[^"]*"|'[^']*'|\([^)]*\)=\([^)]*\)/g, '"…"')
    .replace(
      error instanceof PlatformError ? numbersOfPlatform : numbers,
      (_number, shown: string | undefined) => shown ?? '####',
    )
    .slice(0, 2_000);
}
