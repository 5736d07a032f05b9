import { f, required } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const importFileMap = defineRecord({
  name: 'ImportFileMap',
  doc: 'How one column of a source is brought into a record.',
  reach: 'configuration',
  collections: { ImportFileTemplateID: 'ImportFileMaps' },
  childKey: 'Sequence',
  // A template may bring one source column to several places.
  transferKey: ['ImportFileTemplateID', 'ImportFileMap', 'Destination'],
  labelDoc: 'The source column; of a constant what a person calls it.',
  triggers: { importfilemap_configuration: 'Tells every process that templates changed.' },
  fields: {
    ImportFileTemplateID: required(f.id({ doc: 'The template.', to: 'ImportFileTemplate' })),
    Destination: f.text({
      doc: 'The parameter that the value becomes, as a save names it: a column, or one of a linked record (Property_City) or child (Contacts_0_LastName).',
      max: 255,
      exact: true,
    }),
    Translation: f.text({
      doc: 'Values and what replaces them, one pair a line: Old=New. Others stay as they are. Of a constant the value itself.',
      max: 50000,
      exact: true,
    }),
    IsText: f.boolean({
      doc: 'Whether the value is kept as it stands, leading zeros and spaces included.',
      default: false,
    }),
    Required: f.boolean({ doc: 'Whether a row fails in which it is empty.', default: false }),
    DataType: f.choice(['Text', 'Integer', 'Decimal', 'Money', 'Date', 'Timestamp', 'Boolean'], {
      doc: 'What the value must be; a row fails in which it is something else.',
    }),
    Sequence: f.integer({
      doc: 'The order of the maps; of two with one destination the later wins where it has a value.',
    }),
  },
});
