import { f } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const decisionDelay = defineRecord({
  name: 'DecisionDelay',
  doc: 'A hold or delay on a case.',
  reach: 'one',
  parent: 'DecisionDelays',
  template: 'DecisionDelayTemplate',
  labelFromTemplate: true,
  labelDoc: "The hold's name; on a save it names the template.",
  triggers: {
    decisiondelay_reach: "Keeps the firm that reaches the hold: its parent's, as its template allows.",
    decisiondelay_hold_insert: 'Keeps what workflows and their steps say of their holds.',
    decisiondelay_hold_update: 'Likewise, of holds that change or end.',
    decisiondelay_hold_delete: 'Likewise, of holds that go.',
    decisiondelay_reach_spread: 'Propagates a change of firm to the records below it.',
  },
  fields: {
    DecisionID: f.id({ doc: 'The workflow that it holds.', to: 'Decision' }),
    ReasonDetail: f.body({ doc: 'The reason.' }),
    ActualStart: f.timestamp({ doc: 'When it began.' }),
    ProjectedCompletion: f.timestamp({ doc: 'When it is expected to end.' }),
    ActualCompletion: f.timestamp({ doc: 'When it ended.' }),
  },
});
