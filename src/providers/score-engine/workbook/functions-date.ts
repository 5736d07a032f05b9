import { dayOfSerial, lastOfMonth, serialOfDay, serialOfText, weekdayOf, type Day } from './day-serial.ts';
import {
  fail,
  numberOf,
  numbersOf,
  scalar,
  textOf,
  wide,
  type FormulaContext,
  type FormulaFunction,
  type PlainValue,
} from './formula-function.ts';
import type { Scalar } from './cell-value.ts';

/** Most working days counted from a date. */
const WORKDAYS_MAX = 100_000;

/** Returns the serial of a date given as a number, or as text such as `2026-01-31`. */
function serialIn(value: PlainValue | undefined, { from1904 }: FormulaContext): number {
  return typeof value === 'string' ? (serialOfText(value, from1904) ?? numberOf(value)) : numberOf(value);
}

function dayIn(value: PlainValue | undefined, around: FormulaContext): Day {
  return dayOfSerial(serialIn(value, around), around.from1904) ?? fail('#NUM!', 'the number is not a date');
}

function serial(day: Day, { from1904 }: FormulaContext): number {
  return serialOfDay(day, from1904) ?? fail('#NUM!', 'there is no such day');
}

/** Adds months; in a shorter month, returns its last day. `end`: always the last day of the month. */
function monthsLater(day: Day, months: number, end: boolean): Day {
  const month = day.month + Math.trunc(months);
  if (Math.abs(month) > 1e6) return fail('#NUM!', 'there is no such month');
  const last = lastOfMonth(day.year, month);
  return { year: day.year, month, day: end ? last : Math.min(day.day, last) };
}

/** Returns the whole months from one date to a later one. */
const monthsBetween = (from: Day, to: Day): number =>
  (to.year - from.year) * 12 + to.month - from.month - (to.day < from.day ? 1 : 0);

function difference(
  from: PlainValue | undefined,
  to: PlainValue | undefined,
  unit: string,
  around: FormulaContext,
): number {
  const [start, end] = [Math.floor(serialIn(from, around)), Math.floor(serialIn(to, around))];
  if (start > end) return fail('#NUM!', 'the first day is after the second');
  const [first, last] = [dayIn(start, around), dayIn(end, around)];
  const months = monthsBetween(first, last);
  switch (unit.toLowerCase()) {
    case 'd':
      return end - start;
    case 'm':
      return months;
    case 'y':
      return Math.floor(months / 12);
    case 'ym':
      return months % 12;
    default:
      return fail('#NUM!', 'the unit is none of d, m, y and ym');
  }
}

/**
 * Returns the fraction of a year between two dates: by months of 30 days (0 American, 4 European), actual days (1), or
 * years of 360 (2) or 365 (3) days.
 */
function yearShare(one: number, other: number, basis: number, around: FormulaContext): number {
  const [start, end] = one <= other ? [one, other] : [other, one];
  const [from, to] = [dayIn(start, around), dayIn(end, around)];
  const days = Math.floor(end) - Math.floor(start);
  switch (basis) {
    case 0:
    case 4:
      return days360(from, to, basis === 4) / 360;
    case 1:
      return days / yearLength(start, end, around);
    case 2:
      return days / 360;
    case 3:
      return days / 365;
    default:
      return fail('#NUM!', 'the basis is none of 0 to 4');
  }
}

/** Returns the length of a year for actual days: of the year of both dates, or the average of several years. */
function yearLength(start: number, end: number, around: FormulaContext): number {
  const [from, to] = [dayIn(start, around), dayIn(end, around)];
  const days =
    serial({ year: to.year + 1, month: 1, day: 1 }, around) - serial({ year: from.year, month: 1, day: 1 }, around);
  const months = monthsBetween(from, to);
  if (months > 12 || (months === 12 && from.day !== to.day)) return days / (to.year - from.year + 1);
  const leap = [from.year, to.year].find((year) => lastOfMonth(year, 2) === 29);
  if (leap === undefined) return 365;
  const leapDay = serial({ year: leap, month: 2, day: 29 }, around);
  return from.year === to.year || (leapDay >= start && leapDay <= end) ? 366 : 365;
}

/** Returns the days between two dates by months of 30 days, in the European or American way. */
function days360(from: Day, to: Day, isEuropean: boolean): number {
  const isLast = (day: Day): boolean => day.month === 2 && day.day === lastOfMonth(day.year, 2);
  let [first, second] = [from.day, to.day];
  if (isEuropean) [first, second] = [Math.min(first, 30), Math.min(second, 30)];
  else {
    if (isLast(from) && isLast(to)) second = 30;
    if (isLast(from)) first = 30;
    if (second === 31 && first >= 30) second = 30;
    if (first === 31) first = 30;
  }
  return (to.year - from.year) * 360 + (to.month - from.month) * 30 + second - first;
}

