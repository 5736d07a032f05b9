import { computed, f } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const paymentReconciliation = defineRecord({
  name: 'PaymentReconciliation',
  title: 'Payment reconciliation',
  doc: 'A comparison of the payments, refunds and disputes of a period with the records of a payment gateway.',
  reach: 'none',
  staffReports: true,
  history: false,
  labelDoc: 'The gateway and the days.',
  finalStatuses: ['Complete', 'Failed'],
  fields: {
    Status: computed(f.choice(['Running', 'Complete', 'Failed'], { doc: 'Whether it is finished.' })),
    PaymentProviderID: computed(f.id({ label: 'Payment gateway', doc: 'The gateway.', to: 'PaymentProvider' })),
    FromDay: computed(f.date({ label: 'From', doc: 'The first day.' })),
    ToDay: computed(f.date({ label: 'To', doc: 'The last day.' })),
    CompletedDate: computed(f.timestamp({ label: 'Completed', doc: 'When it ended.' })),
    PaymentCount: computed(f.integer({ label: 'Payments', doc: 'Payments at the gateway that were compared.' })),
    RefundCount: computed(f.integer({ label: 'Refunds', doc: 'Refunds at the gateway that were compared.' })),
    DisputeCount: computed(f.integer({ label: 'Disputes', doc: 'Disputes at the gateway that were compared.' })),
    SettledCount: computed(
      f.integer({ label: 'Settled', doc: 'Payments, refunds and subscriptions that it updated from the gateway.' }),
    ),
    DifferenceCount: computed(
      f.integer({ label: 'Open differences', doc: 'Open differences of these days when it ended.' }),
    ),
    Error: computed(f.text({ doc: 'Why it failed.', max: 1000, exact: true })),
  },
});
