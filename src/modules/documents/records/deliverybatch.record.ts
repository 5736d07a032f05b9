import { computed, f } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const deliveryBatch = defineRecord({
  name: 'DeliveryBatch',
  title: 'Mailing',
  doc: 'Letters that are submitted to a mail house together: the decision to mail them, and its progress.',
  // Firms see the letters of their cases, not whom else a mailing goes to.
  reach: 'none',
  staffReports: true,
  labelDoc: 'A name for the mailing, such as "November notices".',
  finalStatuses: ['Submitted', 'Canceled'],
  fields: {
    MailHouse: computed(f.text({ doc: 'The mail house, by name.', max: 100 })),
    MailClass: computed(f.text({ label: 'Mail class', doc: 'How the letters are mailed.', max: 40 })),
    BatchKey: computed(
      f.text({
        label: 'Idempotency key',
        doc: 'The key of the call that prepared it: a repeated call prepares no second mailing.',
        max: 100,
        exact: true,
      }),
    ),
    Attempts: computed(f.integer({ doc: 'How many attempts to submit it were made.' })),
    NextAttempt: computed(f.timestamp({ doc: 'When the next attempt is made.' })),
    RetryUntil: computed(f.timestamp({ doc: 'The time after which it is not retried.' })),
    LeasedUntil: computed(
      f.timestamp({ label: 'Reserved until', doc: 'When the lease of the running attempt expires.' }),
    ),
    RequestedDate: computed(f.timestamp({ label: 'Approved', doc: 'When somebody decided to submit it.' })),
    RequestedPersonID: computed(f.id({ label: 'Approved by', doc: 'Who decided to submit it.', to: 'Person' })),
    LastError: computed(f.text({ doc: 'Why the last attempt failed.', max: 300, exact: true })),
  },
});
