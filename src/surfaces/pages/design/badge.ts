import { html, type HtmlValue, type Markup } from '../../../kernel/render/markup.ts';
import { icon, type IconName } from './icons.ts';

/** What a color says: blue is current, red late, amber stopped or soon, green done, violet court or military. */
export type Tone = 'neutral' | 'accent' | 'danger' | 'warn' | 'ok' | 'violet' | 'outline';

/** Renders a short word about a thing: its status, a hold, a kind. */
export function badge(text: HtmlValue, tone: Tone = 'neutral', name?: IconName): Markup {
  const mark = name !== undefined && icon(name, 12);
  return html`<span class="badge${tone !== 'neutral' && ` ${tone}`}">${mark}${text}</span>`;
}

/** Renders how many there are, beside a title. */
export function count(value: HtmlValue, tone: 'neutral' | 'danger' = 'neutral'): Markup {
  return html`<span class="count${tone === 'danger' && ' late'}">${value}</span>`;
}
