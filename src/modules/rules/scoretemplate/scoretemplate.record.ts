import { computed, f } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';
import { templateFields } from '../../../kernel/records/save/template-fields.ts';

export const scoreTemplate = defineRecord({
  name: 'ScoreTemplate',
  doc: 'A kind of score: the engine that calculates it, where its input comes from, and the items that it is made of.',
  reach: 'configuration',
  labelDoc: "The score's name.",
  labelMax: 100,
  triggers: {
    scoretemplate_configuration: 'Tells every process that templates changed.',
    scoretemplate_reach: 'Hands a change of ExtranetEnabled on to the instances that there are.',
  },
  fields: {
    ...templateFields,
    ScoreEngine: f.text({
      doc: 'The engine that calculates it, by its registered name; empty for scores that are entered by hand.',
      max: 100,
    }),
    Method: f.text({
      doc: 'Where the input comes from: a method signature; the word Parameters, the parameters of the request; empty, the record that is scored.',
      max: 2000,
      exact: true,
    }),
    ValueType: f.text({
      doc: 'What kind of value the score has: Money, Int, Float, Boolean, String, Date or Enumerated, or its code from 0 to 6; empty where the items are all there is.',
      max: 10,
    }),
    ValueTypeCode: computed(
      f.integer({ doc: 'The code of ValueType: 0 Money, 1 Int, 2 Float, 3 Boolean, 4 String, 5 Date, 6 Enumerated.' }),
    ),
    EngineParameters: f.text({
      doc: 'What the engine is told, in its own form: expressions, the name of a matrix.',
      max: 100000,
      exact: true,
    }),
    RenderID: f.id({ doc: 'The document that the engine fills in.', to: 'Attachment' }),
  },
});
