import { item } from '../../../kernel/door/answer.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { assertSeesHealth } from './lib/checked-health.ts';
import { endMute } from './lib/health-mutes.ts';

export const operation = defineOperation({
  module: 'system',
  name: 'UnmuteHealth',
  method: 'POST',
  summary: 'Ends the mute of a finding of system/health.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  permission: 'SystemMuteHealth',
  params: { Health: required(f.text({ doc: 'The name of the check.', max: 60 })) },
  returns: { Health: required(f.text({ doc: 'The name of the check.' })) },
  answerName: 'UnmuteHealth',
  errors: ['NO_PERMISSION', 'STATE_REFUSES'],
  source: 'checklist WEB-06',
});

export const run = handle(operation, async (ctx, { Health }) => {
  assertSeesHealth(ctx);
  if (!(await endMute(ctx.db, Health)))
    throw new PlatformError('STATE_REFUSES', { field: 'Health', message: `Health: ${Health} is not muted.` });
  await ctx.security({ event: 'HealthUnmuted', detail: Health });
  return item('UnmuteHealth', operation.returns, { Health });
});
