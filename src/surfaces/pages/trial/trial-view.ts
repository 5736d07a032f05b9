import { html, type HtmlValue, type Markup } from '../../../kernel/render/markup.ts';
import { banner } from '../design/banner.ts';
import { button } from '../design/button.ts';
import { recordField } from '../design/field.ts';
import { icon } from '../design/icons.ts';
import { csrfField } from '../layout.ts';
import type { PageCall } from '../page-call.ts';
import { plainText } from '../plain-text.ts';
import { recordChoices, type RecordChoice } from './record-choices.ts';
import { loadLabels } from '../labels.ts';
import type { RecordType } from '../../../kernel/declare/record.ts';

/** Before the name of a value in the form of a trial. */
const VALUE = 'in.';

/** What was entered in the form of a trial. */
export interface TrialEntries {
  /** The values to use instead of those of the record, by name. */
  readonly values: Readonly<Record<string, string>>;
  readonly record: ChosenRecord;
}

/** The record of a trial: chosen, to be chosen from several, or none. */
export interface ChosenRecord {
  readonly id?: number;
  readonly label?: string;
  /** What was entered. */
  readonly text: string;
  /** Records that the text may mean. */
  readonly choices: readonly RecordChoice[];
}

/** Reads the form of a trial. `record`: the type whose records can be chosen. */
export async function readTrial(call: PageCall, record: RecordType | undefined): Promise<TrialEntries> {
  const values = Object.fromEntries(
    Object.entries(call.form).flatMap(([name, value]) =>
      name.startsWith(VALUE) && plainText(value).trim() !== '' ? [[name.slice(VALUE.length), plainText(value)]] : [],
    ),
  );
  const text = (plainText(call.form['choose']) || plainText(call.form['record'])).trim();
  return { values, record: record ? await chosenRecord(call, record, text) : { text, choices: [] } };
}

async function chosenRecord(call: PageCall, record: RecordType, text: string): Promise<ChosenRecord> {
  if (text === '') return { text, choices: [] };
  const id = Number(text);
  const choices = Number.isSafeInteger(id) && id > 0 ? [] : await recordChoices(call, record, text);
  const [only] = choices;
  const chosen = choices.length === 1 ? only?.id : id;
  if (chosen === undefined || !Number.isSafeInteger(chosen) || chosen < 1) return { text, choices };
  const labels = await loadLabels(call, [
    {
      columns: [{ name: 'ID', field: { kind: 'id', classification: 'public', doc: '', to: record.name } }],
      rows: [{ ID: chosen }],
    },
  ]);
  const label = only?.label ?? labels.get(record.name)?.get(chosen);
  return { id: chosen, text: String(chosen), choices: [], ...(label ? { label } : {}) };
}

/** Whether there is something to try: a record, or values without one. */
export const isComplete = ({ values, record: { id, text } }: TrialEntries): boolean =>
  id !== undefined || (text === '' && Object.keys(values).length > 0);

/** A value that can be changed for a trial. */
export interface TrialInput {
  readonly label: string;
  /** Its name in the call. */
  readonly name: string;
  /** The value of the record, once one is chosen. */
  readonly actual?: string | undefined;
  /** Values that the field offers. */
  readonly choices?: readonly string[];
}

/** The form of a trial. */
export interface TrialFormParts {
  /** Where it is sent. */
  readonly address: string;
  /** The page without any entries. */
  readonly clear: string;
  /** The type of record that supplies values; undefined if none does. */
  readonly record: RecordType | undefined;
  /** Before the fields, such as a choice of the operation. */
  readonly before?: Markup | false;
  readonly inputs: readonly TrialInput[];
  readonly entries: TrialEntries;
}

/** Renders the form: the record, and its values, each of which can be changed without saving it. */
export function trialForm(call: PageCall, parts: TrialFormParts): Markup {
  const { address, clear, record, before = false, inputs, entries } = parts;
  return html`<form class="trial-form" id="trial-form" method="post" action="${address}" autocomplete="off">
${csrfField(call)}${record && recordChoice(record, entries.record)}${before}
<div id="trial-inputs" class="trial-inputs">${record !== undefined && inputs.length > 0 && whatIfHead(entries)}
${inputs.map((input, at) => inputField(input, at, entries))}</div>
<p class="row">${button({ text: 'Try', icon: 'play' })}<a class="link small" href="${clear}">Clear</a>
<span class="small muted">Nothing is saved.</span></p>
${choiceButtons(entries.record)}
</form>`;
}

