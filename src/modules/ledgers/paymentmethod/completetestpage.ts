import { assertGatewayId } from '../../../contracts/payment-validation.ts';
import { item } from '../../../kernel/door/answer.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { namedRow } from '../../../kernel/door/named-records.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { gatewayById } from '../lib/payments/gateways.ts';
import { assertOwnTransactions } from '../lib/payments/payment-rows.ts';

export const operation = defineOperation({
  module: 'paymentmethod',
  name: 'CompleteTestPage',
  method: 'POST',
  summary:
    'Completes the page of a test gateway as its customer would: stores a test card, or cancels. Other gateways have ' +
    'pages of their own, and refuse it.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  permission: 'PaymentMethodVault',
  names: 'ID',
  reach: 'row',
  params: {
    ID: required(f.id({ doc: 'The payment method.' })),
    Token: f.secret({ doc: 'The test card (paymentmethod/testtokens); empty to cancel.', max: 255 }),
  },
  transactions: 'own',
  returns: { URL: required(f.text({ doc: 'Where the browser goes next.' })) },
  answerName: 'TestPage',
  errors: ['NOT_FOUND', 'BAD_PARAMETER', 'STATE_REFUSES', 'PAYMENT_DECLINED', 'UNKNOWN_PROVIDER'],
  source: 'docs/guides/operators/payments.md',
});

export const run = handle(operation, async (ctx, { Token }) => {
  assertOwnTransactions(ctx);
  const { PaymentProviderID, GatewayReference: reference } = namedRow(ctx, ctx.record);
  const token = Token ?? undefined;
  if (token !== undefined) assertGatewayId('Token', token);
  const { provider } = await ctx.inTransaction((own) => gatewayById(own, PaymentProviderID));
  if (!provider.completeVaulting || reference === null)
    throw new PlatformError('STATE_REFUSES', {
      field: 'ID',
      message: 'ID: expected a payment method that is being stored on the page of a test gateway.',
    });
  const completed = await provider.completeVaulting(reference, token);
  if ('url' in completed) return item('TestPage', operation.returns, { URL: completed.url });
  const { code, message } = completed.declined;
  throw new PlatformError('PAYMENT_DECLINED', {
    field: 'Token',
    message: `The card or bank account was declined (${code}). ${message}`,
    details: { DeclineCode: code },
  });
});
