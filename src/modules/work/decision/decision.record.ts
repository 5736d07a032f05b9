import { computed, f } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';
import type { Row } from '../../../kernel/door/answer.ts';

export const decision = defineRecord({
  name: 'Decision',
  title: 'Workflow',
  doc: 'A workflow: the steps by which a case or another record is worked on.',
  reach: 'one',
  parent: 'Decisions',
  template: 'DecisionTemplate',
  templateTitle: 'Workflow template',
  labelFromTemplate: true,
  labelDoc: "The workflow's name. Defaults to its template's.",
  // Holds on the case also hold its workflows.
  alsoBelow: {
    DecisionDelay: 'decisiondelay.decisiondelayid = any(array(select casewright_holds(d) from unnest($P) d))',
  },
  triggers: {
    decision_reach: 'Sets the firm that can access the workflow, from its parent.',
    decision_reach_spread: 'Propagates a change of firm to the records below it.',
    decision_hold: 'Puts a workflow on hold if it starts on a case that is on hold.',
    decision_case_created: 'Notes that the summary of its case is out of date.',
    decision_case_deleted: 'Notes it when the row goes.',
    decision_case_changed: 'Notes it when what the summary shows changes.',
  },
  fields: {
    DecisionTemplateVersionID: computed(
      f.id({
        label: 'Template version',
        doc: 'The template version it follows: the current one when it started.',
        to: 'DecisionTemplateVersion',
      }),
    ),
    ParentDecisionStepID: f.id({
      label: 'Started by step',
      doc: 'The step of another workflow that started this one and completes with it.',
      to: 'DecisionStep',
    }),
    EstimatedStart: f.timestamp({ label: 'Expected start', doc: 'When it should start according to its template.' }),
    EstimatedCompletion: f.timestamp({
      label: 'Expected',
      doc: 'When it should be complete according to its template.',
    }),
    ProjectedStart: f.timestamp({ label: 'Planned start', doc: 'The expected start, as entered by a user.' }),
    ProjectedCompletion: f.timestamp({ label: 'Due', doc: 'The due date, as entered by a user.' }),
    ActualStart: f.timestamp({ label: 'Started', doc: 'When it started, or is scheduled to start.' }),
    ActualCompletion: computed(f.timestamp({ label: 'Completed', doc: 'When it was completed.' })),
    CanceledDate: computed(f.timestamp({ label: 'Canceled', doc: 'When it was canceled.' })),
    Delayed: computed(f.boolean({ label: 'On hold', doc: 'Whether it is on hold.' })),
    DelayCount: computed(f.integer({ label: 'Holds', doc: 'Number of holds so far.' })),
    DelayDuration: computed(
      f.decimal({ label: 'Minutes on hold', doc: 'Total minutes on hold, over holds that have ended.' }),
    ),
    StepSequence: computed(
      f.integer({
        label: 'Last step number',
        doc: 'Counter of step events: each insertion or completion of a step takes the next number.',
      }),
    ),
  },
});

/** A stored workflow. */
export type Workflow = Row<typeof decision>;
