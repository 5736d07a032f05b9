import { f } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';
import type { Row } from '../../../kernel/door/answer.ts';

export const score = defineRecord({
  name: 'Score',
  doc: 'A score of a record: its value, its confidence and the items it was calculated from.',
  reach: 'one',
  parent: 'Scores',
  template: 'ScoreTemplate',
  templateTitle: 'Scorecard',
  labelFromTemplate: true,
  labelDoc: "The score's name. Empty: its template's.",
  triggers: {
    score_reach: "Maintains the firm that can see the score: its parent's, as its template allows.",
    score_reach_spread: 'Passes a change of its firms on to its items and the records below it.',
  },
  fields: {
    ScoreMoney: f.money({ label: 'Dollars', doc: "Its value if the template's ValueType is Money." }),
    ScoreInt: f.integer({ label: 'Whole number', doc: "Its value if the template's ValueType is Int." }),
    ScoreFloat: f.decimal({ label: 'Decimal number', doc: "Its value if the template's ValueType is Float." }),
    ScoreBoolean: f.boolean({ label: 'Yes or no', doc: "Its value if the template's ValueType is Boolean." }),
    ScoreChar: f.text({
      label: 'Text',
      doc: "Its value if the template's ValueType is String or Enumerated.",
      max: 4000,
    }),
    ScoreDate: f.date({ label: 'Date', doc: "Its value if the template's ValueType is Date." }),
    Confidence: f.decimal({
      doc: "Its confidence: the average of its items' confidences by weight, from 0 to 1.",
    }),
    RenderID: f.id({ label: 'Document', doc: 'The document that the engine filled in.', to: 'Attachment' }),
  },
});

/** A stored score. */
export type Score = Row<typeof score>;
