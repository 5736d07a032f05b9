import { list } from '../../../kernel/door/answer.ts';
import { f } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { assertPage } from '../../../kernel/records/search/search.ts';
import { messageFilter, findMessages, messageFilters } from './lib/messages.ts';

const { ErrorCode: _error, Cause: _cause, ...filters } = messageFilters;

const scheduleFields = {
  ScheduleID: f.text({ doc: 'The first message of the recurring call; pass it to queue/cancel.' }),
  ScheduleName: f.text({ doc: 'When it recurs.' }),
  Operation: f.text({ doc: 'The operation that is called.' }),
  PersonID: f.id({ doc: 'As whom.' }),
  QueueName: f.text({ doc: 'Its queue.' }),
  QueueLabel: f.text({ doc: 'Its label.' }),
  NextRun: f.timestamp({ doc: 'When it runs next.' }),
  QueueMessageID: f.text({ doc: 'The message of the next run.' }),
};

export const operation = defineOperation({
  module: 'queue',
  name: 'Schedules',
  method: 'GET',
  summary:
    'Lists the active recurring calls, the next to run first. Users see their own; those who may search ' +
    'the queue see all.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  params: {
    ...filters,
    RecordStart: f.integer({ doc: 'How many to skip.', default: 0 }),
    DisplaySize: f.integer({ doc: 'How many to return, at most 1000.', default: 25 }),
  },
  returns: 'list',
  answerName: 'Schedule',
  rows: scheduleFields,
  errors: ['BAD_PARAMETER', 'NO_PERMISSION'],
  source: 'decisions, Queue',
});

export const run = handle(operation, async (ctx, { RecordStart, DisplaySize, ...sent }) => {
  assertPage(RecordStart, DisplaySize);
  const messages = await findMessages(ctx, {
    ...messageFilter(ctx, sent),
    scheduled: true,
    start: RecordStart,
    size: DisplaySize,
  });
  return list(
    'Schedule',
    scheduleFields,
    messages.map((message) => ({ ...message, NextRun: message.StartAfter })),
  );
});
