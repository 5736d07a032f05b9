import { businessCalendar } from '../../../../../kernel/time/business-calendar.ts';
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
 * Estimates a step: it starts at its ReferenceDate, where it has one and the case says it, else at `from`, when the last of the steps
 * before it was complete; and takes as long as its duration says.
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

/** The date that a ReferenceDate finds in the case. One that is no date is told by the step; one that the case does not have yet is none. */
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
