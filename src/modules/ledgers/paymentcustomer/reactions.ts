import { defineCheck, defineReaction } from '../../../kernel/declare/reaction.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { enqueueAsSystem } from '../../../kernel/security/system-user.ts';
import { updateRow } from '../../../kernel/records/save/update-row.ts';
import { assertNoCardNumber } from '../lib/payments/card-numbers.ts';
import { defaultGatewayId, PAYMENTS_QUEUE } from '../lib/payments/gateways.ts';
import { assertMovedPayerReach } from '../lib/payments/payer-reach.ts';
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
    doc: 'The gateway of a customer cannot change once the customer exists there. Card numbers are refused.',
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
          message: `PaymentProviderID: customer ${id} exists at a payment gateway; save a new customer instead.`,
        });
    },
  }),
];

export const reactions = [
  defineReaction({
    on: paymentCustomer,
    after: ['update'],
    doc: 'A payer does not move to a record that not all who see its payment methods can see.',
    run(ctx, { PaymentCustomerID: id }, _change, changed) {
      // A merge moves the methods, too, in the same transaction.
      if (changed.has('Object') || changed.has('ObjectID')) ctx.beforeCommit(() => assertMovedPayerReach(ctx, id));
      return Promise.resolve();
    },
  }),
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
    doc: 'A customer that exists at a payment gateway is removed there first, with paymentcustomer/remove.',
    run(_ctx, row) {
      if (row.GatewayCustomerID !== null)
        throw new PlatformError('STATE_REFUSES', {
          field: 'ID',
          message:
            `ID: customer ${row.PaymentCustomerID} exists at a payment gateway. Use paymentcustomer/remove, which ` +
            'deletes it there and keeps the record for its payments.',
        });
      return Promise.resolve();
    },
  }),
];
