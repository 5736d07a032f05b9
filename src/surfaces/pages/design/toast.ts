import { html, type HtmlValue, type Markup } from '../../../kernel/render/markup.ts';
import { icon } from './icons.ts';
import { keyHint } from './keys.ts';

/** A word about something done, with a way back. */
export interface ToastParts {
  readonly text: HtmlValue;
  readonly tone?: 'done' | 'failed';
  /** A form's button or a link that undoes it; `z` presses it. Give the button `data-key="z"`. */
  readonly undo?: Markup | false;
}

/**
 * Renders a word about something done, such as an action whose page redirected here. With script it disappears after 8
 * seconds, not while it has the pointer or the focus. It is never the only place where an error is shown.
 */
export function toast({ text, tone = 'done', undo = false }: ToastParts): Markup {
  return html`<div class="toast ${tone}" role="status">
${icon(tone === 'done' ? 'check' : 'error')}<p>${text}</p>
${undo && html`<span class="toast-undo">${undo}${keyHint('z')}</span>`}
</div>`;
}
