import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';

/**
 * Checks that the user may choose what is read of a sealed document. It contains what another user sent, including
 * protected numbers, and its rows would carry them into other records. Allowed for its sender, who knows them, and with
 * UnmaskSSN.
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
    message:
      `${field}: the document is sealed because it may contain protected numbers; this requires the ` +
      'permission UnmaskSSN.',
  });
}
