import { html, type HtmlValue, type Markup } from '../../../kernel/render/markup.ts';
import { icon, type IconName } from './icons.ts';

/** What a banner says: something to know, to heed, that failed, or that is done. */
export type BannerTone = 'info' | 'warn' | 'danger' | 'ok';

const icons: Readonly<Record<BannerTone, IconName>> = { info: 'info', warn: 'warning', danger: 'error', ok: 'check' };

/** A message across a page or a form. */
export interface BannerParts {
  readonly tone: BannerTone;
  /** One sentence; more goes into `more`. */
  readonly text: HtmlValue;
  readonly more?: HtmlValue;
  readonly actions?: HtmlValue;
  readonly icon?: IconName;
  /** How screen readers learn of it: at once (`alert`), when idle (`status`), or by reading the page. */
  readonly role?: 'alert' | 'status';
}

/** Renders a message across a page or a form. */
export function banner({ tone, text, more, actions, icon: name, role }: BannerParts): Markup {
  return html`<div class="banner ${tone}"${role !== undefined && html` role="${role}"`}>
${icon(name ?? icons[tone])}
<div class="banner-text"><p>${text}</p>${more}</div>
${actions !== undefined && actions !== false && html`<div class="row end">${actions}</div>`}
</div>`;
}
