import type { Parameters } from '../../../kernel/parameters/parameters.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { cellName, parseRows, ROWS_MAX_DEFAULT, rowsJson, type AnswerRow } from '../../../lib/answers/answer-rows.ts';
import { wordsOf } from '../../../kernel/declare/labels.ts';
import { button } from '../design/button.ts';
import { icon } from '../design/icons.ts';
import { localDateTime } from '../display-values.ts';
import type { PageCall } from '../page-call.ts';
import { normalizeLineEnds, plainText } from '../plain-text.ts';
import { groupDigits, withCents } from '../shared/amounts.ts';
import { ANSWER_PREFIX, answerInput, answerWords, inputText, withoutZeroSeconds } from './answer-input.ts';
import type { ColumnView, QuestionView } from './form-view.ts';

/** Empty rows that a page offers without script, where no row can be added in the browser. */
const EMPTY_ROWS = 3;
/** Stands for the place of a row in the template of new ones. */
const NEW_ROW = '#';

/** Returns the rows of an answer; none if it is no list of rows. */
function rowsOf(text: string): readonly AnswerRow[] {
  return parseRows(text) ?? [];
}

/** Returns an answer with rows as the inputs of its cells hold it. */
export function rowsInputText(call: PageCall, { value, columns }: Pick<QuestionView, 'value' | 'columns'>): string {
  return rowsJson(
    rowsOf(value).map(
      (row) => new Map(columns.map(({ name, type }) => [name, inputText(call, { type, value: row.get(name) ?? '' })])),
    ),
  );
}

