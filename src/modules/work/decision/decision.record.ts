import { computed, f } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const decision = defineRecord({
  name: 'Decision',
  doc: 'A workflow on a case, or on any other record.',
  reach: 'one',
  parent: 'Decisions',
  template: 'DecisionTemplate',
  labelFromTemplate: true,
  labelDoc: "The workflow's name; its template's where none is sent.",
  // Holds that stand on the case hold its workflows too.
  alsoBelow: {
    DecisionDelay: 'decisiondelay.decisiondelayid = any(array(select casewright_holds(d) from unnest($P) d))',
  },
  triggers: {
    decision_reach: "Keeps the firm that reaches the workflow: its parent's.",
    decision_reach_spread: 'Hands a change of its firms on to what hangs below it.',
    decision_hold: 'A workflow that starts on a case that is on hold is on hold.',
  },
  fields: {
    DecisionTemplateVersionID: computed(
      f.id({
        doc: 'The version of the template that it goes by: the one that held when it started.',
        to: 'DecisionTemplateVersion',
      }),
    ),
    ParentDecisionStepID: f.id({
      doc: 'Of a workflow that a step of another has started: the step, which completes with it.',
      to: 'DecisionStep',
    }),
    EstimatedStart: f.timestamp({ doc: 'When it should start by its template.' }),
    EstimatedCompletion: f.timestamp({ doc: 'When it should be complete by its template.' }),
    ProjectedStart: f.timestamp({ doc: 'When somebody expects it to start.' }),
    ProjectedCompletion: f.timestamp({ doc: 'When somebody expects it to be complete.' }),
    ActualStart: f.timestamp({ doc: 'When it started, or is to start.' }),
    ActualCompletion: computed(f.timestamp({ doc: 'When it was complete.' })),
    CanceledDate: computed(f.timestamp({ doc: 'When it was canceled.' })),
    Delayed: computed(f.boolean({ doc: 'A hold on it has not ended.' })),
    DelayCount: computed(f.integer({ doc: 'How many holds it has had.' })),
    DelayDuration: computed(f.decimal({ doc: 'For how many minutes it was on hold, of holds that have ended.' })),
    StepSequence: computed(
      f.integer({ doc: 'Counts what its steps did: each that is inserted or completes takes the next number.' }),
    ),
  },
});
