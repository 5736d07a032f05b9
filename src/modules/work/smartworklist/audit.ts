import { item } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { lockOpenWorklist } from './lib/worklist-items.ts';
import { restartWorklist } from './lib/restart-worklist.ts';

const fields = {
  Count: required(f.integer({ doc: 'Number of audit items created.' })),
  Audited: required(f.integer({ doc: 'Number of completed work items handled.' })),
  SmartWorklistID: required(f.id({ doc: 'The queue; the new one after a restart.' })),
};

export const operation = defineOperation({
  module: 'smartworklist',
  name: 'Audit',
  method: 'POST',
  summary:
    'Decides with the audit matrix, once per completed work item of a queue, whether it is audited, ' +
    'and creates a work item for each audit. The sample depends only on IDs, so repeating it picks ' +
    'the same items.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  names: 'ID',
  params: {
    ID: required(f.id({ doc: 'The worklist.' })),
    RestartWorklist: f.boolean({
      doc: 'Whether to restart the queue first, so that pending and audit items are in a new one.',
      default: false,
    }),
  },
  transactions: 'own',
  returns: fields,
  errors: ['NOT_FOUND', 'STATE_REFUSES', 'CONCURRENT_CHANGE', 'RULE_EXCEPTION'],
  source: '2-workflow-ledgers-worklists-ai §4, Worklists',
});

export const run = handle(operation, async (ctx, { ID, RestartWorklist }) => {
  let [Count, Audited, target] = [0, 0, RestartWorklist ? undefined : ID];
  for (;;) {
    // The restart commits with the first page. Without an audit matrix neither happens.
    const piece = await ctx.inTransaction(async (own) => {
      const AuditWorklistID =
        target ??
        (
          await restartWorklist(own, await lockOpenWorklist(own, ID), {
            KeepTeam: true,
            KeepPriority: true,
            KeepPerson: false,
            KeepSkipDate: true,
          })
        ).SmartWorklistID;
      return {
        AuditWorklistID,
        ...(await own.call('smartworklistmember/audit', { SmartWorklistID: ID, AuditWorklistID })).row,
      };
    });
    target = piece.AuditWorklistID;
    Count += piece.Count;
    Audited += piece.Audited;
    if (piece.Audited === 0) break;
  }
  return item('SmartWorklistAudit', fields, { Count, Audited, SmartWorklistID: target });
});
