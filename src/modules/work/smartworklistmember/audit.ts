import { item } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { auditPiece, auditPlan } from './lib/audit-items.ts';

const fields = {
  Count: required(f.integer({ doc: 'Number of audit items created.' })),
  Audited: required(f.integer({ doc: 'Number of completed work items handled; 0 if none are left.' })),
};

export const operation = defineOperation({
  module: 'smartworklistmember',
  name: 'Audit',
  method: 'POST',
  summary:
    'Decides with the audit matrix about the next hundred completed work items of a queue, each once, ' +
    'and creates a work item for each audit. smartworklist/audit repeats it until none is left.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  params: {
    SmartWorklistID: required(f.id({ doc: 'The queue whose completed work items are handled.', to: 'SmartWorklist' })),
    AuditWorklistID: f.id({
      doc: 'The open queue for audit items if the matrix names none. Defaults to the same queue.',
      to: 'SmartWorklist',
    }),
  },
  returns: fields,
  errors: ['NOT_FOUND', 'STATE_REFUSES', 'CONCURRENT_CHANGE', 'RULE_EXCEPTION'],
  source: '2-workflow-ledgers-worklists-ai §4, Worklists',
});

export const run = handle(operation, async (ctx, { SmartWorklistID, AuditWorklistID }) => {
  const { made, audited } = await auditPiece(
    ctx,
    ctx.record,
    await auditPlan(ctx, SmartWorklistID, AuditWorklistID ?? SmartWorklistID),
  );
  return item('SmartWorklistMemberAudit', fields, { Count: made, Audited: audited });
});
