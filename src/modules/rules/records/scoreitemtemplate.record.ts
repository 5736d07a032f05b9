import { computed, f, required } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const scoreItemTemplate = defineRecord({
  name: 'ScoreItemTemplate',
  doc: 'An item of a kind of score: one value that goes into it or comes out of it.',
  reach: 'configuration',
  collections: { ScoreTemplateID: 'Items' },
  childKey: 'ScoreItemTemplate',
  labelDoc: "The item's name.",
  labelMax: 100,
  triggers: {
    scoreitemtemplate_configuration: 'Tells every process that templates changed.',
    scoreitemtemplate_values:
      'Refuses another Mask or ValueType once there are values, which would then stand in the clear or in the wrong column.',
  },
  fields: {
    ScoreTemplateID: required(f.id({ doc: 'The kind of score.', to: 'ScoreTemplate' })),
    SafeName: computed(
      f.text({
        doc: 'The name by which parameters, expressions and columns mean the item: its name without all but letters and digits.',
        max: 101,
      }),
    ),
    ValueType: f.text({
      doc: 'What kind of value the item has: Money, Int, Float, Boolean, String, Date or Enumerated, or its code from 0 to 6; empty counts as String.',
      max: 10,
    }),
    ValueTypeCode: computed(
      f.integer({ doc: 'The code of ValueType: 0 Money, 1 Int, 2 Float, 3 Boolean, 4 String, 5 Date, 6 Enumerated.' }),
    ),
    Prompt: f.text({
      doc: 'The question that people, or an engine that understands language, are asked for the value.',
      max: 10000,
    }),
    Enumeration: f.text({ doc: 'The values that are allowed: one a line, or separated by | or commas.', max: 10000 }),
    Weight: f.decimal({ doc: "How much the item counts in the score's confidence; empty counts as 1." }),
    Sequence: f.integer({ doc: 'The order of items.' }),
    Label: f.text({ doc: 'What people are shown as its name.', max: 255 }),
    Mask: f.text({
      doc: 'How the value is shown: X hides a character, # shows one, * at the beginning hides any number of them, other signs stand for themselves. The value itself is then kept sealed.',
      max: 100,
      exact: true,
    }),
    UnmaskPermission: f.text({
      doc: 'The permission that shows a masked value in the clear; without one nobody sees it.',
      max: 100,
    }),
    XPath: f.text({ doc: 'Where the value is found in the input.', max: 2000, exact: true }),
  },
});
