import { f } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const score = defineRecord({
  name: 'Score',
  doc: 'One calculation on a record: its value, how sure it is, and the items that it is made of.',
  reach: 'one',
  parent: 'Scores',
  template: 'ScoreTemplate',
  labelFromTemplate: true,
  labelDoc: "The score's name; its template's where none is sent.",
  triggers: {
    score_reach: "Keeps the firm that reaches the score: its parent's, as its template allows.",
    score_reach_spread: 'Hands a change of its firms on to its items and to what hangs below it.',
  },
  fields: {
    ScoreMoney: f.money({ doc: "Its value where the template's ValueType is Money." }),
    ScoreInt: f.integer({ doc: "Its value where the template's ValueType is Int." }),
    ScoreFloat: f.decimal({ doc: "Its value where the template's ValueType is Float." }),
    ScoreBoolean: f.boolean({ doc: "Its value where the template's ValueType is Boolean." }),
    ScoreChar: f.text({ doc: "Its value where the template's ValueType is String or Enumerated.", max: 4000 }),
    ScoreDate: f.date({ doc: "Its value where the template's ValueType is Date." }),
    Confidence: f.decimal({
      doc: "How sure it is: the average of its items' confidences by their weights, from 0 to 1.",
    }),
    RenderID: f.id({ doc: 'The document that the engine filled in.', to: 'Attachment' }),
  },
});
