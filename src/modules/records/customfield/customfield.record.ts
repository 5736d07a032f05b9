import { computed, f, required } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';
import { INDEXED_TEXT_MAX, TEXT_DEFAULT, TEXT_MAX, VALUES_MAX } from './lib/custom-field-limits.ts';

export const customField = defineRecord({
  name: 'CustomField',
  kind: { group: 'data', position: 2, icon: 'columns', text: 'Fields that this company added' },
  doc:
    'A field that you add to a record type. You can save it, search and sort by it like any other field, ' +
    'and its changes are in the history.',
  reach: 'configuration',
  transferKey: ['AppliesTo', 'CustomField'],
  labelDoc: 'The name of the field: letters and digits, a letter first.',
  labelMax: 60,
  triggers: { customfield_configuration: 'Notifies every process that custom fields changed.' },
  fields: {
    AppliesTo: required(
      f.text({ doc: 'The record type. Types derived from it have the field too. It cannot be changed.', max: 60 }),
    ),
    Label: f.text({ doc: 'The name shown to users. Empty: its name.', max: 100 }),
    Kind: required(
      f.choice(['Text', 'Choice', 'Integer', 'Decimal', 'Money', 'Date', 'Timestamp', 'Boolean'], {
        doc: 'The type of its values. It can be changed if all stored values fit.',
      }),
    ),
    Max: f.integer({
      label: 'Longest value',
      doc: `For Text: the maximum length, up to ${TEXT_MAX} characters. Default: ${TEXT_DEFAULT}.`,
    }),
    Values: f.text({
      label: 'Choices',
      doc: `For Choice: the allowed words, one per line, at most ${VALUES_MAX}.`,
      max: 10_000,
      exact: true,
    }),
    Required: f.boolean({
      doc: 'Whether every new record needs a value, and no record can clear it. Existing records are unchanged.',
      default: false,
    }),
    Classification: f.choice(['Public', 'Personal'], {
      doc: 'Personal values are kept out of logs.',
      default: 'Public',
    }),
    Description: f.text({ doc: 'What the field holds, for the reference and forms.', max: 1000 }),
    IsActive: f.boolean({ doc: 'False hides the field; its values are kept.', default: true }),
    IsIndexed: f.boolean({
      label: 'Searchable',
      doc:
        'Whether an index, which housekeeping creates, speeds up searches by the field. For Text, only up ' +
        `to ${INDEXED_TEXT_MAX} characters.`,
      default: false,
    }),
    StoredName: computed(
      f.text({
        label: 'Name in the database',
        doc: 'The name of its values in the column Custom of reports: the name with which it was created.',
        max: 60,
        exact: true,
      }),
    ),
  },
});
