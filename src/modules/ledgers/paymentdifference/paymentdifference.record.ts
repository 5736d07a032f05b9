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
        doc: 'Resolved: a user has explained it. Cleared: a later reconciliation did not find it again.',
      }),
    ),
    PaymentProviderID: computed(f.id({ label: 'Payment gateway', doc: 'The payment gateway.', to: 'PaymentProvider' })),
    Day: computed(f.date({ doc: "The day of the gateway's record, or of ours if the gateway has none." })),
    Kind: computed(
      f.choice(differenceKinds, {
        doc: 'What differs.',
        valueLabels: {
          MissingHere: 'Missing in Casewright',
          MissingAtGateway: 'Missing at the gateway',
          NotApplied: 'Not in its ledger',
        },
      }),
    ),
    GatewayID: computed(f.text({ label: 'Gateway reference', doc: "The gateway's ID.", max: 255, exact: true })),
    PaymentID: computed(f.id({ doc: 'The payment.', to: 'Payment' })),
    Ours: computed(f.text({ label: 'Our record', doc: 'What Casewright has recorded.', max: 255, exact: true })),
    Theirs: computed(f.text({ label: 'Gateway record', doc: 'What the gateway has recorded.', max: 255, exact: true })),
    ResolvedDate: computed(f.timestamp({ label: 'Resolved', doc: 'When it was resolved.' })),
    ResolvedPersonID: computed(f.id({ label: 'Resolved by', doc: 'Who resolved it.', to: 'Person' })),
    Note: computed(f.body({ doc: 'How it was resolved.', max: 4000 })),
  },
});
