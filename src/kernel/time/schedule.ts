import { instantOfWallClock, zoneOffset } from './clock.ts';
import { bad } from '../parameters/parse-value.ts';

/**
 * A parsed schedule. `minutes` is the wall-clock time in minutes since midnight, `intervalMinutes` the time between two
 * runs.
 */
export type Schedule =
  | { readonly every: 'interval'; readonly intervalMinutes: number }
  | { readonly every: 'day'; readonly minutes: number }
  | { readonly every: 'week'; readonly days: readonly number[]; readonly minutes: number }
  | {
      readonly every: 'month';
      readonly ordinal: number;
      readonly day: number | 'day';
      readonly interval: number;
      readonly minutes: number;
    };

const weekdays = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
const ordinals: Readonly<Record<string, number>> = {
  first: 1,
  '1st': 1,
  second: 2,
  '2nd': 2,
  third: 3,
  '3rd': 3,
  fourth: 4,
  '4th': 4,
  last: -1,
};
const DAY = 86_400_000;

/** Longest interval in minutes: a year. */
export const INTERVAL_MINUTES_MAX = 525_600;

/**
 * Parses a schedule: `Every <n> minutes` or `hours`; or `Daily`, `Weekly on <days>`, `Monthly on the <ordinal> <day>
 * every <n> month`, each `@ <time>` (or `at <time>`). The ordinal is first to fourth or last, the day a weekday or
 * `day`.
 * @param field the parameter that the error names
 */
export function parseSchedule(text: string, field = 'ScheduleName'): Schedule {
  const schedule = parseInterval(text.trim()) ?? parseCalendar(text.trim());
  if (schedule) return schedule;
  throw bad(
    field,
    'a schedule such as "Every 15 minutes", "Daily @ 3am", "Weekly on Mon, Fri @ 02:30" or "Monthly on the second ' +
      'Tuesday every 2 month @ 8:00 AM"',
  );
}

function parseInterval(text: string): Schedule | undefined {
  const match = /^every(?:\s+(\d{1,6}))?\s+(minute|hour)s?$/i.exec(text);
  if (!match) return undefined;
  const intervalMinutes = Number(match[1] ?? 1) * (/^hour$/i.test(match[2] ?? '') ? 60 : 1);
  return intervalMinutes >= 1 && intervalMinutes <= INTERVAL_MINUTES_MAX
    ? { every: 'interval', intervalMinutes }
    : undefined;
}

function parseCalendar(text: string): Schedule | undefined {
  const [head = '', time = '', ...more] = text.split(/\s*@\s*|\s+at\s+/i);
  const minutes = minutesOfTime(time);
  if (more.length > 0 || minutes === undefined) return undefined;
  if (/^daily$/i.test(head)) return { every: 'day', minutes };
  const weekly = /^weekly\s+on\s+(.+)$/i.exec(head);
  if (weekly) {
    const names = (weekly[1] ?? '').split(/[\s,]+(?:and\s+)?/).filter((name) => name !== '');
    const days = names.flatMap((name) => weekdayNamed(name) ?? []);
    return days.length === names.length ? { every: 'week', days, minutes } : undefined;
  }
  return parseMonthly(head, minutes);
}

function parseMonthly(head: string, minutes: number): Schedule | undefined {
  const monthly = /^monthly\s+on\s+the\s+(\w+)\s+(\w+)(?:\s+(?:of\s+)?every\s+(?:(\d{1,2})\s+)?months?)?$/i.exec(head);
  if (!monthly) return undefined;
  const ordinal = ordinals[(monthly[1] ?? '').toLowerCase()];
  const interval = Number(monthly[3] ?? 1);
  const day = /^day$/i.test(monthly[2] ?? '') ? 'day' : weekdayNamed(monthly[2] ?? '');
  if (ordinal === undefined || interval < 1 || day === undefined) return undefined;
  return { every: 'month', ordinal, day, interval, minutes };
}

