import { item } from '../../../kernel/door/answer.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { assertSeesHealth, checkedHealth } from './lib/checked-health.ts';
import { storeMute } from './lib/health-mutes.ts';

/** The longest mute: what is muted for ever is forgotten. */
const HOURS_MAX = 24 * 31;

export const operation = defineOperation({
  module: 'system',
  name: 'MuteHealth',
  method: 'POST',
  summary:
    'Mutes a finding of system/health for some hours, with a reason. It is still listed, after the others, and ' +
    'comes back automatically if a warning becomes a failure.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  params: {
    Health: required(f.text({ doc: 'The name of the check.', max: 60 })),
    Hours: required(f.integer({ doc: `For how long, from 1 to ${HOURS_MAX}.` })),
    Reason: required(f.text({ doc: 'Why this can wait.', max: 300 })),
  },
  returns: {
    Health: required(f.text({ doc: 'The name of the check.' })),
    MutedUntil: required(f.timestamp({ doc: 'Until when.' })),
  },
  answerName: 'MuteHealth',
  errors: ['BAD_PARAMETER', 'MISSING_PARAMETER', 'NO_PERMISSION', 'STATE_REFUSES'],
  source: 'checklist WEB-06',
});

export const run = handle(operation, async (ctx, { Health, Hours, Reason }) => {
  assertSeesHealth(ctx);
  if (Reason.trim() === '')
    throw new PlatformError('MISSING_PARAMETER', { field: 'Reason', message: 'Reason is required.' });
  if (Hours < 1 || Hours > HOURS_MAX)
    throw new PlatformError('BAD_PARAMETER', {
      field: 'Hours',
      message: `Hours: expected a number from 1 to ${HOURS_MAX}.`,
    });
  const found = (await checkedHealth(ctx)).find((check) => check.Health.toLowerCase() === Health.toLowerCase());
  if (!found || found.State === 'ok')
    throw new PlatformError('STATE_REFUSES', {
      field: 'Health',
      message: found
        ? `Health: ${found.Health} has passed; there is nothing to mute.`
        : 'Health: there is no such check.',
    });
  const until = new Date(ctx.clock.milliseconds() + Hours * 3_600_000).toISOString();
  const reason = Reason.trim();
  await storeMute(ctx.db, { health: found.Health, state: found.State, until, reason, personid: ctx.user.personId });
  await ctx.security({ event: 'HealthMuted', detail: `${found.Health} for ${Hours} h: ${reason}` });
  return item('MuteHealth', operation.returns, { Health: found.Health, MutedUntil: until });
});
