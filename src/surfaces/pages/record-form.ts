import { recordId, type Row } from '../../kernel/door/answer.ts';
import { isClosed } from '../../kernel/records/search/read.ts';
import type { Field } from '../../kernel/declare/field-types.ts';
import type { Parameters } from '../../kernel/parameters/parameters.ts';
import type { Column, RecordType } from '../../kernel/declare/record.ts';
import { html, type Markup } from '../../kernel/render/markup.ts';
import { hiddenField, option } from './components.ts';
import { fieldLabel, valueLabel } from '../../kernel/declare/labels.ts';
import { localInputValue, recordLink, timeZoneNote } from './display-values.ts';
import type { Labels } from './labels.ts';
import type { PageCall } from './page-call.ts';
import { columnText, normalizeLineEnds, plainText } from './plain-text.ts';

/** A text field takes one line up to this length, and several lines above it. */
const SINGLE_LINE_CHARACTERS_MAX = 255;
/** Most configuration records that a reference offers in a list; other references take an id. */
const CHOICES_MAX = 200;
/** Prefix of hidden fields with the value that a field had when the form was rendered. */
export const ORIGINAL_PREFIX = 'before.';

/** Returns the columns that a form offers: those that can be saved, each once. */
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

/** Configuration records that references offer, by record type. */
export type Choices = ReadonlyMap<string, readonly { readonly id: number; readonly label: string }[]>;

/** Loads the configuration records that a form's references can point to. */
export async function loadChoices(call: PageCall, columns: readonly Column[]): Promise<Choices> {
  const types = new Set(
    columns
      .flatMap(({ field }) => (field.to === undefined ? [] : [call.platform.registry.record(field.to)]))
      .filter((record) => record?.reach === 'configuration' && !isClosed(call, record) && call.mayOf(record, 'search')),
  );
  const read = async (record: RecordType) => {
    const { answer } = await call.callOf(record, 'search', {
      SqlColumns: `${record.idField},${record.name}`,
      OrderBy: record.name,
      DisplaySize: CHOICES_MAX,
      RecordCount: 'false',
    });
    const choices = answer.rows.map((row) => ({
      id: recordId(record, row),
      label: columnText(row, record.name),
    }));
    return [record.name, choices] as const;
  };
  return new Map(await Promise.all([...types].flatMap((record) => (record ? [read(record)] : []))));
}

/** Returns a value as its input holds it. */
export function inputText(call: PageCall, { field }: Column, value: unknown): string {
  if (value === null || value === undefined || field.classification === 'secret') return '';
  if (field.kind === 'timestamp') return localInputValue(call, plainText(value));
  if (field.kind === 'boolean') return value === true || value === 'true' ? 'true' : 'false';
  return field.kind === 'json' ? JSON.stringify(value) : plainText(value);
}

/** What a form's fields are rendered from. */
export interface FormFieldOptions {
  readonly row?: Row | undefined;
  /** Overrides the row's values, so that nothing entered is lost when a save is refused. */
  readonly sent?: Parameters | undefined;
  readonly choices: Choices;
  readonly labels?: Labels | undefined;
  /** The field that was refused. */
  readonly wrong?: string | undefined;
}

/** Renders the fields of a form, each with its original value in a hidden field. */
export function formFields(call: PageCall, columns: readonly Column[], options: FormFieldOptions): Markup {
  return html`<div class="grid">${columns.map((column) => formField(call, column, options))}</div>`;
}

function formField(call: PageCall, column: Column, options: FormFieldOptions): Markup {
  const { row, sent, labels } = options;
  const original = row ? inputText(call, column, row[column.name]) : '';
  const entered = sent?.[column.name];
  return html`<p${isLong(column) && html` class="whole"`}>
${label(column)}
${input(column, typeof entered === 'string' ? entered : original, options)}
${currentReference(call, column, row, labels)}
${row && hiddenField(`${ORIGINAL_PREFIX}${column.name}`, original)}
</p>\n`;
}

