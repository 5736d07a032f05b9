import { PlatformError } from '../../../kernel/door/errors.ts';

/** Returns an error that the page shows to its user. @throws any other error */
export function requireCallerError(error: unknown): PlatformError {
  if (!(error instanceof PlatformError) || error.status >= 500) throw error;
  return error;
}
