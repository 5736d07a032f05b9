import { html, type Markup } from '../../kernel/render/markup.ts';

/** Renders an option of a choice. */
export function option(value: string, text: string, isSelected: boolean): Markup {
  return html`<option value="${value}"${isSelected && html` selected`}>${text}</option>`;
}

/** Renders a hidden field of a form. */
export function hiddenField(name: string, value: string | number): Markup {
  return html`<input type="hidden" name="${name}" value="${value}">`;
}
