import { f, required } from '../../../kernel/declare/field.ts';
import { namedRows } from '../../../kernel/door/named-records.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { assignmentDefaults } from './lib/assign-item.ts';
import { ITEMS_MAX, changeItems } from './lib/change-item.ts';
import { assertItemPermission } from './lib/item-permissions.ts';
import { openWorklist } from './lib/worklists.ts';

export const operation = defineOperation({
  module: 'smartworklistmember',
  name: 'Requeue',
  method: 'POST',
  summary:
    'Puts started, skipped or canceled work items back into their queue, open and not started. Values ' +
    'not kept are set to the defaults of the queue or its template. Items of other users need the permission ' +
    'SmartWorklistMemberReassign.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  names: 'ID',
  reach: 'locked row',
  params: {
    ID: required(f.idList({ doc: 'The items.', max: ITEMS_MAX })),
    KeepTeam: f.boolean({ doc: 'Whether to keep the team.', default: true }),
    KeepPerson: f.boolean({ doc: 'Whether to keep the user.', default: false }),
    KeepPriority: f.boolean({ doc: 'Whether to keep the priority.', default: true }),
  },
  returns: 'list',
  errors: ['NOT_FOUND', 'STATE_REFUSES', 'MISSING_PARAMETER', 'TOO_LARGE', 'RULE_EXCEPTION'],
  source: '2-workflow-ledgers-worklists-ai §4, Worklists',
});

export const run = handle(operation, (ctx, { KeepTeam, KeepPerson, KeepPriority }) =>
  changeItems(ctx, ctx.record, namedRows(ctx, ctx.record), async (row) => {
    if (row.CompletionDate !== null) return 'it is completed.';
    const isTaken = row.PersonID !== null && row.PersonID !== ctx.user.personId;
    if (isTaken && ctx.authority === 'checked')
      assertItemPermission(ctx, 'Reassign', "requeue another user's work item");
    // A canceled worklist has no open items.
    const { teamId, priority } = await assignmentDefaults(ctx, await openWorklist(ctx, row.SmartWorklistID));
    return {
      StartDate: null,
      SkipDate: null,
      CancelledDate: null,
      ...(KeepTeam ? {} : { TeamID: teamId }),
      ...(KeepPerson ? {} : { PersonID: null }),
      ...(KeepPriority ? {} : { Priority: priority }),
    };
  }),
);
