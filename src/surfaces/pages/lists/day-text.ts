import { html, type Markup } from '../../../kernel/render/markup.ts';
import { dayText, daysBetween, localDay } from '../days.ts';
import type { PageCall } from '../page-call.ts';

/** Returns when something is due, seen from today, and whether that is past or near. */
export function dueText(day: string, today: string): { readonly text: string; readonly tone: 'late' | 'soon' | '' } {
  const days = daysBetween(today, day);
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
