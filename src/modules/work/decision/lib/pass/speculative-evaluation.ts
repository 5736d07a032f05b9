import { isIfThen, type Plan, type PlannedStep } from '../template/plan.ts';
import { isReadOnlyStep } from './run-step.ts';
import type { StepsInMemory } from './steps-in-memory.ts';

/** So many stylesheets are asked ahead at most. */
const SPECULATIVE_MAX = 16;

/** Whether a step asks a stylesheet about the case as soon as it is ready, and does nothing else. */
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
 * The stylesheets that are likely to be asked after that of a step, of the same unchanged case: of the others that are about to start, and
 * of those that become ready where these complete. Which of them are depends on the results; asking a few too many costs less than asking
 * each by itself.
 */
export function speculativeStylesheets(plan: Plan, steps: StepsInMemory, step: PlannedStep): readonly string[] {
  if (plan.enforceStartDates) return [];
  const at = plan.places.get(step.id);
  const likely = new Set(at === undefined ? [] : [at]);
  for (const { step: other } of steps.inserted()) {
    const place = plan.places.get(other.id);
    if (place !== undefined && likely.size <= SPECULATIVE_MAX && isBatchable(other)) likely.add(place);
  }
  // A set is gone through in the order of insertion, with what is added on the way.
  for (const place of likely) {
    for (const next of plan.feeds[place] ?? [])
      if (likely.size <= SPECULATIVE_MAX && isBatchable(plan.steps[next]) && mayBecomeReady(plan, steps, next, likely))
        likely.add(next);
  }
  return [...likely].flatMap((place) => (place === at ? [] : (plan.steps[place]?.xslt ?? [])));
}

/** Whether a step waits for nothing but what has completed or is to be asked before it. */
function mayBecomeReady(plan: Plan, steps: StepsInMemory, place: number, likely: ReadonlySet<number>): boolean {
  return (plan.steps[place]?.groups ?? []).every((group) =>
    group.some(({ step }) => likely.has(step) || steps.hasCompleted(step)),
  );
}
