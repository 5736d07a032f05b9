import { computed, f } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const smartWorklist = defineRecord({
  name: 'SmartWorklist',
  doc: 'A queue of items that teams and persons work on. It is open until it is canceled.',
  // Firms do not see how work is divided among staff; their forms come onto worklists by themselves.
  reach: 'none',
  template: 'SmartWorklistTemplate',
  labelFromTemplate: true,
  labelDoc: "The worklist's name; its template's where none is sent.",
  finalStatuses: ['Canceled', 'Cancelled', 'Closed', 'Complete', 'Completed', 'Restart'],
  fields: {
    SourceObject: f.text({
      doc: "The record type of the items' records; its template's where none is sent, empty for any.",
      max: 60,
      exact: true,
    }),
    TeamID: f.id({
      doc: "The team of items for which no matrix decides one; its template's where it is empty.",
      to: 'Collection',
    }),
    Priority: f.integer({
      doc: "The priority of items for which no matrix decides one; its template's where it is empty.",
    }),
    CanceledDate: f.timestamp({ doc: 'When it was canceled: it has no open items and takes none.' }),
    CalculatedDate: computed(f.timestamp({ doc: 'When its records were last looked for.' })),
    PreviousWorklistID: computed(f.id({ doc: 'The worklist that was restarted as this one.', to: 'SmartWorklist' })),
  },
});
