import type { Context } from '../../../../kernel/door/context.ts';
import { scratch } from '../../../../kernel/door/scratch.ts';

/** A completion that somebody outside reports, who cannot be asked for answers or moves while it is saved. */
interface ReportedCompletion {
  /** What the form requires and the report does not have: names of questions, or Status. */
  readonly missing: Set<string>;
  /** Whether a workflow that waits for the task is on hold. */
  isHeld: boolean;
}

const reported = scratch('completion reported from outside', (): { current: ReportedCompletion | undefined } => ({
  current: undefined,
}));

/** Returns the report that is being saved; undefined for any other save. */
export function reportedCompletion(ctx: Context): ReportedCompletion | undefined {
  return ctx.scratch(reported).current;
}

/**
 * Ends the report and returns it; undefined for any other save. Called when the task is stored: what then follows in
 * its workflows is not reported.
 */
export function endReport(ctx: Context): ReportedCompletion | undefined {
  const holder = ctx.scratch(reported);
  const report = holder.current;
  holder.current = undefined;
  return report;
}

/** What a save of a reported task returns. */
export interface ReportedSave<T> {
  readonly saved: T;
  /** The required answers that the report does not have. */
  readonly missing: readonly string[];
  /** Whether a workflow that waits for the task is on hold: it continues when the hold ends. */
  readonly isHeld: boolean;
}

/**
 * Runs a save of a task as a report from outside. What is reported has happened: the task is complete even if required
 * answers are missing, or its workflow is on hold. Missing answers are returned, and asked of people if a workflow
 * waits for the task.
 */
export async function asReportedCompletion<T>(ctx: Context, save: () => Promise<T>): Promise<ReportedSave<T>> {
  const holder = ctx.scratch(reported);
  const report: ReportedCompletion = { missing: new Set(), isHeld: false };
  holder.current = report;
  try {
    const saved = await save();
    return { saved, missing: [...report.missing], isHeld: report.isHeld };
  } finally {
    holder.current = undefined;
  }
}
