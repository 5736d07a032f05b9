import { list } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { assertSeesHealth, checkedHealth } from './lib/checked-health.ts';

const checks = {
  Health: required(f.text({ doc: 'The name of the check.' })),
  State: required(f.choice(['ok', 'warning', 'failed'], { doc: 'The result.' })),
  Detail: required(f.text({ doc: 'Details.' })),
  Advice: f.text({ doc: 'What to do, unless the state is ok.' }),
  Consequence: f.text({ doc: 'What the finding means; empty if the state is ok.' }),
  Since: f.timestamp({ doc: 'Since when it has been so, where that is known.' }),
  MutedUntil: f.timestamp({ doc: 'Until when somebody has muted it.' }),
  MuteReason: f.text({ doc: 'Why.' }),
  MutePersonID: f.id({ doc: 'Who muted it.' }),
};

export const operation = defineOperation({
  module: 'system',
  name: 'Health',
  method: 'GET',
  summary:
    'Checks the installation: database and its disk, queues, stored files, errors of the last 24 hours, and this ' +
    'process. The most serious finding comes first.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  params: {},
  returns: 'list',
  answerName: 'Health',
  rows: checks,
  errors: ['NO_PERMISSION'],
  source: 'checklist WEB-06',
});

export const run = handle(operation, async (ctx) => {
  assertSeesHealth(ctx);
  return list('Health', checks, await checkedHealth(ctx));
});
