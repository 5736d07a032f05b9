import { computed, f, required } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';
import { INDEXED_TEXT_MAX, TEXT_DEFAULT, TEXT_MAX, VALUES_MAX } from './lib/custom-field-limits.ts';

export const customField = defineRecord({
  name: 'CustomField',
  doc: 'A field that the installation adds to a record type: saved, read, searched, sorted by and kept in history under its name like any other.',
  reach: 'configuration',
  transferKey: ['AppliesTo', 'CustomField'],
  labelDoc: 'The name under which it is saved and read: letters and digits, a letter first.',
  labelMax: 60,
  triggers: { customfield_configuration: 'Tells every process that custom fields changed.' },
  fields: {
    AppliesTo: required(
      f.text({ doc: 'The record type; those that derive from it have the field too. It cannot be changed.', max: 60 }),
    ),
    Label: f.text({ doc: 'What people call it; empty: its name.', max: 100 }),
    Kind: required(
      f.choice(['Text', 'Choice', 'Integer', 'Decimal', 'Money', 'Date', 'Timestamp', 'Boolean'], {
        doc: 'What its values are. It can be changed while all stored values fit.',
      }),
    ),
    Max: f.integer({
      doc: `Of Text: the greatest length, up to ${TEXT_MAX} characters; ${TEXT_DEFAULT} where it is not sent.`,
    }),
    Values: f.text({ doc: `Of Choice: the words, one on each line, at most ${VALUES_MAX}.`, max: 10_000, exact: true }),
    Required: f.boolean({
      doc: 'Whether each new record needs a value, and no record can be emptied of it. Records that were made before are left as they are.',
      default: false,
    }),
    Classification: f.choice(['Public', 'Personal'], {
      doc: 'Personal values are kept out of logs.',
      default: 'Public',
    }),
    Description: f.text({ doc: 'What it holds, for the reference and forms.', max: 1000 }),
    IsActive: f.boolean({ doc: 'False hides the field; its values are kept.', default: true }),
    IsIndexed: f.boolean({
      doc: `Whether searches by it are helped by an index, which housekeeping makes. Of Text only up to ${INDEXED_TEXT_MAX} characters.`,
      default: false,
    }),
    StoredName: computed(
      f.text({
        doc: 'Under which name its values stand in the column Custom of reports: the name that it was made with.',
        max: 60,
        exact: true,
      }),
    ),
  },
});
