import { f, required } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const matrixFact = defineRecord({
  name: 'MatrixFact',
  title: 'Rule row',
  doc:
    'A filled cell of a decision table: a condition on an input, or the value of an output. Empty cells ' +
    'are not stored.',
  reach: 'configuration',
  collections: { MatrixID: 'Facts' },
  transferKey: ['MatrixID', 'RowNumber', 'MatrixFactType', 'MatrixFact'],
  labelDoc: 'The name of the input or output of the cell. The id of the column can be sent instead.',
  labelMax: 60,
  triggers: {
    matrixfact_configuration: 'Notifies every process that matrices changed.',
    matrixfact_unsubscribe:
      'Removes the external IDs of deleted rows, including rows deleted together with their parent.',
  },
  fields: {
    MatrixID: required(f.id({ label: 'Decision table', doc: 'The matrix.', to: 'Matrix' })),
    RowNumber: required(
      f.integer({
        label: 'Row',
        doc: 'The row, counted from 1. Rows that match equally well are ranked in this order.',
      }),
    ),
    MatrixDimensionID: f.id({ label: 'Input', doc: 'The input, for a cell that is compared.', to: 'MatrixDimension' }),
    MatrixMeasureID: f.id({ label: 'Output', doc: 'The output, for a cell that is returned.', to: 'MatrixMeasure' }),
    Cell: f.text({
      doc: 'For an input: a value, list, range or bound, or "not" before one. For an output: its value.',
      max: 4000,
      exact: true,
    }),
    Object: f.text({
      label: 'Record type',
      doc: 'For an Object output: the record type that the cell references.',
      max: 60,
      exact: true,
    }),
    ObjectID: f.id({
      label: 'Number of the record',
      doc: 'For an Object output: the record that the cell references.',
    }),
  },
});
