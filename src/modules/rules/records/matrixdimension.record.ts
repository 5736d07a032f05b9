import { f, required } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const matrixDimension = defineRecord({
  name: 'MatrixDimension',
  doc: 'An input of a matrix: a column whose cells are compared with the value that a lookup sends.',
  reach: 'configuration',
  collections: { MatrixID: 'Dimensions' },
  childKey: 'MatrixDimension',
  labelDoc: "The input's name; a lookup sends it without its spaces.",
  labelMax: 60,
  triggers: {
    matrixdimension_configuration: 'Tells every process that matrices changed.',
    matrixdimension_unsubscribe: 'Takes away the outside identifiers of rows that go, also with what they are part of.',
  },
  fields: {
    MatrixID: required(f.id({ doc: 'The matrix.', to: 'Matrix' })),
    XPath: f.text({
      doc: "Where a record's summary holds the value, XPath 1.0; empty: the first element named like the input.",
      max: 2000,
      exact: true,
    }),
    Weight: f.decimal({
      doc: "What a match of this input adds to a row's weight: 0 or more, with at most four decimals.",
      default: '1',
    }),
    Sequence: f.integer({ doc: 'The order of inputs.' }),
    ValueType: f.choice(['Text', 'Number', 'Date'], {
      doc: 'How cells are read and compared; empty: each cell by what it looks like.',
    }),
  },
});
