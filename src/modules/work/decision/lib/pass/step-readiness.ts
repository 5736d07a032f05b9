import { isPolling, type PlannedStep } from '../template/plan.ts';
import type { StepOutcome } from './run-step.ts';
import type { TrackedStep } from './steps-in-memory.ts';

/** Whether a step can be started. One that waits for a record it created cannot, or it would create another. */
export function mayStart({ step, state }: TrackedStep): boolean {
  return !state.canceled && state.status !== 'Complete' && (state.status !== 'Pending' || isPolling(step));
}

/** Whether a step can still fail or complete. */
export function isUnsettled({ state }: TrackedStep): boolean {
  return state.status !== 'Complete' && !state.canceled;
}

/** Whether a step is complete after starting: with CreateOnCompletion it does not wait. */
export function completes(step: PlannedStep, { kind }: StepOutcome): boolean {
  return kind === 'complete' || (kind === 'waits' && step.createOnCompletion);
}
