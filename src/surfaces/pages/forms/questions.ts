import type { Parameters } from '../../../kernel/parameters/parameters.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { hiddenField, option } from '../components.ts';
import { wordsOf } from '../../../kernel/declare/labels.ts';
import { localDateTime, localInputValue } from '../display-values.ts';
import type { PageCall } from '../page-call.ts';
import { normalizeLineEnds, plainTexts } from '../plain-text.ts';
import { ORIGINAL_PREFIX } from '../record-form.ts';
import type { QuestionView } from './form-view.ts';

/** Starts the names of answers, so that a question may have the name of any other field of the form. */
const ANSWER_PREFIX = 'answer.';

/** Returns an answer as its input holds it. */
export function answerInputText(call: PageCall, { type, value }: Pick<QuestionView, 'type' | 'value'>): string {
  return type === 'Timestamp' && value !== '' ? localInputValue(call, value) : value;
}

/** Returns the answer that a form sent, several choices as one text; undefined where the form had no such question. */
function submittedAnswer(form: Parameters, name: string): string | undefined {
  if (form[`${ORIGINAL_PREFIX}${name}`] === undefined) return undefined;
  return normalizeLineEnds(plainTexts(form[`${ANSWER_PREFIX}${name}`]).join('|'));
}

/** Returns the answers that differ from those that the form was rendered with. */
export function changedAnswers(form: Parameters): Record<string, string> {
  const changed: Record<string, string> = {};
  for (const key of Object.keys(form)) {
    if (!key.startsWith(ORIGINAL_PREFIX)) continue;
    const name = key.slice(ORIGINAL_PREFIX.length);
    const answer = submittedAnswer(form, name);
    const original = plainTexts(form[key]).join(',');
    if (answer !== undefined && withoutZeroSeconds(answer) !== withoutZeroSeconds(original)) changed[name] = answer;
  }
  return changed;
}

/** Browsers leave out the seconds of an instant where they are zero. */
function withoutZeroSeconds(text: string): string {
  return normalizeLineEnds(text).replace(/(T\d\d:\d\d):00$/, '$1');
}

/** What questions are rendered with: the entered answers and their problems, where a save was rejected. */
export interface QuestionContext {
  readonly sent: Readonly<Record<string, string>>;
  readonly problems: ReadonlyMap<string, string>;
  /** The task's current answers, where the questions hold other ones that were evaluated. */
  readonly before: ReadonlyMap<string, string>;
  readonly isClosed: boolean;
}

/** Renders the questions by section. Questions that do not apply are hidden, so that the script can show them. */
export function questionFields(call: PageCall, questions: readonly QuestionView[], context: QuestionContext): Markup {
  const sections: { readonly name: string; readonly questions: QuestionView[] }[] = [];
  for (const question of questions) {
    const last = sections.at(-1);
    if (last?.name === question.section) last.questions.push(question);
    else sections.push({ name: question.section, questions: [question] });
  }
  return html`${sections.map(({ name, questions: own }) => {
    const fields = html`${own.map((question) => questionField(call, question, context))}`;
    return name === '' ? fields : html`<section class="asked"><h2>${name}</h2>${fields}</section>`;
  })}`;
}

/** Returns a question's prompt, or its name in words where it has none. */
export function questionPrompt({ name, prompt }: Pick<QuestionView, 'name' | 'prompt'>): string {
  return prompt === '' ? wordsOf(name.replaceAll('_', ' ')) : prompt;
}

