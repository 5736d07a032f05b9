import { html, type Markup } from '../../../kernel/render/markup.ts';
import { BOX_HEIGHT, BOX_WIDTH, layoutDiagram, type EdgePath, type StepPosition } from './diagram-layout.ts';
import { stateOf, type StepView } from './step-view.ts';

/** Workflows with more steps have no diagram: it would be unreadable, and the list shows all steps. */
export const DIAGRAM_STEPS_MAX = 400;
/** Longer names are cut in their box. The whole name is in the list, and the pointer brings it up. */
const NAME_CHARACTERS_MAX = 25;

/**
 * Renders a workflow as a diagram: a box for each step, below those on which it depends, with its state as a mark, a
 * word and a colour. Screen readers get the list beside it instead, which contains the same; clicking a box leads
 * there. The SVG is made on the server: a browser library such as Mermaid draws nothing without script and writes
 * inline styles, which the pages' content security policy forbids.
 */
export function workflowDiagram(decisionId: number, name: string, steps: readonly StepView[]): Markup | false {
  if (steps.length > DIAGRAM_STEPS_MAX || !steps.some(({ dependencies }) => dependencies.length > 0)) return false;
  const { width, height, nodes, edges, hiddenEdges } = layoutDiagram(steps);
  const size = html`width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"`;
  return html`<div class="scroll picture" role="region" tabindex="0" aria-label="Diagram of ${name}" data-picture>
<svg class="flow" aria-hidden="true" focusable="false" xmlns="http://www.w3.org/2000/svg" ${size}>
${arrowTip(decisionId)}
${edges.map((edge) => edgeMarkup(decisionId, edge))}${nodes.map((at) => stepBox(decisionId, at, steps[at.step]))}</svg>
<p class="hidden">The diagram shows the same as the list of all steps.</p>
</div>
${legend(steps)}
${hiddenEdges > 0 && hiddenEdgesNote(hiddenEdges)}`;
}

function arrowTip(decisionId: number): Markup {
  const box = html`viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"`;
  return html`<defs><marker id="tip-${decisionId}" ${box}><path class="tip" d="M0 0L8 4L0 8z"/></marker></defs>`;
}

function hiddenEdgesNote(count: number): Markup {
  const subject = count === 1 ? 'One dependency has' : `${count} dependencies have`;
  const object = count === 1 ? 'it' : 'them';
  return html`<p class="muted small">
  ${subject} no line here, because it would cross many rows or steps, or form a circle. See the list of all steps for
  ${object}.
</p>`;
}

/** Lists the states in the diagram with the number of steps in each: a summary for readers who cannot see it. */
function legend(steps: readonly StepView[]): Markup {
  const states = [...Map.groupBy(steps.map(stateOf), ({ word }) => word).values()].flatMap((own) =>
    own[0] ? [{ ...own[0], count: own.length }] : [],
  );
  const items = states.map(
    ({ word, mark, kind, count }) =>
      html`<li><span class="state ${kind}"><span aria-hidden="true">${mark}</span> ${word}</span> ${count}</li>`,
  );
  return html`<ul class="inline legend" aria-label="Steps by status">${items}</ul>`;
}

function edgeMarkup(decisionId: number, { points, isTrue }: EdgePath): Markup {
  const [first, ...rest] = points;
  if (!first) return html``;
  let path = `M${first.x} ${first.y}`;
  let before = first;
  for (const point of rest) {
    const middle = Math.round((before.y + point.y) / 2);
    path += before.x === point.x ? `V${point.y}` : `C${before.x} ${middle} ${point.x} ${middle} ${point.x} ${point.y}`;
    before = point;
  }
  const label = isTrue !== undefined && resultLabel(first, rest[0] ?? first, isTrue);
  return html`<path class="line" d="${path}" marker-end="url(#tip-${decisionId})"/>${label}\n`;
}

/** Labels an edge with its result, near the next row: there, the edges that leave one box have parted. */
function resultLabel(from: EdgePath['points'][number], to: EdgePath['points'][number], isTrue: boolean): Markup {
  const isLeft = to.x < from.x;
  const x = Math.round(from.x + 0.8 * (to.x - from.x)) + (isLeft ? -6 : 6);
  const anchor = isLeft && html` text-anchor="end"`;
  return html`<text class="when" x="${x}" y="${to.y - 9}"${anchor}>${isTrue ? 'yes' : 'no'}</text>`;
}

function stepBox(decisionId: number, { step: at, x, y }: StepPosition, step: StepView | undefined): Markup {
  if (!step) return html``;
  const { word, mark, kind } = stateOf(step);
  const times = step.times > 1 ? ` (${step.times} times)` : '';
  const isNow = kind === 'open' || kind === 'failed' || kind === 'held';
  const frame = html`x="${x}" y="${y}" width="${BOX_WIDTH}" height="${BOX_HEIGHT}"`;
  const inner = html`x="2" y="2" width="${BOX_WIDTH - 4}" height="${BOX_HEIGHT - 4}" rx="6"`;
  // Each box is a separate SVG, which cuts names that are too wide at its edge.
  return html`<a href="#step-${decisionId}-${at}" tabindex="-1"><svg class="step ${kind}" ${frame}>
<title>${step.name}: ${word}${times}</title>
<rect ${inner}${isNow && html` data-now`}/>
<text class="name" x="11" y="19">${truncateName(step.name)}</text>
<text class="state" x="11" y="35">${mark} ${word}${times}</text>
</svg></a>\n`;
}

/** Cuts a long name between two graphemes, so that no character is broken. */
function truncateName(name: string): string {
  const characters = [...new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(name)];
  if (characters.length <= NAME_CHARACTERS_MAX) return name;
  const stored = characters.slice(0, NAME_CHARACTERS_MAX - 1).map(({ segment }) => segment);
  return `${stored.join('').trimEnd()}…`;
}
