import { computed, f, required } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const smartWorklistMember = defineRecord({
  name: 'SmartWorklistMember',
  doc: 'An item of a worklist: a record that somebody is to work on.',
  // Firms do not see how work is divided among staff; their forms come onto worklists by themselves.
  reach: 'none',
  labelDoc: 'What the item is called.',
  finalStatuses: ['Completed', 'Canceled'],
  fields: {
    SmartWorklistID: required(f.id({ doc: 'The worklist.', to: 'SmartWorklist' })),
    SourceObject: required(f.text({ doc: 'The type of the record.', max: 60, exact: true })),
    SourceObjectID: required(f.id({ doc: 'The record that is worked on.' })),
    Reason: f.text({ doc: 'Why it is on the worklist, or why it left it.', max: 255 }),
    ReasonDetail: f.body({ doc: 'More about the reason.' }),
    Priority: f.integer({ doc: 'The lower number comes first; without one it comes last.' }),
    Sequence: f.integer({ doc: 'The order among items of one priority.' }),
    DueDate: f.timestamp({ doc: 'When it should be done.' }),
    TeamID: f.id({
      doc: 'The team whose members may take it, a collection of persons; empty for everybody.',
      to: 'Collection',
    }),
    PersonID: f.id({ doc: 'Who works on it.', to: 'Person' }),
    StartDate: f.timestamp({ doc: 'When that person began.' }),
    SkipDate: f.timestamp({ doc: 'Until when it is put off: `next` leaves it until then.' }),
    CancelledDate: f.timestamp({ doc: 'When it was canceled.' }),
    CompletionDate: f.timestamp({ doc: 'When it was completed.' }),
    BusinessMinutes: f.integer({
      doc: 'The minutes of business hours between its start, or else its making, and its completion.',
    }),
    CalculatedWorklistID: computed(
      f.id({ doc: 'The worklist whose calculation brought it, wherever it stands now.', to: 'SmartWorklist' }),
    ),
    AuditedDate: computed(f.timestamp({ doc: 'When it was decided whether the completed item is looked at again.' })),
    AuditedMemberID: computed(
      f.id({ doc: 'Of an item that looks at another one again: that item.', to: 'SmartWorklistMember' }),
    ),
  },
});
