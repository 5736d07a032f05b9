import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';

/**
 * Refuses to let somebody choose what is read of a document that is kept sealed: it holds what somebody else sent, protected numbers
 * included, and its rows would carry them into other records. Who sent it knows them; else it takes UnmaskSSN.
 * @throws NO_PERMISSION naming `field`
 */
export function assertMayReadSealed(
  { user }: Pick<Context, 'user'>,
  document: { readonly sealed: unknown; readonly personId: unknown },
  field: string,
): void {
  if (document.sealed !== true || document.personId === user.personId || user.permissions.has('UnmaskSSN')) return;
  throw new PlatformError('NO_PERMISSION', {
    field,
    message: `${field}: the document is kept sealed, since protected numbers may stand in it; it takes the permission UnmaskSSN.`,
  });
}
