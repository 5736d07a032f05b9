import { item, type Answer } from '../../../../kernel/door/answer.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { f, required } from '../../../../kernel/declare/field.ts';
import type { QueueControl } from '../../../../kernel/ports/queue.ts';

/** Answer fields of a queue. */
export const queueFields = {
  QueueName: f.text({ doc: 'The queue.' }),
  State: f.text({
    doc:
      '`running`; `stopped`: workers take nothing from it; `abandoned`: the setting QueueNames no longer ' +
      'names it, and no worker serves its messages.',
  }),
  MessagesPerMinute: f.integer({
    doc: 'How many messages all workers together take from it per minute; 0 for no limit.',
  }),
  Waiting: f.integer({ doc: 'How many messages are due and waiting for a worker; at most 100,000 are counted.' }),
  OldestSeconds: f.integer({ doc: 'How many seconds the oldest of them has been due.' }),
  Deferred: f.integer({
    doc: 'How many messages are queued for a later time, including failed ones waiting for a retry.',
  }),
  Running: f.integer({ doc: 'How many messages are running.' }),
  Paused: f.integer({ doc: 'How many messages wait because their operation is paused; at most 100,000 are counted.' }),
  Dead: f.integer({ doc: 'How many of its messages are dead letters, of the latest 100,000.' }),
  ChangedDate: f.timestamp({ doc: 'When it was last stopped, started or throttled.' }),
  ChangedPersonID: f.id({ doc: 'Who did.' }),
  Reason: f.text({ doc: 'The reason, if one was given.' }),
};

/** Parameter that names a queue. */
export const queueName = required(f.text({ doc: 'The name of the queue.', max: 100 }));

/** Parameter that says why a queue is stopped or throttled. */
export const reason = f.text({
  doc: 'The reason, shown to other operators and written to the security log.',
  max: 300,
});

/** Returns a reason as the security log has it. */
export function reasonDetail(text: string | null | undefined): string {
  return text ? `: ${text}` : '';
}

/** Throws unless the caller has universal access: queues are shared by all firms. */
export function assertUniversal(ctx: Context): void {
  if (!ctx.user.universal)
    throw new PlatformError('NO_PERMISSION', { message: 'Only users with universal access can see or change queues.' });
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
  return queueState(ctx, name);
}

/** Answers the state of a queue. */
export async function queueState(ctx: Context, name: string): Promise<Answer> {
  const state = (await ctx.queue.states(ctx.db)).find((each) => each.QueueName === name);
  if (!state) throw new Error('queue named by the settings is missing');
  return item('Queue', queueFields, state);
}
