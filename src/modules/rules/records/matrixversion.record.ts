import { computed, f, required } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const matrixVersion = defineRecord({
  name: 'MatrixVersion',
  doc: 'What a matrix was from one change on, who made the change and when. Lookups read the latest, or with AsOf the one that held then.',
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
