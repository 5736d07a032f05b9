import { PlatformError } from '../../../kernel/door/errors.ts';
import { f } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { assertConfirmed } from '../../../kernel/security/confirmation.ts';
import { endOwnSessions } from './lib/own-sessions.ts';

export const operation = defineOperation({
  module: 'session',
  name: 'EndOwn',
  method: 'POST',
  summary:
    "Ends one of the caller's own browser sessions, or all of them except the one that the call comes from. All " +
    'processes refuse them within a second.',
  effect: 'write',
  idempotent: true,
  access: 'signed-in',
  names: 'ID',
  reach: { own: 'Callers end their own sessions, which row security hides from users of firms.' },
  params: { ID: f.id({ doc: 'The session; default: all others.' }) },
  returns: 'nothing',
  errors: ['NOT_FOUND', 'CONFIRM_IDENTITY'],
  source: 'checklist WEB-06',
});

export const run = handle(operation, async (ctx, { ID }) => {
  assertConfirmed(ctx);
  const ended = await endOwnSessions(ctx, ID ?? undefined);
  ctx.accessChanged();
  if (typeof ID === 'number' && ended.length === 0)
    throw new PlatformError('NOT_FOUND', { field: 'ID', message: 'ID: you have no open session with this ID.' });
  for (const id of ended) await ctx.security({ event: 'SessionEnded', object: 'Session', objectId: id });
  return { kind: 'nothing' };
});
