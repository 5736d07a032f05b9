import { loggableMessage } from '../../../../kernel/database/database-error.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';

/** Returns why something could not be settled: a code for the log, and the reason to store. */
export function settlingFailure(error: unknown): { readonly code: string; readonly reason: string } {
  if (!(error instanceof PlatformError))
    return { code: loggableMessage(error), reason: 'Unexpected error. The details are in the error log.' };
  const { code, message } = error;
  const isQueried = code !== 'UNAVAILABLE' && code !== 'UNKNOWN_PROVIDER';
  return { code, reason: `${isQueried ? 'It could not be settled' : 'The gateway could not be queried'}. ${message}` };
}
