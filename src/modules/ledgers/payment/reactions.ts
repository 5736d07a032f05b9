import { defineCheck, defineReaction, type CheckedSave } from '../../../kernel/declare/reaction.ts';
import type { Context } from '../../../kernel/door/context.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { assertNoCardNumber } from '../lib/payments/card-numbers.ts';
import { paymentDispute } from '../paymentdispute/paymentdispute.record.ts';
import { paymentMethod } from '../paymentmethod/paymentmethod.record.ts';
import { paymentRefund } from '../paymentrefund/paymentrefund.record.ts';
import { paymentSubscription } from '../paymentsubscription/paymentsubscription.record.ts';
import { payment } from './payment.record.ts';

/** Refuses to create such a record by a save, and a card number in any of its texts. */
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

/** Deactivates a method that moves to a record that already has an active one. */
async function deactivateSecond(
  ctx: Context,
  { id, values }: Pick<CheckedSave<typeof paymentMethod>, 'id' | 'values'>,
): Promise<void> {
  const { Object: object, ObjectID: objectId } = values;
  if (id === undefined || typeof object !== 'string' || typeof objectId !== 'number') return;
  // Of every firm: a record has one active method.
  const rows = await ctx.transaction().elevated((db) =>
    db.query(
      `select 1 from paymentmethod moved
       join paymentmethod other on other.object = $2::text and other.objectid = $3::bigint and other.status = 'Active'
       where moved.paymentmethodid = $1::bigint and moved.status = 'Active'`,
      [id, object, objectId],
    ),
  );
  if (rows.length === 0) return;
  values.Status = 'Inactive';
  ctx.alert({
    code: 'NOT_TAKEN',
    id,
    text: `Payment method ${id} is now inactive: the record that it was moved to already has an active one.`,
  });
}

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
    on: paymentMethod,
    doc: 'An active method that a merge moves to a record with an active one becomes inactive.',
    applies: (_ctx, { plan, values }) => Promise.resolve(plan?.movesReferences === true && values.ObjectID !== null),
    run: deactivateSecond,
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
