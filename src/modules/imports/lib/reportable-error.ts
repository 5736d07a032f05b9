import { fromDatabaseError, isRetryable } from '../../../kernel/database/database-error.ts';
import type { Context } from '../../../kernel/door/context.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';

/** Returns the error that the sender may see, or undefined for unexpected and retryable errors. */
export function reportableError({ registry }: Pick<Context, 'registry'>, error: unknown): PlatformError | undefined {
  if (isRetryable(error)) return undefined;
  if (error instanceof PlatformError) return error;
  return fromDatabaseError(error, (table, column) => registry.record(table)?.columns.get(column)?.name);
}
