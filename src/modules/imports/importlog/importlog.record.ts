import { computed, f } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const importLog = defineRecord({
  name: 'ImportLog',
  title: 'Import row',
  doc: 'The result of one row of an import.',
  reach: 'one',
  history: false,
  sqlFilters: {
    Failed: { doc: 'Rows that failed.', condition: "importlog.status = 'Error'" },
    Warned: { doc: 'Rows that were saved with a warning.', condition: "importlog.status = 'Warning'" },
  },
  collections: { ImportFileID: 'ImportLogs' },
  labelDoc: 'What the row is about.',
  fields: {
    ImportFileID: computed(f.id({ label: 'Import', doc: 'The run.', to: 'ImportFile' })),
    OrganizationID: computed(
      f.id({ label: 'Firm', doc: 'The firm that sent it.', to: 'Organization', grantsReach: true }),
    ),
    Reference: f.text({ doc: "The sender's reference of the item.", max: 50 }),
    Object: f.text({ label: 'Record type', doc: 'The record type concerned.', max: 60, exact: true }),
    ObjectID: f.id({ label: 'Number of the record', doc: 'The record concerned.' }),
    Operation: f.text({ doc: 'What was done: Insert, Update, or None.', max: 60 }),
    Message: f.text({ doc: 'Why it failed, or the warning.', max: 10000 }),
    Properties: f.xml({ label: 'Values', doc: 'The saved properties, with Social Security numbers masked.' }),
    SourceLine: f.integer({
      label: 'Line',
      doc: 'Position in the source: the line of a text, the row of a sheet, the number of an element.',
    }),
    SourceColumn: computed(
      f.text({ label: 'Column', doc: 'Column of the source that is wrong, if it is a single one.', max: 255 }),
    ),
    LogCategory: f.text({ label: 'Category', doc: 'Category that the import type gives to such outcomes.', max: 100 }),
    Sequence: f.integer({ label: 'Order', doc: 'Order among the rows of a run.' }),
  },
});
