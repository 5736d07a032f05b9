import { computed, f, required } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const decisionStep = defineRecord({
  name: 'DecisionStep',
  doc: 'A step of a workflow on a case: what it made, where it stands, and when.',
  reach: 'one',
  collections: { DecisionID: 'DecisionSteps' },
  labelDoc: "The step's name, its template's when it was inserted.",
  labelMax: 100,
  // Merges and rules look at the case, not at how the platform runs it; a long workflow would make every summary long.
  inSummary: false,
  triggers: {
    decisionstep_reach: "Keeps the firm that reaches the step: its workflow's.",
    decisionstep_hold: 'Counts the holds that a step meets which starts although its workflow is on hold.',
    decisionstep_reach_spread: 'Propagates a change of firm to the records below it.',
  },
  fields: {
    DecisionID: required(f.id({ doc: 'The workflow.', to: 'Decision' })),
    DecisionStepTemplateID: f.id({
      doc: 'The step of the template. One that is gone since stands in the version that the workflow goes by.',
    }),
    Object: computed(f.text({ doc: 'The record type of what the step made.', max: 60, exact: true })),
    ObjectID: computed(f.id({ doc: 'What the step made.' })),
    IsTrue: computed(f.boolean({ doc: 'The result it completed with.' })),
    EstimatedStart: f.timestamp({ doc: 'When it should start: when the last of the steps before it was complete.' }),
    EstimatedCompletion: f.timestamp({ doc: 'When it should be complete according to its duration.' }),
    ProjectedStart: f.timestamp({ doc: 'The expected start, as entered by a user.' }),
    ProjectedCompletion: f.timestamp({ doc: 'The due date, as entered by a user.' }),
    ActualStart: computed(f.timestamp({ doc: 'When it was started.' })),
    ActualCompletion: computed(f.timestamp({ doc: 'When it was completed.' })),
    CanceledDate: computed(f.timestamp({ doc: 'When it was canceled.' })),
    ErrorDate: computed(f.timestamp({ doc: 'When it last failed.' })),
    ErrorGUID: computed(f.text({ doc: 'Finds the failure in the error log.', max: 36, exact: true })),
    ErrorMessage: computed(
      f.staff({
        doc: 'What the failure said. Steps run as a user who reaches everything, so that firms are not told.',
        max: 2500,
        exact: true,
      }),
    ),
    TeamID: f.id({ doc: 'The team whose work it is.', to: 'Collection' }),
    Delayed: computed(f.boolean({ doc: 'Its workflow is on hold while it is in progress.' })),
    DelayCount: computed(f.integer({ doc: 'How many holds it has met.' })),
    DelayDuration: computed(f.decimal({ doc: 'Total minutes on hold, over holds that have ended.' })),
    EnforceDelay: computed(f.boolean({ doc: 'While it is on hold it cannot complete.' })),
    QueueMessageID: computed(
      f.text({ doc: 'The queued call that will start it or look at it again.', max: 36, exact: true }),
    ),
    InsertedSequence: computed(f.integer({ doc: "Its number among what the workflow's steps did, of its insertion." })),
    CompletedSequence: computed(f.integer({ doc: 'Likewise, of its completion.' })),
  },
});
