import { randomUUID } from 'node:crypto';
import type { Context } from '../door/context.ts';
import { queueNames } from '../declare/core-settings.ts';
import type { BuiltinUser, Principal } from './identity.ts';
import type { Platform } from '../ports/platform.ts';
import type { QueueRequest } from '../ports/queue.ts';
import type { Settings } from '../declare/setting.ts';

/**
 * Returns the queue's name if the installation has it; otherwise nothing, so that the platform's own work goes to the
 * default queue instead of failing.
 */
export function queueIfKnown(settings: Settings, name: string): { readonly queueName?: string } {
  const isKnown = settings
    .get(queueNames)
    .split(',')
    .some((known) => known.trim().toLowerCase() === name.toLowerCase());
  return isKnown ? { queueName: name } : {};
}

/** Whether a user is a built-in one, which is found by its name. */
export function isBuiltinUser({ name }: Pick<Principal, 'name'>, builtin: BuiltinUser): boolean {
  return name === builtin;
}

/**
 * Queues the platform's own work as the user `System`, whoever's call caused it. If that user is missing, logs an error
 * instead of failing the call.
 */
export async function enqueueAsSystem(
  ctx: Context,
  request: QueueRequest & { readonly queueName: string },
): Promise<void> {
  const personId = await ctx.builtinPersonId('System');
  if (personId === undefined) {
    ctx.log.error('work of the platform is not queued: the built-in user is missing', {
      operation: request.route,
    });
    return;
  }
  const { queueName, ...rest } = request;
  await ctx.enqueue({ ...rest, ...queueIfKnown(ctx.settings, queueName), personId });
}

/**
 * Queues the platform's own work from housekeeping, as the user `System`. `queueName` applies if the installation has
 * that queue. Returns how many calls were queued: none if the user is missing, such as before the first start ends.
 */
export async function queueAsSystem(
  { store, settings, configuration, identity, queue }: Platform,
  requests: readonly QueueRequest[],
): Promise<number> {
  if (requests.length === 0) return 0;
  const personId = await identity.builtinPersonId(configuration, 'System');
  if (personId === undefined) return 0;
  const calls = requests.map(({ queueName, ...request }) => ({
    ...request,
    ...(queueName === undefined ? {} : queueIfKnown(settings, queueName)),
    messageId: randomUUID(),
    personId,
    correlationId: 'housekeeping',
    cause: [],
  }));
  await queue.send(store, calls);
  return calls.length;
}
