import { timeZone } from '../../kernel/declare/core-settings.ts';
import type { Row } from '../../kernel/door/answer.ts';
import { isClosed } from '../../kernel/records/search/read.ts';
import type { Field } from '../../kernel/declare/field-types.ts';
import type { Parameters } from '../../kernel/parameters/parameters.ts';
import type { Column, RecordType } from '../../kernel/declare/record.ts';
import { html, type Markup } from '../../kernel/render/markup.ts';
import type { PageCall } from './page-call.ts';
import type { Labels } from './labels.ts';
import { fieldLabel, localInputValue, recordLink } from './display-values.ts';

/** A text input becomes an area of several lines above this length. */
const SINGLE_LINE_CHARACTERS_MAX = 255;
/** Records of configuration are offered in a list up to this number; of others the id is entered. */
const CHOICES_MAX = 200;
/** Marks the hidden field that keeps what a field held when the form was made. */
export const ORIGINAL_PREFIX = 'before.';

/** The columns that a form offers: those that a save takes, each once. */
export function formColumns(record: RecordType): readonly Column[] {
  const seen = new Set<string>();
  return [...record.columns.values()].filter(({ name, field, table, column }) => {
    const key = `${table}.${column}`;
    const shown = record.shown.some((each) => each.name === name) || field.classification === 'secret';
    if (field.computed || !shown || seen.has(key) || name === 'Version' || name === record.idField) return false;
    seen.add(key);
    return true;
  });
}

/** Records that a reference to configuration can be chosen from, by record type. */
export type Choices = ReadonlyMap<string, readonly { readonly id: number; readonly label: string }[]>;

/** Reads the configuration records that a form's references can point to. */
export async function loadChoices(call: PageCall, columns: readonly Column[]): Promise<Choices> {
  const types = new Set(
    columns
      .flatMap(({ field }) => (field.to === undefined ? [] : [call.platform.registry.record(field.to)]))
      .filter(
        (record) => record?.reach === 'configuration' && !isClosed(call, record) && call.may(`${record.module}/search`),
      ),
  );
  const read = async (record: RecordType) => {
    const { answer } = await call.call(`${record.module}/search`, {
      SqlColumns: `${record.idField},${record.name}`,
      OrderBy: record.name,
      DisplaySize: String(CHOICES_MAX),
      RecordCount: 'false',
    });
    const rows = answer.kind === 'list' ? (answer.rows as readonly Row[]) : [];
    return [
      record.name,
      rows.map((row) => ({ id: Number(row[record.idField]), label: String(row[record.name] ?? '') })),
    ] as const;
  };
  return new Map(await Promise.all([...types].flatMap((record) => (record ? [read(record)] : []))));
}

/** A value as its input holds it. */
export function inputText(call: PageCall, { field }: Column, value: unknown): string {
  if (value === null || value === undefined || field.classification === 'secret') return '';
  if (field.kind === 'timestamp') return localInputValue(call, String(value));
  if (field.kind === 'boolean') return value === true || value === 'true' ? 'true' : 'false';
  if (field.kind === 'json') return JSON.stringify(value);
  return String(value);
}

/** The fields of a form. `sent` overrides what the record holds, so that nothing entered is lost when a save is refused. */
export function formFields(
  call: PageCall,
  columns: readonly Column[],
  of: {
    readonly row?: Row | undefined;
    readonly sent?: Parameters | undefined;
    readonly choices: Choices;
    readonly labels?: Labels | undefined;
    readonly wrong?: string | undefined;
  },
): Markup {
  return html`<div class="grid">${columns.map((column) => {
    const before = of.row ? inputText(call, column, of.row[column.name]) : '';
    const sent = of.sent?.[column.name];
    return html`<p${isLong(column) && html` class="whole"`}>${label(column)}${input(column, typeof sent === 'string' ? sent : before, of)}${currentReference(call, column, of.row, of.labels)}${of.row && html`<input type="hidden" name="${ORIGINAL_PREFIX}${column.name}" value="${before}">`}</p>\n`;
  })}</div>`;
}

/** A reference holds an id; whose it is now stands beside it. */
function currentReference(
  call: PageCall,
  { name, field }: Column,
  row: Row | undefined,
  labels: Labels | undefined,
): Markup | false {
  const id = row?.[name];
  const label = field.to === undefined || typeof id !== 'number' ? undefined : labels?.get(field.to)?.get(id);
  return (
    label !== undefined &&
    field.to !== undefined &&
    html`<span class="quiet">now ${recordLink(call, field.to, Number(id), label)}</span>`
  );
}

