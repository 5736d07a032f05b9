import { computed, f } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';
import { differenceKinds } from '../lib/payments/reconcile/differences.ts';

export const paymentDifference = defineRecord({
  name: 'PaymentDifference',
  doc: "A difference between a payment gateway's records and ours.",
  reach: 'none',
  staffReports: true,
  history: false,
  finalStatuses: ['Resolved', 'Cleared'],
  fields: {
    Status: computed(
      f.choice(['Open', 'Resolved', 'Cleared'], {
        doc: 'Resolved: somebody has explained it. Cleared: a later comparison did not find it again.',
        valueLabels: { Cleared: 'No longer different' },
      }),
    ),
    PaymentProviderID: computed(f.id({ label: 'Payment gateway', doc: 'The payment gateway.', to: 'PaymentProvider' })),
    Day: computed(f.date({ doc: "The day of the gateway's record; without one, of ours." })),
    Kind: computed(
      f.choice(differenceKinds, {
        doc: 'What differs.',
        valueLabels: {
          MissingHere: 'Not recorded here',
          MissingAtGateway: 'Not at the gateway',
          NotApplied: 'Not on its ledger',
        },
      }),
    ),
    GatewayID: computed(f.text({ label: 'Number at the gateway', doc: "The gateway's ID.", max: 255, exact: true })),
    PaymentID: computed(f.id({ doc: 'The payment.', to: 'Payment' })),
    Ours: computed(f.text({ label: 'Recorded here', doc: 'What we have.', max: 255, exact: true })),
    Theirs: computed(f.text({ label: 'At the gateway', doc: 'What the gateway has.', max: 255, exact: true })),
    ResolvedDate: computed(f.timestamp({ label: 'Resolved', doc: 'When it was resolved.' })),
    ResolvedPersonID: computed(f.id({ label: 'Resolved by', doc: 'Who resolved it.', to: 'Person' })),
    Note: computed(f.body({ doc: 'How it was resolved.', max: 4000 })),
  },
});
