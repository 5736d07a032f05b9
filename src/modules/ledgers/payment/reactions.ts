import { defineCheck, defineReaction } from '../../../kernel/declare/reaction.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { paymentDispute } from '../paymentdispute/paymentdispute.record.ts';
import { paymentMethod } from '../paymentmethod/paymentmethod.record.ts';
import { paymentRefund } from '../paymentrefund/paymentrefund.record.ts';
import { paymentSubscription } from '../paymentsubscription/paymentsubscription.record.ts';
import { payment } from './payment.record.ts';

const records = [
  { on: payment, what: 'Payments', by: 'ledger/authorizeandcapture and the operations of payment' },
  { on: paymentRefund, what: 'Refunds', by: 'payment/refund' },
  { on: paymentMethod, what: 'Payment methods', by: 'the operations of paymentmethod' },
  { on: paymentSubscription, what: 'Subscriptions', by: 'the operations of paymentsubscription' },
  { on: paymentDispute, what: 'Disputes', by: 'events of the payment gateway' },
] as const;

export const checks = records.map(({ on, what, by }) =>
  defineCheck({
    on,
    doc: `${what} are created by ${by}, not by saves.`,
    run(_ctx, { id }) {
      if (id === undefined) throw new PlatformError('STATE_REFUSES', { message: `${what} are created by ${by}.` });
    },
  }),
);

export const reactions = records.map(({ on, what }) =>
  defineReaction({
    on,
    after: ['delete'],
    doc: `Refuses to delete: ${what.toLowerCase()} are kept as evidence.`,
    run() {
      throw new PlatformError('STATE_REFUSES', { field: 'ID', message: `ID: ${what} are kept as evidence.` });
    },
  }),
);
