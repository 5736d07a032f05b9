/** SQLSTATE of a statement for which the database had no disk space. */
export const DISK_FULL = '53100';

/** Returns the SQLSTATE of a database error, or undefined for any other error. */
export function sqlState(error: unknown): string | undefined {
  return error instanceof Error && error.name === 'PostgresError'
    ? (error as Error & { code?: string }).code
    : undefined;
}

/**
 * Whether PostgreSQL answered with an error and so rolled the transaction back, even if the statement was its commit.
 * An error that ends the session, such as a shutdown, leaves the outcome of a commit unknown.
 */
export function isRolledBack(error: unknown): boolean {
  return sqlState(error) !== undefined && (error as { severity?: string }).severity === 'ERROR';
}

/** Gives a database error the caller's stack; the driver creates its errors where it reads the socket. */
export function withCallerStack(error: unknown): unknown {
  if (sqlState(error) === undefined) return error;
  // Defined, not assigned: the driver makes the property read-only.
  Reflect.defineProperty(error as Error, 'stack', {
    value: `PostgresError\n${(new Error().stack ?? '').split('\n').slice(2).join('\n')}`,
    configurable: true,
  });
  return error;
}
