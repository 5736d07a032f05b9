import { item } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { auditPiece, auditPlan } from './lib/audit-items.ts';

const fields = {
  Count: required(f.integer({ doc: 'How many items look at a completed one again.' })),
  Audited: required(f.integer({ doc: 'How many completed items were decided about; none where none are left.' })),
};

export const operation = defineOperation({
  module: 'smartworklistmember',
  name: 'Audit',
  method: 'POST',
  summary:
    'Decides by the audit matrix about the next hundred completed items of a worklist, each once, and makes an item for each that is looked at again. smartworklist/audit does so until none is left.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  params: {
    SmartWorklistID: required(
      f.id({ doc: 'The worklist whose completed items are decided about.', to: 'SmartWorklist' }),
    ),
    AuditWorklistID: f.id({
      doc: 'The open worklist for what is looked at again, where the matrix names none; the same one where it is not sent.',
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
