import { computed, f } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const smartWorklist = defineRecord({
  name: 'SmartWorklist',
  title: 'Queue',
  doc: 'A queue of work items for teams and users. It stays open until it is canceled.',
  // Firms do not see how staff divide the work; their forms get onto worklists automatically.
  reach: 'none',
  staffReports: true,
  template: 'SmartWorklistTemplate',
  templateTitle: 'Queue template',
  labelFromTemplate: true,
  labelDoc: "The queue's name. Defaults to its template's.",
  finalStatuses: ['Canceled', 'Cancelled', 'Closed', 'Complete', 'Completed', 'Restart'],
  fields: {
    SourceObject: f.text({
      label: 'Work on',
      doc: "The record type of its work items. Defaults to its template's; empty for any.",
      max: 60,
      exact: true,
    }),
    TeamID: f.id({
      doc: "The team of work items if no matrix decides one. Defaults to its template's.",
      to: 'Collection',
    }),
    Priority: f.integer({
      doc: "The priority of work items if no matrix decides one. Defaults to its template's.",
    }),
    CanceledDate: f.timestamp({
      label: 'Canceled',
      doc: 'When it was canceled. It has no open work items and takes none.',
    }),
    CalculatedDate: computed(f.timestamp({ label: 'Calculated', doc: 'When its records were last calculated.' })),
    PreviousWorklistID: computed(
      f.id({ label: 'Previous queue', doc: 'The queue that was restarted as this one.', to: 'SmartWorklist' }),
    ),
  },
});
