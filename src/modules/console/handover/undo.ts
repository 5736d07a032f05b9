import { recordItem } from '../../../kernel/door/answer.ts';
import { namedRow } from '../../../kernel/door/named-records.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { updateRow } from '../../../kernel/records/save/update-row.ts';
import { assertConfirmed } from '../../../kernel/security/confirmation.ts';
import { lastHandover, lockedPerson } from './lib/stored-handovers.ts';
import { undoHandoverRuns } from './lib/undo-runs.ts';

export const operation = defineOperation({
  module: 'handover',
  name: 'Undo',
  method: 'POST',
  summary:
    'Undoes a deactivation: restores the status of the user and, in the background, returns the work that nobody has ' +
    'worked on or changed since. API keys stay revoked. A deactivation that is already undone is left unchanged.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  permission: 'PersonSave',
  names: 'ID',
  reach: 'locked row',
  params: { ID: required(f.id({ doc: 'The deactivation.' })) },
  returns: 'item',
  errors: ['NOT_FOUND', 'STATE_REFUSES', 'NO_PERMISSION', 'CONFIRM_IDENTITY', 'TOO_LARGE'],
  source: 'checklist WEB-06',
});

export const run = handle(operation, async (ctx, { ID }) => {
  assertConfirmed(ctx);
  const row = namedRow(ctx, ctx.record);
  if (row.UndoneDate !== null) return recordItem(ctx.record, row);
  const refuse = (message: string): never => {
    throw new PlatformError('STATE_REFUSES', { field: 'ID', message: `ID: ${message}` });
  };
  const personId = row.PersonID ?? refuse('the user of this deactivation no longer exists.');
  const person = await lockedPerson(ctx, personId);
  if ((await lastHandover(ctx, personId))?.HandoverID !== ID)
    return refuse('the user has been deactivated again since. Undo the last deactivation.');
  if (person.status === 'Inactive' && row.PriorStatus !== 'Inactive')
    await ctx.call('person/update', { ID: personId, Status: row.PriorStatus ?? 'Active' });
  await undoHandoverRuns(ctx, row);
  await ctx.security({ event: 'PersonReactivated', object: 'Person', objectId: personId });
  return recordItem(
    ctx.record,
    await updateRow(ctx, ctx.record, ID, { Status: 'Undone', UndoneDate: ctx.clock.now() }),
  );
});