/** Returns the weekday named by three or more letters (`Mon`, `monday`, `Mondays`), counted from Sunday, 0. */
export function weekdayNamed(text: string): number | undefined {
  const lower = text.toLowerCase();
  const day = lower.length < 3 ? -1 : weekdays.findIndex((d) => d.startsWith(lower) || lower === `${d}s`);
  return day < 0 ? undefined : day;
}

/** Returns the minutes since midnight of a time of day as people write it: `08:00`, `8am`, `12 noon`. */
export function minutesOfTime(text: string): number | undefined {
  const match = /^(\d{1,2})(?::(\d{2}))?\s*(am|pm|noon)?$/i.exec(text.trim());
  const half = match?.[3]?.toLowerCase();
  const hour = Number(match?.[1] ?? 99);
  const minute = Number(match?.[2] ?? 0);
  if (!match || minute > 59) return undefined;
  const hours = half === undefined ? hour : hourOf12(hour, half);
  return hours === undefined || hours > 23 ? undefined : hours * 60 + minute;
}

/** Returns the hour of a 12-hour clock; `12 noon` is the only noon. */
function hourOf12(hour: number, half: string): number | undefined {
  if (hour < 1 || hour > 12 || (half === 'noon' && hour !== 12)) return undefined;
  return (hour % 12) + (half === 'am' ? 0 : 12);
}

/**
 * Returns the first run after an instant, as ISO 8601. Times are wall-clock times of the zone: a time that daylight
 * saving time skips runs later by the length of the gap, one that occurs twice runs once, the first time. Intervals of
 * months are counted from January of year 0, intervals of minutes from midnight UTC of 1 January 1970, so that a late
 * run does not delay those after it.
 */
export function nextRun(schedule: Schedule, after: number, timeZone: string): string | undefined {
  if (schedule.every === 'interval') {
    const interval = schedule.intervalMinutes * 60_000;
    return new Date((Math.floor(after / interval) + 1) * interval).toISOString();
  }
  const wallNow = after + zoneOffset(timeZone, after);
  const today = Math.floor(wallNow / DAY) * DAY;
  // 50 months cover every interval up to 48 months; one more day covers today's run if it has passed.
  const horizon = schedule.every === 'month' ? 31 * (schedule.interval + 2) + 31 : 9;
  for (let offset = 0; offset <= horizon; offset++) {
    const day = today + offset * DAY;
    if (!runsOn(schedule, new Date(day))) continue;
    const instant = instantOfWallClock(timeZone, day + schedule.minutes * 60_000);
    if (instant > after) return new Date(instant).toISOString();
  }
  return undefined;
}

function runsOn(schedule: Exclude<Schedule, { every: 'interval' }>, day: Date): boolean {
  if (schedule.every === 'day') return true;
  if (schedule.every === 'week') return schedule.days.includes(day.getUTCDay());
  if ((day.getUTCFullYear() * 12 + day.getUTCMonth()) % schedule.interval !== 0) return false;
  if (schedule.day !== 'day' && day.getUTCDay() !== schedule.day) return false;
  const date = day.getUTCDate();
  const length = new Date(Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + 1, 0)).getUTCDate();
  if (schedule.day === 'day') return schedule.ordinal === -1 ? date === length : date === schedule.ordinal;
  return schedule.ordinal === -1 ? date > length - 7 : Math.ceil(date / 7) === schedule.ordinal;
}

/** The times of a Schedule record: one of the two. */
export interface ScheduleTimes {
  readonly ScheduleName?: string | null | undefined;
  readonly IntervalMinutes?: number | null | undefined;
}

/**
 * Returns the first time of a Schedule record after an instant, as ISO 8601; undefined if its months never have such a
 * day.
 */
export function nextOccurrence(
  { ScheduleName, IntervalMinutes }: ScheduleTimes,
  after: number,
  timeZone: string,
): string | undefined {
  if (typeof ScheduleName === 'string') return nextRun(parseSchedule(ScheduleName), after, timeZone);
  if (typeof IntervalMinutes !== 'number' || IntervalMinutes < 1 || IntervalMinutes > INTERVAL_MINUTES_MAX)
    throw new Error('a schedule has a name of times or an interval');
  return new Date(after + IntervalMinutes * 60_000).toISOString();
}
