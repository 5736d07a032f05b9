import type { Clock } from '../time/clock.ts';

/*
 * Leases: how a process takes a row for work that is longer than a transaction.
 *
 * - Who may take a row: whoever updates it first. One statement checks that the row is free and starts the lease, so of
 *   two concurrent claims one gets the row; the other waits for its commit, sees the lease and gets nothing.
 * - How long: until the instant in `leaseduntil`, by the clock of the processes. A lease must be longer than the work,
 *   or be extended during it, each time by the same statement that proves that it is still held.
 * - What proves a lease: a token that differs for each lease of a row: the number of the attempt, or a UUID. Whoever
 *   records a result names it. After a lease has expired and the row has been claimed again, nothing is recorded under
 *   the old token.
 * - What the second one sees: a leased row, and when its lease expires.
 * - After a crash nothing releases the row. Once the lease has expired, the next claim gets the row and starts the next
 *   attempt. So work is done at least once. Work that must be done at most once is recorded as begun before its
 *   effect; a row that was begun and whose lease has expired is then recorded as lost instead of being claimed.
 *
 * A statement that chooses rows with `limit` and locks them does so in a common table expression. A plan may evaluate a
 * subquery in `from` or `in` once for each row: each time it skips what is locked already and claims the next rows.
 *
 * A claim that lasts no longer than a transaction needs no lease: the row lock (`for update skip locked`) is enough,
 * and a crash ends it at once.
 */

/** The columns of a table whose rows are leased, besides `leaseduntil`. */
export interface LeaseColumns {
  /** The column of the token: a number that counts the leases of the row, or the UUID of the lease. */
  readonly token: { readonly column: string; readonly type: 'integer' | 'uuid' };
  /** The column of the row's state, and its value during a lease, if the table has one. */
  readonly state?: { readonly column: string; readonly leased: string };
}

/**
 * The SQL of a table's leases: conditions on a row, and assignments of an update. Instants and tokens are placeholders
 * such as `$2`; `alias` is the table's alias in the statement.
 */
export interface LeaseSql {
  /** Whether a row has no lease, or one that has expired. */
  isFree(now: string, alias?: string): string;
  /** Whether a row has a lease that has not expired. */
  isLeased(now: string, alias?: string): string;
  /** Whether a row has a lease that has expired: the process that started it is presumed dead. */
  isExpired(now: string, alias?: string): string;
  /** Whether a row still has the lease with this token, expired or not. */
  isHeld(token: string, alias?: string): string;
  /** Assignments that start a lease. A UUID is given as `token`; a number is counted on. */
  start(until: string, options?: { readonly token?: string; readonly alias?: string }): string;
  /** Assignment that extends a lease. The statement's condition must include `isHeld`. */
  extend(until: string): string;
  /** Assignments that end a lease. */
  end(): string;
}

/** Returns the SQL of the leases of a table with these columns. */
export function leaseSql({ token, state }: LeaseColumns): LeaseSql {
  const column = (name: string, alias: string | undefined): string => (alias === undefined ? name : `${alias}.${name}`);
  const until = (alias: string | undefined): string => column('leaseduntil', alias);
  const inState = (alias: string | undefined): string =>
    state ? `${column(state.column, alias)} = '${state.leased}' and ` : '';
  return {
    isFree: (now, alias) => `(${until(alias)} is null or ${until(alias)} <= ${now}::timestamptz)`,
    isLeased: (now, alias) => `(${inState(alias)}${until(alias)} > ${now}::timestamptz)`,
    isExpired: (now, alias) => `(${inState(alias)}${until(alias)} <= ${now}::timestamptz)`,
    isHeld: (held, alias) => `(${inState(alias)}${column(token.column, alias)} = ${held}::${token.type})`,
    start: (end, { token: started, alias } = {}) => {
      const next =
        token.type === 'uuid' ? `${required(started)}::uuid` : `coalesce(${column(token.column, alias)}, 0) + 1`;
      const leased = state ? `${state.column} = '${state.leased}', ` : '';
      return `${leased}leaseduntil = ${end}::timestamptz, ${token.column} = ${next}`;
    },
    extend: (end) => `leaseduntil = ${end}::timestamptz`,
    end: () => (token.type === 'uuid' ? `leaseduntil = null, ${token.column} = null` : 'leaseduntil = null'),
  };
}

function required(token: string | undefined): string {
  if (token === undefined) throw new Error('A lease whose token is a UUID is started with one.');
  return token;
}

/** Returns the instant at which a lease that starts or is extended now expires. */
export function leaseEnd(clock: Clock, seconds: number): string {
  return new Date(clock.milliseconds() + seconds * 1_000).toISOString();
}

/** Thrown when a lease has expired and the row has been claimed again. */
export class LeaseLost extends Error {}

/**
 * Runs work and extends its lease three times per term, until the work ends. `extend` must not throw: a lease that
 * could not be extended may still be when the next attempt is made.
 */
export async function extendLeaseDuring<T>(seconds: number, extend: () => void, work: () => Promise<T>): Promise<T> {
  const timer = setInterval(extend, (seconds * 1_000) / 3);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}
