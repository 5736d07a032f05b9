import { recordItem } from '../../../kernel/door/answer.ts';
import type { Context } from '../../../kernel/door/context.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import type { Values } from '../../../kernel/declare/values.ts';
import { planColumns } from '../../../kernel/records/save/plan.ts';
import { saveRecord } from '../../../kernel/records/save/save-record.ts';
import { assertConfirmed } from '../../../kernel/security/confirmation.ts';
import { isBuiltinUser } from '../../../kernel/security/system-user.ts';
import { endAccess } from './lib/end-access.ts';
import { heldKinds } from './lib/handover-kinds.ts';
import { assertCanReceive } from './lib/receiver.ts';
import { lastHandover, lockedPerson } from './lib/stored-handovers.ts';
import { startHandoverRun } from './lib/work-runs.ts';
import type { handover } from './handover.record.ts';

export const operation = defineOperation({
  module: 'handover',
  name: 'Deactivate',
  method: 'POST',
  summary:
    'Deactivates a user: ends their sessions, revokes their API keys, and gives their open work to others by bulk ' +
    'changes in the background. If it has already deactivated the user, it changes nothing and returns the ' +
    'earlier deactivation.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  permission: 'PersonSave',
  names: 'PersonID',
  params: {
    PersonID: required(f.id({ doc: 'The user.', to: 'Person' })),
    Reason: required(f.text({ doc: 'Why.', max: 1000 })),
    WorkPersonID: f.id({
      doc: 'Who gets the open work items and tasks. Empty: they go back to their queues.',
      to: 'Person',
    }),
    CasePersonID: f.id({ doc: 'Who gets the open cases. Empty: they become unassigned.', to: 'Person' }),
  },
  returns: 'item',
  errors: ['NOT_FOUND', 'BAD_PARAMETER', 'STATE_REFUSES', 'NO_PERMISSION', 'CONFIRM_IDENTITY', 'TOO_LARGE'],
  source: 'checklist WEB-06',
});

export const run = handle(operation, async (ctx, { PersonID, Reason, ...to }) => {
  assertConfirmed(ctx);
  const receivers = { WorkPersonID: to.WorkPersonID ?? null, CasePersonID: to.CasePersonID ?? null };
  assertOthers(ctx, PersonID, receivers);
  const person = await lockedPerson(ctx, PersonID);
  if (isBuiltinUser(person, 'System') || isBuiltinUser(person, 'Workflow'))
    throw new PlatformError('STATE_REFUSES', {
      field: 'PersonID',
      message: `PersonID: ${person.name} is a built-in user and cannot be deactivated.`,
    });
  const last = await lastHandover(ctx, PersonID);
  if (last?.UndoneDate === null && person.status === 'Inactive') return recordItem(ctx.record, last);

  const kinds = await heldKinds(ctx, PersonID);
  for (const field of ['WorkPersonID', 'CasePersonID'] as const) {
    const receiver = receivers[field];
    const given = kinds.filter((kind) => kind.to === field);
    if (receiver !== null) await assertCanReceive(ctx, given, { from: PersonID, to: receiver });
  }
  if (person.status !== 'Inactive') await ctx.call('person/update', { ID: PersonID, Status: 'Inactive' });
  const ended = await endAccess(ctx, PersonID);
  const values: Values<typeof handover> = {
    Handover: person.name,
    Status: 'Done',
    PersonID,
    Reason,
    PriorStatus: person.status,
    ...receivers,
    KeyCount: ended.keys,
    SessionCount: ended.sessions,
  };
  for (const kind of kinds)
    values[kind.run] = await startHandoverRun(ctx, kind, {
      from: { personId: PersonID, name: person.name },
      to: receivers[kind.to],
    });
  const { row } = await saveRecord(ctx, planColumns(ctx.record, values), 'insert');
  await ctx.security({
    event: 'PersonDeactivated',
    object: 'Person',
    objectId: PersonID,
    detail: Reason.slice(0, 400),
  });
  return recordItem(ctx.record, row);
});

/** Throws unless the user is somebody else, and is not to get their own work. */
function assertOthers(ctx: Context, personId: number, receivers: Readonly<Record<string, number | null>>): void {
  if (personId === ctx.user.personId)
    throw new PlatformError('STATE_REFUSES', {
      field: 'PersonID',
      message: 'PersonID: you cannot deactivate yourself. Ask another administrator.',
    });
  for (const [field, receiver] of Object.entries(receivers))
    if (receiver === personId)
      throw new PlatformError('BAD_PARAMETER', {
        field,
        message: `${field}: expected a user other than the one being deactivated.`,
      });
}
