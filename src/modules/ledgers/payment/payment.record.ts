import { computed, f } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const payment = defineRecord({
  name: 'Payment',
  doc: 'A payment through a gateway: the request, which is recorded before it is sent, and its outcome.',
  reach: 'one',
  inSummary: false,
  labelDoc: 'What the customer sees.',
  restoredIfMoved: { by: 'ObjectID', columns: ['Object', 'ObjectID'] },
  finalStatuses: ['Captured', 'Declined', 'Voided', 'NotCarriedOut'],
  triggers: {
    payment_reach: 'Visible to the firm that sees its ledger; without one, its payment method or record.',
    payment_reach_payments: 'Propagates a change of firm to its refunds and disputes.',
  },
  fields: {
    Status: computed(
      f.choice(['Requested', 'Authorized', 'Captured', 'Pending', 'Declined', 'Voided', 'Unknown', 'NotCarriedOut'], {
        doc:
          'Requested: being sent. Authorized: held on the card. Captured: collected. Pending: waiting for the bank. ' +
          'Unknown: the gateway did not answer; it is queried until the outcome is known. NotCarriedOut: the gateway ' +
          'has no record of it.',
        valueLabels: { NotCarriedOut: 'Not charged' },
      }),
    ),
    Object: computed(f.text({ label: 'Pays for', doc: 'The record type that it pays for.', max: 60, exact: true })),
    ObjectID: computed(f.id({ label: 'Pays for, record number', doc: 'The record that it pays for.' })),
    LedgerID: computed(f.id({ doc: 'The ledger to which it is applied.', to: 'Ledger' })),
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
    CapturedAmount: computed(f.money({ label: 'Captured', doc: 'The amount that was collected.' })),
    RefundedAmount: computed(f.money({ label: 'Refunded', doc: 'The part of it that was refunded.' })),
    PaymentKey: computed(
      f.text({ label: 'Idempotency key', doc: 'Identifies the request at the gateway.', max: 36, exact: true }),
    ),
    GatewayPaymentID: computed(
      f.text({ label: 'Transaction number', doc: "The gateway's ID.", max: 255, exact: true }),
    ),
    DeclineCode: computed(
      f.text({ doc: 'The code of the decline, such as insufficient_funds.', max: 100, exact: true }),
    ),
    Detail: computed(f.text({ doc: 'Why it was declined, or why the outcome is unknown.', max: 300, exact: true })),
    PendingAction: computed(
      f.choice(['Capture', 'Void'], {
        doc: 'The capture or void of an authorized payment whose outcome is not known yet.',
      }),
    ),
    PendingAmount: computed(f.money({ doc: 'The amount of that capture.' })),
    RequestedDate: computed(f.timestamp({ label: 'Requested', doc: 'When it was requested.' })),
    SettledDate: computed(f.timestamp({ label: 'Settled', doc: 'When its outcome was recorded.' })),
    NextCheck: computed(f.timestamp({ doc: 'When the gateway will be queried next, if the outcome is unknown.' })),
    Checks: computed(f.integer({ doc: 'How many times the gateway was queried.', default: 0 })),
  },
});
