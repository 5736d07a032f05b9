import { computed, f, required } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const matrixVersion = defineRecord({
  name: 'MatrixVersion',
  doc:
    'A decision table after one change, with who made it and when. Lookups use the latest version, or the ' +
    'one current at AsOf.',
  reach: 'none',
  history: false,
  labelDoc: "The matrix's name at that time.",
  labelMax: 100,
  fields: {
    MatrixID: required(f.id({ doc: 'The matrix.', to: 'Matrix' })),
    RowCount: computed(f.integer({ doc: 'How many rows it had.' })),
    FactCount: computed(f.integer({ doc: 'How many filled cells it had.' })),
    CallID: computed(f.text({ doc: 'The call that made the change.', max: 36, exact: true })),
  },
});
