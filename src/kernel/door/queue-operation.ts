import { timeZone } from '../declare/core-settings.ts';
import { f } from '../declare/field.ts';
import type { Operation } from '../declare/operation.ts';
import type { Parameters } from '../parameters/parameters.ts';
import { parseParameters, type ParsedCall } from '../parameters/parse-parameters.ts';
import { queueParameters } from '../parameters/queue-parameters.ts';
import { parentParameters } from '../records/save/parent-scope.ts';
import { assertSearchFilters, assertSearchPaging } from '../records/search/check-search.ts';
import { assertQueueable } from '../records/save/save-authorization.ts';
import { item, type Answer } from './answer.ts';
import type { CallContext } from './call-context.ts';
import { PlatformError } from './errors.ts';
import { assertNoSecretAnswer } from './secret-answers.ts';

const queuedFields = {
  QueueMessageID: f.text({ doc: 'Id of the queued message, to look up its state.', max: 36 }),
};

/** Queues a call: checks its parameters now; a worker runs it later as the same user. Returns the message id. */
export async function queueOperation(ctx: CallContext, operation: Operation, parameters: Parameters): Promise<Answer> {
  if (operation.body === 'raw')
    throw new PlatformError('BAD_PARAMETER', {
      message:
        'An operation whose body is a file cannot be queued by the caller; ' +
        'its import template decides whether it runs later.',
    });
  assertNoSecretAnswer(operation, parameters);
  const options = { timeZone: ctx.settings.get(timeZone) };
  const queued = queueParameters(operation, parameters, options.timeZone, ctx.clock);
  const { parent } = ctx;
  const own = parent ? await parentParameters(ctx, operation, queued.rest) : queued.rest;
  const parsed = parseParameters(operation, own, options);
  await assertQueueable(ctx, operation, parsed, (await operation.queuedFields?.(ctx, own)) ?? own);
  await assertFreeParameters(ctx, operation, parsed);
  const id = await ctx.enqueue({
    route: operation.route,
    parameters: queued.rest,
    ...queued.options,
    ...(parent ? { parent: { record: parent.record.name, id: parent.id } } : {}),
  });
  return item('QueueMessage', queuedFields, { QueueMessageID: id });
}

/** Throws for parameters of a call that the operation would refuse when it is made. */
export async function checkParameters(ctx: CallContext, operation: Operation, parameters: Parameters): Promise<void> {
  const own = await parentParameters(ctx, operation, parameters);
  const parsed = parseParameters(operation, own, { timeZone: ctx.settings.get(timeZone) });
  await assertFreeParameters(ctx, operation, parsed);
}

/** Throws for parameters that are not declared and that the operation would refuse when it runs. */
async function assertFreeParameters(
  ctx: CallContext,
  { checkQueued, free, name, record }: Operation,
  { params, rest }: ParsedCall,
): Promise<void> {
  await checkQueued?.(ctx, params, rest);
  if (free !== 'filters' || !record) return;
  assertSearchFilters(ctx, record, rest);
  // Others have columns of their own.
  if (name === 'Search') assertSearchPaging(record, params);
}
