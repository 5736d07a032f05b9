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
/** The most decimals that a format shows. */
const DECIMALS_MAX = 15;

/** A number as TEXT writes it: `0.00`, `#,##0`, `0.0%`, `yyyy-mm-dd`, with literal text around. What is not known is an error. */
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
  const literal = (text: string): string =>
    text.replace(
      /"([^"]*)"|\\(.)/g,
      (_, quoted: string | undefined, escaped: string | undefined) => quoted ?? escaped ?? '',
    );
  const [, before = '', whole = '', part = '', behind = ''] =
    /^((?:"[^"]*"|\\.|[^#0"\\])*)([#0,]+)(?:\.([#0]*))?(.*)$/s.exec(section) ?? [];
  const isPercent = behind.includes('%');
  const most = Math.min(DECIMALS_MAX, part.length);
  const least = part.replace(/#+$/, '').length;
  const scaled = Math.abs(Number((value * (isPercent ? 100 : 1)).toPrecision(15)));
  // A value at the half is rounded as it is seen, not as it is kept.
  const fixed = Number(`${Math.round(Number(`${scaled}e${most}`))}e-${most}`);
  const [digits = '0', decimals = ''] = (Number.isFinite(fixed) ? fixed : scaled).toFixed(most).split('.');
  const shown = decimals.slice(0, least) + decimals.slice(least).replace(/0+$/, '');
  const padded = (digits === '0' && !whole.includes('0') ? '' : digits).padStart(
    whole.replaceAll(/[^0]/g, '').length,
    '0',
  );
  const grouped = whole.includes(',') ? padded.replace(/\B(?=(?:\d{3})+$)/g, ',') : padded;
  return `${value < 0 && fixed !== 0 ? '-' : ''}${literal(before)}${grouped}${part === '' || shown === '' ? '' : `.${shown}`}${literal(behind)}`;
}

function dateText(serial: number, section: string, from1904: boolean): string | CellError {
  const day = dayOfSerial(serial, from1904);
  if (!day) return new CellError('#VALUE!', 'the number stands for no day');
  const seconds = Math.round((serial % 1) * 86_400) % 86_400;
  const [hour, minute, second] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60];
  const isHalf = /am\/pm/i.test(section);
  const two = (number: number): string => String(number).padStart(2, '0');
  const [month, week] = [MONTHS[day.month - 1] ?? '', WEEKDAYS[weekdayOf(serial, from1904)] ?? ''];
  let last = '';
  return section.replace(
    /"([^"]*)"|\\(.)|am\/pm|y+|m+|d+|h+|s+/gi,
    (token, quoted: string | undefined, escaped: string | undefined, at: number) => {
      if (quoted !== undefined || escaped !== undefined) return quoted ?? escaped ?? '';
      const low = token.toLowerCase();
      const before = last;
      last = low.charAt(0);
      if (low === 'am/pm') return hour < 12 ? 'AM' : 'PM';
      // Beside hours or seconds an m means minutes.
      const isMinute =
        last === 'm' && low.length <= 2 && (before === 'h' || /^[^a-z]*s/i.test(section.slice(at + token.length)));
      const values: Readonly<Record<string, readonly string[]>> = {
        y: [two(day.year % 100), two(day.year % 100), String(day.year)],
        m: isMinute
          ? [String(minute), two(minute)]
          : [String(day.month), two(day.month), month.slice(0, 3), month, month.slice(0, 1)],
        d: [String(day.day), two(day.day), week.slice(0, 3), week],
        h: [String(isHalf ? hour % 12 || 12 : hour), two(isHalf ? hour % 12 || 12 : hour)],
        s: [String(second), two(second)],
      };
      const shown = values[last] ?? [];
      return shown[Math.min(low.length, shown.length) - 1] ?? '';
    },
  );
}
