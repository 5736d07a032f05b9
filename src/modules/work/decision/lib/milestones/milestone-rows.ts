import { f, required } from '../../../../../kernel/declare/field.ts';
import type { CaseMilestones } from './case-milestones.ts';
import { toIso } from '../forecast/existing-step.ts';

/** The fields of a milestone of a case, as `decision/milestones` returns it. */
export const milestoneFields = {
  ObjectID: required(f.id({ doc: 'The case.' })),
  DecisionID: required(f.id({ doc: 'Its workflow: the open one that started last, else the last completed one.' })),
  Decision: f.text({ doc: "The workflow's name." }),
  Sequence: required(f.integer({ doc: 'The place of the milestone, counted from 1.' })),
  MilestoneCount: required(f.integer({ doc: 'Number of milestones of the case.' })),
  Milestone: required(f.text({ doc: 'Its name.' })),
  Status: required(
    f.text({
      doc:
        'Reached; Current: the first one not reached, the stage of the case; Coming; or Skipped, if the workflow ' +
        'went on without it.',
    }),
  ),
  TargetDate: f.timestamp({
    doc: 'When it should be reached: the EstimatedCompletion of its step, or what follows from those before it.',
  }),
  ActualDate: f.timestamp({ doc: 'When it was reached.' }),
  ExpectedDate: f.timestamp({
    doc: 'When it was reached, or is expected to be; never before now or before the expected end of a hold.',
  }),
  DaysLate: f.integer({ doc: 'Business days that it was or is expected to be late; negative if early.' }),
  StageBegan: f.timestamp({ doc: 'Of the current one: when the stage began.' }),
  DaysInStage: f.integer({ doc: 'Of the current one: business days since then.' }),
  TargetDays: f.integer({ doc: 'Of the current one: business days that the stage should take.' }),
  Delayed: required(f.boolean({ doc: 'Whether the workflow is on hold.' })),
};

/** A row of {@link milestoneFields}. */
export interface MilestoneRow {
  readonly ObjectID: number;
  readonly DecisionID: number;
  readonly Decision: string | null;
  readonly Sequence: number;
  readonly MilestoneCount: number;
  readonly Milestone: string;
  readonly Status: string;
  readonly TargetDate: string | null;
  readonly ActualDate: string | null;
  readonly ExpectedDate: string | null;
  readonly DaysLate: number | null;
  readonly StageBegan: string | null;
  readonly DaysInStage: number | null;
  readonly TargetDays: number | null;
  readonly Delayed: boolean;
}

/** Returns the milestones of a case as rows, in order. */
export function milestoneRows(found: CaseMilestones): readonly MilestoneRow[] {
  const { milestones, stage } = found;
  return milestones.map((milestone, at) => {
    const isCurrent = stage === at + 1;
    return {
      ObjectID: found.caseId,
      DecisionID: found.decisionId,
      Decision: found.decision,
      Sequence: at + 1,
      MilestoneCount: milestones.length,
      Milestone: milestone.name,
      Status: milestone.status,
      TargetDate: isoOrNull(milestone.target),
      ActualDate: isoOrNull(milestone.actual),
      ExpectedDate: isoOrNull(milestone.expected),
      DaysLate: milestone.daysLate ?? null,
      StageBegan: isCurrent ? isoOrNull(found.stageBegan) : null,
      DaysInStage: isCurrent ? (found.daysInStage ?? null) : null,
      TargetDays: isCurrent ? (found.targetDays ?? null) : null,
      Delayed: found.delayed,
    };
  });
}

function isoOrNull(instant: number | undefined): string | null {
  return instant === undefined ? null : toIso(instant);
}
