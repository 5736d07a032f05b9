import { list } from '../../kernel/answer.ts';
import { f } from '../../kernel/field.ts';
import { defineOperation, handle } from '../../kernel/operation.ts';
import { bad } from '../../kernel/parse-value.ts';
import { messageFields } from './lib/message.ts';

export const operation = defineOperation({
  module: 'queue',
  name: 'Search',
  method: 'GET',
  summary: 'Lists queued calls, the latest first; State=dead lists the dead letters.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  params: {
    QueueName: f.text({ doc: 'Only of this queue.', max: 100 }),
    State: f.choice(['created', 'retry', 'active', 'completed', 'failed', 'cancelled', 'dead'], { doc: 'Only in this state.' }),
    QueueLabel: f.text({ doc: 'Only with this label.', max: 100 }),
    PersonID: f.id({ doc: 'Only of this user.' }),
    RecordStart: f.integer({ doc: 'How many to skip.', default: 0 }),
    DisplaySize: f.integer({ doc: 'How many to answer, at most 1000.', default: 25 }),
  },
  returns: 'list',
  errors: ['BAD_PARAMETER'],
  source: 'decisions, Queue',
});

export const run = handle(operation, async (ctx, { QueueName, State, QueueLabel, PersonID, RecordStart, DisplaySize }) => {
  if (DisplaySize < 1 || DisplaySize > 1_000) throw bad('DisplaySize', 'a number of rows between 1 and 1000');
  if (RecordStart < 0) throw bad('RecordStart', 'a number of rows, 0 or more');
  const filter = {
    ...(QueueName ? { queueName: ctx.queue.queueOf(QueueName) } : {}),
    ...(State ? { state: State } : {}),
    ...(QueueLabel ? { label: QueueLabel } : {}),
    ...(PersonID ? { personId: PersonID } : {}),
    start: RecordStart,
    size: DisplaySize,
  };
  return list('QueueMessage', messageFields, await ctx.queue.find(ctx.db, filter));
});
