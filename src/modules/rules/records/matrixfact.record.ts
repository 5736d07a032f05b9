import { f, required } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const matrixFact = defineRecord({
  name: 'MatrixFact',
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
    MatrixID: required(f.id({ doc: 'The matrix.', to: 'Matrix' })),
    RowNumber: required(
      f.integer({ doc: 'The row, counted from 1. Rows that match equally well are ranked in this order.' }),
    ),
    MatrixDimensionID: f.id({ doc: 'The input, for a cell that is compared.', to: 'MatrixDimension' }),
    MatrixMeasureID: f.id({ doc: 'The output, for a cell that is returned.', to: 'MatrixMeasure' }),
    Cell: f.text({
      doc: 'For an input: a value, list, range or bound, or "not" before one. For an output: its value.',
      max: 4000,
      exact: true,
    }),
    Object: f.text({ doc: 'For an Object output: the record type that the cell references.', max: 60, exact: true }),
    ObjectID: f.id({ doc: 'For an Object output: the record that the cell references.' }),
  },
});
