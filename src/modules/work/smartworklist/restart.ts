import { recordItem } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { lockOpenWorklist } from './lib/worklist-items.ts';
import { restartWorklist } from './lib/restart-worklist.ts';

export const operation = defineOperation({
  module: 'smartworklist',
  name: 'Restart',
  method: 'POST',
  summary:
    'Cancels a worklist and opens a new one like it with copies of the items that were pending; they are assigned anew. Answers the new worklist.',
  effect: 'write',
  idempotent: false,
  access: 'permission',
  names: 'ID',
  params: {
    ID: required(f.id({ doc: 'The worklist.' })),
    KeepTeam: f.boolean({
      doc: "Whether the items keep their team; else it is the worklist's, or its template's.",
      default: true,
    }),
    KeepPriority: f.boolean({ doc: 'Whether they keep their priority; else likewise.', default: true }),
    KeepPerson: f.boolean({ doc: 'Whether they keep their person.', default: false }),
    KeepSkipDate: f.boolean({ doc: 'Whether what was put off stays so.', default: true }),
  },
  returns: 'item',
  errors: ['NOT_FOUND', 'STATE_REFUSES', 'CONCURRENT_CHANGE', 'RULE_EXCEPTION'],
  source: '2-workflow-ledgers-worklists-ai §4, Worklists',
});

export const run = handle(operation, async (ctx, { ID, ...keep }) =>
  recordItem(ctx.record, await restartWorklist(ctx, await lockOpenWorklist(ctx, ID), keep)),
);
