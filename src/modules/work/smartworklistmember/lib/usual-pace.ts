import type { BusinessCalendar } from '../../../../kernel/time/business-calendar.ts';

/** Working days that the usual pace is taken from. */
export const PACE_DAYS = 14;

const MINUTE = 60_000;
/** Hours that are searched for the end of the work: the rest of a day. */
const SEARCH_MINUTES_MAX = 1_440;

/** Returns the last working days before one, the oldest first, as dates. */
export function workingDaysBefore(calendar: BusinessCalendar, day: string, count: number): readonly string[] {
  const days: string[] = [];
  const noon = Date.parse(`${day}T12:00:00Z`);
  // A year without working days has none to return.
  for (let back = 1; back <= 366 && days.length < count; back++) {
    const date = new Date(noon - back * 1_440 * MINUTE).toISOString().slice(0, 10);
    if (calendar.isBusinessDay(date)) days.unshift(date);
  }
  return days;
}

/** Returns the mean number of items of the days with any; undefined without such days. */
export function perWorkingDay(counts: readonly number[]): number | undefined {
  const worked = counts.filter((count) => count > 0);
  return worked.length === 0 ? undefined : worked.reduce((sum, count) => sum + count, 0) / worked.length;
}

/**
 * Returns when the remaining items are done at a pace of items per business minute, in milliseconds; undefined if that
 * is not within the next 24 hours.
 */
export function finishAt(
  calendar: BusinessCalendar,
  now: number,
  remaining: number,
  perMinute: number,
): number | undefined {
  const needed = Math.ceil(remaining / perMinute);
  if (!Number.isFinite(needed) || needed > SEARCH_MINUTES_MAX) return undefined;
  let [low, high] = [needed, SEARCH_MINUTES_MAX];
  if (calendar.businessMinutes(now, now + high * MINUTE) < needed) return undefined;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (calendar.businessMinutes(now, now + middle * MINUTE) >= needed) high = middle;
    else low = middle + 1;
  }
  return now + low * MINUTE;
}
