import { computed, f } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const paymentRefund = defineRecord({
  name: 'PaymentRefund',
  title: 'Refund',
  doc: 'A payment, or a part of it, that is paid back.',
  reach: 'one',
  inSummary: false,
  finalStatuses: ['Succeeded', 'Failed', 'NotCarriedOut'],
  triggers: { paymentrefund_reach: 'Visible to the firm that sees its payment.' },
  fields: {
    Status: computed(
      f.choice(['Requested', 'Succeeded', 'Pending', 'Failed', 'Unknown', 'NotCarriedOut'], {
        doc:
          'Requested: about to be sent. Pending: the gateway has it and pays later. Unknown: no answer came, so the ' +
          'gateway is queried until it is settled. NotCarriedOut: the gateway does not have it.',
        valueLabels: { NotCarriedOut: 'Not carried out' },
      }),
    ),
    PaymentID: computed(f.id({ doc: 'The payment.', to: 'Payment' })),
    Amount: computed(f.money({ doc: 'The amount that is paid back.' })),
    Currency: computed(f.text({ doc: 'The currency, such as USD.', max: 3, exact: true })),
    Reason: computed(f.body({ doc: 'Why it is paid back.', max: 4000 })),
    RefundKey: computed(
      f.text({ label: 'Idempotency key', doc: 'Identifies the request at the gateway.', max: 36, exact: true }),
    ),
    GatewayRefundID: computed(
      f.text({ label: 'Number at the gateway', doc: "The gateway's ID.", max: 255, exact: true }),
    ),
    LedgerItemID: computed(f.id({ label: 'Ledger line', doc: 'Its line in the ledger.', to: 'LedgerItem' })),
    Detail: computed(f.text({ doc: 'Why it failed, or is unknown.', max: 300, exact: true })),
    RequestedDate: computed(f.timestamp({ label: 'Requested', doc: 'When it was requested.' })),
    SettledDate: computed(f.timestamp({ label: 'Settled', doc: 'When its outcome was recorded.' })),
    NextCheck: computed(f.timestamp({ doc: 'When the gateway is queried next, if the outcome is not known.' })),
    Checks: computed(f.integer({ doc: 'How often the gateway was queried.', default: 0 })),
  },
});
