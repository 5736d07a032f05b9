import type { BusinessCalendar } from '../../../../../kernel/time/business-calendar.ts';
import { estimatesOf, existingStep, type StepDates } from '../forecast/existing-step.ts';
import { project, type ExistingStep, type ProjectedStep } from '../forecast/projection.ts';
import { isIfThen, type Plan } from '../template/plan.ts';

/**
 * How far a case is with a milestone. `Current` is its stage: the first milestone not reached. `Skipped`: the case went
 * on by a branch without it.
 */
export type MilestoneStatus = 'Reached' | 'Current' | 'Coming' | 'Skipped';

/** A milestone of a case. Instants are in milliseconds since 1970. */
export interface Milestone {
  readonly name: string;
  readonly status: MilestoneStatus;
  /** When it should be reached: the estimate of its step, or the one that follows from the estimates before it. */
  readonly target: number | undefined;
  readonly actual: number | undefined;
  /** When it was reached, or is expected to be: never before now, nor before the expected end of a hold. */
  readonly expected: number | undefined;
  /** Business days by which it was, or is expected to be, late; negative if early. */
  readonly daysLate: number | undefined;
}

/** How far a case is in its workflow. */
export interface CaseProgress {
  readonly milestones: readonly Milestone[];
  /** The place of the current milestone, counted from 1; undefined once none is left. */
  readonly stage: number | undefined;
  /** When the current stage began: the last milestone before it, or the start of the workflow. */
  readonly stageBegan: number | undefined;
  /** Business days since then, and those that the stage should take. */
  readonly daysInStage: number | undefined;
  readonly targetDays: number | undefined;
}

/** What the milestones of a workflow follow from. Instants are in milliseconds since 1970. */
export interface ProgressInput {
  readonly plan: Plan;
  /** The milestone of each place in the plan, if it has one. */
  readonly names: readonly (string | undefined)[];
  readonly steps: readonly StepDates[];
  readonly begin: number;
  /** When it was completed. */
  readonly completion: number | undefined;
  readonly now: number;
  /** When the holds that stop it are expected to end; undefined without one. */
  readonly holdEnd: number | undefined;
  /** The reference date of each place, where the case has one. */
  readonly referenceDates: ReadonlyMap<number, number>;
  readonly calendar: BusinessCalendar;
}

/** The steps of a workflow, existing and still to come. */
interface Outlook {
  readonly existing: readonly ExistingStep[];
  readonly projected: readonly ProjectedStep[];
}

/**
 * Returns the milestones of a workflow in the order of its steps, with targets and forecasts. Targets assume that what
 * is open completes as estimated; forecasts, that nothing completes before now.
 */
export function caseProgress(input: ProgressInput): CaseProgress {
  const { now, holdEnd, calendar, begin } = input;
  const targets = outlook(input, Number.NEGATIVE_INFINITY);
  const forecasts = outlook(input, Math.max(now, holdEnd ?? now));
  const found = [...new Set(input.names.filter((name) => name !== undefined))].map((name) => {
    const places = new Set([...input.names.keys()].filter((place) => input.names[place] === name));
    return milestone(input, { name, places }, targets, forecasts);
  });
  const current = found.findIndex(({ status }) => status === 'Coming');
  const milestones = found.map((one, at): Milestone => (at === current ? { ...one, status: 'Current' } : one));
  if (current < 0)
    return { milestones, stage: undefined, stageBegan: undefined, daysInStage: undefined, targetDays: undefined };
  const stageBegan = Math.max(begin, ...milestones.slice(0, current).map(({ actual }) => actual ?? begin));
  const target = milestones[current]?.target;
  return {
    milestones,
    stage: current + 1,
    stageBegan,
    daysInStage: Math.max(0, calendar.businessDays(stageBegan, now)),
    targetDays: target === undefined ? undefined : Math.max(0, calendar.businessDays(stageBegan, target)),
  };
}

/** Projects the rest of a workflow, with nothing open completing before `now`. */
function outlook({ plan, steps, begin, completion, referenceDates, calendar }: ProgressInput, now: number): Outlook {
  const estimate = estimatesOf(calendar, plan);
  const existing = steps.map(
    (row) => existingStep(row, { childCompletion: undefined, plan, now: Math.max(now, begin), estimate }).step,
  );
  const projected =
    completion === undefined
      ? project({ plan, steps: existing, begin, now: Math.max(now, begin), referenceDates, estimate })
      : [];
  return { existing, projected };
}

/** A milestone's name, and the places of the steps that reach it. */
interface MilestoneSteps {
  readonly name: string;
  readonly places: ReadonlySet<number>;
}

function milestone(
  input: ProgressInput,
  { name, places }: MilestoneSteps,
  targets: Outlook,
  forecasts: Outlook,
): Milestone {
  const { plan, steps, calendar } = input;
  const own = steps.filter(({ DecisionStepTemplateID: id }) => places.has(plan.places.get(id ?? -1) ?? -1));
  const reached = own
    .filter((step) => step.ActualCompletion !== null && step.CanceledDate === null && reaches(plan, step))
    .sort((a, b) => Date.parse(a.ActualCompletion ?? '') - Date.parse(b.ActualCompletion ?? ''))[0];
  const actual = instant(reached?.ActualCompletion);
  if (reached && actual !== undefined) {
    const target = instant(reached.EstimatedCompletion);
    return { name, status: 'Reached', target, actual, expected: actual, daysLate: late(calendar, target, actual) };
  }
  const expected = earliest([...openAt(forecasts, places), ...completions(forecasts.projected, places)]);
  if (expected === undefined || input.completion !== undefined)
    return { name, status: 'Skipped', target: undefined, actual, expected: undefined, daysLate: undefined };
  const due = own.flatMap((step) => (isOpen(step) ? (instant(step.EstimatedCompletion) ?? []) : []));
  const target = earliest(due) ?? earliest(targetCompletions(targets, places));
  return { name, status: 'Coming', target, actual, expected, daysLate: late(calendar, target, expected) };
}

/** Whether a complete step has reached its milestone: an if/then step only with true. */
function reaches(plan: Plan, { DecisionStepTemplateID: id, IsTrue }: StepDates): boolean {
  const step = plan.steps[plan.places.get(id ?? -1) ?? -1];
  return !step || !isIfThen(step) || IsTrue === true;
}

function isOpen({ ActualCompletion, CanceledDate }: StepDates): boolean {
  return ActualCompletion === null && CanceledDate === null;
}

function openAt({ existing }: Outlook, places: ReadonlySet<number>): number[] {
  return existing.flatMap((step) =>
    step.isOpen && places.has(step.place) && step.completion !== undefined ? [step.completion] : [],
  );
}

function completions(projected: readonly ProjectedStep[], places: ReadonlySet<number>): number[] {
  return projected.flatMap((step) => (places.has(step.place) ? [step.completion] : []));
}

function targetCompletions({ projected }: Outlook, places: ReadonlySet<number>): number[] {
  return projected.flatMap((step) => (places.has(step.place) ? [step.estimatedCompletion] : []));
}

function earliest(instants: readonly number[]): number | undefined {
  return instants.length === 0 ? undefined : Math.min(...instants);
}

function late(calendar: BusinessCalendar, target: number | undefined, at: number): number | undefined {
  return target === undefined ? undefined : calendar.businessDays(target, at);
}

function instant(text: string | null | undefined): number | undefined {
  return text === null || text === undefined ? undefined : Date.parse(text);
}
