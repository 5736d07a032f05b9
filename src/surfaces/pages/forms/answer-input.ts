import { html, type Markup } from '../../../kernel/render/markup.ts';
import { option } from '../components.ts';
import { localInputValue } from '../display-values.ts';
import type { PageCall } from '../page-call.ts';
import { normalizeLineEnds } from '../plain-text.ts';
import type { QuestionView } from './form-view.ts';

/** Starts the names of answers, so that a question may have the name of any other field of the form. */
export const ANSWER_PREFIX = 'answer.';

/** What an input needs of its question, or of its column. */
export type InputQuestion = Pick<QuestionView, 'type' | 'choices' | 'minimum' | 'maximum' | 'value'>;

/** The answers of a question with yes or no. */
export const YES_NO = [
  { code: 'true', label: 'Yes' },
  { code: 'false', label: 'No' },
];

/** Returns an instant as browsers send it: they leave out its seconds where they are zero. */
export function withoutZeroSeconds(text: string): string {
  return normalizeLineEnds(text).replace(/(T\d\d:\d\d):00$/, '$1');
}

/** Returns a single answer as its input holds it. */
export function inputText(call: PageCall, { type, value }: Pick<QuestionView, 'type' | 'value'>): string {
  return type === 'Timestamp' && value !== '' ? localInputValue(call, value) : value;
}

/** Returns a submitted answer for reading: labels in place of codes. */
export function answerWords({ type, choices }: Pick<QuestionView, 'type' | 'choices'>, answer: string): string {
  if (type === 'Boolean') return YES_NO.find(({ code }) => code === answer)?.label ?? answer;
  const labels = new Map(choices.map(({ code, label }) => [code, label]));
  return choices.length === 0
    ? answer
    : answer
        .split('|')
        .map((code) => labels.get(code) ?? code)
        .join(', ');
}

/** Renders the input of a single answer. `value`: what it holds; `common`: its name, id and state. */
export function answerInput(
  { type, choices, minimum, maximum, value: stored }: InputQuestion,
  value: string,
  common: Markup,
): Markup {
  const text = (attributes: Markup, look = ''): Markup =>
    html`<input class="input ${look}" ${common} ${attributes} value="${value}">`;
  const lines = (rows: number): Markup => html`<textarea class="input" ${common} rows="${rows}">\n${value}</textarea>`;
  const plain = html`type="text"`;
  switch (type) {
    case 'LongText':
      return lines(3);
    case 'Boolean':
      return select(common, value, YES_NO);
    case 'Choice':
      return select(common, value, choices);
    case 'Date':
      // A date input cannot contain text that is not a date, so such text is shown as it was entered.
      return text(
        /^(?:|\d{4}-\d{2}-\d{2})$/.test(value) ? html`type="date"${bounds(minimum, maximum)}` : plain,
        'short',
      );
    case 'Timestamp':
      return text(
        /^(?:|\d{4}-\d{2}-\d{2}T[\d:]+)$/.test(value) ? html`type="datetime-local" step="1"` : plain,
        'short',
      );
    case 'Number':
    case 'Money':
      return text(html`type="text" inputmode="decimal"`, 'short number');
    case 'Person':
      return choices.length > 0 && choices.some(({ code }) => code === value || value === '')
        ? select(common, value, choices)
        : text(plain);
    default:
      // A single-line input would drop line ends.
      return value.includes('\n') || stored.includes('\n') ? lines(3) : text(plain);
  }
}

function bounds(minimum: string, maximum: string): Markup {
  return html`${minimum !== '' && html` min="${minimum}"`}${maximum !== '' && html` max="${maximum}"`}`;
}

function select(
  common: Markup,
  value: string,
  choices: readonly { readonly code: string; readonly label: string }[],
): Markup {
  const isKnown = value === '' || choices.some(({ code }) => code === value);
  return html`<select class="input" ${common}>
<option value=""></option>
${!isKnown && html`<option selected>${value}</option>`}
${choices.map(({ code, label }) => option(code, label, code === value))}
</select>`;
}
