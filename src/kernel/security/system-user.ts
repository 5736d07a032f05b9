import type { Configuration } from '../database/configuration.ts';
import type { Context } from '../door/context.ts';
import { queueNames } from '../declare/core-settings.ts';
import type { QueueRequest } from '../ports/queue.ts';
import type { Settings } from '../declare/setting.ts';

/** The built-in users, who never sign in: `System` does the platform's own work, `Workflow` runs the steps of workflows. */
export type BuiltinUser = 'System' | 'Workflow';

/** The id of a built-in user, or undefined where an installation has removed it. */
export function builtinPersonId(configuration: Configuration, name: BuiltinUser): Promise<number | undefined> {
  return configuration.get(`built-in user ${name}`, async () => {
    const [row] = await configuration.db.query<{ personid: number }>(
      'select personid from person where person = $1::text order by personid limit 1',
      [name],
    );
    return row?.personid;
  });
}

/** The id of the built-in user that the platform's own work runs as, or undefined where an installation has removed it. */
export function systemPersonId(configuration: Configuration): Promise<number | undefined> {
  return builtinPersonId(configuration, 'System');
}

/** A queue by name where the installation has it; the platform's own work goes to the default queue otherwise, rather than fail. */
export function queueIfKnown(settings: Settings, name: string): { readonly queueName?: string } {
  const isKnown = settings
    .get(queueNames)
    .split(',')
    .some((known) => known.trim().toLowerCase() === name.toLowerCase());
  return isKnown ? { queueName: name } : {};
}

/**
 * Queues work of the platform's own: it runs as the built-in user, whoever's call brought it about. Never fails the call for want
 * of that user; what is left undone then is said in the log.
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
