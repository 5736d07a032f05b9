import type { Context } from '../../../../kernel/door/context.ts';
import { enqueueAsSystem } from '../../../../kernel/security/system-user.ts';

/** Queue of mails. */
export const QUEUE = 'Mail';
/** Most mails that one queued call sends. */
export const MAILS_PER_CALL_MAX = 500;

/** Queues calls that send mails, now or later. */
export async function queueDeliveries(ctx: Context, ids: readonly number[], at?: string): Promise<void> {
  for (let start = 0; start < ids.length; start += MAILS_PER_CALL_MAX)
    await enqueueAsSystem(ctx, {
      route: 'maildelivery/deliver',
      parameters: { ID: ids.slice(start, start + MAILS_PER_CALL_MAX).join(',') },
      queueName: QUEUE,
      ...(at === undefined ? {} : { queuedDate: at }),
    });
}
