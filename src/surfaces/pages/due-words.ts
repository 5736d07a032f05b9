import { html, type Markup } from '../../kernel/render/markup.ts';
import { localDateTime, localInputValue, shownLocalTime } from './display-values.ts';
import type { PageCall } from './page-call.ts';

const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const MONTHS = [
  ...['January', 'February', 'March', 'April', 'May', 'June'],
  ...['July', 'August', 'September', 'October', 'November', 'December'],
];
const DAY_MILLISECONDS = 86_400_000;
const HOUR_MILLISECONDS = 3_600_000;
const MINUTE_MILLISECONDS = 60_000;
/** The short name of a month has so many letters. */
const SHORT_LETTERS = 3;

/** When something is due, in words. `late`: it is past; `soon`: it has a time today. */
export interface DueWords {
  readonly text: string;
  readonly tone: 'late' | 'soon' | '';
}

/** A wall clock's time: `2026-11-18T14:00:00`. */
type WallTime = string;

/** Returns when something is due, seen from now: "Overdue 2 days", "Today 2:00 PM", "Tomorrow", "Nov 24". */
export function dueWords(call: PageCall, instant: string | null): DueWords {
  if (instant === null) return { text: '', tone: '' };
  const now = call.platform.clock.now();
  return dueText(localInputValue(call, instant), localInputValue(call, now), Date.parse(instant) - Date.parse(now));
}

/** Returns the day on which something is due, and how far off it is: "Due Nov 16. Overdue 2 days", "Due Dec 14". */
export function dueSentence(call: PageCall, instant: string): DueWords {
  const { text, tone } = dueWords(call, instant);
  const day = shortDay(call, instant);
  return { text: text === day ? `Due ${day}` : `Due ${day}. ${text}`, tone };
}

/** Returns when something is due, as short as a narrow list needs it: "2 days late", "2:00 PM", "Nov 24". */
export function shortDueWords(call: PageCall, instant: string | null): DueWords {
  const { text, tone } = dueWords(call, instant);
  if (tone === 'late') return { text: text === 'Overdue' ? 'Late' : `${text.replace('Overdue ', '')} late`, tone };
  return { text: text.replace(/^Today (?=\d)/, ''), tone };
}

/** Returns {@link dueWords} from wall clock times and the milliseconds that are left. */
export function dueText(due: WallTime, now: WallTime, left: number): DueWords {
  const days = daysBetween(now, due);
  if (left <= 0) {
    if (days < 0) return { text: `Overdue ${plural(-days, 'day')}`, tone: 'late' };
    const hours = Math.floor(-left / HOUR_MILLISECONDS);
    return { text: hours === 0 ? 'Overdue' : `Overdue ${plural(hours, 'hour')}`, tone: 'late' };
  }
  if (days === 0)
    return isEndOfDay(due) ? { text: 'Today', tone: '' } : { text: `Today ${timeText(due)}`, tone: 'soon' };
  return { text: days === 1 ? 'Tomorrow' : shortDate(due, now), tone: '' };
}

/** Returns the date of an instant, "Nov 18", with the year only when it is another. */
export function shortDay(call: PageCall, instant: string): string {
  return shortDate(localInputValue(call, instant), localInputValue(call, call.platform.clock.now()));
}

/** Returns the day of an instant that is near, with its time: "8:12 AM", "Yesterday 4:48 PM", "Nov 18". */
export function recentTime(call: PageCall, instant: string): string {
  const [at, now] = [shownLocalTime(call, instant), shownLocalTime(call, call.platform.clock.now())];
  const days = daysBetween(at, now);
  if (days === 0) return timeText(at);
  return days === 1 ? `Yesterday ${timeText(at)}` : shortDate(at, now);
}

/** Returns an instant as people say it: "8:12 AM" today, "Nov 18, 8:12 AM" this year, "Nov 18, 2024" otherwise. */
export function shortTime(call: PageCall, instant: string): string {
  const [at, now] = [shownLocalTime(call, instant), shownLocalTime(call, call.platform.clock.now())];
  if (daysBetween(at, now) === 0) return timeText(at);
  const day = shortDate(at, now);
  return partsOf(at).year === partsOf(now).year ? `${day}, ${timeText(at)}` : day;
}

/** Renders an instant as {@link shortTime} says it; the pointer brings up the whole of it. */
export function shortTimeMark(call: PageCall, instant: string | null | undefined): Markup | false {
  if (instant === null || instant === undefined || instant === '') return false;
  const whole = localDateTime(call, instant);
  return html`<time class="nowrap" datetime="${instant}" title="${whole}">${shortTime(call, instant)}</time>`;
}

/** Returns the time of an instant, "4:10 PM". */
export function timeOfDay(call: PageCall, instant: string): string {
  return timeText(shownLocalTime(call, instant));
}

/** Returns today's date in full: "Wednesday, November 18". */
export function longToday(call: PageCall): string {
  const now = localInputValue(call, call.platform.clock.now());
  const { month, day } = partsOf(now);
  return `${weekday(now)}, ${MONTHS[month - 1] ?? ''} ${day}`;
}

/** Returns a date as its weekday and day: "Mon, Nov 16". */
export function weekdayDate(date: string): string {
  const { month, day } = partsOf(date);
  return `${weekday(date).slice(0, SHORT_LETTERS)}, ${shortMonth(month)} ${day}`;
}

/** Returns how long ago an instant was, in its largest unit: "4 hours", "6 days". */
export function ageText(call: PageCall, instant: string): string {
  const past = call.platform.clock.milliseconds() - Date.parse(instant);
  if (past >= DAY_MILLISECONDS) return plural(Math.floor(past / DAY_MILLISECONDS), 'day');
  if (past >= HOUR_MILLISECONDS) return plural(Math.floor(past / HOUR_MILLISECONDS), 'hour');
  return plural(Math.max(0, Math.floor(past / MINUTE_MILLISECONDS)), 'minute');
}

/** Returns a number with its noun: "1 day", "3 days". */
export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** Due dates without a time of their own are stored as the end or the beginning of a day. */
function isEndOfDay(at: WallTime): boolean {
  return /T(?:23:59|00:00)/.test(at);
}

function shortDate(at: WallTime, now: WallTime): string {
  const { year, month, day } = partsOf(at);
  return `${shortMonth(month)} ${day}${year === partsOf(now).year ? '' : `, ${year}`}`;
}

function shortMonth(month: number): string {
  return (MONTHS[month - 1] ?? '').slice(0, SHORT_LETTERS);
}

function weekday(at: WallTime): string {
  return DAYS[new Date(`${at.slice(0, 10)}T00:00:00Z`).getUTCDay()] ?? '';
}

function timeText(at: WallTime): string {
  const [, hour = '0', minute = '00'] = /T(\d\d):(\d\d)/.exec(at) ?? [];
  return `${Number(hour) % 12 || 12}:${minute} ${Number(hour) < 12 ? 'AM' : 'PM'}`;
}

function daysBetween(from: WallTime, to: WallTime): number {
  const day = (at: WallTime): number => Date.parse(`${at.slice(0, 10)}T00:00:00Z`);
  return Math.round((day(to) - day(from)) / DAY_MILLISECONDS);
}

function partsOf(at: WallTime): { readonly year: number; readonly month: number; readonly day: number } {
  const [year = 0, month = 0, day = 0] = at.slice(0, 10).split('-').map(Number);
  return { year, month, day };
}