const whatIfHead = ({ record }: TrialEntries): Markup =>
  html`<p class="small soft">${
    record.id === undefined ? 'Values' : 'What if? Enter a value to use it instead of the record’s.'
  }</p>`;

function recordChoice(record: RecordType, { id, text, label, choices }: ChosenRecord): Markup {
  const title = record.title.toLowerCase();
  return recordField({
    label: record.title,
    name: 'record',
    id: 'trial-record',
    type: record.name,
    accepts: '*',
    value: text,
    ...(label === undefined ? {} : { shown: label }),
    ...(label === undefined && text === '' ? { hint: `Find a ${title} by its name, number or borrower.` } : {}),
    ...(id === undefined && text !== '' && choices.length === 0
      ? { error: `No ${title} of this name or number was found.` }
      : {}),
  });
}

/** Offers the records that were found. They follow the form's own button, which Enter presses. */
function choiceButtons({ choices }: ChosenRecord): Markup | false {
  if (choices.length === 0) return false;
  const buttons = choices.map(
    (choice) => html`<li>${button({ text: choice.label, name: 'choose', value: String(choice.id) })}</li>`,
  );
  return html`<p class="small soft">Which one?</p><ul class="trial-choices" aria-label="Found">${buttons}</ul>`;
}

function inputField({ label, name, actual, choices = [] }: TrialInput, at: number, { values }: TrialEntries): Markup {
  const value = Object.entries(values).find(([key]) => key.toLowerCase() === name.toLowerCase())?.[1] ?? '';
  const id = `trial-${at}`;
  const list =
    choices.length > 0 &&
    html`<datalist id="${id}-values">${choices.map((text) => html`<option value="${text}"></option>`)}</datalist>`;
  return html`<div class="trial-field${value !== '' && ' changed'}"><label for="${id}">${label}</label><input
class="input" id="${id}" name="${VALUE}${name}" value="${value}"${
    actual !== undefined && html` placeholder="${actual === '' ? 'empty' : actual}"`
  }${list && html` list="${id}-values"`}>${list}</div>`;
}

/** A condition, an expression or a cell, with its result. */
export interface TriedLine {
  /** Whether it holds; `any` where it holds for all values, `unknown` where only the whole rule decides. */
  readonly outcome: 'met' | 'missed' | 'any' | 'calculated' | 'unknown';
  readonly name: HtmlValue;
  /** The value, and why that decides. */
  readonly why: HtmlValue;
  /** A weight or a result. */
  readonly end?: HtmlValue;
}

const outcomeWords: Readonly<Record<TriedLine['outcome'], string>> = {
  met: 'Holds',
  missed: 'Does not hold',
  any: 'Any value',
  calculated: 'Calculated',
  unknown: 'Not shown alone',
};

/** Renders lines with their outcomes, in order. */
export function triedLines(title: string, lines: readonly TriedLine[]): Markup | false {
  if (lines.length === 0) return false;
  const rows = lines.map(
    ({ outcome, name, why, end }) => html`<tr class="${outcome}"><td>${outcomeIcon(outcome)}<span
class="hidden">${outcomeWords[outcome]}</span></td><th scope="row">${name}</th><td>${why}</td><td
class="number">${end}</td></tr>`,
  );
  return html`<section><h3>${title}</h3><table><tbody>${rows}</tbody></table></section>`;
}

function outcomeIcon(outcome: TriedLine['outcome']): Markup | false {
  if (outcome === 'met') return icon('check', 14);
  return outcome === 'missed' && icon('close', 14);
}

/** Renders a second line of a cell; nothing for an empty text. */
export const smallLine = (text: string): Markup | false =>
  text !== '' && html`<br><span class="small soft">${text}</span>`;

/** Renders what a trial found. A script replaces it while values are changed. `winner`: the row to mark. */
export function trialResult(body: HtmlValue, winner?: number): Markup {
  return html`<div id="trial" class="trial"${winner !== undefined && html` data-winner="${winner}"`}>${body}</div>`;
}

/** Renders why a trial is refused. */
export const refusedTrial = (message: string): Markup =>
  trialResult(banner({ tone: 'danger', text: message, role: 'status' }));
