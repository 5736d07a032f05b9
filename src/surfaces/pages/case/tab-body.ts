import { html, type Markup } from '../../../kernel/render/markup.ts';

/** Renders the pane of a tab that is a single list. */
export function tabBody(label: string, body: Markup): Markup {
  return html`<div class="case-body scroll" tabindex="0" role="region" aria-label="${label}">
<h2 class="hidden">${label}</h2>${body}</div>`;
}
