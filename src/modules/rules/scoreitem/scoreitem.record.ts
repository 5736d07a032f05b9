import { computed, f, required } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const scoreItem = defineRecord({
  name: 'ScoreItem',
  title: 'Score line',
  doc: 'A value that a score uses or calculates.',
  reach: 'one',
  collections: { ScoreID: 'Items' },
  childKey: 'ScoreItemTemplateID',
  labelDoc: "The item's name. Empty: its template's.",
  triggers: {
    scoreitem_reach: "Maintains the firm that can see the item: its score's.",
    scoreitem_nested: 'Refuses to nest a score in itself.',
    scoreitem_sealed: 'Refuses an unmasked value if the template has a mask.',
  },
  fields: {
    ScoreID: required(f.id({ doc: 'The score.', to: 'Score' })),
    ScoreItemTemplateID: f.id({ label: 'Scorecard line', doc: "The template's item.", to: 'ScoreItemTemplate' }),
    ScoreMoney: f.money({ label: 'Dollars', doc: "Its value if the template's ValueType is Money." }),
    ScoreInt: f.integer({ label: 'Number', doc: "Its value if the template's ValueType is Int." }),
    ScoreFloat: f.decimal({ label: 'Decimal number', doc: "Its value if the template's ValueType is Float." }),
    ScoreBoolean: f.boolean({ label: 'Yes or no', doc: "Its value if the template's ValueType is Boolean." }),
    ScoreChar: f.text({
      label: 'Text',
      doc: "Its value if the template's ValueType is String or Enumerated. For an item with a mask, the masked value.",
      max: 4000,
    }),
    ScoreDate: f.date({ label: 'Date', doc: "Its value if the template's ValueType is Date." }),
    ScoreSealed: computed(
      f.secret({ label: 'Encrypted value', doc: 'For an item with a mask: the value itself, sealed.' }),
    ),
    Confidence: f.decimal({ doc: 'The confidence in the value, from 0 to 1. Empty counts as 1.' }),
    ChildScoreID: f.id({
      label: 'Score below',
      doc: 'The score that provides the value. It is calculated first.',
      to: 'Score',
    }),
  },
});
