import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import type { Db } from '../../../../kernel/database/store.ts';
import { networkOf } from '../../../../kernel/security/networks.ts';
import {
  countFailure,
  failuresOf,
  windowMilliseconds,
  windowStart,
  type FailureWindow,
} from '../../../../kernel/security/sign-in-failures.ts';
import type { OpenLink } from './secure-links.ts';

/** All limits count per hour. */
const WINDOW_MINUTES = 60;
/** Codes that one network may request, whatever the links. */
const REQUESTS_MAX = 20;
/** Wrong links and codes of one network. */
const FAILURES_MAX = 20;
/** Codes that are mailed for one link. */
const CODES_MAX = 5;

/** Counts a request of a code. Throws TOO_MANY if there are too many from the caller's network. */
export async function countRequest(ctx: Context): Promise<void> {
  const count = await inOwnTransaction(ctx, (db) =>
    countFailure(db, `secure code ${networkOf(ctx.address)}`, window(ctx)),
  );
  if (count > REQUESTS_MAX) throw tooMany(ctx);
}

/** Whether another code may be mailed for a link. The caller does not learn it. */
export async function admitCode(own: Context, { id }: OpenLink): Promise<boolean> {
  return (await countFailure(own.db, `secure link ${id}`, window(own))) <= CODES_MAX;
}

/** Throws TOO_MANY for a network with too many wrong links or codes. */
export async function assertFewFailures(ctx: Context): Promise<void> {
  const count = await inOwnTransaction(ctx, (db) => failuresOf(db, failureSubject(ctx), window(ctx)));
  if (count >= FAILURES_MAX) throw tooMany(ctx);
}

/** Counts a wrong link or code. */
export async function countWrongCode(ctx: Context): Promise<void> {
  await inOwnTransaction(ctx, (db) => countFailure(db, failureSubject(ctx), window(ctx)));
}

function failureSubject({ address }: Context): string {
  return `secure reading ${networkOf(address)}`;
}

function window({ clock }: Context): FailureWindow {
  return { clock, minutes: WINDOW_MINUTES };
}

function tooMany(ctx: Context): PlatformError {
  const left = Date.parse(windowStart(window(ctx))) + windowMilliseconds(WINDOW_MINUTES) - ctx.clock.milliseconds();
  return new PlatformError('TOO_MANY', {
    message: 'Too many attempts; try again later.',
    details: { RetryAfterSeconds: Math.max(1, Math.ceil(left / 1_000)) },
  });
}

/** Counts in its own transaction, so that the count remains whatever happens to the call. */
function inOwnTransaction<T>(ctx: Context, query: (db: Db) => Promise<T>): Promise<T> {
  return ctx.inTransaction((own) => own.transaction().elevated(query));
}
