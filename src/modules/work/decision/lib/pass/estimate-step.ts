import { businessCalendar } from '../../../lib/business-calendar.ts';
import type { Context } from '../../../../../kernel/door/context.ts';
import { estimatedDates, type StepDuration } from '../../../lib/estimated-dates.ts';
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

/** A step to estimate. */
type EstimatedStep = StepDuration & Pick<PlannedStep, 'referenceDate'>;

/** Estimates a step, from its ReferenceDate or from `from`, the completion of its last dependency. */
export async function estimateStep(
  ctx: Context,
  step: EstimatedStep,
  values: CaseValues,
  from: string,
): Promise<Estimate> {
  const reference = step.referenceDate === null ? undefined : await referenceDate(ctx, step.referenceDate, values);
  if (step.duration === null) return { start: reference ?? from, completion: reference ?? from };
  const { start, completion } = estimatedDates(
    await businessCalendar(ctx),
    step,
    Date.parse(from),
    reference === undefined ? undefined : Date.parse(reference),
  );
  return { start: new Date(start).toISOString(), completion: new Date(completion).toISOString() };
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
      message: `ReferenceDate: ${expression.slice(0, 100)} does not return a date.`,
      cause: error,
    });
  }
}