/** Returns the rows that a form sent, by the name of their question, without empty ones. */
export function submittedRows(form: Parameters): ReadonlyMap<string, string> {
  const questions = new Map<string, Map<number, Map<string, string>>>();
  for (const [key, value] of Object.entries(form)) {
    const [, question, place, column] = /^answer\.([^[]+)\[(\d{1,6})\]\.(.+)$/s.exec(key) ?? [];
    if (question === undefined || place === undefined || column === undefined) continue;
    const rows = questions.get(question) ?? new Map<number, Map<string, string>>();
    questions.set(question, rows);
    const text = normalizeLineEnds(plainText(value));
    const row = rows.get(Number(place)) ?? new Map<string, string>();
    rows.set(Number(place), row);
    if (text.trim() !== '') row.set(column, text);
  }
  return new Map(
    [...questions].map(([question, rows]) => [
      question,
      rowsJson([...rows].toSorted(([a], [b]) => a - b).flatMap(([, row]) => (row.size > 0 ? [row] : []))),
    ]),
  );
}

/** Returns rows as they are compared: browsers leave out the seconds of an instant where they are zero. */
export function comparableRows(text: string): string {
  return rowsJson(rowsOf(text).map((row) => new Map([...row].map(([name, cell]) => [name, withoutZeroSeconds(cell)]))));
}

/** Returns a column's heading. */
function columnPrompt({ name, prompt }: Pick<ColumnView, 'name' | 'prompt'>): string {
  return prompt === '' ? wordsOf(name.replaceAll('_', ' ')) : prompt;
}

/** Returns the id of a cell's input. Places are counted from 0. */
function cellId(question: string, place: number | typeof NEW_ROW, column: string): string {
  return `f-${question}[${place}].${column}`;
}

/** Returns the id of the input of a cell that a problem names (`Bids[3].Amount`), or of the question. */
export function problemTarget(question: string, name: string): string {
  const [, row, column] = /^\[(\d+)\]\.(.+)$/s.exec(name.slice(question.length)) ?? [];
  return row === undefined || column === undefined ? `f-${question}` : cellId(question, Number(row) - 1, column);
}

/** Returns what a problem is about, in words: "Bids, row 3, Amount". */
export function problemPlace(question: QuestionView, prompt: string, name: string): string {
  const [, row, column] = /^\[(\d+)\](?:\.(.+))?$/s.exec(name.slice(question.name.length)) ?? [];
  if (row === undefined) return prompt;
  const of = question.columns.find((each) => each.name === column);
  return `${prompt}, row ${row}${of === undefined ? '' : `, ${columnPrompt(of)}`}`;
}

/**
 * Renders the table in which rows are entered. With script, rows are added and removed in the browser; without, the
 * table ends with empty rows, and "Add row" sends the form to get more.
 */
export function rowsTable(question: QuestionView, value: string, problems: ReadonlyMap<string, string>): Markup {
  const { name, columns, maximum } = question;
  const most = maximum === '' ? ROWS_MAX_DEFAULT : Number(maximum);
  const rows = rowsOf(value);
  const wrong = new Map([...question.cellProblems, ...problems]);
  const row = (cells: AnswerRow, place: number | typeof NEW_ROW, isExtra = false): Markup =>
    rowMarkup({ question, cells, place, isExtra, wrong });
  const none: AnswerRow = new Map();
  const shown = rows.length === 0 ? [none] : rows;
  const extra = Math.max(0, Math.min(EMPTY_ROWS, most - shown.length));
  return html`<answer-rows data-rows="${name}" data-max="${most}">
<div class="rows-scroll"><table class="answer-rows">
<thead><tr><th scope="col"><span class="hidden">Row</span></th>${columns.map(heading)}
<th scope="col" class="with-script"><span class="hidden">Remove</span></th></tr></thead>
<tbody>${shown.map((cells, place) => row(cells, place))}${Array.from({ length: extra }, (_, at) =>
    row(none, shown.length + at, true),
  )}</tbody>
${totals(columns)}
</table></div>
<template>${row(none, NEW_ROW)}</template>
<div class="rows-actions">${button({
    text: 'Add row',
    icon: 'plus',
    name: 'Do',
    value: 'rows',
    attributes: html`data-add-row`,
  })}<span class="small muted" role="status" data-removed></span><button type="button" class="link small"
 data-undo hidden>Undo</button></div></answer-rows>`;
}

function heading({ name, prompt, type, isRequired, help }: ColumnView): Markup {
  const look = type === 'Money' || type === 'Number' ? 'number' : '';
  return html`<th scope="col" class="${look}"><bdi>${columnPrompt({ name, prompt })}</bdi>${
    !isRequired && html` <span class="muted">optional</span>`
  }${help !== '' && html`<span class="field-hint">${help}</span>`}</th>`;
}

interface RowParts {
  readonly question: QuestionView;
  readonly cells: AnswerRow;
  readonly place: number | typeof NEW_ROW;
  /** Whether it is only for users without script. */
  readonly isExtra: boolean;
  readonly wrong: ReadonlyMap<string, string>;
}

function rowMarkup(parts: RowParts): Markup {
  const { question, place, isExtra, wrong } = parts;
  const number = place === NEW_ROW ? '' : place + 1;
  const problem = wrong.get(`${question.name}[${number}]`) ?? '';
  return html`<tr data-row${isExtra && html` class="without-script"`}>
<th scope="row"><span class="row-word">Row </span><span data-number>${number}</span></th>
${question.columns.map((column) => cellMarkup(column, parts))}
<td class="with-script remove">${problem !== '' && html`<span class="hidden">${problem}</span>`}${button({
    text: 'Remove row',
    icon: 'close',
    kind: 'quiet',
    type: 'button',
    iconOnly: true,
    of: String(number),
    attributes: html`data-remove-row`,
  })}</td></tr>`;
}

function cellMarkup(column: ColumnView, { question, cells, place, wrong }: RowParts): Markup {
  const { name } = column;
  const id = cellId(question.name, place, name);
  const value = cells.get(name) ?? '';
  const cell = place === NEW_ROW ? '' : cellName(question.name, place + 1, name);
  const problem = withoutName(cell, wrong.get(cell) ?? '');
  const errorId = `e-${id}`;
  const fieldName = `${ANSWER_PREFIX}${question.name}[${place}].${name}`;
  const state = html`aria-describedby="${errorId}"${problem !== '' && html` aria-invalid="true"`}`;
  const common = html`id="${id}" name="${fieldName}" ${state}`;
  const error = html`<p class="field-error wrong" id="${errorId}"${problem === '' && html` hidden`}>${icon('error', 14)}
<span>${problem}</span></p>`;
  return html`<td data-cell="${name}"><label for="${id}"><bdi>${columnPrompt(column)}</bdi><span
 class="hidden">, row <span data-number>${place === NEW_ROW ? '' : place + 1}</span></span></label>
${answerInput({ ...column, value }, value, common)}
${error}</td>`;
}

/** Returns a message without the cell's name at its start. */
function withoutName(cell: string, message: string): string {
  const text = cell !== '' && message.startsWith(`${cell}: `) ? message.slice(cell.length + 2) : message;
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Renders the sums of the amounts, which the script keeps up to date. */
function totals(columns: readonly ColumnView[]): Markup | false {
  if (!columns.some(({ type }) => type === 'Money')) return false;
  return html`<tfoot><tr><th scope="row">Total</th>${columns.map(
    (column) =>
      html`<td class="number">${
        column.type === 'Money' &&
        html`<span class="total-name">${columnPrompt(column)} </span><output data-total="${column.name}">${amount(
          column.total,
        )}</output>`
      }</td>`,
  )}<td class="with-script"></td></tr></tfoot>`;
}

function amount(text: string): string {
  return text === '' ? '–' : groupDigits(withCents(text));
}

/** Renders rows that cannot be changed here. */
export function rowsReading(call: PageCall, { name, columns, value }: QuestionView): Markup {
  const cell = (column: ColumnView, text: string): Markup => {
    const look = column.type === 'Money' || column.type === 'Number' ? 'number' : 'text';
    const name = html`<span class="cell-name">${columnPrompt(column)}</span>`;
    return html`<td data-cell="${column.name}" class="${look}">${name}<bdi>${cellWords(call, column, text)}</bdi></td>`;
  };
  const sums = columns.some(({ type }) => type === 'Money');
  return html`<div class="rows-scroll" tabindex="0" role="group" aria-labelledby="l-${name}"><table
 class="answer-rows reading" aria-labelledby="l-${name}">
<thead><tr><th scope="col"><span class="hidden">Row</span></th>${columns.map((column) =>
    heading({ ...column, isRequired: true, help: '' }),
  )}</tr></thead>
<tbody>${rowsOf(value).map(
    (row, at) =>
      html`<tr><th scope="row"><span class="row-word">Row </span>${at + 1}</th>${columns.map((column) =>
        cell(column, row.get(column.name) ?? ''),
      )}</tr>`,
  )}</tbody>
${
  sums &&
  html`<tfoot><tr><th scope="row">Total</th>${columns.map(
    (column) =>
      html`<td class="number">${
        column.type === 'Money' && html`<span class="cell-name">${columnPrompt(column)}</span>${amount(column.total)}`
      }</td>`,
  )}</tr></tfoot>`
}</table></div>`;
}

/** Returns the answer in a cell, for reading. */
function cellWords(call: PageCall, { type, choices }: ColumnView, text: string): string {
  if (text === '') return '–';
  if (type === 'Money') return amount(text);
  if (type === 'Number') return groupDigits(text);
  return type === 'Timestamp' ? localDateTime(call, text) : answerWords({ type, choices }, text);
}

/** Returns rows for reading in one line each: "Dana Lee, 1000.5". */
export function rowsWords({ columns }: Pick<QuestionView, 'columns'>, text: string): string {
  return rowsOf(text)
    .map((row) =>
      columns
        .map((column) => answerWords(column, row.get(column.name) ?? ''))
        .filter((cell) => cell !== '')
        .join(', '),
    )
    .join('\n');
}
