import { computed, f, required } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const scoreItemTemplate = defineRecord({
  name: 'ScoreItemTemplate',
  title: 'Scorecard line',
  doc: 'An item of a scorecard: a value that its scores use or calculate.',
  reach: 'configuration',
  collections: { ScoreTemplateID: 'Items' },
  childKey: 'ScoreItemTemplate',
  labelDoc: "The item's name.",
  labelMax: 100,
  triggers: {
    scoreitemtemplate_configuration: 'Notifies every process that templates changed.',
    scoreitemtemplate_values:
      'Refuses to change Mask or ValueType once there are values: they would be unmasked or in the wrong column.',
  },
  fields: {
    ScoreTemplateID: required(f.id({ label: 'Scorecard', doc: 'The scorecard.', to: 'ScoreTemplate' })),
    SafeName: computed(
      f.text({
        label: 'Short name',
        doc: 'The name of the item in parameters, expressions and columns: its name reduced to letters and digits.',
        max: 101,
      }),
    ),
    ValueType: f.text({
      label: 'Kind of value',
      doc:
        'The type of value of the item: Money, Int, Float, Boolean, String, Date or Enumerated, or its code ' +
        'from 0 to 6. Empty counts as String.',
      max: 10,
    }),
    ValueTypeCode: computed(
      f.integer({
        label: 'Kind of value, number',
        doc: 'The code of ValueType: 0 Money, 1 Int, 2 Float, 3 Boolean, 4 String, 5 Date, 6 Enumerated.',
      }),
    ),
    Prompt: f.text({
      label: 'Question',
      doc: 'The question shown to users, or sent to a language engine, to obtain the value.',
      max: 10000,
    }),
    Enumeration: f.text({
      label: 'Choices',
      doc: 'The allowed values: one per line, or separated by | or commas.',
      max: 10000,
    }),
    Weight: f.decimal({ doc: "The item's weight in the score's confidence. Empty counts as 1." }),
    Sequence: f.integer({ label: 'Order', doc: 'The order of items.' }),
    Label: f.text({ doc: 'The name shown to users.', max: 255 }),
    Mask: f.text({
      doc:
        'How the value is shown: X hides a character, # shows one, * at the beginning hides any number of ' +
        'them, other characters are literal. The value itself is then stored encrypted.',
      max: 100,
      exact: true,
    }),
    UnmaskPermission: f.text({
      label: 'Permission to unmask',
      doc: 'The permission to see a masked value in the clear. Without it no user can.',
      max: 100,
    }),
    XPath: f.staff({ label: 'Value from', doc: 'The XPath of the value in the input.', max: 2000, exact: true }),
  },
});
