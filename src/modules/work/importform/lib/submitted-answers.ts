import { defineSaveFeature, stateOf } from '../../../../kernel/declare/save-feature.ts';
import type { SavePlan } from '../../../../kernel/records/save/plan.ts';

/** The answers of a save. */
export interface SubmittedAnswers {
  /** Answers to questions, which are no columns, by their names as sent. */
  byName: Map<string, string>;
  /** Whether a whole document of answers is merged into the stored one (the default) or replaces it. */
  isMerged?: boolean;
}

/** What a plan notes about the answers that were sent. */
export const answerNotes = defineSaveFeature({
  doc: 'The answers of a save.',
  initial: (): SubmittedAnswers => ({ byName: new Map() }),
});

/** Returns the answers that a save was sent by name. */
export function submittedAnswers(plan: SavePlan): ReadonlyMap<string, string> {
  return stateOf(plan, answerNotes)?.byName ?? new Map<string, string>();
}
