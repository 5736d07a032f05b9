import { f, required } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const matrixDimension = defineRecord({
  name: 'MatrixDimension',
  title: 'Input',
  doc: 'An input of a decision table: a column whose cells are compared with the value that a lookup sends.',
  reach: 'configuration',
  collections: { MatrixID: 'Dimensions' },
  childKey: 'MatrixDimension',
  labelDoc: "The input's name. A lookup sends it without spaces.",
  labelMax: 60,
  triggers: {
    matrixdimension_configuration: 'Notifies every process that matrices changed.',
    matrixdimension_unsubscribe:
      'Removes the external IDs of deleted rows, including rows deleted together with their parent.',
  },
  fields: {
    MatrixID: required(f.id({ label: 'Decision table', doc: 'The matrix.', to: 'Matrix' })),
    XPath: f.text({
      label: 'Value from',
      doc: "XPath 1.0 of the value in a record's summary. Empty: the first element named like the input.",
      max: 2000,
      exact: true,
    }),
    Weight: f.decimal({
      doc: 'The weight that a match of this input adds to a row: 0 or more, with at most four decimals.',
      default: '1',
    }),
    Sequence: f.integer({ label: 'Order', doc: 'The order of inputs.' }),
    ValueType: f.choice(['Text', 'Number', 'Date'], {
      label: 'Kind of value',
      doc: 'How cells are read and compared. Empty: each cell by its form.',
    }),
  },
});
