import { f, required } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const matrixFact = defineRecord({
  name: 'MatrixFact',
  doc: 'A filled cell of a matrix: of an input what it must be, of an output what it is. What is empty has no fact.',
  reach: 'configuration',
  collections: { MatrixID: 'Facts' },
  transferKey: ['MatrixID', 'RowNumber', 'MatrixFactType', 'MatrixFact'],
  labelDoc: 'The name of the input or output whose cell it is; the id of the column can be sent instead.',
  labelMax: 60,
  triggers: {
    matrixfact_configuration: 'Tells every process that matrices changed.',
    matrixfact_unsubscribe: 'Takes away the outside identifiers of rows that go, also with what they are part of.',
  },
  fields: {
    MatrixID: required(f.id({ doc: 'The matrix.', to: 'Matrix' })),
    RowNumber: required(f.integer({ doc: 'The row, from 1 on; rows that decide equally well come in this order.' })),
    MatrixDimensionID: f.id({ doc: 'The input, of a cell that is compared.', to: 'MatrixDimension' }),
    MatrixMeasureID: f.id({ doc: 'The output, of a cell that is answered.', to: 'MatrixMeasure' }),
    Cell: f.text({
      doc: 'Of an input a value, list, range or bound, or "not" before one; of an output its value.',
      max: 4000,
      exact: true,
    }),
    Object: f.text({ doc: 'Of an Object output: the record type that it points to.', max: 60, exact: true }),
    ObjectID: f.id({ doc: 'Of an Object output: the record that it points to.' }),
  },
});
