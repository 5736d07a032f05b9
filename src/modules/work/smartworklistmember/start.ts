import { f, required } from '../../../kernel/declare/field.ts';
import { namedRow } from '../../../kernel/door/named-records.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { changeItem, templateIdOf, writeAssignee } from './lib/change-item.ts';
import { itemWithUrl } from './lib/item-url.ts';
import { isOpen } from './lib/item-state.ts';
import { isInTeam } from './lib/teams.ts';

export const operation = defineOperation({
  module: 'smartworklistmember',
  name: 'Start',
  method: 'GET',
  summary:
    "Starts an open work item and assigns it to the caller. It must be unassigned or the caller's " +
    "own, and of one of the caller's teams or of none. A skipped one starts early. Returns the item " +
    'with the address to open.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  names: 'ID',
  reach: 'locked row',
  params: { ID: required(f.id({ doc: 'The item.' })) },
  returns: 'item',
  errors: ['NOT_FOUND', 'STATE_REFUSES', 'RULE_EXCEPTION'],
  source: '2-workflow-ledgers-worklists-ai §4, Worklists',
});

export const run = handle(operation, async (ctx, { ID }) => {
  const { record, user } = ctx;
  const before = namedRow(ctx, record);
  const refuse = (why: string): never => {
    throw new PlatformError('STATE_REFUSES', { field: 'ID', message: `Item ${ID}: ${why}` });
  };
  if (!isOpen(before)) refuse(`it is ${String(before.Status)}; only an open one can be started.`);
  if (before.PersonID !== null && before.PersonID !== user.personId) refuse('it is assigned to another user.');
  if (!(await isInTeam(ctx, ctx.db, before.TeamID, user.personId))) refuse('you are not in its team.');
  const isStarted = before.PersonID === user.personId && before.Status === 'Started';
  const row = isStarted
    ? before
    : await changeItem(ctx, record, before, {
        PersonID: user.personId,
        StartDate: before.StartDate ?? ctx.clock.now(),
        SkipDate: null,
      });
  if (!isStarted) await writeAssignee(ctx, row, await templateIdOf(ctx, row));
  return itemWithUrl(ctx, record, row);
});
