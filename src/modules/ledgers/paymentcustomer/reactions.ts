import { defineCheck, defineReaction } from '../../../kernel/declare/reaction.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { enqueueAsSystem } from '../../../kernel/security/system-user.ts';
import { updateRow } from '../../../kernel/records/save/update-row.ts';
import { assertNoCardNumber } from '../lib/payments/card-numbers.ts';
import { defaultGatewayId, PAYMENTS_QUEUE } from '../lib/payments/gateways.ts';
import { paymentCustomer } from './paymentcustomer.record.ts';

/** Columns that the gateway has, too. */
const sentColumns = [
  'Name',
  'Email',
  'Telephone',
  'Street',
  'Street2',
  'City',
  'State',
  'PostalCode',
  'Country',
] as const;

export const checks = [
  defineCheck({
    on: paymentCustomer,
    doc: 'A customer has a gateway, which does not change once it has the customer. Numbers of cards are refused.',
    async run(ctx, { values, id }) {
      assertNoCardNumber(values);
      if (id === undefined) {
        values.PaymentProviderID ??= await defaultGatewayId(ctx);
        values.Status = 'New';
        return;
      }
      if (values.PaymentProviderID === undefined) return;
      const [row] = await ctx.db.query<{ gateway: number | null; known: string | null }>(
        `select paymentproviderid as gateway, gatewaycustomerid as known from paymentcustomer
         where paymentcustomerid = $1::bigint`,
        [id],
      );
      if (row && row.known !== null && row.gateway !== values.PaymentProviderID)
        throw new PlatformError('STATE_REFUSES', {
          field: 'PaymentProviderID',
          message: `PaymentProviderID: a payment gateway has customer ${id}; save another customer instead.`,
        });
    },
  }),
];

export const reactions = [
  defineReaction({
    on: paymentCustomer,
    after: ['update'],
    changesRow: true,
    doc: 'Changed details of a customer are sent to its payment gateway.',
    async run(ctx, row, _change, changed) {
      if (row.GatewayCustomerID === null || !sentColumns.some((name) => changed.has(name))) return row;
      if (row.Status !== 'Current' && row.Status !== 'Waiting') return row;
      await enqueueAsSystem(ctx, {
        route: 'paymentcustomer/synchronize',
        parameters: { ID: String(row.PaymentCustomerID) },
        queueName: PAYMENTS_QUEUE,
      });
      await updateRow(ctx, ctx.registry.recordType('PaymentCustomer'), row.PaymentCustomerID, { Status: 'Waiting' });
      return undefined;
    },
  }),
  defineReaction({
    on: paymentCustomer,
    after: ['delete'],
    doc: 'A customer that a payment gateway has is removed there first, with paymentcustomer/remove.',
    run(_ctx, row) {
      if (row.GatewayCustomerID !== null)
        throw new PlatformError('STATE_REFUSES', {
          field: 'ID',
          message:
            `ID: a payment gateway has customer ${row.PaymentCustomerID}, and payments refer to it. ` +
            'paymentcustomer/remove removes it at the gateway and keeps the record.',
        });
      return Promise.resolve();
    },
  }),
];
