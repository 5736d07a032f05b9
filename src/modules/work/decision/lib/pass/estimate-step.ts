import { businessCalendar } from '../../../lib/business-calendar.ts';
import type { Context } from '../../../../../kernel/door/context.ts';
import { addDuration } from '../../../lib/duration.ts';
import { PlatformError } from '../../../../../kernel/door/errors.ts';
import { timeZone } from '../../../../../kernel/declare/core-settings.ts';
import { f } from '../../../../../kernel/declare/field.ts';
import { parseValue } from '../../../../../kernel/parameters/parse-value.ts';
import type { PlannedStep } from '../template/plan.ts';
import type { CaseValues } from './case-values.ts';

/** When a step should start and be complete; ISO 8601. */
export interface Estimate {
  readonly start: string;
  readonly completion: string;
}

/**
 * Estimates a step. It starts at its ReferenceDate, if the case has one, else at `from`, the completion of its last
 * dependency, and takes its duration.
 */
export async function estimateStep(
  ctx: Context,
  step: PlannedStep,
  values: CaseValues,
  from: string,
): Promise<Estimate> {
  const start =
    (step.referenceDate === null ? undefined : await referenceDate(ctx, step.referenceDate, values)) ?? from;
  if (step.duration === null) return { start, completion: start };
  return {
    start,
    completion: new Date(
      addDuration(await businessCalendar(ctx), Date.parse(start), step.durationScale, step.duration),
    ).toISOString(),
  };
}

/**
 * Returns the date that a ReferenceDate finds in the case; undefined if there is none yet. Throws BAD_PARAMETER if the
 * value is not a date.
 */
export async function referenceDate(ctx: Context, expression: string, values: CaseValues): Promise<string | undefined> {
  const found = (await values.resolver(new Map())(expression)) ?? null;
  if (found === null || (typeof found === 'string' && found.trim() === '')) return undefined;
  try {
    return String(
      parseValue(f.timestamp({ doc: '' }), found, 'ReferenceDate', { timeZone: ctx.settings.get(timeZone) }),
    );
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    throw new PlatformError('BAD_PARAMETER', {
      field: 'ReferenceDate',
      message: `ReferenceDate: what ${expression.slice(0, 100)} finds is no date.`,
      cause: error,
    });
  }
}
