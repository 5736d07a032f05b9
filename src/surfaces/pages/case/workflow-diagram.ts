import { html, type Markup } from '../../../kernel/render/markup.ts';
import { layoutDiagram, BOX_HEIGHT, BOX_WIDTH, type EdgePath, type StepPosition } from './diagram-layout.ts';
import { stateOf, type StepView } from './step-view.ts';

/** A picture of more steps than this helps nobody; the list has them all. */
export const DIAGRAM_STEPS_MAX = 400;
/** A name in a box has room for so many characters; the whole name comes up when the pointer rests on it, and stands in the list. */
const NAME_CHARACTERS_MAX = 25;

/**
 * A workflow as a picture: a box for each step below those that it waits for, its state as a mark, a word and a colour. Screen readers
 * are given the list beside it instead, which says the same; a click on a box leads there. It is made here and not in the browser by
 * a library such as Mermaid, which draws nothing without script and writes styles of its own into the page, which its policy forbids.
 */
export function workflowDiagram(decisionId: number, name: string, steps: readonly StepView[]): Markup | false {
  if (steps.length > DIAGRAM_STEPS_MAX || !steps.some(({ dependencies: needs }) => needs.length > 0)) return false;
  const { width, height, nodes: placed, edges: lines, hiddenEdges: hidden } = layoutDiagram(steps);
  return html`<div class="scroll picture" role="region" tabindex="0" aria-label="Picture of ${name}" data-picture>
<svg class="flow" aria-hidden="true" focusable="false" xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">
<defs><marker id="tip-${decisionId}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path class="tip" d="M0 0L8 4L0 8z"/></marker></defs>
${lines.map((line) => edgeMarkup(decisionId, line))}${placed.map((place) => stepBox(decisionId, place, steps[place.step]))}</svg>
<p class="hidden">The picture shows what the list of all steps says.</p></div>
${legend(steps)}
${hidden > 0 && html`<p class="quiet">${hidden === 1 ? 'One dependency has' : `${hidden} dependencies have`} no line here, since it would lead over many rows or steps, or round in a circle; the list of all steps names ${hidden === 1 ? 'it' : 'them'}.</p>`}`;
}

/** The marks that the picture uses, with their words and how many steps stand so: what it shows in one line, for those who cannot see it too. */
function legend(steps: readonly StepView[]): Markup {
  const states = [...Map.groupBy(steps.map(stateOf), ({ word }) => word).values()].flatMap((own) =>
    own[0] ? [{ ...own[0], count: own.length }] : [],
  );
  return html`<ul class="inline legend" aria-label="Steps by state">${states.map(({ word, mark, kind, count }) => html`<li><span class="state ${kind}"><span aria-hidden="true">${mark}</span> ${word}</span> ${count}</li>`)}</ul>`;
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
  return html`<path class="line" d="${path}" marker-end="url(#tip-${decisionId})"/>${isTrue !== undefined && resultLabel(first, rest[0] ?? first, isTrue)}\n`;
}

/** The result that a line stands for, beside it where it has nearly come to the next row: lines that leave one box have parted there. */
function resultLabel(from: EdgePath['points'][number], to: EdgePath['points'][number], isTrue: boolean): Markup {
  const isLeft = to.x < from.x;
  return html`<text class="when" x="${Math.round(from.x + 0.8 * (to.x - from.x)) + (isLeft ? -6 : 6)}" y="${to.y - 9}"${isLeft && html` text-anchor="end"`}>${isTrue ? 'yes' : 'no'}</text>`;
}

function stepBox(decisionId: number, { step: at, x, y }: StepPosition, step: StepView | undefined): Markup {
  if (!step) return html``;
  const { word, mark, kind } = stateOf(step);
  const more = step.times > 1 ? ` (${step.times} times)` : '';
  // A box is a picture of its own, so that a name that is too wide for it is cut at its edge.
  return html`<a href="#step-${decisionId}-${at}" tabindex="-1"><svg class="step ${kind}" x="${x}" y="${y}" width="${BOX_WIDTH}" height="${BOX_HEIGHT}"><title>${step.name}: ${word}${more}</title><rect x="2" y="2" width="${BOX_WIDTH - 4}" height="${BOX_HEIGHT - 4}" rx="6"${(kind === 'open' || kind === 'failed' || kind === 'held') && html` data-now`}/><text class="name" x="11" y="19">${truncateName(step.name)}</text><text class="state" x="11" y="35">${mark} ${word}${more}</text></svg></a>\n`;
}

/** A name cut at a whole character. */
function truncateName(name: string): string {
  const characters = [...name];
  return characters.length <= NAME_CHARACTERS_MAX
    ? name
    : `${characters
        .slice(0, NAME_CHARACTERS_MAX - 1)
        .join('')
        .trimEnd()}…`;
}
