import { computed, f, required } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const matrixVersion = defineRecord({
  name: 'MatrixVersion',
  title: 'Decision table version',
  doc:
    'A decision table after one change, with who made it and when. Lookups use the latest version, or the ' +
    'one current at AsOf.',
  reach: 'none',
  history: false,
  labelDoc: "The matrix's name at that time.",
  labelMax: 100,
  fields: {
    MatrixID: required(f.id({ label: 'Decision table', doc: 'The matrix.', to: 'Matrix' })),
    RowCount: computed(f.integer({ label: 'Rows', doc: 'How many rows it had.' })),
    FactCount: computed(f.integer({ label: 'Cells', doc: 'How many filled cells it had.' })),
    CallID: computed(
      f.text({ label: 'Reference of the change', doc: 'The call that made the change.', max: 36, exact: true }),
    ),
  },
});
