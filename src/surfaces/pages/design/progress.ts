import { html, type HtmlValue, type Markup } from '../../../kernel/render/markup.ts';

/** Renders how much of something is done, with the numbers in words beside it. */
export function progress(done: number, total: number, text: HtmlValue, tone: 'accent' | 'danger' = 'accent'): Markup {
  const width = total > 0 ? Math.min(100, (done / total) * 100) : 0;
  return html`<span class="progress ${tone}"><svg viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
<rect class="track" width="100" height="6"/><rect class="fill" width="${width.toFixed(1)}" height="6"/></svg>
<span>${text}</span></span>`;
}

/** How much there is to do: what is late, due today, and due later. */
export interface Load {
  readonly late: number;
  readonly today: number;
  readonly later: number;
}

/** Renders a load as a bar, on a scale that several bars share. The numbers are beside it, in their columns. */
export function loadBar({ late, today, later }: Load, scale: number): Markup {
  const part = (count: number): number => (scale > 0 ? (count / scale) * 100 : 0);
  const rect = (name: string, from: number, count: number): Markup | false =>
    count > 0 &&
    html`<rect class="${name}" x="${part(from).toFixed(1)}" width="${part(count).toFixed(1)}" height="6"/>`;
  return html`<svg class="load" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
<rect class="track" width="100" height="6"/>${rect('late', 0, late)}${rect('today', late, today)}${rect(
    'later',
    late + today,
    later,
  )}</svg>`;
}

/** Renders gray lines where content will appear. Shown after 150 ms, so that a quick answer does not flicker. */
export function skeleton(lines: number): Markup {
  const line = html`<span class="skeleton"></span>`;
  return html`<div class="skeletons" aria-hidden="true">${Array.from({ length: lines }, () => line)}</div>`;
}
