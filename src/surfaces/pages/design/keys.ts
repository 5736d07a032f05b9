import { html, type Markup } from '../../../kernel/render/markup.ts';

/** Renders the keys of a shortcut, such as `Ctrl+K` or `c`. Screen readers learn of it from `aria-keyshortcuts`. */
export function keyHint(keys: string): Markup {
  const shown = keys.split('+').map((key) => html`<kbd>${key.length === 1 ? key.toUpperCase() : key}</kbd>`);
  return html`<span class="keys" aria-hidden="true">${shown}</span>`;
}
