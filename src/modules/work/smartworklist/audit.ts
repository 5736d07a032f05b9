import { item } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { readRecord } from '../../../kernel/records/search/read.ts';
import { lockOpenWorklist } from './lib/worklist-items.ts';
import { restartWorklist } from './lib/restart-worklist.ts';

const fields = {
  Count: required(f.integer({ doc: 'How many items look at a completed one again.' })),
  Audited: required(f.integer({ doc: 'How many completed items were decided about.' })),
  SmartWorklistID: required(f.id({ doc: 'The worklist: the new one where it was restarted.' })),
};

export const operation = defineOperation({
  module: 'smartworklist',
  name: 'Audit',
  method: 'POST',
  summary:
    'Decides by the audit matrix for each completed item of a worklist, once, whether it is looked at again, and makes an item for each that is. Which of them follows from their ids: repeated, the same are chosen.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  names: 'ID',
  params: {
    ID: required(f.id({ doc: 'The worklist.' })),
    RestartWorklist: f.boolean({
      doc: 'Whether the worklist is restarted first, so that what is pending and what is looked at again stand in a new one.',
      default: false,
    }),
  },
  transactions: 'own',
  returns: fields,
  errors: ['NOT_FOUND', 'STATE_REFUSES', 'CONCURRENT_CHANGE', 'RULE_EXCEPTION'],
  source: '2-workflow-ledgers-worklists-ai §4, Worklists',
});

export const run = handle(operation, async (ctx, { ID, RestartWorklist }) => {
  await readRecord(ctx.db, ctx.record, ID);
  let [Count, Audited, target] = [0, 0, RestartWorklist ? undefined : ID];
  for (;;) {
    // The restart commits with the first piece: where there is no audit matrix neither is done.
    const piece = await ctx.inTransaction(async (own) => {
      const AuditWorklistID =
        target ??
        Number(
          (
            await restartWorklist(own, await lockOpenWorklist(own, ID), {
              KeepTeam: true,
              KeepPriority: true,
              KeepPerson: false,
              KeepSkipDate: true,
            })
          )['SmartWorklistID'],
        );
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
