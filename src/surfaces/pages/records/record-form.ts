import { recordId, type Row } from '../../../kernel/door/answer.ts';
import { isClosed } from '../../../kernel/records/search/read.ts';
import type { Field } from '../../../kernel/declare/field-types.ts';
import type { Parameters } from '../../../kernel/parameters/parameters.ts';
import type { Column, RecordType } from '../../../kernel/declare/record.ts';
import { html, type HtmlValue, type Markup } from '../../../kernel/render/markup.ts';
import { hiddenField } from '../components.ts';
import {
  moneyField,
  recordField,
  selectField,
  textAreaField,
  textField,
  type Choice,
  type FieldParts,
} from '../design/field.ts';
import { fieldLabel, valueLabel } from '../../../kernel/declare/labels.ts';
import { localInputValue, recordLink, timeZoneNote } from '../display-values.ts';
import type { Labels } from '../labels.ts';
import type { PageCall } from '../page-call.ts';
import { columnText, normalizeLineEnds, plainText } from '../plain-text.ts';
import { fieldGroups, isLong } from './field-groups.ts';

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
  /** Why fields were refused, by their names in lower case. */
  readonly errors?: ReadonlyMap<string, string>;
  /** Labels, hints and choices that a page gives its fields, by field name. */
  readonly guidance?: Readonly<Record<string, FieldGuidance>>;
}

/** A label, hint and choices that replace those of the declaration. */
export interface FieldGuidance {
  readonly label?: string;
  /** What to enter. */
  readonly hint?: HtmlValue;
  /** In place of the values that the field declares. */
  readonly choices?: readonly Choice[];
  /** The text of no value, which can be chosen. */
  readonly empty?: string;
  /** The text of no value, shown only while there is none. */
  readonly unset?: string;
  /** Whether it has the focus when the page opens. */
  readonly isFocused?: boolean;
  /** Suggested while the user types. */
  readonly suggestions?: readonly string[];
}

/** Renders the fields of a form in groups, each field with its original value in a hidden one. */
export function formFields(
  call: PageCall,
  record: RecordType,
  columns: readonly Column[],
  options: FormFieldOptions,
): Markup {
  return html`${fieldGroups(record, columns).map(
    ({ id, title, columns: own }) => html`<fieldset class="card form-group">
<legend class="card-title">${title}</legend>
<div class="${id === 'texts' ? 'stack' : 'fields'} card-body">${own.map((each) => formField(call, each, options))}</div>
</fieldset>\n`,
  )}`;
}

/** Renders a field of a form, with its original value in a hidden one. */
export function formField(call: PageCall, column: Column, options: FormFieldOptions): Markup {
  const { row, sent, errors } = options;
  const { name } = column;
  const original = row ? inputText(call, column, row[name]) : '';
  const entered = sent?.[name];
  const value = typeof entered === 'string' ? entered : original;
  const current = currentLabel(column, options);
  const hint = hintOf(call, column, options, current);
  const parts: FieldParts = {
    label: labelOf(column, options),
    name,
    id: fieldId(name),
    value,
    error: errors?.get(name.toLowerCase()),
    ...(hint !== undefined && { hint }),
    attributes: attributesOf(column, options, value === original ? current : undefined),
  };
  return html`${control(column, parts, options)}
${row && hiddenField(`${ORIGINAL_PREFIX}${name}`, original)}\n`;
}

function labelOf({ name, field }: Column, { guidance }: FormFieldOptions): Markup {
  const text = guidance?.[name]?.label ?? fieldLabel(name, field);
  return html`${text}${field.required && html` <span class="muted">required</span>`}`;
}

/** Returns the page's hint for a field, followed by a link to the record that it refers to now. */
function hintOf(
  call: PageCall,
  column: Column,
  { row, guidance }: FormFieldOptions,
  current: string | undefined,
): HtmlValue | undefined {
  const own = guidance?.[column.name]?.hint;
  const now = currentReference(call, column, row, current);
  return own !== undefined && now ? html`${own} ${now}` : (own ?? now);
}

function attributesOf({ name, field }: Column, { guidance }: FormFieldOptions, shown: string | undefined): Markup {
  const own = guidance?.[name];
  const title = own?.hint === undefined && html`title="${field.doc}"`;
  return html`${title}${own?.isFocused && html` autofocus`}${field.required && html` aria-required="true"`}${
    shown !== undefined && html` data-shown="${shown}"`
  }`;
}

/** Returns the id of a column's field. */
export function fieldId(name: string): string {
  return `f-${name}`;
}

