import { PAYMENT_PROVIDER } from '../../../contracts/payment-provider.ts';
import { item } from '../../../kernel/door/answer.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { namedRow } from '../../../kernel/door/named-records.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';

export const operation = defineOperation({
  module: 'paymentprovider',
  name: 'Test',
  method: 'POST',
  summary: 'Connects to a payment gateway with its key and reports any failure. Nothing is charged.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  names: 'ID',
  reach: 'row',
  params: { ID: required(f.id({ doc: 'The payment gateway.' })) },
  transactions: 'own',
  returns: {
    PaymentProviderID: required(f.id({ doc: 'The payment gateway.' })),
    Status: required(f.text({ doc: 'Works or Failed.' })),
    Message: f.text({ doc: 'What is wrong, if the test failed.' }),
    DurationMilliseconds: required(f.integer({ doc: 'How long the test took.' })),
  },
  answerName: 'Test',
  errors: ['NOT_FOUND'],
  source: 'docs/guides/operators/payments.md',
});

export const run = handle(operation, async (ctx, { ID }) => {
  const { PaymentProvider: name } = namedRow(ctx, ctx.record);
  const began = performance.now();
  const answer = (Status: string, Message: string | null) =>
    item('Test', operation.returns, {
      PaymentProviderID: ID,
      Status,
      Message,
      DurationMilliseconds: Math.round(performance.now() - began),
    });
  try {
    await ctx.providers.get(PAYMENT_PROVIDER, String(name)).check();
    return answer('Works', null);
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    return answer('Failed', error.message);
  }
});
