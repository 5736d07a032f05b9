import { defineCheck, defineReaction } from '../../../kernel/declare/reaction.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { assertNoCardNumber } from '../lib/payments/card-numbers.ts';
import { paymentDispute } from '../paymentdispute/paymentdispute.record.ts';
import { paymentMethod } from '../paymentmethod/paymentmethod.record.ts';
import { paymentRefund } from '../paymentrefund/paymentrefund.record.ts';
import { paymentSubscription } from '../paymentsubscription/paymentsubscription.record.ts';
import { payment } from './payment.record.ts';

/** Refuses to create such a record by a save, and the number of a card in any of its texts. */
const refuseInsert =
  (what: string) =>
  (_ctx: unknown, { id, values }: { readonly id: number | undefined; readonly values: object }): void => {
    if (id === undefined)
      throw new PlatformError('STATE_REFUSES', {
        message: `${what} cannot be saved directly; use the operations that create them.`,
      });
    assertNoCardNumber({ ...values });
  };

/** Refuses to delete such a record. */
const refuseDelete = (what: string) => (): never => {
  throw new PlatformError('STATE_REFUSES', {
    field: 'ID',
    message: `ID: ${what} are kept as evidence and cannot be deleted.`,
  });
};

export const checks = [
  defineCheck({
    on: payment,
    doc: 'Payments are created by ledger/authorizeandcapture and the operations of payment, not by saves.',
    run: refuseInsert('Payments'),
  }),
  defineCheck({
    on: paymentRefund,
    doc: 'Refunds are created by payment/refund, not by saves.',
    run: refuseInsert('Refunds'),
  }),
  defineCheck({
    on: paymentMethod,
    doc: 'Payment methods are created by the operations of paymentmethod, not by saves.',
    run: refuseInsert('Payment methods'),
  }),
  defineCheck({
    on: paymentSubscription,
    doc: 'Subscriptions are created by the operations of paymentsubscription, not by saves.',
    run: refuseInsert('Subscriptions'),
  }),
  defineCheck({
    on: paymentDispute,
    doc: 'Disputes are created by events of the payment gateway, not by saves.',
    run: refuseInsert('Disputes'),
  }),
];

export const reactions = [
  defineReaction({
    on: payment,
    after: ['delete'],
    doc: 'Refuses to delete payments: they are kept as evidence.',
    run: refuseDelete('Payments'),
  }),
  defineReaction({
    on: paymentRefund,
    after: ['delete'],
    doc: 'Refuses to delete refunds: they are kept as evidence.',
    run: refuseDelete('Refunds'),
  }),
  defineReaction({
    on: paymentMethod,
    after: ['delete'],
    doc: 'Refuses to delete payment methods: they are kept as evidence.',
    run: refuseDelete('Payment methods'),
  }),
  defineReaction({
    on: paymentSubscription,
    after: ['delete'],
    doc: 'Refuses to delete subscriptions: they are kept as evidence.',
    run: refuseDelete('Subscriptions'),
  }),
  defineReaction({
    on: paymentDispute,
    after: ['delete'],
    doc: 'Refuses to delete disputes: they are kept as evidence.',
    run: refuseDelete('Disputes'),
  }),
];