/** Returns a message without the question's name at its start: it is shown beside the question. */
export function withoutQuestionName(name: string, message: string): string {
  const text = message.startsWith(`${name}: `) ? message.slice(name.length + 2) : message;
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function questionField(call: PageCall, question: QuestionView, context: QuestionContext): Markup {
  const { name, type, help } = question;
  const wrapper = html`class="question" data-question="${name}"${!question.isShown && html` hidden`}`;
  if (type === 'Label')
    return html`<div ${wrapper}>
<h3>${questionPrompt(question)}</h3>
${help !== '' && html`<p class="text">${help}</p>`}
</div>\n`;
  const problem = withoutQuestionName(name, context.problems.get(name) ?? question.problem);
  const below = html`${help !== '' && html`<span class="quiet text" id="h-${name}">${help}</span>`}
<span class="wrong" id="e-${name}">${problem}</span>`;
  if (context.isClosed || question.isReadOnly)
    return html`<div ${wrapper}>${readOnlyAnswer(call, question)}${below}</div>\n`;
  const original = hiddenField(
    `${ORIGINAL_PREFIX}${name}`,
    context.before.get(name) ?? answerInputText(call, question),
  );
  const value = context.sent[name] ?? answerInputText(call, question);
  const described = html` aria-describedby="${help === '' ? '' : `h-${name} `}e-${name}"`;
  const state = html`${problem !== '' && html` aria-invalid="true"`}${described}`;
  if (type === 'MultipleChoice')
    return html`<fieldset ${wrapper} id="f-${name}"${state}>
<legend>${promptMarkup(question)}</legend>
${multipleChoice(question, value)}
${below}${original}
</fieldset>\n`;
  const common = html`id="f-${name}" name="${ANSWER_PREFIX}${name}"${state}`;
  return html`<div ${wrapper}>
<label for="f-${name}">${promptMarkup(question)}</label>
${input(question, value, common)}
${below}${original}
</div>\n`;
}

function promptMarkup(question: QuestionView): Markup {
  const hidden = !question.isRequired && html` hidden`;
  return html`${questionPrompt(question)} <span class="quiet" data-required${hidden}>(required)</span>`;
}

function readOnlyAnswer(call: PageCall, question: QuestionView): Markup {
  const { name, isCalculated } = question;
  const calculated = isCalculated && html` <span class="quiet">(calculated)</span>`;
  return html`<span class="prompt" id="l-${name}">${questionPrompt(question)}${calculated}</span>
<output class="text" aria-labelledby="l-${name}">${readOnlyText(call, question)}</output>
`;
}

function multipleChoice({ name, choices }: QuestionView, value: string): readonly Markup[] {
  const picked = new Set(value.split('|'));
  return choices.map(({ code, label }) => {
    const checked = picked.has(code) && html` checked`;
    const box = html`<input type="checkbox" name="${ANSWER_PREFIX}${name}" value="${code}"${checked}>`;
    return html`<label class="choice">${box} ${label}</label>`;
  });
}

/** Returns an answer that cannot be changed here, for reading. */
function readOnlyText(call: PageCall, question: QuestionView): string {
  const { type, value, choices } = question;
  const labels = choices.filter(({ isChosen }) => isChosen).map(({ label }) => label);
  if (labels.length > 0) return labels.join(', ');
  if (value === '') return '–';
  if (type === 'Boolean') return value === 'true' ? 'Yes' : 'No';
  return type === 'Timestamp' ? localDateTime(call, value) : value;
}

const YES_NO = [
  { code: 'true', label: 'Yes' },
  { code: 'false', label: 'No' },
];

function input(
  { type, choices, minimum, maximum, value: stored }: QuestionView,
  value: string,
  common: Markup,
): Markup {
  const text = (attributes: Markup): Markup => html`<input ${common} ${attributes} value="${value}">`;
  const lines = (rows: number): Markup => html`<textarea ${common} rows="${rows}">\n${value}</textarea>`;
  const plain = html`type="text"`;
  switch (type) {
    case 'LongText':
      return lines(5);
    case 'Boolean':
      return select(common, value, YES_NO);
    case 'Choice':
      return select(common, value, choices);
    case 'Date':
      // A date input cannot contain text that is not a date, so such text is shown as it was entered.
      return text(/^(?:|\d{4}-\d{2}-\d{2})$/.test(value) ? html`type="date"${bounds(minimum, maximum)}` : plain);
    case 'Timestamp':
      return text(/^(?:|\d{4}-\d{2}-\d{2}T[\d:]+)$/.test(value) ? html`type="datetime-local" step="1"` : plain);
    case 'Number':
    case 'Money':
      return text(html`type="text" inputmode="decimal"`);
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
  return html`<select ${common}>
<option value=""></option>
${!isKnown && html`<option selected>${value}</option>`}
${choices.map(({ code, label }) => option(code, label, code === value))}
</select>`;
}
