import { html, type Markup } from '../../../kernel/render/markup.ts';

/** How far a case is. */
export interface Stage {
  readonly name: string;
  /** Milestones reached, and all of them. */
  readonly reached: number;
  readonly total: number;
  readonly state: 'open' | 'hold' | 'closed';
}

/** The radius at which a stroke as wide as the radius fills the circle. */
const RADIUS = 2.5;
const CIRCUMFERENCE = 2 * Math.PI * RADIUS;

/** Renders a stage: a ring that fills as milestones are reached, with its name beside it. */
export function stagePill({ name, reached, total, state }: Stage): Markup {
  const part = total > 0 ? Math.min(1, reached / total) : 0;
  const dash = `${(CIRCUMFERENCE * part).toFixed(2)} ${CIRCUMFERENCE.toFixed(2)}`;
  return html`<span class="stage ${state}"><svg class="ring" viewBox="0 0 14 14" aria-hidden="true">
<circle class="edge" cx="7" cy="7" r="6"/>
<circle class="fill" cx="7" cy="7" r="${RADIUS}" stroke-dasharray="${dash}" transform="rotate(-90 7 7)"/>
</svg>${name}${state === 'hold' && html`<span class="hidden">, on hold</span>`}</span>`;
}

/**
 * Renders days used of a target: blue is used, amber is over 85 percent of the target, red is past it. The tick is the
 * target; the numbers are beside it.
 */
export function targetBar(days: number, target: number): Markup {
  const scale = Math.max(target * 1.4, 1);
  const at = (value: number): string => ((Math.min(value, scale) / scale) * 58).toFixed(1);
  const tone = days > target * 0.85 && days <= target ? 'near' : 'used';
  const [used, tick] = [at(days), at(target)];
  const over =
    days > target &&
    html`<rect class="over" x="${tick}" y="1" height="4" width="${(Number(used) - Number(tick)).toFixed(1)}"/>`;
  return html`<span class="target"><svg viewBox="0 0 58 6" width="58" height="6" aria-hidden="true">
<rect class="track" y="1" width="58" height="4" rx="1"/>
<rect class="${tone}" y="1" height="4" width="${at(Math.min(days, target))}" rx="1"/>${over}
<rect class="tick-mark" x="${tick}" width="1" height="6"/>
</svg><span class="nowrap"><span class="${days > target ? 'late' : ''}">${days}</span>
<span class="muted">/ ${target}<span class="hidden"> days</span></span></span></span>`;
}
