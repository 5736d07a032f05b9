import { html, type Markup } from '../../kernel/render/markup.ts';
import { localDateTime } from './display-values.ts';
import type { PageCall } from './page-call.ts';

/** Returns an instant as people say it: `8:12 AM` today, `Nov 18, 8:12 AM` this year, with the year otherwise. */
export function shortTime(call: PageCall, instant: string): string {
  const [date = '', year = '', time = ''] = localDateTime(call, instant).split(', ');
  const now = localDateTime(call, new Date(call.platform.clock.milliseconds()).toISOString());
  const [today = '', thisYear = ''] = now.split(', ');
  if (time === '') return year === thisYear ? date : `${date}, ${year}`;
  if (date === today && year === thisYear) return time;
  return year === thisYear ? `${date}, ${time}` : `${date}, ${year}`;
}

/** Renders an instant as {@link shortTime} says it; the pointer brings up the whole of it. */
export function shortTimeMark(call: PageCall, instant: string | null | undefined): Markup | false {
  if (instant === null || instant === undefined || instant === '') return false;
  return html`<time class="nowrap" datetime="${instant}" title="${localDateTime(call, instant)}">${shortTime(
    call,
    instant,
  )}</time>`;
}
