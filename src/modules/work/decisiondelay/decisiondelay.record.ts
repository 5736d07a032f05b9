import { f } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';
import type { Row } from '../../../kernel/door/answer.ts';

export const decisionDelay = defineRecord({
  name: 'DecisionDelay',
  title: 'Hold',
  doc: 'A hold: the reason and the days for which a case or a workflow waits.',
  reach: 'one',
  parent: 'DecisionDelays',
  template: 'DecisionDelayTemplate',
  templateTitle: 'Hold type',
  // A hold of a workflow is not one of its whole case.
  instanceKey: 'DecisionID',
  labelFromTemplate: true,
  labelDoc: "The hold's name. In a save it can name the hold type.",
  triggers: {
    decisiondelay_reach: 'Sets the firm that can access the hold, from its parent, as its type allows.',
    decisiondelay_hold_insert: 'Updates the hold status of workflows and their steps.',
    decisiondelay_hold_update: 'Updates it when a hold changes or ends.',
    decisiondelay_hold_delete: 'Updates it when a hold is deleted.',
    decisiondelay_reach_spread: 'Propagates a change of firm to the records below it.',
    decisiondelay_case_created: 'Notes that the summary of its case is out of date.',
    decisiondelay_case_deleted: 'Notes it when the row goes.',
    decisiondelay_case_changed: 'Notes it when what the summary shows changes.',
  },
  fields: {
    DecisionID: f.id({ label: 'Workflow', doc: 'The workflow it holds.', to: 'Decision' }),
    ReasonDetail: f.body({ label: 'Reason', doc: 'The reason.' }),
    ActualStart: f.timestamp({ label: 'Started', doc: 'When it started.' }),
    ProjectedCompletion: f.timestamp({ label: 'Review date', doc: 'When it is expected to end.' }),
    ActualCompletion: f.timestamp({ label: 'Released', doc: 'When it ended.' }),
  },
});

/** A stored hold. */
export type Hold = Row<typeof decisionDelay>;
