import { list } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { NO_CAUSE } from './lib/messages.ts';
import { assertUniversal } from './lib/queue-control.ts';

/** Causes that are listed, the most recent. */
const CAUSES_MAX = 100;

const causeFields = {
  Operation: required(f.text({ doc: 'The operation that failed.' })),
  ErrorCode: f.text({ doc: 'The code of the failures.' }),
  Cause: required(
    f.text({
      doc: 'A hash that the failures share, or `none`; pass it to queue/search, queue/requeue or queueretry/start.',
    }),
  ),
  Count: required(f.integer({ doc: 'How many dead letters have this cause.' })),
  FirstDate: required(f.timestamp({ doc: 'When the first of them became a dead letter.' })),
  LastDate: required(f.timestamp({ doc: 'When the last of them did.' })),
  QueueNames: required(f.text({ doc: 'The queues they came from, separated by commas.' })),
  QueueMessageID: required(f.text({ doc: 'The latest of them.' })),
  ErrorMessage: f.text({ doc: 'The message of its failure.' }),
  Looked: required(f.integer({ doc: 'How many dead letters were grouped: at most the latest 10,000.' })),
};

export const operation = defineOperation({
  module: 'queue',
  name: 'Causes',
  method: 'GET',
  summary:
    'Lists the dead letters by operation and cause, the latest first: how many, since when, and an example. ' +
    'Failures have the same cause if their texts differ only in IDs, numbers, quoted values and mail addresses.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  permission: 'QueueSearch',
  params: {},
  returns: 'list',
  answerName: 'DeadLetterCause',
  rows: causeFields,
  errors: ['NO_PERMISSION'],
  source: 'checklist WEB-06',
});

export const run = handle(operation, async (ctx) => {
  assertUniversal(ctx);
  const { causes, looked } = await ctx.queue.causes(ctx.db, CAUSES_MAX);
  return list(
    'DeadLetterCause',
    causeFields,
    causes.map((cause) => ({ ...cause, Cause: cause.Cause ?? NO_CAUSE, Looked: looked })),
  );
});
