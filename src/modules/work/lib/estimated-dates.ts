import type { BusinessCalendar } from '../../../kernel/time/business-calendar.ts';
import { addDuration } from './duration.ts';

/** When a step should start and be complete, in milliseconds since 1970. */
export interface EstimatedDates {
  readonly start: number;
  readonly completion: number;
}

/** What the dates of a step follow from. */
export interface StepDuration {
  /** Whether the step starts no sooner than estimated. */
  readonly enforceStartDates: boolean;
  readonly durationScale: number;
  /** Exact decimal text; null for none. Below 0: so long before the reference date. */
  readonly duration: string | null;
}

/**
 * Returns when a step should start and be complete. It starts at its reference date, if the case has one, else at
 * `from`, and takes its duration. With a duration below 0 it is due so long before the reference date. It starts at
 * `from`, or with enforced start dates when it is due. While the case has no such date, it takes no time.
 * @throws BAD_PARAMETER for a duration that its scale does not allow
 */
export function estimatedDates(
  calendar: BusinessCalendar,
  { enforceStartDates, durationScale, duration }: StepDuration,
  from: number,
  reference: number | undefined,
): EstimatedDates {
  const start = reference ?? from;
  const isBefore = duration !== null && Number(duration) < 0;
  if (duration === null || (isBefore && reference === undefined)) return { start, completion: start };
  const completion = addDuration(calendar, start, durationScale, duration);
  if (!isBefore) return { start, completion };
  return { start: enforceStartDates ? completion : Math.min(from, completion), completion };
}
