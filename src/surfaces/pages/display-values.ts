import { timeZone } from '../../kernel/declare/core-settings.ts';
import type { Field } from '../../kernel/declare/field-types.ts';
import { valueLabel } from '../../kernel/declare/labels.ts';
import { html, type Markup } from '../../kernel/render/markup.ts';
import { zoneOffset } from '../../kernel/time/clock.ts';
import type { Labels } from './labels.ts';
import type { PageCall } from './page-call.ts';
import { plainText } from './plain-text.ts';
import { groupDigits, withCents } from './shared/amounts.ts';

export { groupDigits };

/** Longer texts are folded: only their beginning is shown. */
const UNFOLDED_CHARACTERS_MAX = 400;
const SUMMARY_CHARACTERS = 120;
/** Longer texts are cut: anybody can send email with millions of characters. */
const SHOWN_CHARACTERS_MAX = 100_000;

/**
 * Renders a value for reading: amounts with grouped digits, instants in the installation's time zone, ids as links
 * under their record's label. Nothing is rounded.
 */
export function displayValue(call: PageCall, field: Field, value: unknown, labels: Labels): Markup {
  if (value === null || value === undefined || value === '') return noValue;
  const text = plainText(value);
  switch (field.kind) {
    case 'id':
      return field.to === undefined
        ? html`${text}`
        : recordLink(call, field.to, Number(value), labels.get(field.to)?.get(Number(value)));
    case 'money':
      return html`<span class="number">${groupDigits(withCents(text))}</span>`;
    case 'decimal':
      return html`<span class="number">${groupDigits(text)}</span>`;
    case 'boolean':
      return html`${value === true ? 'Yes' : 'No'}`;
    case 'timestamp':
      return timeMark(call, text);
    case 'date':
      return html`${displayDate(text)}`;
    case 'json':
      return longText(JSON.stringify(value));
    default:
      return longText(valueLabel(field, text));
  }
}

/** Shown instead of a missing value. */
export const noValue = html`<span class="muted">–</span>`;

/** Links to a record under its label, or its type and id; plain text where the user may not open it. */
export function recordLink(call: PageCall, name: string, id: number, label: string | undefined): Markup {
  const text = label === undefined || label === '' ? `${call.platform.registry.titleOf(name)} ${id}` : label;
  const record = call.platform.registry.record(name);
  return record && call.mayOf(record, 'select')
    ? html`<a href="${openPath(record.module, id)}">${text}</a>`
    : html`${text}`;
}

/** Returns the address of a record's page. */
export function recordPath(module: string, id: number | string): string {
  return `/records/${module.toLowerCase()}/${id}`;
}

/** The pages of record types that have one of their own, by module. */
const editorPaths: Readonly<Record<string, string>> = {
  attachment: '/documents',
  attachmenttemplate: '/configure/documents',
  matrix: '/configure/matrices',
  pagelayout: '/configure/layouts',
  importfiletemplate: '/configure/imports',
  ledger: '/ledgers',
  ledgertemplate: '/configure/ledgers',
  message: '/messages',
  messagetemplate: '/configure/messages',
  payment: '/payments',
};

/** Returns the address at which a record is opened: that of its editor, if it has one. */
export function openPath(module: string, id: number | string): string {
  const editor = editorPaths[module.toLowerCase()];
  return editor === undefined ? recordPath(module, id) : `${editor}/${id}`;
}

function longText(text: string): Markup {
  if (text.length <= UNFOLDED_CHARACTERS_MAX) return html`<span class="text">${text}</span>`;
  const isCut = text.length > SHOWN_CHARACTERS_MAX;
  return html`<details>
<summary>${text.slice(0, SUMMARY_CHARACTERS)}…</summary>
<div class="text">${text.slice(0, SHOWN_CHARACTERS_MAX)}${isCut && '…'}</div>
${
  isCut &&
  html`<p class="small muted">The first ${groupDigits(String(SHOWN_CHARACTERS_MAX))} of
${groupDigits(String(text.length))} characters</p>`
}</details>`;
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** Returns the date of an ISO text, `2026-03-01…`, as "Mar 1, 2026"; any other text unchanged. */
export function displayDate(iso: string): string {
  const [, year = '', month = '', day = ''] = /^(\d{4})-(\d\d)-(\d\d)/.exec(iso) ?? [];
  const name = MONTHS[Number(month) - 1];
  return name === undefined ? iso : `${name} ${Number(day)}, ${year}`;
}

/** Returns an instant in the user's time zone, "Mar 1, 2026, 2:05 PM". */
export function localDateTime(call: PageCall, instant: string): string {
  const local = inZone(shownZone(call), instant);
  const [, hour = '', minute = ''] = /T(\d\d):(\d\d)/.exec(local) ?? [];
  if (hour === '') return displayDate(local);
  return `${displayDate(local)}, ${Number(hour) % 12 || 12}:${minute} ${Number(hour) < 12 ? 'AM' : 'PM'}`;
}

/** Renders an instant with its date and time. */
export function timeMark(call: PageCall, instant: string): Markup {
  return html`<time datetime="${instant}">${localDateTime(call, instant)}</time>`;
}

/** Renders the date of an instant; the pointer brings up its time. */
export function dayMark(call: PageCall, instant: string): Markup {
  const date = displayDate(inZone(shownZone(call), instant));
  return html`<time datetime="${instant}" title="${localDateTime(call, instant)}">${date}</time>`;
}

/**
 * Returns an instant as an input of date and time holds it: to the second, without a zone. It is in the installation's,
 * in which operations read times without one.
 */
export function localInputValue({ platform }: PageCall, instant: string): string {
  return inZone(platform.settings.get(timeZone), instant);
}

/** Returns the wall clock's time of an instant where the user is: `2026-11-18T14:00:00`. */
export function shownLocalTime(call: PageCall, instant: string): string {
  return inZone(shownZone(call), instant);
}

/** Returns the zone in which times are shown to the user. */
function shownZone({ platform, preferences }: PageCall): string {
  return preferences.timeZone ?? platform.settings.get(timeZone);
}

function inZone(zone: string, instant: string): string {
  const at = Date.parse(instant);
  return Number.isFinite(at) ? new Date(at + zoneOffset(zone, at)).toISOString().slice(0, 19) : instant;
}

/** Returns the sentence that names the zone of entered times: "Times are Eastern Time (America/New_York)." */
export function timeZoneNote(call: PageCall): Markup {
  const zone = call.platform.settings.get(timeZone);
  const name = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longGeneric' })
    .formatToParts(call.platform.clock.milliseconds())
    .find(({ type }) => type === 'timeZoneName')?.value;
  return html`<p class="muted">Times are ${name === undefined ? zone : `${name} (${zone})`}.</p>`;
}
