import { confirmationMinutes } from '../declare/core-settings.ts';
import type { Settings } from '../declare/setting.ts';
import type { Context } from '../door/context.ts';
import { PlatformError } from '../door/errors.ts';
import type { Clock } from '../time/clock.ts';
import type { Principal } from './identity.ts';

/** What decides whether a confirmation is recent. */
interface ConfirmationTime {
  readonly clock: Clock;
  readonly settings: Settings;
}

/**
 * Whether the caller may do what needs a recent proof of identity. Browser sessions stay open for hours on machines
 * that others may get at; keys and Basic credentials prove the identity with every call.
 */
export function isConfirmed({ session, unconfirmed }: Principal, { clock, settings }: ConfirmationTime): boolean {
  if (unconfirmed) return false;
  if (!session) return true;
  const minutes = settings.get(confirmationMinutes);
  return clock.milliseconds() - Date.parse(session.authenticatedDate) < minutes * 60_000;
}

/** Throws CONFIRM_IDENTITY unless the caller has proved who they are recently. */
export function assertConfirmed(ctx: Context): void {
  if (!isConfirmed(ctx.user, ctx)) throw new PlatformError('CONFIRM_IDENTITY');
}
