import { list } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { gatewayById, gatewayByName } from '../lib/payments/gateways.ts';

const tokens = {
  Token: required(f.text({ doc: 'The token, for paymentmethod/vault.' })),
  Kind: required(f.choice(['Card', 'Bank'], { doc: 'A card or a bank account.' })),
  Label: required(f.text({ doc: 'What the gateway does with it, such as decline payments.' })),
};

export const operation = defineOperation({
  module: 'paymentmethod',
  name: 'TestTokens',
  method: 'GET',
  summary:
    'Lists the tokens of a test gateway. For other gateways the list is empty: their own form creates the tokens.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  permission: 'PaymentMethodVault',
  names: 'PaymentCustomerID',
  params: {
    PaymentCustomerID: f.id({
      doc: 'A customer of the gateway. Defaults to the default gateway.',
      to: 'PaymentCustomer',
    }),
  },
  transactions: 'own',
  returns: 'list',
  rows: tokens,
  answerName: 'TestToken',
  errors: ['NOT_FOUND', 'UNKNOWN_PROVIDER'],
  source: 'docs/guides/operators/payments.md',
});

export const run = handle(operation, async (ctx, { PaymentCustomerID }) => {
  const { provider } = await ctx.inTransaction(async (own) => {
    if (!PaymentCustomerID) return gatewayByName(own, null);
    const [row] = await own.db.query<{ id: number | null }>(
      'select paymentproviderid as id from paymentcustomer where paymentcustomerid = $1::bigint',
      [PaymentCustomerID],
    );
    const id = row?.id ?? null;
    return id === null ? gatewayByName(own, null) : gatewayById(own, id);
  });
  const rows = (provider.testTokens?.() ?? []).map(({ token, kind, label }) => ({
    Token: token,
    Kind: kind === 'card' ? ('Card' as const) : ('Bank' as const),
    Label: label,
  }));
  return list('TestToken', tokens, rows);
});
