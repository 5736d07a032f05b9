import { estimatedDates } from '../../../lib/estimated-dates.ts';
import type { BusinessCalendar } from '../../../../../kernel/time/business-calendar.ts';
import { PlatformError } from '../../../../../kernel/door/errors.ts';
import type { Plan, PlannedStep } from '../template/plan.ts';
import type { ExistingStep, ProjectionInput } from './projection.ts';

/** The stored dates of a step, from which its expected ones follow. Instants are ISO 8601. */
export interface StepDates {
  readonly DecisionStepTemplateID: number | null;
  readonly IsTrue: boolean | null;
  readonly EstimatedStart: string | null;
  readonly EstimatedCompletion: string | null;
  readonly ProjectedStart: string | null;
  readonly ProjectedCompletion: string | null;
  readonly ActualStart: string | null;
  readonly ActualCompletion: string | null;
  readonly CanceledDate: string | null;
  readonly inserted: number | null;
  readonly completed: number | null;
}

/**
 * Returns the function that estimates the steps of a plan. An invalid duration counts as zero and is passed to `warn`;
 * the step itself will fail.
 */
export function estimatesOf(
  calendar: BusinessCalendar,
  plan: Plan | undefined,
  warn: (step: PlannedStep, error: PlatformError) => void = () => undefined,
): ProjectionInput['estimate'] {
  const enforceStartDates = plan?.enforceStartDates === true;
  return (step, from, reference) => {
    try {
      return estimatedDates(calendar, { ...step, enforceStartDates }, from, reference);
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error;
      warn(step, error);
      return { start: reference ?? from, completion: reference ?? from };
    }
  };
}

/** What the expected dates of an existing step follow from. */
export interface ExpectationInput {
  /** When the workflow that the step waits for is expected to complete. */
  readonly childCompletion: string | undefined;
  readonly plan: Plan | undefined;
  readonly now: number;
  readonly estimate: ProjectionInput['estimate'];
}

/**
 * Returns an existing step with its expected dates. The due date that a user entered takes precedence over the
 * completion of the workflow it waits for, and that over the estimate. An overdue step completes now at the earliest.
 */
export function existingStep(
  row: StepDates,
  { childCompletion, plan, now, estimate }: ExpectationInput,
): { readonly step: ExistingStep; readonly start: string | null } {
  const place = plan?.places.get(row.DecisionStepTemplateID ?? -1) ?? -1;
  const isOpen = row.ActualCompletion === null && row.CanceledDate === null;
  const begun = begunAt(row, now);
  const due = row.ProjectedCompletion ?? childCompletion ?? row.EstimatedCompletion;
  const expected = due === null ? completionByDuration(plan?.steps[place], begun, estimate) : Date.parse(due);
  const expectedStart = isOpen && row.ActualStart === null ? toIso(Math.max(now, begun)) : row.ActualStart;
  return {
    step: {
      place,
      completion: completionOf(row, isOpen ? Math.max(now, expected) : undefined),
      isOpen,
      isTrue: row.IsTrue,
      insertedSequence: row.inserted ?? 0,
      completedSequence: row.completed,
    },
    start: expectedStart,
  };
}

function begunAt({ ActualStart, ProjectedStart, EstimatedStart }: StepDates, now: number): number {
  const start = ActualStart ?? ProjectedStart ?? EstimatedStart;
  return start === null ? now : Date.parse(start);
}

function completionByDuration(
  step: PlannedStep | undefined,
  begun: number,
  estimate: ProjectionInput['estimate'],
): number {
  return step ? estimate(step, begun, undefined).completion : begun;
}

function completionOf({ ActualCompletion }: StepDates, expected: number | undefined): number | undefined {
  return ActualCompletion === null ? expected : Date.parse(ActualCompletion);
}

/** Returns an instant as ISO 8601 text. */
export function toIso(instant: number): string {
  return new Date(instant).toISOString();
}
