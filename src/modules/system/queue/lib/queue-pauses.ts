import type { Answer } from '../../../../kernel/door/answer.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { didYouMean, PlatformError } from '../../../../kernel/door/errors.ts';
import { f } from '../../../../kernel/declare/field.ts';
import { assertUniversal, queueState, reasonDetail } from './queue-control.ts';

/** Parameter that names the operation whose calls are stopped or started. */
export const pausedOperation = f.text({
  doc: 'Only calls of this operation, as `module/operation`; the other calls of the queue run.',
  max: 200,
});

/** Which calls to pause or resume, as they were sent. */
interface SentCalls {
  readonly QueueName: string;
  readonly Operation: string;
}

/** Holds the calls of an operation in a queue back, writes the security log, and answers the state of the queue. */
export async function pauseCalls(ctx: Context, sent: SentCalls, reason: string | null): Promise<Answer> {
  assertUniversal(ctx);
  const calls = { queueName: ctx.queue.queueOf(sent.QueueName), operation: requireRoute(ctx, sent.Operation) };
  await ctx.queue.pause(ctx.db, calls, { personId: ctx.user.personId, reason });
  await ctx.security({
    event: 'OperationPaused',
    object: 'Queue',
    detail: `${calls.operation} in ${calls.queueName}${reasonDetail(reason)}`,
  });
  return queueState(ctx, calls.queueName);
}

/** Lets the calls of a paused operation run again. Does nothing to one that is not paused. */
export async function resumeCalls(ctx: Context, sent: SentCalls): Promise<Answer> {
  assertUniversal(ctx);
  const calls = { queueName: ctx.queue.queueOf(sent.QueueName), operation: sent.Operation.toLowerCase() };
  if (await ctx.queue.resume(ctx.db, calls))
    await ctx.security({
      event: 'OperationResumed',
      object: 'Queue',
      detail: `${calls.operation} in ${calls.queueName}`,
    });
  return queueState(ctx, calls.queueName);
}

/** Returns the route of an operation as queued calls name it. Throws BAD_PARAMETER if there is none. */
function requireRoute(ctx: Context, sent: string): string {
  const found = ctx.registry.operation(sent.toLowerCase());
  if (found) return found.route.toLowerCase();
  const known = ctx.registry.operations().map(({ route }) => route);
  throw new PlatformError('BAD_PARAMETER', {
    field: 'Operation',
    message: `Operation: there is no such operation.${didYouMean(sent, known)}`,
  });
}
