import { html, type HtmlValue, type Markup } from '../../../kernel/render/markup.ts';
import { icon } from './icons.ts';

/** What every field of a form has. */
export interface FieldParts {
  readonly label: HtmlValue;
  readonly name: string;
  /** Unique on the page; by default the name. */
  readonly id?: string;
  readonly value?: string | undefined;
  readonly hint?: HtmlValue;
  /** What is wrong with the value, and what is expected. */
  readonly error?: string | undefined;
  readonly isRequired?: boolean;
  /** More attributes of the control. */
  readonly attributes?: Markup | false;
}

/** A choice, or one of several. `hint` is shown on cards only. */
export interface Choice {
  readonly value: string;
  readonly text: HtmlValue;
  readonly hint?: HtmlValue;
}

/** The kinds of one-line fields. Amounts are texts, because browsers round numbers. */
export type TextKind = 'text' | 'date' | 'datetime-local' | 'email' | 'tel' | 'search' | 'password' | 'url' | 'number';

/** Renders a one-line field: a text, a date, an address … */
export function textField(parts: FieldParts & { readonly type?: TextKind }): Markup {
  const { type = 'text', value = '' } = parts;
  return field(parts, html`<input class="input" type="${type}" value="${value}"${controlAttributes(parts)}>`);
}

/** Renders a field for an amount: right-aligned, with its currency (a code of ISO 4217; by default dollars). */
export function moneyField(parts: FieldParts & { readonly currency?: string | null }): Markup {
  const { value = '', currency = null } = parts;
  const sign = currency === null || currency === 'USD' ? '$' : currency;
  const attributes = controlAttributes(parts);
  const input = html`<input class="input number" type="text" inputmode="decimal" value="${value}"${attributes}>`;
  const affix = html`<span class="affix" aria-hidden="true">${sign}</span>`;
  return field(parts, html`<span class="affixed${sign.length > 1 && ' coded'}">${affix}${input}</span>`);
}

/** Renders a field of several lines. */
export function textAreaField(parts: FieldParts & { readonly rows?: number }): Markup {
  const { rows = 3, value = '' } = parts;
  // The newline after the tag is dropped by browsers, so a leading one of the value is kept.
  return field(parts, html`<textarea class="input" rows="${rows}"${controlAttributes(parts)}>\n${value}</textarea>`);
}

/** Renders a list of choices to pick one from. `empty`: the text of the choice of none. */
export function selectField(
  parts: FieldParts & { readonly choices: readonly Choice[]; readonly empty?: string },
): Markup {
  const { choices, empty, value = '' } = parts;
  const options = choices.map(
    (each) => html`<option value="${each.value}"${each.value === value && html` selected`}>${each.text}</option>`,
  );
  const none = empty !== undefined && html`<option value="">${empty}</option>`;
  return field(parts, html`<select class="input"${controlAttributes(parts)}>${none}${options}</select>`);
}

/** What a field for a record has. */
interface RecordFieldParts extends FieldParts {
  /** The record type to search. */
  readonly type: string;
  /** The label of the present value. */
  readonly shown?: string | undefined;
  /** A text that the server takes as it is, such as "me"; `*` for any. */
  readonly accepts?: string;
}

/** Renders a field for a record: its ID, found by typing the beginning of its label. */
export function recordField(parts: RecordFieldParts): Markup {
  const { type, shown, accepts, value = '' } = parts;
  const attributes = html` autocomplete="off" data-lookup="${type}"${
    shown !== undefined && html` data-shown="${shown}"`
  }${accepts !== undefined && html` data-accepts="${accepts}"`}${controlAttributes(parts)}`;
  const input = html`<input class="input" type="text" value="${value}"${attributes}>`;
  return field(
    { ...parts, hint: parts.hint ?? (shown === undefined ? undefined : html`Now: <bdi>${shown}</bdi>`) },
    input,
  );
}

/** Renders two or three choices side by side; arrows move, space picks. */
export function segmentedField(parts: FieldParts & { readonly choices: readonly Choice[] }): Markup {
  const { choices, name, value } = parts;
  const options = choices.map(
    (each) =>
      html`<label><input type="radio" name="${name}" value="${each.value}"${each.value === value && html` checked`}${
        parts.isRequired === true && html` required`
      }>${each.text}</label>`,
  );
  return fieldGroup(parts, html`<span class="segments">${options}</span>`);
}

/** Renders choices as cards, each with what it leads to. */
export function cardChoices(parts: FieldParts & { readonly choices: readonly Choice[] }): Markup {
  const { choices, name, value } = parts;
  const options = choices.map(
    (each) => html`<label class="choice">
<input class="tick" type="radio" name="${name}" value="${each.value}"${each.value === value && html` checked`}>
<span><b>${each.text}</b>${each.hint !== undefined && html`<span class="small soft">${each.hint}</span>`}</span>
</label>`,
  );
  return fieldGroup(parts, html`<span class="choices">${options}</span>`);
}

/** Renders a box to tick, with its label after it. */
export function checkbox(parts: {
  readonly label: HtmlValue;
  readonly name: string;
  readonly value?: string;
  readonly isChecked?: boolean;
  readonly attributes?: Markup | false;
}): Markup {
  const { label, name, value = 'true', isChecked = false, attributes = false } = parts;
  return html`<label class="check"><input class="tick" type="checkbox" name="${name}" value="${value}"${
    isChecked && html` checked`
  }${attributes && html` ${attributes}`}><span>${label}</span></label>`;
}

/** Renders a label, a control of your own, a hint and an error. The control's id is the field's. */
export function field(parts: FieldParts, control: Markup): Markup {
  return html`<div class="field">
<label class="field-label" for="${idOf(parts)}">${parts.label}${optionalNote(parts)}</label>
${control}
${notes(parts)}
</div>`;
}

function fieldGroup(parts: FieldParts, control: Markup): Markup {
  return html`<fieldset class="field"${describedBy(parts)}>
<legend class="field-label">${parts.label}${optionalNote(parts)}</legend>
${control}
${notes(parts)}
</fieldset>`;
}

function optionalNote({ isRequired }: FieldParts): Markup | false {
  return isRequired === false && html` <span class="muted">optional</span>`;
}

function notes(parts: FieldParts): Markup {
  const id = idOf(parts);
  return html`${parts.hint !== undefined && html`<p class="field-hint" id="${id}-hint">${parts.hint}</p>`}
${fieldError(id, parts.error)}`;
}

/** Renders what is wrong with a field. Empty without an error, so that a script can fill it in. */
function fieldError(id: string, error: string | undefined): Markup {
  return html`<p class="field-error" id="${id}-error"${error === undefined && html` hidden`}>${icon(
    'error',
    14,
  )}<span>${error}</span></p>`;
}

function controlAttributes(parts: FieldParts): Markup {
  const { name, isRequired = false, attributes = false } = parts;
  return html` id="${idOf(parts)}" name="${name}"${isRequired && html` required`}${describedBy(parts)}${
    attributes && html` ${attributes}`
  }`;
}

function describedBy(parts: FieldParts): Markup {
  const id = idOf(parts);
  const ids = [
    ...(parts.error === undefined ? [] : [`${id}-error`]),
    ...(parts.hint === undefined ? [] : [`${id}-hint`]),
  ];
  return html`${parts.error !== undefined && html` aria-invalid="true"`}${
    ids.length > 0 && html` aria-describedby="${ids.join(' ')}"`
  }`;
}

function idOf({ id, name }: FieldParts): string {
  return id ?? name;
}
