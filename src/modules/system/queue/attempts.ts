import { list } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { requireMessages } from './lib/messages.ts';

const attemptFields = {
  At: required(f.timestamp({ doc: 'When the attempt ended.' })),
  ErrorCode: required(f.text({ doc: 'The code of its failure.' })),
};

export const operation = defineOperation({
  module: 'queue',
  name: 'Attempts',
  method: 'GET',
  summary:
    'Lists the failed attempts of a queued call since it was last put into its queue, the oldest first, the latest 20.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  permission: 'QueueSearch',
  params: { ID: required(f.text({ doc: "The message's ID, as queueing the call returned it.", max: 36 })) },
  returns: 'list',
  answerName: 'QueueAttempt',
  rows: attemptFields,
  errors: ['NOT_FOUND'],
  source: 'checklist WEB-06',
});

export const run = handle(operation, async (ctx, { ID }) => {
  const [message] = await requireMessages(ctx, [ID]);
  if (!message) throw new Error('found message is missing');
  return list(
    'QueueAttempt',
    attemptFields,
    message.failures.map(({ at, code }) => ({ At: at, ErrorCode: code })),
  );
});
