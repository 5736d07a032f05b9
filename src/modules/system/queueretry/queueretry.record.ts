import { computed, f } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const queueRetry = defineRecord({
  name: 'QueueRetry',
  title: 'Retry of dead letters',
  titlePlural: 'Retries of dead letters',
  doc: 'All dead letters of one cause, put back into their queues a few at a time.',
  reach: 'none',
  labelDoc: 'A description of what is retried.',
  fields: {
    Operation: computed(f.text({ label: 'Call', doc: 'The operation of the dead letters.', max: 200, exact: true })),
    ErrorCode: computed(f.text({ label: 'Error', doc: 'The code of their failure.', max: 50, exact: true })),
    Cause: computed(f.text({ doc: 'The hash of its cause, as queue/causes lists it.', max: 32, exact: true })),
    Total: computed(f.integer({ doc: 'How many dead letters there were at the start.' })),
    Requeued: computed(f.integer({ label: 'Tried', doc: 'How many were put back into their queues.' })),
    Succeeded: computed(f.integer({ doc: 'How many have run since.' })),
    FailedAgain: computed(f.integer({ label: 'Failed again', doc: 'How many are dead letters again.' })),
    Failing: computed(
      f.integer({ label: 'Failing', doc: 'How many failed again and are being retried automatically.' }),
    ),
    StopReason: computed(f.text({ label: 'Why it stopped', doc: 'Why it ended early.', max: 400 })),
  },
});
