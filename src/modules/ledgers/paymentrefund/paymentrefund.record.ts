import { computed, f } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const paymentRefund = defineRecord({
  name: 'PaymentRefund',
  title: 'Refund',
  doc: 'A full or partial refund of a payment.',
  reach: 'one',
  inSummary: false,
  finalStatuses: ['Succeeded', 'Failed', 'NotCarriedOut'],
  triggers: { paymentrefund_reach: 'Visible to the firm that sees its payment.' },
  fields: {
    Status: computed(
      f.choice(['Requested', 'Succeeded', 'Pending', 'Failed', 'Unknown', 'NotCarriedOut'], {
        doc:
          'Requested: being sent. Pending: accepted by the gateway, which pays it later. Unknown: the gateway did ' +
          'not answer; it is queried until the outcome is known. NotCarriedOut: the gateway has no record of it.',
        valueLabels: { NotCarriedOut: 'Not refunded' },
      }),
    ),
    PaymentID: computed(f.id({ doc: 'The payment.', to: 'Payment' })),
    Amount: computed(f.money({ doc: 'The amount to refund.' })),
    Currency: computed(f.text({ doc: 'The currency, such as USD.', max: 3, exact: true })),
    Reason: computed(f.body({ doc: 'Why it is refunded.', max: 4000 })),
    RefundKey: computed(
      f.text({ label: 'Idempotency key', doc: 'Identifies the request at the gateway.', max: 36, exact: true }),
    ),
    GatewayRefundID: computed(f.text({ label: 'Gateway reference', doc: "The gateway's ID.", max: 255, exact: true })),
    LedgerItemID: computed(f.id({ label: 'Ledger line', doc: 'Its line in the ledger.', to: 'LedgerItem' })),
    Detail: computed(f.text({ doc: 'Why it failed, or why the outcome is unknown.', max: 300, exact: true })),
    RequestedDate: computed(f.timestamp({ label: 'Requested', doc: 'When it was requested.' })),
    SettledDate: computed(f.timestamp({ label: 'Settled', doc: 'When its outcome was recorded.' })),
    NextCheck: computed(f.timestamp({ doc: 'When the gateway will be queried next, if the outcome is unknown.' })),
    Checks: computed(f.integer({ doc: 'How many times the gateway was queried.', default: 0 })),
  },
});
