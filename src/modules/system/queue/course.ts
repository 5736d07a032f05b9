import { list } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { bad } from '../../../kernel/parameters/parse-value.ts';
import { assertUniversal } from './lib/queue-control.ts';
import { queueCourse } from './lib/queue-samples.ts';

/** Samples are kept for a week. */
const HOURS_MAX = 168;

const pointFields = {
  QueueName: required(f.text({ doc: 'The queue.' })),
  At: required(f.timestamp({ doc: 'The beginning of ten minutes.' })),
  Waiting: required(f.integer({ doc: 'The most calls that were due and waited.' })),
  OldestSeconds: required(f.integer({ doc: 'The longest that one of them had been due, in seconds.' })),
  Dead: required(f.integer({ doc: 'The most dead letters.' })),
};

export const operation = defineOperation({
  module: 'queue',
  name: 'Course',
  method: 'GET',
  summary: 'Lists how many calls waited in each queue over the last hours, in steps of ten minutes.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  permission: 'QueueQueues',
  params: { Hours: f.integer({ doc: 'From 1 to 168.', default: 24 }) },
  returns: 'list',
  answerName: 'QueuePoint',
  rows: pointFields,
  errors: ['BAD_PARAMETER', 'NO_PERMISSION'],
  source: 'checklist WEB-06',
});

export const run = handle(operation, async (ctx, { Hours }) => {
  assertUniversal(ctx);
  if (Hours < 1 || Hours > HOURS_MAX) throw bad('Hours', `a number from 1 to ${HOURS_MAX}`);
  return list('QueuePoint', pointFields, await queueCourse(ctx.db, Hours));
});