/** Returns the label of the record that a reference points to now: its field holds only the ID. */
function currentLabel({ name, field }: Column, { row, labels }: FormFieldOptions): string | undefined {
  const id = row?.[name];
  return field.to === undefined || typeof id !== 'number' ? undefined : labels?.get(field.to)?.get(id);
}

/** Links to the record that a reference points to now. */
function currentReference(
  call: PageCall,
  { name, field }: Column,
  row: Row | undefined,
  label: string | undefined,
): Markup | undefined {
  return label === undefined || field.to === undefined
    ? undefined
    : html`Now <bdi class="link">${recordLink(call, field.to, Number(row?.[name]), label)}</bdi>`;
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

const YES_NO: readonly Choice[] = [
  { value: 'true', text: 'Yes' },
  { value: 'false', text: 'No' },
];

/** Renders the control that fits a column. */
function control(column: Column, parts: FieldParts, { choices, guidance }: FormFieldOptions): Markup {
  const { field, name } = column;
  const { value = '' } = parts;
  const own = guidance?.[name];
  if (own?.choices) return choiceField(parts, own.choices, own);
  if (own?.suggestions) return suggestingField(parts, own.suggestions);
  const options = field.kind === 'boolean' ? YES_NO : optionsOf(field, choices);
  if (options) return choiceField(parts, options, own);
  // A single-line input drops line ends, and a textarea its first one: either would change an untouched value.
  if (isLong(column) || /[\r\n]/.test(value)) return textAreaField({ ...parts, rows: 4 });
  if (field.classification === 'secret')
    return textField({
      ...parts,
      type: 'password',
      attributes: html`${parts.attributes} autocomplete="new-password" placeholder="Unchanged"`,
    });
  return fieldOfKind(field, parts);
}

function fieldOfKind(field: Field, parts: FieldParts): Markup {
  const more = (attributes: Markup): FieldParts => ({ ...parts, attributes: html`${parts.attributes} ${attributes}` });
  // A value that the kind of input cannot hold, such as a refused one, is shown as text: nothing entered is lost.
  const { value = '' } = parts;
  switch (field.kind) {
    case 'date':
      return textField({ ...parts, type: value === '' || DATE.test(value) ? 'date' : 'text' });
    case 'timestamp':
      return textField({
        ...more(html`step="1"`),
        type: value === '' || INSTANT.test(value) ? 'datetime-local' : 'text',
      });
    case 'money':
      return moneyField(parts);
    case 'decimal':
      return textField(more(html`inputmode="decimal"`));
    case 'id':
      return field.to === undefined
        ? textField(more(html`inputmode="numeric"`))
        : recordField({ ...parts, type: field.to, hint: parts.hint ?? 'Type to search' });
    case 'integer':
      return textField(more(html`inputmode="numeric"`));
    default:
      return textField(field.max === undefined ? parts : more(html`maxlength="${field.max}"`));
  }
}

const DATE = /^\d{4}-\d\d-\d\d$/;
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?$/;

/** Returns the values that a field can be chosen from; undefined where it is entered. */
function optionsOf(field: Field, choices: Choices): readonly Choice[] | undefined {
  if (field.values) return field.values.map((value) => ({ value, text: valueLabel(field, value) }));
  const records = field.to === undefined ? undefined : choices.get(field.to);
  return records?.map(({ id, label: text }) => ({ value: String(id), text }));
}

function suggestingField(parts: FieldParts, suggestions: readonly string[]): Markup {
  const list = `${parts.id ?? parts.name}-offered`;
  const options = suggestions.map((text) => html`<option value="${text}"></option>`);
  return html`${textField({
    ...parts,
    attributes: html`${parts.attributes} list="${list}" autocomplete="off" spellcheck="false"`,
  })}<datalist id="${list}">${options}</datalist>`;
}

function choiceField(
  parts: FieldParts,
  options: readonly Choice[],
  { empty, unset }: Pick<FieldGuidance, 'empty' | 'unset'> = {},
): Markup {
  const { value = '' } = parts;
  const isKnown = value === '' || options.some((each) => each.value === value);
  const choices = isKnown ? options : [{ value, text: value }, ...options];
  if (unset !== undefined && value !== '') return selectField({ ...parts, choices });
  return selectField({ ...parts, choices, empty: empty ?? unset ?? '' });
}

/** Names the time zone of entered instants, if a form has any. */
export function zoneNote(call: PageCall, columns: readonly Column[]): Markup | false {
  return columns.some(({ field }) => field.kind === 'timestamp') && timeZoneNote(call);
}
