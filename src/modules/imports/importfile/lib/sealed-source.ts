import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { isBuiltinUser } from '../../../../kernel/security/system-user.ts';

/**
 * Checks that the user may choose what is read of a sealed document. It contains what another user sent, including
 * protected numbers, and its rows would carry them into other records. Allowed for its sender, who knows them, and with
 * UnmaskSSN. A workflow step, which runs as the built-in user Workflow, gets no numbers that its author could not: only
 * what a step has sent.
 * @throws NO_PERMISSION naming `field`
 */
export function assertMayReadSealed(
  { user }: Pick<Context, 'user'>,
  document: { readonly sealed: unknown; readonly personId: unknown },
  field: string,
): void {
  if (document.sealed !== true || document.personId === user.personId) return;
  if (user.permissions.has('UnmaskSSN') && !isBuiltinUser(user, 'Workflow')) return;
  throw new PlatformError('NO_PERMISSION', {
    field,
    message:
      `${field}: the document is sealed because it may contain protected numbers; this requires the ` +
      'permission UnmaskSSN.',
  });
}
