import { f, required } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const importFileMap = defineRecord({
  name: 'ImportFileMap',
  title: 'Import map',
  doc: 'The mapping of one source column to a field.',
  reach: 'configuration',
  collections: { ImportFileTemplateID: 'ImportFileMaps' },
  childKey: 'Sequence',
  // An import type may map one source column to several destinations.
  transferKey: ['ImportFileTemplateID', 'ImportFileMap', 'Destination'],
  labelDoc: 'The source column; for a constant, a description.',
  triggers: { importfilemap_configuration: 'Notifies every process that import types changed.' },
  fields: {
    ImportFileTemplateID: required(f.id({ label: 'Import type', doc: 'The template.', to: 'ImportFileTemplate' })),
    Destination: f.text({
      label: 'Saved in',
      names: 'CustomField',
      doc:
        'Parameter that receives the value, as in a save: a column, or one of a linked record (Property_City) ' +
        'or child (Contacts_0_LastName).',
      max: 255,
      exact: true,
    }),
    Translation: f.text({
      label: 'Value from',
      doc:
        'Values and their replacements, one pair per line: Old=New. Other values stay unchanged. For a ' +
        'constant, the value itself.',
      max: 50000,
      exact: true,
    }),
    IsText: f.boolean({
      label: 'Fixed text',
      doc: 'Whether the value is kept exactly, leading zeros and spaces included.',
      default: false,
    }),
    Required: f.boolean({ doc: 'Whether a row fails if the value is empty.', default: false }),
    DataType: f.choice(['Text', 'Integer', 'Decimal', 'Money', 'Date', 'Timestamp', 'Boolean'], {
      label: 'Kind of value',
      doc: 'Type of the value; a row with any other value fails.',
    }),
    Sequence: f.integer({
      label: 'Order',
      doc: 'Order of the maps. If two have the same destination, the later one wins if it has a value.',
    }),
  },
});
