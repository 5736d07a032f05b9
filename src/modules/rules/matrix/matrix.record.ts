import { f } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const matrix = defineRecord({
  name: 'Matrix',
  doc:
    'A decision table. A lookup compares its values with the inputs of each row and returns the outputs of ' +
    'the row that fits best.',
  reach: 'configuration',
  labelDoc: 'The name used for lookups. It must not be a number, since a number is an id.',
  labelMax: 100,
  triggers: { matrix_configuration: 'Notifies every process that matrices changed.' },
  fields: {
    Description: f.text({ doc: 'What the matrix decides.', max: 1000 }),
  },
});
