import type { PlatformError } from '../../../../../kernel/door/errors.ts';
import type { StepOutcome, StepRun } from './run-step.ts';

/** A change requested of a workflow in one pass, besides starting its ready steps. */
export type PassCommand =
  | CompleteSteps
  | FailSteps
  | BeginStep
  | SettleStep
  /** Starts steps now. */
  | { readonly kind: 'start'; readonly ids: readonly number[] }
  /** Completes steps without doing their work: open ones as they are, missing ones after inserting them. */
  | { readonly kind: 'skip'; readonly steps: readonly SkippedStep[] }
  /** Completes the steps whose task or workflow is complete. */
  | { readonly kind: 'complete-ended' }
  /** Ends the pass after its commands. Steps that have become ready wait for the next pass. */
  | { readonly kind: 'stop' };

/** Completes steps. */
export interface CompleteSteps {
  readonly kind: 'complete';
  readonly ids: readonly number[];
  /** The result; without it each step keeps its own. */
  readonly isTrue?: boolean | null;
  /** Completion time by step, ISO 8601, where it is not now. */
  readonly at?: ReadonlyMap<number, string>;
  /**
   * What the steps waited for has ended, whatever the state of their workflow. On hold, they are completed when the
   * hold ends: see {@link stepsOfEndedRecords}. Without this, the command is refused.
   */
  readonly isNotice?: true;
}

/** Fails steps whose work, done elsewhere, has failed. */
export interface FailSteps {
  readonly kind: 'fail';
  readonly ids: readonly number[];
  readonly error: PlatformError;
  /** The caller reports the failure itself and needs no notification. */
  readonly suppressNotification: boolean;
}

/** Marks a step as started whose work runs outside the pass. */
export interface BeginStep {
  readonly kind: 'begin';
  readonly id: number;
  /** The queued message whose call does the work. */
  readonly messageId: string | null;
  /** Receives what the work needs. */
  readonly onBegun: (run: Omit<StepRun, 'ctx' | 'values'>) => void;
}

/** Records the outcome of a step whose work ran outside the pass. */
export interface SettleStep {
  readonly kind: 'settle';
  readonly id: number;
  readonly outcome: StepOutcome;
}

/** A step to skip. */
export interface SkippedStep {
  /** Its place in the plan. */
  readonly step: number;
  /** The result it completes with. */
  readonly isTrue: boolean | null;
}
