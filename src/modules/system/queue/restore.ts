import { item } from '../../../kernel/door/answer.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { messageFilter, withQueueAccess } from './lib/messages.ts';

/** The most that one call restores: as many as one call discards. */
const RESTORED_MAX = 10_000;

export const operation = defineOperation({
  module: 'queue',
  name: 'Restore',
  method: 'POST',
  summary: 'Makes discarded messages dead letters again. They do not run until they are retried.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  permission: 'QueueDiscard',
  params: {
    DiscardID: required(
      f.text({ doc: 'The messages that were discarded together, as queue/discard named them.', max: 36 }),
    ),
  },
  returns: { Restored: required(f.integer({ doc: 'How many messages are dead letters again.' })) },
  answerName: 'Restore',
  errors: ['STATE_REFUSES', 'NO_PERMISSION'],
  source: 'checklist WEB-06',
});

export const run = handle(operation, async (ctx, { DiscardID }) => {
  const filter = { ...messageFilter(ctx, {}), discardId: DiscardID, start: 0, size: RESTORED_MAX };
  const restored = await withQueueAccess(ctx, (db) => ctx.queue.restore(db, filter));
  if (restored.length === 0)
    throw new PlatformError('STATE_REFUSES', {
      field: 'DiscardID',
      message: 'DiscardID: none of its messages is discarded any more.',
    });
  await ctx.security({ event: 'CallsRestored', detail: String(restored.length) });
  return item('Restore', operation.returns, { Restored: restored.length });
});
