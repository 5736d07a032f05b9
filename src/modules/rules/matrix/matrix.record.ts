import { f } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const matrix = defineRecord({
  name: 'Matrix',
  doc: 'A decision table: inputs with weights, outputs, and rows whose cells say for which values of the inputs the outputs hold.',
  reach: 'configuration',
  labelDoc: 'The name by which it is looked up; no number, since a number is an id.',
  labelMax: 100,
  triggers: { matrix_configuration: 'Tells every process that matrices changed.' },
  fields: {
    Description: f.text({ doc: 'What it decides.', max: 1000 }),
  },
});
