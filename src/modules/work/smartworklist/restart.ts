import { recordItem } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { openNamedWorklist } from './lib/worklist-items.ts';
import { restartWorklist } from './lib/restart-worklist.ts';

export const operation = defineOperation({
  module: 'smartworklist',
  name: 'Restart',
  method: 'POST',
  summary:
    'Cancels a queue and opens a new one like it, with copies of its open work items, which are ' +
    'assigned again. Returns the new queue.',
  effect: 'write',
  idempotent: false,
  access: 'permission',
  names: 'ID',
  reach: 'locked row',
  params: {
    ID: required(f.id({ doc: 'The worklist.' })),
    KeepTeam: f.boolean({
      doc: 'Whether the work items keep their team; otherwise they get the default of the queue or its template.',
      default: true,
    }),
    KeepPriority: f.boolean({ doc: 'Whether they keep their priority; otherwise likewise.', default: true }),
    KeepPerson: f.boolean({ doc: 'Whether they keep their user.', default: false }),
    KeepSkipDate: f.boolean({ doc: 'Whether skipped ones stay skipped.', default: true }),
  },
  returns: 'item',
  errors: ['NOT_FOUND', 'STATE_REFUSES', 'CONCURRENT_CHANGE', 'RULE_EXCEPTION'],
  source: '2-workflow-ledgers-worklists-ai §4, Worklists',
});

export const run = handle(operation, async (ctx, keep) =>
  recordItem(ctx.record, await restartWorklist(ctx, openNamedWorklist(ctx), keep)),
);
