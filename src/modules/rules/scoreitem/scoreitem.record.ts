import { computed, f, required } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const scoreItem = defineRecord({
  name: 'ScoreItem',
  doc: 'One value of a score.',
  reach: 'one',
  collections: { ScoreID: 'Items' },
  childKey: 'ScoreItemTemplateID',
  labelDoc: "The item's name; its template's where none is sent.",
  triggers: {
    scoreitem_reach: "Keeps the firm that reaches the item: its score's.",
    scoreitem_nested: 'Keeps a score from standing below itself.',
    scoreitem_sealed: 'Refuses a value in the clear where the template has a mask.',
  },
  fields: {
    ScoreID: required(f.id({ doc: 'The score.', to: 'Score' })),
    ScoreItemTemplateID: f.id({ doc: "The template's item.", to: 'ScoreItemTemplate' }),
    ScoreMoney: f.money({ doc: "Its value where the template's ValueType is Money." }),
    ScoreInt: f.integer({ doc: "Its value where the template's ValueType is Int." }),
    ScoreFloat: f.decimal({ doc: "Its value where the template's ValueType is Float." }),
    ScoreBoolean: f.boolean({ doc: "Its value where the template's ValueType is Boolean." }),
    ScoreChar: f.text({
      doc: "Its value where the template's ValueType is String or Enumerated; of any item with a mask, the value as the mask shows it.",
      max: 4000,
    }),
    ScoreDate: f.date({ doc: "Its value where the template's ValueType is Date." }),
    ScoreSealed: computed(f.secret({ doc: 'Of an item with a mask: the value itself, sealed.' })),
    Confidence: f.decimal({ doc: 'How sure the value is, from 0 to 1; empty counts as 1.' }),
    ChildScoreID: f.id({ doc: 'The score that makes the value; it is calculated first.', to: 'Score' }),
  },
});
