import { item } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { assertCanPrepare } from './lib/prepare-request.ts';
import { trackLetters } from './lib/track-letters.ts';

export const operation = defineOperation({
  module: 'delivery',
  name: 'Track',
  method: 'POST',
  summary:
    'Queries mail houses for the state of letters, and whether they received those whose state is unknown. Without ' +
    'letters and mailing, checks the letters in transit that were checked longest ago.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  names: ['ID', 'DeliveryBatchID'],
  params: {
    ID: f.idList({ doc: 'The letters.', max: 500 }),
    DeliveryBatchID: f.id({ doc: 'A mailing, instead of letters.', to: 'DeliveryBatch' }),
  },
  transactions: 'own',
  returns: {
    Checked: required(f.integer({ doc: 'How many letters were checked with their mail houses.' })),
    Changed: required(f.integer({ doc: 'How many letters have another state than before.' })),
  },
  answerName: 'Track',
  errors: ['NOT_FOUND', 'NO_PERMISSION'],
  source: '1-core §2, IDelivery',
});

export const run = handle(operation, async (ctx, { ID, DeliveryBatchID }) => {
  assertCanPrepare(ctx);
  const { inquired, changed, problems } = await trackLetters(ctx, {
    ids: ID ?? [],
    batchId: DeliveryBatchID ?? undefined,
  });
  for (const text of problems) ctx.alert({ code: 'UNAVAILABLE', text });
  return item('Track', operation.returns, { Checked: inquired, Changed: changed });
});
