import { html, type HtmlValue, type Markup } from '../../../kernel/render/markup.ts';
import { banner } from './banner.ts';
import { icon, type IconName } from './icons.ts';

/** Why there is nothing, and one way on. */
export interface EmptyParts {
  /** What is true: "No cases match these filters." */
  readonly title: HtmlValue;
  /** Why, and what else there is: "Without Stage there are 41." */
  readonly text?: HtmlValue;
  readonly action?: Markup | false;
  readonly icon?: IconName;
}

/** Renders what is shown where there is nothing to show. */
export function emptyState({ title, text, action = false, icon: name }: EmptyParts): Markup {
  return html`<div class="empty">
${name !== undefined && icon(name, 20)}
<p class="strong">${title}</p>
${text !== undefined && html`<p class="soft">${text}</p>`}
${action}
</div>`;
}

/**
 * Renders a part of a page that could not be read: what failed, and that the rest is here. `retry`: the address that
 * tries again.
 */
export function failedPart(what: HtmlValue, retry: string): Markup {
  return banner({
    tone: 'danger',
    text: html`${what} did not load. The rest of the page is here.`,
    actions: html`<a class="link" href="${retry}">Try again</a>`,
  });
}
