import { html, type HtmlValue, type Markup } from '../../../kernel/render/markup.ts';
import { icon, type IconName } from './icons.ts';
import { keyHint } from './keys.ts';

/** An entry of a menu: a link, or a button of the form around the menu. A heading has a text only. */
export interface MenuEntry {
  readonly text: HtmlValue;
  readonly icon?: IconName;
  readonly href?: string;
  readonly name?: string;
  readonly value?: string;
  readonly key?: string;
  /** The ID of a dialog that the link opens; `href` leads to a page with the same question. */
  readonly dialog?: string;
}

/** A line between entries. */
export const menuLine: Markup = html`<hr>`;

/** Renders a menu that opens without script; with script, arrows, typing and Esc function too. */
export function menu(
  summary: Markup,
  entries: readonly (MenuEntry | Markup | false)[],
  side: 'left' | 'right' = 'right',
): Markup {
  const shown = entries.map((entry) => entry !== false && ('markup' in entry ? entry : menuEntry(entry)));
  return html`<details class="menu">${summary}
<div class="menu-entries ${side}">${shown}</div>
</details>`;
}

function menuEntry({ text, icon: name, href, name: field, value, key, dialog }: MenuEntry): Markup {
  const content = html`${name !== undefined && icon(name)}<span>${text}</span>${key !== undefined && keyHint(key)}`;
  const pressed = key !== undefined && html` data-key="${key}"`;
  const opens = dialog !== undefined && html` data-dialog="${dialog}"`;
  if (href !== undefined) return html`<a class="menu-entry" href="${href}"${pressed}${opens}>${content}</a>`;
  if (field === undefined) return html`<p class="menu-heading">${text}</p>`;
  return html`<button class="menu-entry" name="${field}" value="${value}"${pressed}>${content}</button>`;
}
