import { instantOfWallClock, zoneOffset } from './clock.ts';
import { PlatformError } from '../door/errors.ts';
import { bad } from '../parameters/parse-value.ts';
import { minutesOfTime, weekdayNamed } from './schedule.ts';

/** Working time: hours of the week without holidays, in a time zone. Instants are milliseconds since 1970. */
export interface BusinessCalendar {
  readonly timeZone: string;
  /** Whether a calendar date (`2026-07-03`) is a business day. */
  isBusinessDay(day: string): boolean;
  /**
   * Returns the instant that many business days later (earlier if `days` is negative), at the same time of day. From a
   * non-business day the first step leads to the next (or previous) business day; 0 returns the same instant.
   */
  addBusinessDays(instant: number, days: number): number;
  /**
   * Returns the number of business days after the day of one instant up to the day of another; negative if that is
   * earlier. From Friday to Monday it is 1.
   */
  businessDays(from: number, to: number): number;
  /** Returns the whole minutes of business hours between two instants; 0 if `to` is not after `from`. */
  businessMinutes(from: number, to: number): number;
}

/** A holiday: its date, and whether it recurs in each later year. */
export interface HolidayDay {
  readonly date: string;
  readonly yearly: boolean;
}

/** The hours of a week: for each weekday, starting with Sunday, its intervals in minutes since midnight, in order. */
export type WeekHours = readonly (readonly (readonly [from: number, to: number])[])[];

/** Most days that a calculation may span, about 270 years: each day is visited. A hundred years take about 0.1 s. */
const DAYS_MAX = 100_000;
/** Most days whose hours a calendar remembers, some ten years. */
const DAYS_KNOWN_MAX = 4_000;

const MINUTE = 60_000;
const DAY = 86_400_000;
const DAY_MINUTES = 1_440;

/**
 * Parses business hours: `Mon-Fri 08:00-17:00`, several intervals separated by commas. The intervals of a day must not
 * overlap; an interval ends after it begins, at 24:00 at the latest. `field` names the text in errors.
 */
export function parseBusinessHours(text: string, field: string): WeekHours {
  const week: [number, number][][] = Array.from({ length: 7 }, () => []);
  for (const part of text.split(',')) {
    const { firstDay, lastDay, begin, end } = parseInterval(part, field);
    for (let step = 0; step <= (lastDay - firstDay + 7) % 7; step++) week[(firstDay + step) % 7]?.push([begin, end]);
  }
  for (const parts of week) {
    parts.sort(([a], [b]) => a - b);
    if (parts.some(([begin], index) => begin < (parts[index - 1]?.[1] ?? 0)))
      throw bad(field, 'parts that do not overlap');
  }
  return week;
}

/** The same hours on consecutive weekdays, in minutes since midnight. */
interface WeekInterval {
  readonly firstDay: number;
  readonly lastDay: number;
  readonly begin: number;
  readonly end: number;
}

function parseInterval(part: string, field: string): WeekInterval {
  const [, first = '', last = first, from = '', to = ''] =
    /^\s*(\w+)(?:\s*-\s*(\w+))?\s+(\d[^-]*)-(.+)$/.exec(part) ?? [];
  const [firstDay, lastDay, begin] = [weekdayNamed(first), weekdayNamed(last), minutesOfTime(from)];
  const end = to.trim() === '24:00' ? DAY_MINUTES : minutesOfTime(to);
  if (firstDay === undefined || lastDay === undefined || begin === undefined || end === undefined || begin >= end)
    throw bad(field, 'days and hours such as "Mon-Thu 08:00-17:00, Fri 08:00-15:00", each part within one day');
  return { firstDay, lastDay, begin, end };
}

/** Returns a calendar with the given hours and holidays. */
export function calendarOf(timeZone: string, week: WeekHours, holidays: readonly HolidayDay[]): BusinessCalendar {
  const days = new BusinessDays(week, holidays);
  return {
    timeZone,
    isBusinessDay: (day) => days.hoursOf(Math.floor(Date.parse(`${day}T00:00:00Z`) / DAY)).length > 0,
    addBusinessDays(instant, count) {
      if (!Number.isSafeInteger(count)) throw bad('Days', 'a whole number of business days');
      if (count === 0) return instant;
      const wall = instant + zoneOffset(timeZone, instant);
      const day = Math.floor(wall / DAY);
      return instantOfWallClock(timeZone, wall + (days.step(day, count) - day) * DAY);
    },
    businessDays(from, to) {
      const [first, last] = [from, to].map((instant) => Math.floor((instant + zoneOffset(timeZone, instant)) / DAY));
      return days.count(first ?? 0, last ?? 0);
    },
    businessMinutes(from, to) {
      if (!(to > from)) return 0;
      if (to - from > DAYS_MAX * DAY) throw bad('To', `an instant at most ${DAYS_MAX} days after the first`);
      let milliseconds = 0;
      for (const [begin, end] of stretches(timeZone, from, to)) milliseconds += days.businessTime(begin, end);
      return Math.floor(milliseconds / MINUTE);
    },
  };
}

