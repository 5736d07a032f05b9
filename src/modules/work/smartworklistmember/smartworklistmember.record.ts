import { computed, f, required } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';
import type { Row } from '../../../kernel/door/answer.ts';

export const smartWorklistMember = defineRecord({
  name: 'SmartWorklistMember',
  title: 'Work item',
  doc: 'A work item: a record in a queue for someone to work on.',
  // Firms do not see how staff divide the work; their forms get onto worklists automatically.
  reach: 'none',
  staffReports: true,
  labelDoc: "The work item's name.",
  finalStatuses: ['Completed', 'Canceled'],
  endDates: ['CompletionDate', 'CancelledDate'],
  triggers: {
    smartworklistmember_hold: 'Sets since when the task of a new item is on hold.',
    smartworklistmember_hold_open: 'Sets it when an item is opened again.',
  },
  fields: {
    SmartWorklistID: required(f.id({ label: 'Queue', doc: 'The worklist.', to: 'SmartWorklist' })),
    SourceObject: required(f.text({ label: 'Work on', doc: 'The record type.', max: 60, exact: true })),
    SourceObjectID: required(f.id({ label: 'Work on, record number', doc: 'The record to work on.' })),
    Reason: f.text({ doc: 'Why it is in the queue, or why it left.', max: 255 }),
    ReasonDetail: f.body({ label: 'Details', doc: 'Details of the reason.' }),
    Priority: f.integer({ doc: 'Lower numbers come first, items without a priority last.' }),
    Sequence: f.integer({ label: 'Order', doc: 'Sort order among items of the same priority.' }),
    DueDate: f.timestamp({ label: 'Due', doc: 'When it is due.' }),
    TeamID: f.id({
      doc: 'The team whose members may take it, a collection of users. Empty: every user.',
      to: 'Collection',
    }),
    PersonID: f.id({ label: 'Assigned to', doc: 'The assigned user.', to: 'Person' }),
    StartDate: f.timestamp({ label: 'Started', doc: 'When that user started it.' }),
    SkipDate: f.timestamp({ label: 'Snoozed until', doc: 'Until when it is skipped by `next`.' }),
    CancelledDate: f.timestamp({ label: 'Canceled', doc: 'When it was canceled.' }),
    CompletionDate: f.timestamp({ label: 'Completed', doc: 'When it was completed.' }),
    HeldDate: computed(
      f.timestamp({
        label: 'On hold since',
        doc: 'Since when a hold keeps its task from being completed. Empty: no hold does.',
      }),
    ),
    BusinessMinutes: f.integer({
      label: 'Minutes in business hours',
      doc: 'Business minutes from its start, or else its creation, to its completion.',
    }),
    CalculatedWorklistID: computed(
      f.id({
        label: 'Last calculated in',
        doc: 'The queue whose calculation created it, wherever it is now.',
        to: 'SmartWorklist',
      }),
    ),
    AuditedDate: computed(
      f.timestamp({ label: 'Audited', doc: 'When the audit decision about the completed item was made.' }),
    ),
    AuditedMemberID: computed(
      f.id({ label: 'Audit of', doc: 'The work item that this one audits.', to: 'SmartWorklistMember' }),
    ),
  },
});

/** A stored work item. */
export type WorkItem = Row<typeof smartWorklistMember>;
