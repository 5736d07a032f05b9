import { timeZone } from '../../kernel/declare/core-settings.ts';
import { zoneOffset } from '../../kernel/time/clock.ts';
import type { Field } from '../../kernel/declare/field-types.ts';
import { html, type Markup } from '../../kernel/render/markup.ts';
import type { PageCall } from './page-call.ts';
import type { Labels } from './labels.ts';

/** Text longer than this is shown behind its beginning. */
const BEGINNING_CHARACTERS = 400;

/** A value as people read it: amounts grouped, instants in the installation's time zone, ids as links under their label. Nothing is rounded. */
export function displayValue(call: PageCall, field: Field, value: unknown, labels: Labels): Markup {
  if (value === null || value === undefined || value === '') return html`<span class="quiet">–</span>`;
  switch (field.kind) {
    case 'id':
      return field.to === undefined
        ? html`${String(value)}`
        : recordLink(call, field.to, Number(value), labels.get(field.to)?.get(Number(value)));
    case 'money':
      return html`<span class="number">${groupDigits(withCents(String(value)))}</span>`;
    case 'decimal':
      return html`<span class="number">${groupDigits(String(value))}</span>`;
    case 'boolean':
      return html`${value === true ? 'Yes' : 'No'}`;
    case 'timestamp':
      return html`<time datetime="${String(value)}">${localDateTime(call, String(value))}</time>`;
    case 'json':
      return longText(JSON.stringify(value));
    default:
      return longText(String(value));
  }
}

/** A link to a record's page, where the user may open it; its label, or its type and id. */
export function recordLink(call: PageCall, name: string, id: number, label: string | undefined): Markup {
  const text = label === undefined || label === '' ? `${name} ${id}` : label;
  const record = call.platform.registry.record(name);
  return record && call.may(`${record.module}/select`)
    ? html`<a href="${recordPath(record.module, id)}">${text}</a>`
    : html`${text}`;
}

/** The address of a record's page. */
export function recordPath(module: string, id: number | string): string {
  return `/records/${module.toLowerCase()}/${id}`;
}

function longText(text: string): Markup {
  if (text.length <= BEGINNING_CHARACTERS) return html`<span class="text">${text}</span>`;
  return html`<details><summary>${text.slice(0, 120)}…</summary><div class="text">${text}</div></details>`;
}

/** An amount with two decimals at least, and more only where they say something. */
function withCents(text: string): string {
  const [whole = '', decimals = ''] = text.split('.');
  return /^-?\d+(\.\d*)?$/.test(text) ? `${whole}.${decimals.replace(/0+$/, '').padEnd(2, '0')}` : text;
}

/** An exact decimal with its digits grouped in threes. */
export function groupDigits(text: string): string {
  const parts = /^(-?)(\d+)(\.\d+)?$/.exec(text);
  return parts ? `${parts[1]}${(parts[2] ?? '').replace(/\B(?=(?:\d{3})+$)/g, ',')}${parts[3] ?? ''}` : text;
}

/** An instant on the installation's clocks, `2026-03-01 14:05`. */
export function localDateTime(call: PageCall, instant: string): string {
  return localInputValue(call, instant).slice(0, 16).replace('T', ' ');
}

/** An instant as an input of date and time takes it, without a zone. */
export function localInputValue(call: PageCall, instant: string): string {
  const at = Date.parse(instant);
  if (!Number.isFinite(at)) return instant;
  return new Date(at + zoneOffset(call.platform.settings.get(timeZone), at)).toISOString().slice(0, 19);
}

/** A field's name as people read it, or the label that it says itself; what points to a record is called after the record. */
export function fieldLabel(name: string, field: Field): string {
  return (
    field.label ??
    humanize(field.kind === 'id' && field.to !== undefined && name.endsWith('ID') ? name.slice(0, -2) : name)
  );
}

/** A declared name as people read it: `ActualCompletion` is "Actual completion". */
export function humanize(name: string): string {
  const words = name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .split(' ');
  return words.map((word, at) => (at === 0 || /^[A-Z]{2,}/.test(word) ? word : word.toLowerCase())).join(' ');
}
