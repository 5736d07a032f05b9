import { f } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';
import { templateFields } from '../../../kernel/records/save/template-fields.ts';

export const smartWorklistTemplate = defineRecord({
  name: 'SmartWorklistTemplate',
  kind: { group: 'work', position: 3, icon: 'queue', text: 'Who works on what next' },
  title: 'Queue template',
  doc: 'A queue template: which records it contains, who works on them, and which page opens for each.',
  reach: 'configuration',
  labelDoc: "The queue's name.",
  labelMax: 100,
  triggers: { smartworklisttemplate_configuration: 'Notifies all processes that templates changed.' },
  fields: {
    ...templateFields,
    SourceObject: f.text({
      label: 'Work on',
      doc: 'The record type of its work items; empty for any.',
      max: 60,
      exact: true,
    }),
    CalculateMethod: f.text({
      label: 'Items from',
      doc:
        'The records of the queue: a method signature whose part after the question mark is a search on ' +
        'SourceObject.',
      max: 4000,
      exact: true,
    }),
    MemberUrl: f.text({
      label: 'Page of an item',
      doc:
        'What opens for a work item: an http or https address, or a path of this server starting with a ' +
        'slash. {Field} is a field of the item or else of its record.',
      max: 2000,
      exact: true,
    }),
    OnAssignSourcePerson: f.text({
      label: 'Assign the task too',
      doc: 'The field of the record that gets the user who starts or is given the item.',
      max: 60,
      exact: true,
    }),
    TeamID: f.id({ doc: 'The default team of its work items.', to: 'Collection' }),
    Priority: f.integer({
      doc: 'The default priority of its work items; lower numbers come first.',
    }),
    TeamMatrixID: f.id({
      label: 'Decision table for teams',
      doc: "The matrix that decides Team, Person, Priority and SmartWorklist by the item's record.",
      to: 'Matrix',
    }),
    AuditMatrixID: f.id({
      label: 'Decision table for audits',
      doc: 'The matrix that decides by a completed item which share is audited: Percentage, SmartWorklist and Team.',
      to: 'Matrix',
    }),
  },
});
