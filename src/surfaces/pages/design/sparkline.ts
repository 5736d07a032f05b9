import { html, type Markup } from '../../../kernel/render/markup.ts';

const WIDTH = 120;
const HEIGHT = 24;
/** Room for the line's own width. */
const INSET = 2;

/**
 * Renders the course of a number as a small line, from zero to its maximum. `sentence`: what it shows, for screen
 * readers and the tooltip. Fewer than two values are no course.
 */
export function sparkline(values: readonly number[], sentence: string): Markup {
  if (values.length < 2) return html`<span class="muted small">${sentence}</span>`;
  const max = Math.max(1, ...values);
  const step = (WIDTH - 2 * INSET) / (values.length - 1);
  const points = values.map((value, at) => {
    const y = HEIGHT - INSET - (value / max) * (HEIGHT - 2 * INSET);
    return `${(INSET + at * step).toFixed(1)},${y.toFixed(1)}`;
  });
  return html`<span class="sparkline" title="${sentence}"><svg viewBox="0 0 ${WIDTH} ${HEIGHT}" aria-hidden="true">
<polyline points="${points.join(' ')}"/></svg><span class="hidden">${sentence}</span></span>`;
}
