import { computed, f } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';
import { templateFields } from '../../../kernel/records/save/template-fields.ts';

export const scoreTemplate = defineRecord({
  name: 'ScoreTemplate',
  kind: { group: 'rules', position: 3, icon: 'report', text: 'Scorecards and their items' },
  title: 'Scorecard',
  doc: 'A scorecard: what its scores are calculated from, and how.',
  reach: 'configuration',
  labelDoc: "The score's name.",
  labelMax: 100,
  triggers: {
    scoretemplate_configuration: 'Notifies every process that templates changed.',
    scoretemplate_reach: 'Passes a change of ExtranetEnabled on to existing scores.',
  },
  fields: {
    ...templateFields,
    ScoreEngine: f.text({
      label: 'Calculated by',
      doc: 'The engine that calculates the scores, by its registered name. Empty: scores are entered by hand.',
      max: 100,
    }),
    Method: f.staff({
      label: 'Data from',
      doc:
        'The source of the input: a method signature; the word Parameters for the parameters of the request; ' +
        'empty for the scored record.',
      max: 2000,
      exact: true,
    }),
    ValueType: f.text({
      label: 'Kind of value',
      doc:
        'The value type of the score: Money, Int, Float, Boolean, String, Date or Enumerated, or its code from ' +
        '0 to 6. Empty if only items have values.',
      max: 10,
    }),
    ValueTypeCode: computed(
      f.integer({
        label: 'Kind of value, number',
        doc: 'The code of ValueType: 0 Money, 1 Int, 2 Float, 3 Boolean, 4 String, 5 Date, 6 Enumerated.',
      }),
    ),
    EngineParameters: f.staff({
      label: 'Parameters',
      names: 'Matrix',
      doc: "The engine's parameters, in its own format: expressions, or the name of a matrix.",
      max: 100000,
      exact: true,
    }),
    RenderID: f.id({ label: 'Document', doc: 'The document that the engine fills in.', to: 'Attachment' }),
  },
});