/** What a form changed: the fields whose value is not what it was when the form was made. */
export function changedFields(form: Parameters, columns: readonly Column[]): Record<string, string> {
  const changed: Record<string, string> = {};
  for (const { name, field } of columns) {
    const sent = form[name];
    // Browsers send line ends as two characters, whatever was in the text.
    if (
      typeof sent === 'string' &&
      normalizeForComparison(field, sent) !==
        normalizeForComparison(field, String(form[`${ORIGINAL_PREFIX}${name}`] ?? ''))
    )
      changed[name] = normalizeLineEnds(sent);
  }
  return changed;
}

function normalizeLineEnds(text: string): string {
  return text.replace(/\r\n?/g, '\n');
}

/** A value as it is compared: browsers leave seconds out of an instant where there are none. */
function normalizeForComparison(field: Field, text: string): string {
  return field.kind === 'timestamp' ? text.replace(/(T\d\d:\d\d):00$/, '$1') : normalizeLineEnds(text);
}

function label({ name, field }: Column): Markup {
  return html`<label for="f-${name}">${fieldLabel(name, field)}${field.kind === 'id' && field.to !== undefined && html` <span class="quiet">(its id; type to search)</span>`}${field.required && html` <span class="quiet">(required)</span>`}</label>`;
}

function isLong({ field }: Column): boolean {
  return (
    field.kind === 'xml' ||
    field.kind === 'json' ||
    (field.kind === 'text' &&
      field.classification !== 'secret' &&
      !field.values &&
      (field.max ?? Number.MAX_SAFE_INTEGER) > SINGLE_LINE_CHARACTERS_MAX)
  );
}

function input(
  column: Column,
  value: string,
  { choices, wrong }: { readonly choices: Choices; readonly wrong?: string | undefined },
): Markup {
  const { name, field } = column;
  const common = html`id="f-${name}" name="${name}" title="${field.doc}"${wrong?.toLowerCase() === name.toLowerCase() && html` aria-invalid="true" autofocus`}`;
  const options =
    field.values?.map((each) => ({ value: each, text: each })) ??
    (field.to === undefined
      ? undefined
      : choices.get(field.to)?.map(({ id, label: text }) => ({ value: String(id), text })));
  if (field.kind === 'boolean')
    return select(common, value, [
      { value: 'true', text: 'Yes' },
      { value: 'false', text: 'No' },
    ]);
  if (options) return select(common, value, options);
  // An input of one line would drop line ends, and an area the one at its beginning: either would change what nobody touched.
  if (isLong(column) || /[\r\n]/.test(value)) return html`<textarea ${common} rows="4">\n${value}</textarea>`;
  if (field.classification === 'secret')
    return html`<input ${common} type="password" autocomplete="new-password" placeholder="unchanged">`;
  return html`<input ${common} ${inputTypeAttributes(column)} value="${value}"${field.max !== undefined && html` maxlength="${field.max}"`}${field.to !== undefined && html` data-lookup="${field.to}"`}>`;
}

function inputTypeAttributes({ field }: Column): Markup {
  switch (field.kind) {
    case 'date':
      return html`type="date"`;
    case 'timestamp':
      return html`type="datetime-local" step="1"`;
    case 'integer':
    case 'id':
      return html`inputmode="numeric"`;
    case 'money':
    case 'decimal':
      return html`inputmode="decimal"`;
    default:
      return html`type="text"`;
  }
}

function select(
  common: Markup,
  value: string,
  options: readonly { readonly value: string; readonly text: string }[],
): Markup {
  const isKnown = value === '' || options.some((option) => option.value === value);
  return html`<select ${common}><option value=""></option>${!isKnown && html`<option selected>${value}</option>`}${options.map((option) => html`<option value="${option.value}"${option.value === value && html` selected`}>${option.text}</option>`)}</select>`;
}

/** Says in which zone instants are entered. */
export function zoneNote(call: PageCall, columns: readonly Column[]): Markup | false {
  return (
    columns.some(({ field }) => field.kind === 'timestamp') &&
    html`<p class="quiet">Times are those of ${call.platform.settings.get(timeZone)}.</p>`
  );
}
