import type { Random } from './random.ts';

const DAY = 86_400_000;
const HOUR = 3_600_000;
/** Working hours in UTC, from 8 in the morning to 5 in the afternoon at the American East Coast. */
const HOURS = { from: 13, to: 22 } as const;

/** Returns an instant in working hours of the given day, or of the Monday after a weekend. Milliseconds since 1970. */
export function workingTime(at: number, random: Random): number {
  const midnight = Math.floor(at / DAY) * DAY;
  const weekday = new Date(midnight).getUTCDay();
  const day = midnight + ({ 0: 1, 6: 2 }[weekday] ?? 0) * DAY;
  return Math.floor(day + (HOURS.from + (HOURS.to - HOURS.from) * random.next()) * HOUR);
}
