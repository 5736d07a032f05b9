import { computed, f, required } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const decisionStep = defineRecord({
  name: 'DecisionStep',
  title: 'Step',
  doc: 'A step of a workflow: what it created, its status and its dates.',
  reach: 'one',
  collections: { DecisionID: 'DecisionSteps' },
  labelDoc: "The step's name, copied from its template.",
  labelMax: 100,
  // Summaries are about the case, not about its processing; a long workflow would make every summary long.
  inSummary: false,
  triggers: {
    decisionstep_reach: 'Sets the firm that can access the step, from its workflow.',
    decisionstep_items: 'Marks the work items of its tasks as on hold, or no longer.',
    decisionstep_hold: 'Counts the holds of a step that starts although its workflow is on hold.',
    decisionstep_reach_spread: 'Propagates a change of firm to the records below it.',
    decisionstep_case_changed: 'Notes it when what the summary shows changes.',
    decisionstep_case_created: 'Notes that the summary of its case is out of date.',
  },
  fields: {
    DecisionID: required(f.id({ label: 'Workflow', doc: 'The workflow.', to: 'Decision' })),
    DecisionStepTemplateID: f.id({
      label: 'Step template',
      doc: 'The step of the template. A deleted one is still in the version that the workflow follows.',
    }),
    Object: computed(
      f.text({ label: 'Record created', doc: 'The record type of what the step created.', max: 60, exact: true }),
    ),
    ObjectID: computed(f.id({ label: 'Number of the record created', doc: 'The record the step created.' })),
    IsTrue: computed(f.boolean({ label: 'Result', doc: 'The result it completed with.' })),
    EstimatedStart: f.timestamp({
      label: 'Expected start',
      doc: 'When it should start: the completion of its last dependency.',
    }),
    EstimatedCompletion: f.timestamp({
      label: 'Expected',
      doc: 'When it should be complete according to its duration.',
    }),
    ProjectedStart: f.timestamp({ label: 'Planned start', doc: 'The expected start, as entered by a user.' }),
    ProjectedCompletion: f.timestamp({ label: 'Due', doc: 'The due date, as entered by a user.' }),
    ActualStart: computed(f.timestamp({ label: 'Started', doc: 'When it was started.' })),
    ActualCompletion: computed(f.timestamp({ label: 'Completed', doc: 'When it was completed.' })),
    CanceledDate: computed(f.timestamp({ label: 'Canceled', doc: 'When it was canceled.' })),
    ErrorDate: computed(f.timestamp({ label: 'Failed', doc: 'When it last failed.' })),
    ErrorGUID: computed(
      f.text({ label: 'Error reference', doc: 'Finds the failure in the error log.', max: 36, exact: true }),
    ),
    ErrorMessage: computed(
      f.staff({
        label: 'Error',
        doc: 'The error message. Steps can access all records, so firms do not see it.',
        max: 2500,
        exact: true,
      }),
    ),
    TeamID: f.id({ doc: 'The team that does the work.', to: 'Collection' }),
    Delayed: computed(f.boolean({ label: 'On hold', doc: 'Whether its workflow is on hold while it is in progress.' })),
    DelayCount: computed(f.integer({ label: 'Holds', doc: 'Number of holds so far.' })),
    DelayDuration: computed(
      f.decimal({ label: 'Minutes on hold', doc: 'Total minutes on hold, over holds that have ended.' }),
    ),
    EnforceDelay: computed(f.boolean({ label: 'Blocked by holds', doc: 'Whether it cannot complete while on hold.' })),
    QueueMessageID: computed(
      f.text({ label: 'Queued call', doc: 'The queued call that will start or poll it.', max: 36, exact: true }),
    ),
    InsertedSequence: computed(f.integer({ label: 'Order of creation', doc: 'The sequence number of its insertion.' })),
    CompletedSequence: computed(
      f.integer({ label: 'Order of completion', doc: 'The sequence number of its completion.' }),
    ),
  },
});
