import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { fold } from '../../../../kernel/parameters/fold.ts';
import { networkOf } from '../../../../kernel/security/networks.ts';
import type { SettingDefinition } from '../../../../kernel/declare/setting.ts';
import {
  countFailure,
  failuresOf,
  windowMilliseconds,
  windowStart,
  type FailureWindow,
} from '../../../../kernel/security/sign-in-failures.ts';
import type { Db } from '../../../../kernel/database/store.ts';
import {
  registrationEnabled,
  registrationsPerAddressMax,
  registrationsPerHourMax,
  registrationsPerNetworkMax,
} from '../settings.ts';

/** All limits count per hour. */
const WINDOW_MINUTES = 60;

function isAdministrator({ user }: Context): boolean {
  return user.universal && user.permissions.has('OrganizationSave');
}

/** Throws if registration is switched off, before the answer reveals any configuration. */
export function assertRegistrationEnabled(ctx: Context): void {
  if (!isAdministrator(ctx) && !ctx.settings.get(registrationEnabled))
    throw new PlatformError('NO_PERMISSION', { message: 'Registration is switched off.' });
}

/**
 * Whether a registration may continue. Throws if there are too many from the network or in total; returns false if
 * there are too many with the address, which the caller does not learn.
 */
export async function admitRegistration(ctx: Context, email: string): Promise<boolean> {
  if (isAdministrator(ctx)) return true;
  await countWithin(ctx, `registration network ${networkOf(ctx.address)}`, registrationsPerNetworkMax);
  await countWithin(ctx, 'registration', registrationsPerHourMax);
  // Compared like sign-in names: equal names count as one address.
  const counted = await inOwnTransaction(ctx, (db) =>
    countFailure(db, `registration address ${fold(email)}`, window(ctx)),
  );
  return counted <= ctx.settings.get(registrationsPerAddressMax);
}

async function countWithin(ctx: Context, subject: string, limit: SettingDefinition<number>): Promise<void> {
  if ((await inOwnTransaction(ctx, (db) => countFailure(db, subject, window(ctx)))) > ctx.settings.get(limit))
    throw tooMany(ctx);
}

/** Throws for confirmations from a network with too many failures. */
export async function assertFewFailedConfirmations(ctx: Context): Promise<void> {
  const failures = await inOwnTransaction(ctx, (db) =>
    failuresOf(db, `confirmation ${networkOf(ctx.address)}`, window(ctx)),
  );
  if (failures >= ctx.settings.get(registrationsPerNetworkMax)) throw tooMany(ctx);
}

/** Counts a failed confirmation. */
export async function countFailedConfirmation(ctx: Context): Promise<void> {
  await inOwnTransaction(ctx, (db) => countFailure(db, `confirmation ${networkOf(ctx.address)}`, window(ctx)));
}

function window({ clock }: Context): FailureWindow {
  return { clock, minutes: WINDOW_MINUTES };
}

function tooMany(ctx: Context): PlatformError {
  const left = Date.parse(windowStart(window(ctx))) + windowMilliseconds(WINDOW_MINUTES) - ctx.clock.milliseconds();
  return new PlatformError('TOO_MANY', {
    message: 'Too many registrations; try again later.',
    details: { RetryAfterSeconds: Math.max(1, Math.ceil(left / 1_000)) },
  });
}

/** Counts in its own transaction, so that the count remains whatever happens to the call. */
function inOwnTransaction<T>(ctx: Context, query: (db: Db) => Promise<T>): Promise<T> {
  return ctx.inTransaction((own) => own.transaction().elevated(query));
}