/** Adds working days to a date: Monday to Friday without the holidays. */
function workdays(start: number, steps: number, holidays: ReadonlySet<number>, around: FormulaContext): number {
  if (Math.abs(steps) > WORKDAYS_MAX) return fail('#NUM!', `more than ${WORKDAYS_MAX} working days are counted`);
  const isWorking = (at: number): boolean => ![0, 6].includes(weekdayOf(at, around.from1904)) && !holidays.has(at);
  let at = start;
  for (let left = Math.abs(steps); left > 0 && at >= 0;) {
    at += Math.sign(steps);
    around.spend(1);
    if (isWorking(at)) left--;
  }
  return at < 0 ? fail('#NUM!') : at;
}

function networkDays(one: number, other: number, holidays: ReadonlySet<number>, around: FormulaContext): number {
  const [start, end] = one <= other ? [one, other] : [other, one];
  if (end - start > 10 * WORKDAYS_MAX) return fail('#NUM!', 'the days are too far from one another');
  let days = 0;
  around.spend(Math.ceil(end - start));
  for (let at = start; at <= end; at++)
    if (![0, 6].includes(weekdayOf(at, around.from1904)) && !holidays.has(at)) days++;
  return one <= other ? days : -days;
}

const part = (of: 'year' | 'month' | 'day'): FormulaFunction =>
  scalar(1, 1, ([value], around) => dayIn(value, around)[of]);
const clockPart = (seconds: number, modulus: number): FormulaFunction =>
  scalar(1, 1, ([value], around) => {
    const of = Math.round((serialIn(value, around) % 1) * 86_400);
    return Math.floor(of / seconds) % modulus;
  });
const holidaysIn = (given: Parameters<typeof numbersOf>[0][number] | undefined): ReadonlySet<number> =>
  new Set(given === undefined || given === null ? [] : numbersOf([given]).map(Math.floor));
const plain = (value: Scalar): PlainValue => value as PlainValue;

/** Date functions. */
export const dateFunctions: Readonly<Record<string, FormulaFunction>> = {
  TODAY: scalar(0, 0, (_, { now }) => Math.floor(now)),
  NOW: scalar(0, 0, (_, { now }) => now),
  DATE: scalar(3, 3, ([year, month, day], around) => {
    const yearValue = Math.trunc(numberOf(year));
    return serial(
      {
        year: yearValue >= 0 && yearValue < 1900 ? yearValue + 1900 : yearValue,
        month: Math.trunc(numberOf(month)),
        day: Math.trunc(numberOf(day)),
      },
      around,
    );
  }),
  DATEVALUE: scalar(1, 1, ([text], { from1904 }) =>
    Math.floor(serialOfText(textOf(text), from1904) ?? fail('#VALUE!', 'the text is no day such as 2026-01-31')),
  ),
  YEAR: part('year'),
  MONTH: part('month'),
  DAY: part('day'),
  HOUR: clockPart(3_600, 24),
  MINUTE: clockPart(60, 60),
  SECOND: clockPart(1, 60),
  WEEKDAY: scalar(1, 2, ([value, kind], around) => {
    const at = weekdayOf(serialIn(value, around), around.from1904);
    const way = kind === undefined ? 1 : Math.trunc(numberOf(kind));
    if (way === 1) return at + 1;
    if (way === 2) return at === 0 ? 7 : at;
    return way === 3 ? (at + 6) % 7 : fail('#NUM!', 'the kind of WEEKDAY is none of 1, 2 and 3');
  }),
  EDATE: scalar(2, 2, ([value, months], around) =>
    serial(monthsLater(dayIn(value, around), numberOf(months), false), around),
  ),
  EOMONTH: scalar(2, 2, ([value, months], around) =>
    serial(monthsLater(dayIn(value, around), numberOf(months), true), around),
  ),
  DAYS: scalar(2, 2, ([to, from], around) => Math.floor(serialIn(to, around)) - Math.floor(serialIn(from, around))),
  DATEDIF: scalar(3, 3, ([from, to, unit], around) => difference(from, to, textOf(unit), around)),
  YEARFRAC: scalar(2, 3, ([from, to, basis], around) =>
    yearShare(
      serialIn(from, around),
      serialIn(to, around),
      basis === undefined ? 0 : Math.trunc(numberOf(basis)),
      around,
    ),
  ),
  WORKDAY: wide(2, 3, ([from = null, days = null, holidays], around, single) =>
    workdays(
      Math.floor(serialIn(plain(single(from)), around)),
      Math.trunc(numberOf(single(days))),
      holidaysIn(holidays),
      around,
    ),
  ),
  NETWORKDAYS: wide(2, 3, ([from = null, to = null, holidays], around, single) =>
    networkDays(
      Math.floor(serialIn(plain(single(from)), around)),
      Math.floor(serialIn(plain(single(to)), around)),
      holidaysIn(holidays),
      around,
    ),
  ),
};
