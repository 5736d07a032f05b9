import { item } from '../../../kernel/door/answer.ts';
import type { Context } from '../../../kernel/door/context.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import type { QueueFilter } from '../../../kernel/ports/queue.ts';
import { messageFilter, messageFilters, requireMessages, withQueueAccess } from './lib/messages.ts';

/** The most that one call puts back; the oldest come first, and the call can be repeated. */
const REQUEUED_MAX = 10_000;

export const operation = defineOperation({
  module: 'queue',
  name: 'Requeue',
  method: 'POST',
  summary:
    'Returns dead letters to their queues with a fresh set of attempts: those named by ID, or all that ' +
    'match a filter, at most 10,000 per call.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  params: {
    ID: f.textList({ doc: 'IDs of the messages. One that is not a dead letter is skipped with a warning.' }),
    ...messageFilters,
  },
  returns: { Requeued: required(f.integer({ doc: 'How many messages were returned.' })) },
  answerName: 'Requeue',
  errors: ['NOT_FOUND', 'MISSING_PARAMETER', 'STATE_REFUSES', 'NO_PERMISSION'],
  source: 'decisions, Queue',
});

export const run = handle(operation, async (ctx, { ID, ...sent }) => {
  if (!ID && !Object.values(sent).some((value) => (value ?? undefined) !== undefined)) {
    throw new PlatformError('MISSING_PARAMETER', {
      field: 'ID',
      message: `Name messages by ID, or select them by ${Object.keys(messageFilters).join(', ')}.`,
    });
  }
  const filter = messageFilter(ctx, sent);
  if (!ID)
    return item('Requeue', operation.returns, {
      Requeued: await requeue(ctx, { ...filter, start: 0, size: REQUEUED_MAX }),
    });
  const messages = await requireMessages(ctx, ID);
  const others = messages.filter((m) => m.State !== 'dead');
  for (const message of others)
    ctx.alert({
      code: 'STATE_REFUSES',
      text: `Message ${message.QueueMessageID} is ${message.State}, not a dead letter.`,
    });
  if (others.length === messages.length)
    throw new PlatformError('STATE_REFUSES', {
      field: 'ID',
      message: 'ID: none of the messages is a dead letter.',
    });
  const ids = messages.filter((m) => m.State === 'dead').map((m) => m.QueueMessageID);
  return item('Requeue', operation.returns, {
    Requeued: await requeue(ctx, { ...filter, ids, start: 0, size: ids.length }),
  });
});

async function requeue(ctx: Context, filter: QueueFilter): Promise<number> {
  return (await withQueueAccess(ctx, (db) => ctx.queue.requeue(db, filter))).length;
}
