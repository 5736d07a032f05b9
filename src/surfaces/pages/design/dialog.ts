import { html, type HtmlValue, type Markup } from '../../../kernel/render/markup.ts';
import { button } from './button.ts';

/** A question before something that cannot be undone, or that needs a reason. */
export interface DialogParts {
  /** Unique on the page. A button or link with `data-dialog="{id}"` opens it. */
  readonly id: string;
  /** The question. */
  readonly title: HtmlValue;
  readonly body: HtmlValue;
  /** The buttons: the verb last. A button to cancel precedes them. */
  readonly actions: HtmlValue;
  /** `drawer`: at the side of the page, for forms that are filled in while reading it. */
  readonly kind?: 'dialog' | 'drawer';
}

/**
 * Renders a dialog, closed until a script opens it. Whatever opens it must lead to a page with the same question, for
 * browsers without script. The form around body and actions is the caller's.
 */
export function dialog({ id, title, body, actions, kind = 'dialog' }: DialogParts): Markup {
  return html`<dialog class="${kind}" id="${id}" aria-labelledby="${id}-title">
<header><h2 id="${id}-title">${title}</h2></header>
<div class="dialog-body">${body}</div>
<footer>${button({ text: 'Cancel', type: 'button', attributes: html`data-close` })}${actions}</footer>
</dialog>`;
}
