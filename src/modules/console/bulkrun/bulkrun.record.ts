import { computed, f } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const bulkRun = defineRecord({
  name: 'BulkRun',
  title: 'Bulk change',
  doc: 'A change of many records at once: one call for each of them, with its result.',
  // Firms do not see what staff change together, and change records one by one.
  reach: 'none',
  labelDoc: 'What is done, in words: "Assign 3 cases".',
  fields: {
    RecordType: computed(f.text({ label: 'Records', doc: 'The record type of the list.', max: 60, exact: true })),
    Signature: computed(
      f.text({
        label: 'Call',
        doc: 'The call for each record; {Column} is a value of the list.',
        max: 20_000,
        exact: true,
      }),
    ),
    UndoSignature: computed(
      f.text({
        label: 'Call to undo',
        doc: 'The call that undoes it; {Result} is the record that the call created or changed. Empty: it stays done.',
        max: 2000,
        exact: true,
      }),
    ),
    ImportFileID: computed(f.id({ label: 'Batch', doc: 'The batch whose rows are the calls.', to: 'ImportFile' })),
    UndoneRunID: computed(f.id({ label: 'Undoes', doc: 'The bulk change that this one undoes.', to: 'BulkRun' })),
  },
});
