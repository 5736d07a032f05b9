import type { BusinessCalendar } from '../../../kernel/time/business-calendar.ts';
import { instantOfWallClock, zoneOffset } from '../../../kernel/time/clock.ts';
import { bad } from '../../../kernel/parameters/parse-value.ts';

/** The units of a duration, by their number in `DurationScale`. */
export const durationScales = ['days', 'hours', 'minutes', 'seconds', 'months', 'years', 'business days'] as const;

/** The numbers of `DurationScale` as text: `0 days, 1 hours, …`. */
export const durationScaleDoc = durationScales.map((name, scale) => `${scale} ${name}`).join(', ');

/** A unit of a duration. */
export type DurationUnit = (typeof durationScales)[number];

/**
 * Lengths of the units that allow fractions, in milliseconds: half a day is twelve hours, but half a month is
 * undefined.
 */
const lengths: Readonly<Partial<Record<DurationUnit, number>>> = {
  days: 86_400_000,
  hours: 3_600_000,
  minutes: 60_000,
  seconds: 1_000,
};

/** The range of results: the years 1 to 9999. */
const FIRST = Date.parse('0001-01-01T00:00:00Z');
const LAST = Date.parse('9999-12-31T23:59:59.999Z');

/** Returns the unit of a number. @throws BAD_PARAMETER for an unknown number */
export function durationUnit(scale: number): DurationUnit {
  const unit = durationScales[scale];
  if (unit === undefined) throw bad('DurationScale', durationScaleDoc);
  return unit;
}

/**
 * Returns an instant plus a duration, or minus one if the amount is negative. Days, months, years and business days
 * keep the wall-clock time across daylight saving changes; hours, minutes and seconds are exact. A missing day of a
 * month becomes its last day. The amount is a decimal number or text; months, years and business days must be whole.
 * @throws BAD_PARAMETER for an unknown scale, or an amount that the scale does not allow
 */
export function addDuration(
  calendar: BusinessCalendar,
  instant: number,
  scale: number,
  amount: number | string,
): number {
  const unit = durationUnit(scale);
  const count = amountOf(amount, unit);
  const result = added(calendar, instant, unit, count);
  if (!(result >= FIRST && result <= LAST))
    throw bad('EstimatedDuration', 'a duration that ends between the years 1 and 9999');
  return result;
}

function amountOf(amount: number | string, unit: DurationUnit): number {
  const count = typeof amount === 'string' && amount.trim() === '' ? Number.NaN : Number(amount);
  if (!Number.isFinite(count)) throw bad('EstimatedDuration', 'a number');
  if (lengths[unit] === undefined && !Number.isSafeInteger(count))
    throw bad('EstimatedDuration', `a whole number of ${unit}`);
  return count;
}

function added(calendar: BusinessCalendar, instant: number, unit: DurationUnit, count: number): number {
  if (count === 0) return instant;
  if (unit === 'business days') return calendar.addBusinessDays(instant, count);
  const length = lengths[unit];
  if (length !== undefined && unit !== 'days') return instant + Math.round(count * length);
  const wall = instant + zoneOffset(calendar.timeZone, instant);
  const moved =
    length === undefined ? addMonths(wall, unit === 'years' ? count * 12 : count) : wall + Math.round(count * length);
  // Outside the range of dates there is no zone offset; the caller reports the error.
  return moved >= FIRST && moved <= LAST ? instantOfWallClock(calendar.timeZone, moved) : Number.NaN;
}

/** Returns the wall-clock time some months later, on the same day of the month or its last. */
function addMonths(wall: number, months: number): number {
  const at = new Date(wall);
  const day = at.getUTCDate();
  at.setUTCDate(1);
  at.setUTCMonth(at.getUTCMonth() + months);
  const month = new Date(at);
  // Day 0 of the next month is the last of this one.
  month.setUTCMonth(month.getUTCMonth() + 1, 0);
  at.setUTCDate(Math.min(day, month.getUTCDate()));
  return at.getTime();
}

/** Returns a duration as text: `3 business days`, `1 hour`, `1.5 days`. */
export function describeDuration(scale: number, amount: number | string): string {
  const unit = durationUnit(scale);
  const count = amountOf(amount, unit);
  return `${count} ${Math.abs(count) === 1 ? unit.slice(0, -1) : unit}`;
}
