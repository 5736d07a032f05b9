import { f, required } from '../../../kernel/declare/field.ts';
import { namedRows } from '../../../kernel/door/named-records.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { assignItem } from './lib/assign-item.ts';
import { ITEMS_MAX, changeItems, templateIdOf, writeAssignee } from './lib/change-item.ts';
import { isOpen } from './lib/item-state.ts';
import { isInTeam } from './lib/teams.ts';
import { openWorklist } from './lib/worklists.ts';

export const operation = defineOperation({
  module: 'smartworklistmember',
  name: 'AutoAssign',
  method: 'POST',
  summary:
    "Assigns open work items again: by the team matrix, then the queue's team and priority, then its " +
    "template's. The user stays if the matrix names none.",
  effect: 'write',
  idempotent: true,
  access: 'permission',
  names: 'ID',
  reach: 'locked row',
  params: { ID: required(f.idList({ doc: 'The items.', max: ITEMS_MAX })) },
  returns: 'list',
  errors: ['NOT_FOUND', 'STATE_REFUSES', 'MISSING_PARAMETER', 'TOO_LARGE', 'RULE_EXCEPTION'],
  source: '2-workflow-ledgers-worklists-ai §4, Worklists',
});

export const run = handle(operation, async (ctx) => {
  const given = new Map<number, unknown>();
  const answer = await changeItems(ctx, ctx.record, namedRows(ctx, ctx.record), async (row) => {
    if (!isOpen(row)) return `it is ${String(row.Status)}; only open work items are assigned.`;
    const { worklist, teamId, personId, priority } = await assignItem(
      ctx,
      await openWorklist(ctx, row.SmartWorklistID),
      { object: row.SourceObject, id: row.SourceObjectID },
      {},
    );
    const had = row.PersonID;
    // A user outside the new team could never take it.
    const person = personId ?? (had !== null && (await isInTeam(ctx, ctx.db, teamId, had)) ? had : null);
    if (person !== row.PersonID) given.set(row.SmartWorklistMemberID, person);
    const values = { SmartWorklistID: worklist.id, TeamID: teamId, PersonID: person, Priority: priority };
    const same =
      row.SmartWorklistID === worklist.id &&
      row.TeamID === teamId &&
      row.PersonID === person &&
      row.Priority === priority;
    if (same) return {};
    return person === row.PersonID ? values : { ...values, StartDate: null };
  });
  for (const row of answer.rows)
    if (given.has(row.SmartWorklistMemberID)) await writeAssignee(ctx, row, await templateIdOf(ctx, row));
  return answer;
});
