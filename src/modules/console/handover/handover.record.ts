import { computed, f } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';
import type { Row } from '../../../kernel/door/answer.ts';

export const handover = defineRecord({
  name: 'Handover',
  doc: 'The deactivation of a user, with the bulk changes that gave their work to others.',
  reach: 'none',
  labelDoc: 'The sign-in name of the user.',
  finalStatuses: ['Undone'],
  fields: {
    PersonID: computed(f.id({ label: 'User', doc: 'The user who was deactivated.', to: 'Person' })),
    Reason: computed(f.text({ doc: 'Why.', max: 1000 })),
    PriorStatus: computed(
      f.text({ label: 'Status before', doc: 'The status of the user before, which undo restores.', max: 100 }),
    ),
    WorkPersonID: computed(
      f.id({
        label: 'Work given to',
        doc: 'Who got the open work items and tasks. Empty: they went back to their queues.',
        to: 'Person',
      }),
    ),
    CasePersonID: computed(
      f.id({
        label: 'Cases given to',
        doc: 'Who got the open cases. Empty: they became unassigned.',
        to: 'Person',
      }),
    ),
    WorkItemRunID: computed(
      f.id({ label: 'Bulk change of work items', doc: 'Empty: there were none.', to: 'BulkRun' }),
    ),
    TaskRunID: computed(f.id({ label: 'Bulk change of tasks', doc: 'Empty: there were none.', to: 'BulkRun' })),
    CaseRunID: computed(f.id({ label: 'Bulk change of cases', doc: 'Empty: there were none.', to: 'BulkRun' })),
    KeyCount: computed(f.integer({ label: 'Keys revoked', doc: 'How many API keys were revoked. They stay revoked.' })),
    SessionCount: computed(f.integer({ label: 'Sessions ended', doc: 'How many open sessions were ended.' })),
    UndoneDate: computed(f.timestamp({ label: 'Undone', doc: 'When it was undone.' })),
  },
});

/** A stored deactivation. */
export type Handover = Row<typeof handover>;
