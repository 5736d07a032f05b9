import { list } from '../../../kernel/door/answer.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { runHealthChecks } from './lib/health-checks.ts';

const checks = {
  Health: required(f.text({ doc: 'The name of the check.' })),
  State: required(f.choice(['ok', 'warning', 'failed'], { doc: 'The result.' })),
  Detail: required(f.text({ doc: 'Details.' })),
  Advice: f.text({ doc: 'What to do, unless the state is ok.' }),
};

export const operation = defineOperation({
  module: 'system',
  name: 'Health',
  method: 'GET',
  summary:
    'Checks the installation: database and its disk, queues, stored files, errors of the last 24 hours, and this ' +
    'process.',
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
  if (!ctx.user.universal)
    throw new PlatformError('NO_PERMISSION', {
      message: 'Only users with universal access can see the health of the installation.',
    });
  return list('Health', checks, await runHealthChecks(ctx));
});