const noHours: WeekHours[number] = [];

/** The calendar in wall-clock time, where every day has 24 hours. Days are counted from 1 January 1970, a Thursday. */
class BusinessDays {
  private readonly week: WeekHours;
  private readonly dated: ReadonlySet<number>;
  /** First day of each yearly holiday, by month and day. */
  private readonly yearly: ReadonlyMap<string, number>;
  /** The hours of days that were requested: a page of a list counts thousands of days, always the same ones. */
  private readonly known = new Map<number, WeekHours[number]>();

  constructor(week: WeekHours, holidays: readonly HolidayDay[]) {
    this.week = week;
    const numbered = holidays.map(({ date, yearly }) => ({
      date,
      yearly,
      day: Math.floor(Date.parse(`${date}T00:00:00Z`) / DAY),
    }));
    this.dated = new Set(numbered.map(({ day }) => day));
    const yearly = new Map<string, number>();
    for (const { date, day } of numbered.filter((holiday) => holiday.yearly))
      yearly.set(date.slice(-5), Math.min(day, yearly.get(date.slice(-5)) ?? day));
    this.yearly = yearly;
  }

  /** Returns the hours of a day; none if it is not a business day. */
  hoursOf(day: number): WeekHours[number] {
    const known = this.known.get(day);
    if (known) return known;
    if (this.known.size >= DAYS_KNOWN_MAX) this.known.clear();
    const found = this.findHours(day);
    this.known.set(day, found);
    return found;
  }

  private findHours(day: number): WeekHours[number] {
    const hours = this.week[(((day + 4) % 7) + 7) % 7] ?? noHours;
    return hours.length === 0 || this.dated.has(day) || this.isYearly(day) ? noHours : hours;
  }

  private isYearly(day: number): boolean {
    if (this.yearly.size === 0) return false;
    const first = this.yearly.get(new Date(day * DAY).toISOString().slice(-19, -14));
    return first !== undefined && first <= day;
  }

  /** Returns the day that many business days after another, or before it. */
  step(from: number, count: number): number {
    const direction = Math.sign(count);
    let left = Math.abs(count);
    for (let offset = 1; offset <= DAYS_MAX; offset++) {
      const day = from + direction * offset;
      if (this.hoursOf(day).length > 0 && --left === 0) return day;
    }
    throw new PlatformError('BAD_PARAMETER', {
      field: 'Days',
      message:
        `Days: the next or last ${DAYS_MAX} days have fewer than ${Math.abs(count)} business days; check ` +
        'BusinessHours and the holidays.',
    });
  }

  /** Returns the number of business days after one day up to another; negative if that is earlier. */
  count(from: number, to: number): number {
    if (to < from) return -this.count(to, from);
    if (to - from > DAYS_MAX) throw bad('To', `a date at most ${DAYS_MAX} days after the first`);
    let count = 0;
    for (let day = from + 1; day <= to; day++) if (this.hoursOf(day).length > 0) count++;
    return count;
  }

  /** Returns the business time between two wall-clock times, in milliseconds. */
  businessTime(begin: number, end: number): number {
    let sum = 0;
    for (let day = Math.floor(begin / DAY); day * DAY < end; day++) {
      for (const [from, to] of this.hoursOf(day)) {
        sum += Math.max(0, Math.min(end, day * DAY + to * MINUTE) - Math.max(begin, day * DAY + from * MINUTE));
      }
    }
    return sum;
  }
}

/**
 * Yields the wall-clock time between two instants, split where daylight saving time begins or ends. Clock times that
 * occur twice count twice, skipped ones not at all.
 */
function* stretches(timeZone: string, from: number, to: number): Generator<readonly [begin: number, end: number]> {
  let begin = from;
  let offset = zoneOffset(timeZone, from);
  // No time zone has changed twice within a day.
  for (let at = from; at < to; at += DAY) {
    const next = Math.min(at + DAY, to);
    const offsetNext = zoneOffset(timeZone, next);
    if (offsetNext === offset) continue;
    const change = changeBetween(timeZone, at, next);
    yield [begin + offset, change + offset];
    [begin, offset] = [change, offsetNext];
  }
  yield [begin + offset, to + offset];
}

/** Returns the instant between two at which the zone's offset changes, to the second. */
function changeBetween(timeZone: string, from: number, to: number): number {
  const before = zoneOffset(timeZone, from);
  let [low, high] = [Math.floor(from / 1000), Math.ceil(to / 1000)];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (zoneOffset(timeZone, middle * 1000) === before) low = middle;
    else high = middle;
  }
  return high * 1000;
}
