import { computed, f } from '../../../kernel/declare/field.ts';
import { defineRecord, derivedLabel } from '../../../kernel/declare/record.ts';

export const paymentMethod = defineRecord({
  name: 'PaymentMethod',
  doc: 'A card or bank account that a payment gateway stores. Its number stays with the gateway.',
  reach: 'one',
  inSummary: false,
  label: derivedLabel(['Brand', 'LastFour'], ({ Brand, LastFour }) =>
    typeof Brand === 'string' ? `${Brand} ending in ${String(LastFour)}` : null,
  ),
  restoredIfMoved: { by: 'ObjectID', columns: ['Object', 'ObjectID', 'Status'] },
  finalStatuses: ['Removed', 'Failed'],
  triggers: {
    paymentmethod_reach: 'Visible to the firm that created it, if it sees the record that it belongs to.',
    paymentmethod_reach_payments: 'Propagates a change of firm to its payments.',
  },
  fields: {
    Status: computed(
      f.choice(['Requested', 'Active', 'Inactive', 'Expired', 'Removed', 'Failed'], {
        doc:
          'Requested: the gateway has not confirmed it yet. Active: charged for payments of its record, which has at ' +
          'most one. Inactive: stored, but not charged. Failed: the gateway did not store it.',
      }),
    ),
    Object: computed(f.text({ label: 'Pays for', doc: 'The record type that it pays for.', max: 60, exact: true })),
    ObjectID: computed(f.id({ label: 'Pays for, record number', doc: 'The record that it pays for.' })),
    PaymentCustomerID: computed(f.id({ label: 'Customer', doc: 'The payer.', to: 'PaymentCustomer' })),
    PaymentProviderID: computed(
      f.id({ label: 'Payment gateway', doc: 'The payment gateway that stores it.', to: 'PaymentProvider' }),
    ),
    Kind: computed(f.choice(['Card', 'Bank'], { doc: 'A card or a bank account.' })),
    Brand: computed(f.text({ doc: 'The card brand or the name of the bank.', max: 60 })),
    LastFour: computed(f.text({ label: 'Last four digits', doc: 'The last four digits.', max: 4, exact: true })),
    ExpiryMonth: computed(f.integer({ label: 'Expires, month', doc: 'The last month in which a card is valid.' })),
    ExpiryYear: computed(f.integer({ label: 'Expires, year', doc: 'The year of that month.' })),
    GatewayMethodID: computed(f.text({ label: 'Gateway reference', doc: "The gateway's ID.", max: 255, exact: true })),
    VaultKey: computed(
      f.text({ label: 'Idempotency key', doc: 'Identifies the request that stores it.', max: 36, exact: true }),
    ),
    GatewayReference: computed(
      f.text({ label: 'Gateway form reference', doc: "The gateway's ID of the form.", max: 255, exact: true }),
    ),
    ReturnHash: computed(
      f.secret({
        doc: 'SHA-256 of the state with which the browser returns, the user and the session; empty after the return.',
        max: 64,
      }),
    ),
    Detail: computed(f.text({ doc: 'Why it was not stored, or why the outcome is unknown.', max: 300, exact: true })),
    Checks: computed(f.integer({ doc: 'How many times the gateway was queried.' })),
    NextCheck: computed(f.timestamp({ doc: 'When the gateway will be queried next, if the outcome is unknown.' })),
  },
});
