import { list } from '../../../kernel/door/answer.ts';
import { f } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { assertPage } from '../../../kernel/records/search/search.ts';
import { messageFilter, findMessages, messageFields, messageFilters, messageRow } from './lib/messages.ts';

export const operation = defineOperation({
  module: 'queue',
  name: 'Search',
  method: 'GET',
  summary: 'Lists queued calls, the latest first; State=dead lists the dead letters.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  params: {
    ...messageFilters,
    State: f.choice(['created', 'retry', 'paused', 'active', 'completed', 'failed', 'cancelled', 'dead', 'discarded'], {
      doc: 'Only messages in this state. `failed`: it ended without a dead letter, because the platform repeats it.',
    }),
    RecordStart: f.integer({ doc: 'How many to skip.', default: 0 }),
    DisplaySize: f.integer({ doc: 'How many to return, at most 1000.', default: 25 }),
  },
  returns: 'list',
  answerName: 'QueueMessage',
  rows: messageFields,
  errors: ['BAD_PARAMETER', 'NO_PERMISSION'],
  source: 'decisions, Queue',
});

export const run = handle(operation, async (ctx, { State, RecordStart, DisplaySize, ...sent }) => {
  assertPage(RecordStart, DisplaySize);
  const rows = await findMessages(ctx, {
    ...messageFilter(ctx, sent),
    ...(State ? { state: State } : {}),
    start: RecordStart,
    size: DisplaySize,
  });
  return list(
    'QueueMessage',
    messageFields,
    rows.map((message) => messageRow(ctx, message)),
  );
});
