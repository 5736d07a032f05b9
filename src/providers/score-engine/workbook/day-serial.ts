const DAY_MILLISECONDS = 86_400_000;
const EPOCH = Date.UTC(1899, 11, 30);
/** Days from 1899-12-30 to 1904-01-01, the start of the other calendar of workbooks. */
const DAYS_TO_1904 = 1462;
/** First serial that is no date: workbooks end at 9999-12-31. */
const SERIAL_END = 2_958_466;

/** A date in parts; months and days from 1. */
export interface Day {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

/** Returns the date of a serial; undefined if it is out of range. */
export function dayOfSerial(serial: number, from1904: boolean): Day | undefined {
  if (!Number.isFinite(serial) || serial < 0 || serial >= SERIAL_END) return undefined;
  const whole = Math.floor(serial);
  // The 1900 calendar has a 29 February 1900, which did not exist: serials before it are one day later than their
  // count.
  const from1900 = whole < 60 ? 1 : 0;
  const date = new Date(EPOCH + (whole + (from1904 ? DAYS_TO_1904 : from1900)) * DAY_MILLISECONDS);
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
}

/**
 * Returns the serial of a date; months and days beyond their ends carry over. Undefined if it is out of range.
 */
export function serialOfDay({ year, month, day }: Day, from1904: boolean): number | undefined {
  if (![year, month, day].every((part) => Math.abs(part) < 1e7)) return undefined;
  const days = Math.round((new Date(0).setUTCFullYear(year, month - 1, day) - EPOCH) / DAY_MILLISECONDS);
  const from1900 = days <= 60 ? days - 1 : days;
  const serial = from1904 ? days - DAYS_TO_1904 : from1900;
  return Number.isFinite(serial) && serial >= 0 && serial < SERIAL_END ? serial : undefined;
}

/**
 * Returns the serial of a date or instant as text, `2026-01-31` or `2026-01-31T14:30:00`; undefined for other text.
 */
export function serialOfText(text: string, from1904: boolean): number | undefined {
  const [, year, month, day, hour = '0', minute = '0', second = '0'] =
    /^\s*(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?\s*$/.exec(text) ?? [];
  if (year === undefined) return undefined;
  const date = { year: Number(year), month: Number(month), day: Number(day) };
  const serial = serialOfDay(date, from1904);
  const back = serial === undefined ? undefined : dayOfSerial(serial, from1904);
  if (serial === undefined || back?.day !== date.day || back.month !== date.month || back.year !== date.year)
    return undefined;
  return serial + (Number(hour) * 3_600 + Number(minute) * 60 + Number(second)) / 86_400;
}

/** Returns the last day of a month, from 1; months beyond the year's end are those of the next year. */
export function lastOfMonth(year: number, month: number): number {
  return new Date(new Date(0).setUTCFullYear(year, month, 0)).getUTCDate();
}

/** Returns the weekday of a serial, 0 for Sunday. */
export function weekdayOf(serial: number, from1904: boolean): number {
  return (((Math.floor(serial) + (from1904 ? 5 : 6)) % 7) + 7) % 7;
}
