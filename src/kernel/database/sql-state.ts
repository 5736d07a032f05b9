/** SQLSTATE of a statement for which the database had no disk space. */
export const DISK_FULL = '53100';

/** Returns the SQLSTATE of a database error, or undefined for any other error. */
export function sqlState(error: unknown): string | undefined {
  return error instanceof Error && error.name === 'PostgresError'
    ? (error as Error & { code?: string }).code
    : undefined;
}

/**
 * Whether PostgreSQL has answered with an error and so rolled the transaction back, also if that was its commit. After
 * an error that ends the session, such as a shutdown, nothing says whether the commit came before it.
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
