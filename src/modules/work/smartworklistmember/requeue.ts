import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { assignmentDefaults } from './lib/assign-item.ts';
import { changeItems } from './lib/change-item.ts';
import { openWorklist } from './lib/worklists.ts';

export const operation = defineOperation({
  module: 'smartworklistmember',
  name: 'Requeue',
  method: 'POST',
  summary:
    'Puts items that were started, put off or canceled back into their queue, open and not begun. What is not kept becomes what the worklist, or else its template, says.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  names: 'ID',
  params: {
    ID: required(f.idList({ doc: 'The items.' })),
    KeepTeam: f.boolean({ doc: 'Whether the team stays.', default: true }),
    KeepPerson: f.boolean({ doc: 'Whether the person stays.', default: false }),
    KeepPriority: f.boolean({ doc: 'Whether the priority stays.', default: true }),
  },
  returns: 'list',
  errors: ['NOT_FOUND', 'STATE_REFUSES', 'MISSING_PARAMETER', 'TOO_LARGE', 'RULE_EXCEPTION'],
  source: '2-workflow-ledgers-worklists-ai §4, Worklists',
});

export const run = handle(operation, (ctx, { ID, KeepTeam, KeepPerson, KeepPriority }) =>
  changeItems(ctx, ctx.record, ID, async (row) => {
    if (row['CompletionDate'] !== null) return 'it is completed.';
    // A worklist that is canceled has no open items.
    const { teamId, priority } = await assignmentDefaults(ctx, await openWorklist(ctx, Number(row['SmartWorklistID'])));
    return new Map<string, unknown>([
      ['startdate', null],
      ['skipdate', null],
      ['cancelleddate', null],
      ...(KeepTeam ? [] : ([['teamid', teamId]] as const)),
      ...(KeepPerson ? [] : ([['personid', null]] as const)),
      ...(KeepPriority ? [] : ([['priority', priority]] as const)),
    ]);
  }),
);
