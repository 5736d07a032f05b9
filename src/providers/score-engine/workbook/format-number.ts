import { dayOfSerial, weekdayOf } from './day-serial.ts';
import { CellError, displayedNumber } from './cell-value.ts';

const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];
const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
/** Most decimals of a format. */
const DECIMALS_MAX = 15;

/**
 * Formats a number like TEXT: `0.00`, `#,##0`, `0.0%`, `yyyy-mm-dd`, with literal text. An unknown format is an error.
 */
export function formatNumber(value: number, format: string, from1904: boolean): string | CellError {
  const sections = format.split(';');
  const isOwn = value < 0 && sections[1] !== undefined;
  const section = (isOwn ? sections[1] : ((value === 0 ? sections[2] : undefined) ?? sections[0])) ?? '';
  const bare = section.replace(/"[^"]*"|\\./g, '');
  if (/[ymd]/i.test(bare) || /h|s/i.test(bare)) return dateText(value, section, from1904);
  if (bare.toLowerCase() === 'general' || bare === '@') return String(displayedNumber(value));
  return /^[^#0]*[#0][#0,]*(?:\.[#0]*)?%?[^#0%]*$/.test(bare) && !/[?/*_E]/.test(bare)
    ? numberText(isOwn ? -value : value, section)
    : new CellError('#VALUE!', `TEXT does not know the format ${format.slice(0, 60)}`);
}

function numberText(value: number, section: string): string {
  const [, before = '', whole = '', part = '', behind = ''] =
    /^((?:"[^"]*"|\\.|[^#0"\\])*)([#0,]+)(?:\.([#0]*))?(.*)$/s.exec(section) ?? [];
  const most = Math.min(DECIMALS_MAX, part.length);
  const scaled = Math.abs(Number((value * (behind.includes('%') ? 100 : 1)).toPrecision(15)));
  // A value at the midpoint is rounded as displayed, not as stored.
  const fixed = Number(`${Math.round(Number(`${scaled}e${most}`))}e-${most}`);
  const [digits = '0', decimals = ''] = (Number.isFinite(fixed) ? fixed : scaled).toFixed(most).split('.');
  const sign = value < 0 && fixed !== 0 ? '-' : '';
  const number = `${wholeText(digits, whole)}${decimalsText(decimals, part)}`;
  return `${sign}${unquoted(before)}${number}${unquoted(behind)}`;
}

/** Formats the digits before the point by a format such as `#,##0`. */
function wholeText(digits: string, format: string): string {
  const shown = digits === '0' && !format.includes('0') ? '' : digits;
  const padded = shown.padStart(format.replaceAll(/[^0]/g, '').length, '0');
  return format.includes(',') ? padded.replace(/\B(?=(?:\d{3})+$)/g, ',') : padded;
}

/** Formats the point and the decimals by a format such as `0##`; empty if there are none to show. */
function decimalsText(decimals: string, format: string): string {
  const least = format.replace(/#+$/, '').length;
  const shown = decimals.slice(0, least) + decimals.slice(least).replace(/0+$/, '');
  return format === '' || shown === '' ? '' : `.${shown}`;
}

/** Returns the literal text of a format without quotes and backslashes. */
const unquoted = (text: string): string =>
  text.replace(
    /"([^"]*)"|\\(.)/g,
    (_, quoted: string | undefined, escaped: string | undefined) => quoted ?? escaped ?? '',
  );

function dateText(serial: number, section: string, from1904: boolean): string | CellError {
  const day = dayOfSerial(serial, from1904);
  if (!day) return new CellError('#VALUE!', 'the number is not a date');
  const seconds = Math.round((serial % 1) * 86_400) % 86_400;
  const [hour, minute, second] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60];
  const isHalf = /am\/pm/i.test(section);
  const two = (number: number): string => String(number).padStart(2, '0');
  const [month, week] = [MONTHS[day.month - 1] ?? '', WEEKDAYS[weekdayOf(serial, from1904)] ?? ''];
  const shownHour = isHalf ? hour % 12 || 12 : hour;
  const values: Readonly<Record<string, readonly string[]>> = {
    y: [two(day.year % 100), two(day.year % 100), String(day.year)],
    m: [String(day.month), two(day.month), month.slice(0, 3), month, month.slice(0, 1)],
    minute: [String(minute), two(minute)],
    d: [String(day.day), two(day.day), week.slice(0, 3), week],
    h: [String(shownHour), two(shownHour)],
    s: [String(second), two(second)],
  };
  let last = '';
  return section.replace(
    /"([^"]*)"|\\(.)|am\/pm|y+|m+|d+|h+|s+/gi,
    (token, quoted: string | undefined, escaped: string | undefined, at: number) => {
      if (quoted !== undefined || escaped !== undefined) return quoted ?? escaped ?? '';
      const low = token.toLowerCase();
      const before = last;
      last = low.charAt(0);
      if (low === 'am/pm') return hour < 12 ? 'AM' : 'PM';
      const isMinute = low.length <= 2 && (before === 'h' || /^[^a-z]*s/i.test(section.slice(at + token.length)));
      // Next to hours or seconds, m means minutes.
      const shown = values[last === 'm' && isMinute ? 'minute' : last] ?? [];
      return shown[Math.min(low.length, shown.length) - 1] ?? '';
    },
  );
}
