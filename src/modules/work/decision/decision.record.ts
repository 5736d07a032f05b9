import { computed, f } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';
import type { Row } from '../../../kernel/door/answer.ts';

export const decision = defineRecord({
  name: 'Decision',
  doc: 'A workflow: the steps by which a case or another record is worked on.',
  reach: 'one',
  parent: 'Decisions',
  template: 'DecisionTemplate',
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
  },
  fields: {
    DecisionTemplateVersionID: computed(
      f.id({
        doc: 'The template version it follows: the current one when it started.',
        to: 'DecisionTemplateVersion',
      }),
    ),
    ParentDecisionStepID: f.id({
      doc: 'The step of another workflow that started this one and completes with it.',
      to: 'DecisionStep',
    }),
    EstimatedStart: f.timestamp({ doc: 'When it should start according to its template.' }),
    EstimatedCompletion: f.timestamp({ doc: 'When it should be complete according to its template.' }),
    ProjectedStart: f.timestamp({ doc: 'The expected start, as entered by a user.' }),
    ProjectedCompletion: f.timestamp({ doc: 'The due date, as entered by a user.' }),
    ActualStart: f.timestamp({ doc: 'When it started, or is scheduled to start.' }),
    ActualCompletion: computed(f.timestamp({ doc: 'When it was completed.' })),
    CanceledDate: computed(f.timestamp({ doc: 'When it was canceled.' })),
    Delayed: computed(f.boolean({ doc: 'Whether it is on hold.' })),
    DelayCount: computed(f.integer({ doc: 'Number of holds so far.' })),
    DelayDuration: computed(f.decimal({ doc: 'Total minutes on hold, over holds that have ended.' })),
    StepSequence: computed(
      f.integer({ doc: 'Counter of step events: each insertion or completion of a step takes the next number.' }),
    ),
  },
});

/** A stored workflow. */
export type Workflow = Row<typeof decision>;
