import { fromDatabaseError, isRetryable } from '../../../kernel/database/database-error.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';

/** Returns the error that the sender may see, or undefined for unexpected and retryable errors. */
export function reportableError(error: unknown): PlatformError | undefined {
  if (isRetryable(error)) return undefined;
  return error instanceof PlatformError ? error : fromDatabaseError(error);
}
