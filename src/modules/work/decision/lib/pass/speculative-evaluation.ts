import { isIfThen, type Plan, type PlannedStep } from '../template/plan.ts';
import { isReadOnlyStep } from './run-step.ts';
import type { StepsInMemory } from './steps-in-memory.ts';

/** Most stylesheets evaluated speculatively per message. */
const SPECULATIVE_MAX = 16;

/**
 * Whether a step only evaluates a stylesheet on the case as soon as it is ready, so that several can share a message.
 */
export function isBatchable(step: PlannedStep | undefined): boolean {
  return (
    step !== undefined &&
    isIfThen(step) &&
    isReadOnlyStep(step) &&
    !step.async &&
    step.onStartParentStatus === null &&
    step.onCompleteParentStatus === null
  );
}

/**
 * Returns the stylesheets to evaluate speculatively with this step's: those of steps about to start, and of steps that
 * these may unblock. Evaluating a few that turn out not to be needed costs less than one sandbox message each.
 */
export function speculativeStylesheets(plan: Plan, steps: StepsInMemory, step: PlannedStep): readonly string[] {
  if (plan.enforceStartDates) return [];
  const at = plan.places.get(step.id);
  const likely = new Set(at === undefined ? [] : [at]);
  for (const { step: other } of steps.inserted()) {
    const place = plan.places.get(other.id);
    if (place !== undefined && likely.size <= SPECULATIVE_MAX && isBatchable(other)) likely.add(place);
  }
  // A set iterates in insertion order, including elements added on the way.
  for (const place of likely) {
    for (const next of plan.feeds[place] ?? [])
      if (likely.size <= SPECULATIVE_MAX && isBatchable(plan.steps[next]) && mayBecomeReady(plan, steps, next, likely))
        likely.add(next);
  }
  return [...likely].flatMap((place) => (place === at ? [] : (plan.steps[place]?.xslt ?? [])));
}

/** Whether all dependencies of a step are complete or evaluated before it. */
function mayBecomeReady(plan: Plan, steps: StepsInMemory, place: number, likely: ReadonlySet<number>): boolean {
  return (plan.steps[place]?.groups ?? []).every((group) =>
    group.some(({ step }) => likely.has(step) || steps.hasCompleted(step)),
  );
}
