import { f } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const matrix = defineRecord({
  name: 'Matrix',
  kind: { group: 'rules', position: 1, icon: 'matrix', text: 'Fees, vendors, assignments by case' },
  title: 'Decision table',
  doc:
    'A decision table. A lookup compares its values with the inputs of each row and returns the outputs of ' +
    'the row that fits best.',
  reach: 'configuration',
  labelDoc: 'The name used for lookups. It must not be a number, since a number is an id.',
  labelMax: 100,
  triggers: { matrix_configuration: 'Notifies every process that matrices changed.' },
  fields: {
    Description: f.text({ doc: 'What the matrix decides.', max: 1000 }),
    AppliesTo: f.text({
      doc:
        'The record type to whose changes the matrix applies itself as a rule set, with those derived from it. ' +
        'Empty: only where a call names it.',
      max: 60,
      exact: true,
    }),
    ApplyOn: f.choice(['Insert', 'Update', 'Save'], {
      label: 'Applied on',
      doc: 'The changes to which it applies itself. Save: both. Empty counts as Save.',
    }),
    ApplyCriteria: f.text({
      label: 'Applied when',
      doc:
        'The records to which it applies itself: one condition per line, `Field = cell`, with the cells of inputs or ' +
        'null, not null. All must hold. Empty: all records.',
      max: 4000,
      exact: true,
    }),
    ApplySequence: f.integer({
      label: 'Order',
      doc: 'The order in which matrices apply themselves to one record; empty comes last.',
    }),
    ApplyUseSummary: f.boolean({
      label: 'Sees the whole case',
      doc: "Whether inputs and {Field} then come from the record's summary instead of its own fields.",
    }),
    ApplyThrowIfError: f.boolean({
      label: 'Errors refuse the change',
      doc:
        'Whether the change fails if no row decides or an output cannot be used. Empty counts as true; otherwise ' +
        'these raise warnings.',
    }),
  },
});
