import { item, type Answer } from '../../../../kernel/door/answer.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { f, required } from '../../../../kernel/declare/field.ts';
import type { QueueControl } from '../../../../kernel/ports/queue.ts';

/** Answer fields of a queue. */
export const queueFields = {
  QueueName: f.text({ doc: 'The queue.' }),
  State: f.text({
    doc: '`running`; `stopped`, nothing is taken from it; `abandoned`, the setting QueueNames does not name it any more and nobody works on what it holds.',
  }),
  MessagesPerMinute: f.integer({
    doc: 'How many messages workers take from it in a minute, all together; 0 is as many as there are.',
  }),
  Waiting: f.integer({ doc: 'How many are due and wait for a worker.' }),
  OldestSeconds: f.integer({ doc: 'For how many seconds the oldest of them has been due.' }),
  Deferred: f.integer({
    doc: 'How many are queued for a later time; failed ones that are to be tried again are among them.',
  }),
  Running: f.integer({ doc: 'How many are in the hands of workers.' }),
  Dead: f.integer({ doc: 'How many of it lie among the dead letters.' }),
  ChangedDate: f.timestamp({ doc: 'When it was last stopped, started or throttled.' }),
  ChangedPersonID: f.id({ doc: 'Who did.' }),
};

/** Parameter that names a queue. */
export const queueName = required(f.text({ doc: 'The name of the queue.', max: 100 }));

/** Throws unless the caller has universal access: queues are shared by all firms. */
export function assertUniversal(ctx: Context): void {
  if (!ctx.user.universal)
    throw new PlatformError('NO_PERMISSION', { message: 'Queues are for users with universal access.' });
}

/** Stops, starts or throttles a queue, writes the security log, and answers its new state. */
export async function applyQueueControl(
  ctx: Context,
  queueSent: string,
  change: QueueControl,
  { event, detail = '' }: { readonly event: string; readonly detail?: string },
): Promise<Answer> {
  assertUniversal(ctx);
  const name = ctx.queue.queueOf(queueSent);
  await ctx.queue.control(ctx.db, name, change, ctx.user.personId);
  await ctx.security({ event, object: 'Queue', detail: `${name}${detail}` });
  const state = (await ctx.queue.states(ctx.db)).find((each) => each.QueueName === name);
  if (!state) throw new Error('a queue that the settings name is absent');
  return item('Queue', queueFields, state);
}