/** Names the record that a reference points to now: its input holds only the id. */
function currentReference(
  call: PageCall,
  { name, field }: Column,
  row: Row | undefined,
  labels: Labels | undefined,
): Markup | false {
  const id = row?.[name];
  const current = field.to === undefined || typeof id !== 'number' ? undefined : labels?.get(field.to)?.get(id);
  return (
    current !== undefined &&
    field.to !== undefined &&
    html`<span class="quiet">Current: ${recordLink(call, field.to, Number(id), current)}</span>`
  );
}

/** Returns the fields whose value differs from the one that they held when the form was rendered. */
export function changedFields(form: Parameters, columns: readonly Column[]): Record<string, string> {
  const changed: Record<string, string> = {};
  for (const { name, field } of columns) {
    const sent = form[name];
    if (typeof sent !== 'string') continue;
    const original = plainText(form[`${ORIGINAL_PREFIX}${name}`]);
    if (normalizeForComparison(field, sent) !== normalizeForComparison(field, original))
      changed[name] = normalizeLineEnds(sent);
  }
  return changed;
}

/** Browsers send two characters for each line end, and leave out the seconds of an instant where they are zero. */
function normalizeForComparison(field: Field, text: string): string {
  return field.kind === 'timestamp' ? text.replace(/(T\d\d:\d\d):00$/, '$1') : normalizeLineEnds(text);
}

function label({ name, field }: Column): Markup {
  const isReference = field.kind === 'id' && field.to !== undefined;
  const hint = isReference && html` <span class="quiet">(type to search)</span>`;
  const required = field.required && html` <span class="quiet">(required)</span>`;
  return html`<label for="f-${name}">${fieldLabel(name, field)}${hint}${required}</label>`;
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

interface Option {
  readonly value: string;
  readonly text: string;
}

const YES_NO: readonly Option[] = [
  { value: 'true', text: 'Yes' },
  { value: 'false', text: 'No' },
];

function input(column: Column, value: string, { choices, wrong }: FormFieldOptions): Markup {
  const { name, field } = column;
  const isWrong = wrong?.toLowerCase() === name.toLowerCase();
  const common = html`id="f-${name}" name="${name}" title="${field.doc}"${
    isWrong && html` aria-invalid="true" autofocus`
  }`;
  if (field.kind === 'boolean') return select(common, value, YES_NO);
  const options = optionsOf(field, choices);
  if (options) return select(common, value, options);
  // A single-line input drops line ends, and a textarea its first one: either would change an untouched value.
  if (isLong(column) || /[\r\n]/.test(value)) return html`<textarea ${common} rows="4">\n${value}</textarea>`;
  if (field.classification === 'secret')
    return html`<input ${common} type="password" autocomplete="new-password" placeholder="Unchanged">`;
  const max = field.max !== undefined && html` maxlength="${field.max}"`;
  const lookup = field.to !== undefined && html` data-lookup="${field.to}"`;
  return html`<input ${common} ${inputTypeAttributes(column)} value="${value}"${max}${lookup}>`;
}

/** Returns the values that a field can be chosen from; undefined where it is entered. */
function optionsOf(field: Field, choices: Choices): readonly Option[] | undefined {
  if (field.values) return field.values.map((value) => ({ value, text: valueLabel(field, value) }));
  const records = field.to === undefined ? undefined : choices.get(field.to);
  return records?.map(({ id, label: text }) => ({ value: String(id), text }));
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

function select(common: Markup, value: string, options: readonly Option[]): Markup {
  const isKnown = value === '' || options.some((each) => each.value === value);
  return html`<select ${common}>
<option value=""></option>
${!isKnown && html`<option selected>${value}</option>`}
${options.map((each) => option(each.value, each.text, each.value === value))}
</select>`;
}

/** Names the time zone of entered instants, if a form has any. */
export function zoneNote(call: PageCall, columns: readonly Column[]): Markup | false {
  return columns.some(({ field }) => field.kind === 'timestamp') && timeZoneNote(call);
}
