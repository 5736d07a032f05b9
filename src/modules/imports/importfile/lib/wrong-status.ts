import { PlatformError } from '../../../../kernel/door/errors.ts';

/** Returns the error for an operation that the file's status does not allow. */
export function wrongStatus(what: string, status: unknown): PlatformError {
  return new PlatformError('STATE_REFUSES', {
    field: 'ID',
    message: `ID: the import file is ${String(status)}; ${what}`,
  });
}
