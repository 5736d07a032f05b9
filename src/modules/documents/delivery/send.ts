import { item } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { notFound } from '../../../kernel/records/search/read.ts';
import { claimMailing, keepClaimDuring } from './lib/claim.ts';
import { assertCanPrepare } from './lib/prepare-request.ts';
import { submitMailing } from './lib/submit-letters.ts';

export const operation = defineOperation({
  module: 'delivery',
  name: 'Send',
  method: 'POST',
  summary:
    'Submits the letters of a mailing that was approved and is due. Queued by the platform; extra calls are ' +
    'harmless, since one process at a time submits a mailing.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  names: 'DeliveryBatchID',
  reach: { own: 'Claiming the mailing is one statement, and only without a claim is it read whether it exists.' },
  params: { DeliveryBatchID: required(f.id({ doc: 'The mailing.', to: 'DeliveryBatch' })) },
  transactions: 'own',
  returns: {
    DeliveryBatchID: required(f.id({ doc: 'The mailing.', to: 'DeliveryBatch' })),
    Status: required(f.text({ doc: 'Its current status.' })),
  },
  answerName: 'DeliveryBatch',
  errors: ['NOT_FOUND', 'NO_PERMISSION', 'CONCURRENT_CHANGE'],
  source: '1-core §2, IDelivery',
});

export const run = handle(operation, async (ctx, { DeliveryBatchID }) => {
  assertCanPrepare(ctx);
  const claim = await claimMailing(ctx, DeliveryBatchID);
  if (claim) await keepClaimDuring(ctx, claim, () => submitMailing(ctx, claim));
  const [row] = await ctx.db.query<{ status: string }>(
    'select status from deliverybatch where deliverybatchid = $1::bigint',
    [DeliveryBatchID],
  );
  if (!row) throw notFound(ctx.registry.recordType('DeliveryBatch'), DeliveryBatchID);
  // One that is not due has a queued call already. If another process has it and dies, housekeeping queues a call.
  return item('DeliveryBatch', operation.returns, { DeliveryBatchID, Status: row.status });
});
