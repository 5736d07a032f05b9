import { html, type Markup } from '../../../kernel/render/markup.ts';
import { localInputValue } from '../display-values.ts';
import type { PageCall } from '../page-call.ts';

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const DAY = 86_400_000;

/** Returns the local day of a date or instant, `2026-11-18`. */
export function localDay(call: PageCall, value: string): string {
  return /^\d{4}-\d\d-\d\d$/.test(value) ? value : localInputValue(call, value).slice(0, 10);
}

/** Returns a day as "Nov 18", with the year if that is not the current one. */
export function dayText(day: string, today: string): string {
  const [year = '', month = '', date = ''] = day.split('-');
  const text = `${MONTHS[Number(month) - 1] ?? ''} ${Number(date)}`;
  return year === today.slice(0, 4) ? text : `${text}, ${year}`;
}

/** Returns when something is due, seen from today, and whether that is past or near. */
export function dueText(day: string, today: string): { readonly text: string; readonly tone: 'late' | 'soon' | '' } {
  const days = Math.round((Date.parse(day) - Date.parse(today)) / DAY);
  if (days < 0) return { text: days < -99 ? dayText(day, today) : `${-days}d late`, tone: 'late' };
  if (days === 0) return { text: 'Today', tone: 'soon' };
  return { text: days === 1 ? 'Tomorrow' : dayText(day, today), tone: '' };
}

/** Renders a day in a list. */
export function dayCell(call: PageCall, value: string, today: string): Markup {
  const day = localDay(call, value);
  return html`<time datetime="${day}">${dayText(day, today)}</time>`;
}

/** Renders when something is due. */
export function dueCell(call: PageCall, value: string, today: string): Markup {
  const day = localDay(call, value);
  const { text, tone } = dueText(day, today);
  const title = dayText(day, today);
  return html`<time datetime="${day}"${tone !== '' && html` class="${tone}"`} title="${title}">${text}</time>`;
}
