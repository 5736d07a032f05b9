import { f, required } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const matrixMeasure = defineRecord({
  name: 'MatrixMeasure',
  title: 'Output',
  doc: 'An output of a decision table: a column with the values that a lookup returns.',
  reach: 'configuration',
  collections: { MatrixID: 'Measures' },
  childKey: 'MatrixMeasure',
  labelDoc:
    "The output's name, shown in results without spaces. If it contains Matrix, its cells name child " +
    'matrices, which are looked up in turn.',
  labelMax: 60,
  triggers: {
    matrixmeasure_configuration: 'Notifies every process that matrices changed.',
    matrixmeasure_unsubscribe:
      'Removes the external IDs of deleted rows, including rows deleted together with their parent.',
  },
  fields: {
    MatrixID: required(f.id({ label: 'Decision table', doc: 'The matrix.', to: 'Matrix' })),
    ValueType: f.choice(['Text', 'Number', 'Money', 'Date', 'Boolean', 'Object'], {
      label: 'Kind of value',
      doc: 'The type of its values. Empty: literal text. Object: each cell references a record.',
    }),
    ObjectType: f.text({
      label: 'Record type',
      doc: 'For an Object output: the record type that its cells reference.',
      max: 60,
      exact: true,
    }),
    Sequence: f.integer({ label: 'Order', doc: 'The order of outputs.' }),
  },
});
