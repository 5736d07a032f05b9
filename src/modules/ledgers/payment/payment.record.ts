import { computed, f } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const payment = defineRecord({
  name: 'Payment',
  doc: 'A payment through a gateway: the request, which is recorded before it is sent, and its outcome.',
  reach: 'one',
  inSummary: false,
  labelDoc: 'What the customer reads.',
  finalStatuses: ['Captured', 'Declined', 'Voided', 'NotCarriedOut'],
  triggers: {
    payment_reach: 'Visible to the firm that sees its ledger; without one, its payment method or record.',
    payment_reach_payments: 'Propagates a change of firm to its refunds and disputes.',
  },
  fields: {
    Status: computed(
      f.choice(['Requested', 'Authorized', 'Captured', 'Pending', 'Declined', 'Voided', 'Unknown', 'NotCarriedOut'], {
        doc:
          'Requested: about to be sent. Authorized: reserved. Captured: taken. Pending: the gateway decides later. ' +
          'Unknown: no answer came, so the gateway is queried until it is settled. NotCarriedOut: the gateway does ' +
          'not have it.',
        valueLabels: { NotCarriedOut: 'Not carried out' },
      }),
    ),
    Object: computed(f.text({ label: 'Pays for', doc: 'The record type that it pays for.', max: 60, exact: true })),
    ObjectID: computed(f.id({ label: 'Pays for, record number', doc: 'The record that it pays for.' })),
    LedgerID: computed(f.id({ doc: 'The ledger that it pays.', to: 'Ledger' })),
    LedgerItemID: computed(f.id({ label: 'Ledger line', doc: "The payment's line in the ledger.", to: 'LedgerItem' })),
    PaymentMethodID: computed(
      f.id({ doc: 'The stored card or bank account; empty for one used once.', to: 'PaymentMethod' }),
    ),
    PaymentSubscriptionID: computed(
      f.id({ label: 'Subscription', doc: 'The subscription that it pays.', to: 'PaymentSubscription' }),
    ),
    PaymentProviderID: computed(f.id({ label: 'Payment gateway', doc: 'The payment gateway.', to: 'PaymentProvider' })),
    Purpose: computed(
      f.choice(['AuthorizeAndCapture', 'Authorize', 'Charge', 'Subscription'], {
        doc: 'What requested it.',
        valueLabels: { AuthorizeAndCapture: 'Ledger balance' },
      }),
    ),
    Amount: computed(f.money({ doc: 'The requested amount.' })),
    Currency: computed(f.text({ doc: 'The currency, such as USD.', max: 3, exact: true })),
    CapturedAmount: computed(f.money({ label: 'Captured', doc: 'The amount that was taken.' })),
    RefundedAmount: computed(f.money({ label: 'Refunded', doc: 'The part of it that was paid back.' })),
    PaymentKey: computed(
      f.text({ label: 'Idempotency key', doc: 'Identifies the request at the gateway.', max: 36, exact: true }),
    ),
    GatewayPaymentID: computed(
      f.text({ label: 'Transaction number', doc: "The gateway's ID.", max: 255, exact: true }),
    ),
    DeclineCode: computed(
      f.text({ doc: 'Why it was declined: the code, such as insufficient_funds.', max: 100, exact: true }),
    ),
    Detail: computed(f.text({ doc: 'Why it was declined, or is unknown.', max: 300, exact: true })),
    PendingAction: computed(
      f.choice(['Capture', 'Void'], { doc: 'What was requested for an authorized payment and is not settled yet.' }),
    ),
    PendingAmount: computed(f.money({ doc: 'The amount of a requested capture.' })),
    RequestedDate: computed(f.timestamp({ label: 'Requested', doc: 'When it was requested.' })),
    SettledDate: computed(f.timestamp({ label: 'Settled', doc: 'When its outcome was recorded.' })),
    NextCheck: computed(f.timestamp({ doc: 'When the gateway is queried next, if the outcome is not known.' })),
    Checks: computed(f.integer({ doc: 'How often the gateway was queried.', default: 0 })),
  },
});
