import { html, type Markup } from '../../../kernel/render/markup.ts';

/** Size of the drawing, in units of its view box. */
const WIDTH = 304;
const HEIGHT = 72;
const LEFT = 58;
const TOP = 8;
const BOTTOM = 64;

/** Renders a line of numbers above their mean, which is a dotted line. The sentence beside it says the same. */
export function outputChart(values: readonly number[], mean: number): Markup {
  const max = Math.max(...values, mean, 1);
  const x = (at: number): string => (LEFT + (at * (WIDTH - LEFT - 6)) / Math.max(values.length - 1, 1)).toFixed(1);
  const y = (value: number): string => (BOTTOM - (value / max) * (BOTTOM - TOP)).toFixed(1);
  const points = values.map((value, at) => `${x(at)},${y(value)}`).join(' ');
  const last = values.length - 1;
  const area = `${x(0)},${BOTTOM} ${points} ${x(last)},${BOTTOM}`;
  const level = y(mean);
  return html`<svg class="output-chart" viewBox="0 0 ${WIDTH} ${HEIGHT}" aria-hidden="true">
<line class="mean" x1="0" y1="${level}" x2="${WIDTH}" y2="${level}"/>
<text x="0" y="${(Number(level) + 13).toFixed(1)}">mean ${Math.round(mean)}</text>
<polygon class="area" points="${area}"/><polyline class="line" points="${points}"/>
<circle class="dot" cx="${x(last)}" cy="${y(values[last] ?? 0)}" r="3"/>
</svg>`;
}
