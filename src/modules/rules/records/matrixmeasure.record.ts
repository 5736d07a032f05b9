import { f, required } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const matrixMeasure = defineRecord({
  name: 'MatrixMeasure',
  doc: 'An output of a matrix: a column whose cells are what a row decides.',
  reach: 'configuration',
  collections: { MatrixID: 'Measures' },
  childKey: 'MatrixMeasure',
  labelDoc:
    "The output's name; answers show it without its spaces. Where it contains Matrix, its cells name matrices that are looked up in turn.",
  labelMax: 60,
  triggers: {
    matrixmeasure_configuration: 'Tells every process that matrices changed.',
    matrixmeasure_unsubscribe: 'Takes away the outside identifiers of rows that go, also with what they are part of.',
  },
  fields: {
    MatrixID: required(f.id({ doc: 'The matrix.', to: 'Matrix' })),
    ValueType: f.choice(['Text', 'Number', 'Money', 'Date', 'Boolean', 'Object'], {
      doc: 'What its values are; empty: text as it stands. Object: each cell points to a record.',
    }),
    ObjectType: f.text({ doc: 'Of Object: the record type that its cells point to.', max: 60, exact: true }),
    Sequence: f.integer({ doc: 'The order of outputs.' }),
  },
});
