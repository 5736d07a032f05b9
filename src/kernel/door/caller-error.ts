import { fromDatabaseError, loggableMessage } from '../database/database-error.ts';
import type { Platform } from '../ports/platform.ts';
import { describeConflict } from '../records/save/conflict.ts';
import { firmOf, type Principal } from '../security/identity.ts';
import { maskNumbers } from '../security/mask.ts';
import { PlatformError } from './errors.ts';
import type { Call } from './call.ts';
import { readOnlyDb } from './unit-of-work.ts';

/** Longest stack of an entry of the error log. */
const STACK_CHARACTERS_MAX = 8_000;
/** Longest operation name in the security log. */
const OBJECT_CHARACTERS_MAX = 60;

/**
 * Returns the error that the caller gets: a PlatformError as it is, a database error that the table knows as one of
 * those, masked. Logs anything else and returns INTERNAL.
 */
export async function toCallerError(
  platform: Platform,
  call: Call,
  user: Principal | undefined,
  error: unknown,
): Promise<PlatformError> {
  const known =
    error instanceof PlatformError
      ? error
      : fromDatabaseError(error, (table, column) => platform.registry.record(table)?.columns.get(column)?.name);
  if (!known) return logUnexpected(platform, call, user, error);
  if (known.code === 'NO_PERMISSION') await logRefusal(platform, call, user, 'Refused');
  if (known.code === 'CSRF_REFUSED') await logRefusal(platform, call, user, 'RequestForged');
  if (!user) return known.masked();
  const reader = { registry: platform.registry, user, db: readOnlyDb(platform.store, firmOf(user)) };
  return (await describeConflict(reader, known)).masked();
}

function operationName({ route }: Call): string {
  return maskNumbers(`${route.module}/${route.path}`);
}

async function logRefusal(
  platform: Platform,
  call: Call,
  user: Principal | undefined,
  name: 'Refused' | 'RequestForged',
): Promise<void> {
  const { journal, log } = platform;
  const event = {
    event: name,
    personId: user?.personId ?? null,
    object: operationName(call).slice(0, OBJECT_CHARACTERS_MAX),
    address: call.address,
    detail: name === 'Refused' ? 'NO_PERMISSION' : "a change from another site, or without the page's token",
  };
  await journal.security(event, call.correlationId).catch((failure: unknown) => {
    log.error('security log unavailable', { error: loggableMessage(failure) });
  });
}

async function logUnexpected(
  { journal, log }: Platform,
  call: Call,
  user: Principal | undefined,
  error: unknown,
): Promise<PlatformError> {
  const entry = {
    correlationId: call.correlationId,
    operation: operationName(call),
    message: loggableMessage(error),
    cause: (call.cause ?? []).join(' > '),
    stack: stackOf(error),
    personId: user?.personId ?? null,
  };
  const { correlationId, operation } = entry;
  log.error('call failed', { correlationId, operation, error: entry.message });
  await journal.error(entry).catch((failure: unknown) => {
    log.error('error log unavailable', { error: loggableMessage(failure) });
  });
  return new PlatformError('INTERNAL', { cause: error });
}

/** Returns the frames of the stack without the message, which may be several lines long. */
function stackOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  const frames = (error.stack ?? '').split('\n').filter((line) => /^ {4}at /.test(line));
  return frames.join('\n').slice(0, STACK_CHARACTERS_MAX);
}
