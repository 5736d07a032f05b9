import { html, type Markup } from '../../../kernel/render/markup.ts';
import { badge } from '../design/badge.ts';
import { stagePill, targetBar } from '../design/stage.ts';
import { brandMark } from '../shell/sidebar.ts';

/** Renders a page for people who are not signed in: its content in one column, and on wide screens what they enter. */
export function entryFrame(content: Markup): Markup {
  return html`<div class="entry-page">
<div class="entry-main">
<p class="entry-brand">${brandMark}Casewright</p>
<div class="entry-box">${content}</div>
<p class="entry-foot">Use is logged. Do not share your password.</p>
</div>
<div class="entry-side" aria-hidden="true">
<p class="lead">Every case, its next step, and why.</p>
<p class="soft">Casewright shows what comes first, what holds a case, and what each step takes against its target.</p>
<div class="entry-sample">${samples.map(sampleLine)}</div>
</div>
</div>`;
}

const samples = [
  { stage: { name: 'Title', reached: 2, total: 7, state: 'open' }, days: 8, target: 20, mark: badge('Next', 'accent') },
  {
    stage: { name: 'Service', reached: 4, total: 7, state: 'hold' },
    days: 18,
    target: 20,
    mark: badge('On hold', 'warn'),
  },
  {
    stage: { name: 'Judgment', reached: 5, total: 7, state: 'open' },
    days: 12,
    target: 30,
    mark: badge('On target', 'ok'),
  },
] as const;

function sampleLine({ stage, days, target, mark }: (typeof samples)[number]): Markup {
  return html`<div>${stagePill(stage)}${targetBar(days, target)}${mark}</div>`;
}
