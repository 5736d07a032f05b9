import { item } from '../../../kernel/door/answer.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { requireMessages, withQueueAccess } from './lib/messages.ts';

export const operation = defineOperation({
  module: 'queue',
  name: 'Cancel',
  method: 'POST',
  summary:
    'Removes waiting calls from the queue. For a recurring call any of its messages will do: it does not ' +
    'run again, and a run in progress finishes.',
  effect: 'write',
  idempotent: false,
  access: 'permission',
  params: {
    ID: required(
      f.textList({
        doc: 'IDs of messages or schedules. One that is running or has ended is skipped with a warning.',
      }),
    ),
  },
  returns: { Canceled: required(f.integer({ doc: 'How many calls were removed.' })) },
  answerName: 'Cancel',
  errors: ['NOT_FOUND', 'STATE_REFUSES'],
  source: 'decisions, Queue',
});

export const run = handle(operation, async (ctx, { ID }) => {
  const messages = await requireMessages(ctx, ID);
  let canceled = 0;
  for (const { QueueMessageID } of messages) {
    const came = await withQueueAccess(ctx, (db) => ctx.queue.cancel(db, QueueMessageID));
    if (came === 'canceled') canceled++;
    else
      ctx.alert({
        code: 'STATE_REFUSES',
        text: `Message ${QueueMessageID} ${came === 'running' ? 'is running' : 'has ended'} and was skipped.`,
      });
  }
  if (canceled === 0)
    throw new PlatformError('STATE_REFUSES', { field: 'ID', message: 'ID: none of the messages is waiting.' });
  return item('Cancel', operation.returns, { Canceled: canceled });
});
