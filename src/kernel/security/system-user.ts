import type { Configuration } from '../database/configuration.ts';
import type { Context } from '../door/context.ts';
import { queueNames } from '../declare/core-settings.ts';
import type { QueueRequest } from '../ports/queue.ts';
import type { Settings } from '../declare/setting.ts';

/** Built-in users, who never sign in: `System` does the platform's own work, `Workflow` runs the steps of workflows. */
export type BuiltinUser = 'System' | 'Workflow';

/** Returns the id of a built-in user; undefined if the installation has removed it. */
export function builtinPersonId(configuration: Configuration, name: BuiltinUser): Promise<number | undefined> {
  return configuration.get(`built-in user ${name}`, async () => {
    const [row] = await configuration.db.query<{ personid: number }>(
      'select personid from person where person = $1::text order by personid limit 1',
      [name],
    );
    return row?.personid;
  });
}

/** Returns the id of the user `System`; undefined if the installation has removed it. */
export function systemPersonId(configuration: Configuration): Promise<number | undefined> {
  return builtinPersonId(configuration, 'System');
}

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

/**
 * Queues the platform's own work as the user `System`, whoever's call caused it. If that user is missing, logs an error
 * instead of failing the call.
 */
export async function enqueueAsSystem(
  ctx: Context,
  request: QueueRequest & { readonly queueName: string },
): Promise<void> {
  const personId = await systemPersonId(ctx.configuration);
  if (personId === undefined) {
    ctx.log.error('work of the platform is not queued: the built-in user is missing', {
      operation: request.route,
    });
    return;
  }
  const { queueName, ...rest } = request;
  await ctx.enqueue({ ...rest, ...queueIfKnown(ctx.settings, queueName), personId });
}
