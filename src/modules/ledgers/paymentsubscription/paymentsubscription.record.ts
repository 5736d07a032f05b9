import { computed, f } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const paymentSubscription = defineRecord({
  name: 'PaymentSubscription',
  title: 'Subscription',
  doc: 'A payment that a gateway repeats automatically.',
  reach: 'one',
  inSummary: false,
  labelDoc: 'What the customer sees.',
  finalStatuses: ['Canceled'],
  triggers: { paymentsubscription_reach: 'Visible to the firm that sees its ledger; without one, its payment method.' },
  fields: {
    Status: computed(
      f.choice(['Requested', 'Active', 'Late', 'Canceled', 'Unknown'], {
        doc: 'Late: a payment failed, and the gateway will try again. Unknown: the gateway did not answer the request.',
      }),
    ),
    PaymentMethodID: computed(f.id({ doc: 'The card or bank account that is charged.', to: 'PaymentMethod' })),
    LedgerID: computed(f.id({ doc: 'The ledger to which its payments are applied.', to: 'Ledger' })),
    PaymentProviderID: computed(f.id({ label: 'Payment gateway', doc: 'The payment gateway.', to: 'PaymentProvider' })),
    Amount: computed(f.money({ doc: 'The amount of each payment.' })),
    Currency: computed(f.text({ doc: 'The currency, such as USD.', max: 3, exact: true })),
    Every: computed(f.choice(['Week', 'Month', 'Year'], { doc: 'How often it is charged.' })),
    SubscriptionKey: computed(
      f.text({ label: 'Idempotency key', doc: 'Identifies the request at the gateway.', max: 36, exact: true }),
    ),
    GatewaySubscriptionID: computed(
      f.text({ label: 'Gateway reference', doc: "The gateway's ID.", max: 255, exact: true }),
    ),
    NextCharge: computed(f.timestamp({ doc: 'When it is charged next.' })),
    RequestedDate: computed(f.timestamp({ label: 'Requested', doc: 'When it was requested.' })),
    CanceledDate: computed(f.timestamp({ label: 'Canceled', doc: 'When it ended.' })),
    Detail: computed(f.text({ doc: 'Why it is late, or why the outcome is unknown.', max: 300, exact: true })),
    NextCheck: computed(f.timestamp({ doc: 'When the gateway will be queried next, if the outcome is unknown.' })),
    Checks: computed(f.integer({ doc: 'How many times the gateway was queried.' })),
  },
});
