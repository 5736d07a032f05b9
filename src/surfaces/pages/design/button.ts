import { html, type HtmlValue, type Markup } from '../../../kernel/render/markup.ts';
import { icon, type IconName } from './icons.ts';
import { keyHint } from './keys.ts';

/** How a button looks. A page has at most one `primary`; `quiet` has no edge; `danger` cannot be undone. */
export type ButtonKind = 'primary' | 'plain' | 'quiet' | 'danger';

/** What buttons and links that look like them have in common. */
interface ButtonLook {
  readonly text: HtmlValue;
  readonly kind?: ButtonKind;
  readonly icon?: IconName;
  /** The single key, or combination, that presses it. Shown on the button and obeyed by the shell's script. */
  readonly key?: string;
  /** Shows only the icon; the text is for screen readers and the tooltip. */
  readonly iconOnly?: boolean;
  /** Follows the visible text for screen readers only: "End hold" … "Loss mitigation". */
  readonly of?: string | undefined;
  /** More attributes. */
  readonly attributes?: Markup | false;
}

/** A button of a form. */
export interface ButtonParts extends ButtonLook {
  readonly name?: string;
  readonly value?: string;
  readonly type?: 'submit' | 'button';
  /** Why it cannot be pressed now. It stays focusable, and the reason is its description. */
  readonly disabledReason?: string | undefined;
  /** The id of the form that it submits, where it is outside of it. */
  readonly form?: string;
}

/** Renders a button. */
export function button(parts: ButtonParts): Markup {
  const { name, value, type = 'submit', disabledReason, form } = parts;
  const off =
    disabledReason !== undefined && html` aria-disabled="true" aria-description="${disabledReason}" data-disabled`;
  return html`<button type="${disabledReason === undefined ? type : 'button'}" class="${lookOf(parts)}"${attribute(
    'name',
    name,
  )}${attribute('value', value)}${attribute('form', form)}${shared(parts)}${off}>${content(parts)}</button>`;
}

/** Renders a link that looks like a button. */
export function buttonLink(parts: ButtonLook & { readonly href: string; readonly download?: string }): Markup {
  const { href, download } = parts;
  return html`<a class="${lookOf(parts)}" href="${href}"${attribute('download', download)}${shared(parts)}>${content(
    parts,
  )}</a>`;
}

function lookOf({ kind = 'plain', iconOnly = false }: ButtonLook): string {
  return `button${kind === 'plain' ? '' : ` ${kind}`}${iconOnly ? ' square' : ''}`;
}

function shared({ key, iconOnly = false, text, attributes }: ButtonLook): Markup {
  const named = iconOnly && html` title="${text}"`;
  const more = attributes !== undefined && attributes !== false && html` ${attributes}`;
  return html`${attribute('data-key', key)}${named}${more}`;
}

function content({ text, icon: name, key, iconOnly = false, of }: ButtonLook): Markup {
  const label = iconOnly ? html`<span class="hidden">${text}</span>` : html`<span>${text}</span>`;
  const more = of !== undefined && html`<span class="hidden"> ${of}</span>`;
  return html`${name !== undefined && icon(name)}${label}${more}${key !== undefined && !iconOnly && keyHint(key)}`;
}

function attribute(name: string, value: string | undefined): Markup | false {
  return value !== undefined && html` ${{ markup: name }}="${value}"`;
}
