import { html, type Markup } from '../../kernel/render/markup.ts';
import { shownLocalTime } from './display-values.ts';
import { plural } from './due-words.ts';
import type { PageCall } from './page-call.ts';

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const MONTH_NAMES = [
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
const DAY = 86_400_000;

/** Returns the local day of a date or instant: `2026-11-18`. */
export function localDay(call: PageCall, value: string): string {
  return /^\d{4}-\d\d-\d\d$/.test(value) ? value : shownLocalTime(call, value).slice(0, 10);
}

/** Returns the local day of now. */
export function today(call: PageCall): string {
  return localDay(call, call.platform.clock.now());
}

/** Renders a date as "Nov 18", with the year if it is another one. The pointer brings up the whole date. */
export function shortDay(call: PageCall, value: string): Markup {
  const day = localDay(call, value);
  return html`<time datetime="${day}" title="${longDay(day)}">${dayText(day, today(call))}</time>`;
}

/** Returns a day as "Nov 18", with the year if it is not that of another day. */
export function dayText(day: string, now: string): string {
  const [year = '', month = '', date = ''] = day.split('-');
  const text = `${MONTHS[Number(month) - 1] ?? ''} ${Number(date)}`;
  return year === now.slice(0, 4) ? text : `${text}, ${year}`;
}

/** Returns a day as "Wednesday, November 18", with the year. */
function longDay(day: string): string {
  const [year = '', month = '', date = ''] = day.split('-');
  const weekday = WEEKDAYS[new Date(Date.parse(day)).getUTCDay()] ?? '';
  return `${weekday}, ${MONTH_NAMES[Number(month) - 1] ?? ''} ${Number(date)}, ${year}`;
}

/** Returns the head of a day in a timeline: "Today, Wednesday, November 18". */
export function dayHead(day: string, now: string): string {
  const days = daysBetween(day, now);
  const long = longDay(day);
  const text = day.slice(0, 4) === now.slice(0, 4) ? long.replace(/, \d{4}$/, '') : long;
  if (days === 0) return `Today, ${text}`;
  return days === 1 ? `Yesterday, ${text}` : text;
}

/** Returns the calendar days from one day to another. */
export function daysBetween(from: string, to: string): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / DAY);
}

/** Renders the time of day of an instant: "8:12 AM". */
export function timeOfDay(call: PageCall, instant: string): Markup {
  const [, hour = '0', minute = '00'] = /T(\d\d):(\d\d)/.exec(shownLocalTime(call, instant)) ?? [];
  const text = `${Number(hour) % 12 || 12}:${minute} ${Number(hour) < 12 ? 'AM' : 'PM'}`;
  return html`<time datetime="${instant}">${text}</time>`;
}

/** Renders when something is due, with how late it is: red once it is past, amber today and tomorrow. */
export function dueMark(call: PageCall, value: string): Markup {
  const days = daysBetween(today(call), localDay(call, value));
  const day = shortDay(call, value);
  if (days < 0) return html`<span class="late">Due ${day} · ${plural(-days, 'day')} late</span>`;
  return days <= 1 ? html`<span class="soon">Due ${day}</span>` : html`Due ${day}`;
}
