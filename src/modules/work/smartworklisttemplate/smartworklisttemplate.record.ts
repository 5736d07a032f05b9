import { f } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';
import { templateFields } from '../../../kernel/records/save/template-fields.ts';

export const smartWorklistTemplate = defineRecord({
  name: 'SmartWorklistTemplate',
  doc: 'A kind of worklist: which records come onto it, who works on them, and what is opened for them.',
  reach: 'configuration',
  labelDoc: "The worklist's name.",
  labelMax: 100,
  triggers: { smartworklisttemplate_configuration: 'Tells every process that templates changed.' },
  fields: {
    ...templateFields,
    SourceObject: f.text({ doc: "The record type of the items' records; empty for any.", max: 60, exact: true }),
    CalculateMethod: f.text({
      doc: 'Which records belong on it: a method signature of which what follows the question mark is a search on SourceObject.',
      max: 4000,
      exact: true,
    }),
    MemberUrl: f.text({
      doc: 'What is opened to work on an item: an address of http or https, or a path of this server that begins with a slash. {Field} stands for a field of the item or else of its record.',
      max: 2000,
      exact: true,
    }),
    OnAssignSourcePerson: f.text({
      doc: 'The field of the record into which whoever starts or is given the item is written.',
      max: 60,
      exact: true,
    }),
    TeamID: f.id({ doc: 'The team of items for which nothing else decides one.', to: 'Collection' }),
    Priority: f.integer({
      doc: 'The priority of items for which nothing else decides one; the lower number comes first.',
    }),
    TeamMatrixID: f.id({
      doc: "The matrix that decides Team, Person, Priority and SmartWorklist by the item's record.",
      to: 'Matrix',
    }),
    AuditMatrixID: f.id({
      doc: 'The matrix that decides by a completed item which share of its like is looked at again: Percentage, SmartWorklist and Team.',
      to: 'Matrix',
    }),
  },
});
