import type { Parameters } from '../../../kernel/parameters/parameters.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import type { PageCall } from '../page-call.ts';
import { ORIGINAL_PREFIX } from '../record-form.ts';
import { localInputValue, humanize } from '../display-values.ts';
import type { QuestionView } from './form-view.ts';

/** Stands before the names of answers, so that a question may be called like anything else in the form. */
const ANSWER_PREFIX = 'answer.';

/** An answer as its input holds it. */
export function answerInputText(call: PageCall, { type, value }: Pick<QuestionView, 'type' | 'value'>): string {
  return type === 'Timestamp' && value !== '' ? localInputValue(call, value) : value;
}

/** The answer to a question as a form sent it; undefined where the form did not ask. What is chosen several times is one text. */
function submittedAnswer(form: Parameters, name: string): string | undefined {
  if (form[`${ORIGINAL_PREFIX}${name}`] === undefined) return undefined;
  const raw = form[`${ANSWER_PREFIX}${name}`] ?? '';
  return (Array.isArray(raw) ? raw.map(String).join('|') : String(raw)).replace(/\r\n?/g, '\n');
}

/** The answers that a form changed: those that are not what they were when the form was made. */
export function changedAnswers(form: Parameters): Record<string, string> {
  const changed: Record<string, string> = {};
  for (const key of Object.keys(form)) {
    if (!key.startsWith(ORIGINAL_PREFIX)) continue;
    const name = key.slice(ORIGINAL_PREFIX.length);
    const sent = submittedAnswer(form, name);
    // Browsers leave seconds out of an instant where there are none.
    const plain = (text: string): string => text.replace(/\r\n?/g, '\n').replace(/(T\d\d:\d\d):00$/, '$1');
    if (sent !== undefined && plain(sent) !== plain(String(form[key] ?? ''))) changed[name] = sent;
  }
  return changed;
}

/** What the questions are shown with: what was entered where a save was refused, and what is wrong with it. */
export interface QuestionContext {
  readonly sent: Readonly<Record<string, string>>;
  readonly problems: ReadonlyMap<string, string>;
  /** What the record holds, where that is not what `questions` say since answers were tried on them. */
  readonly before: ReadonlyMap<string, string>;
  readonly isClosed: boolean;
}

/** The questions by section. One that is not asked now is there and hidden, so that script can show it. */
export function questionFields(call: PageCall, questions: readonly QuestionView[], shown: QuestionContext): Markup {
  const sections: { readonly name: string; readonly questions: QuestionView[] }[] = [];
  for (const question of questions) {
    const last = sections.at(-1);
    if (last?.name === question.section) last.questions.push(question);
    else sections.push({ name: question.section, questions: [question] });
  }
  return html`${sections.map(({ name, questions: own }) => {
    const fields = html`${own.map((question) => questionField(call, question, shown))}`;
    return name === '' ? fields : html`<section class="asked"><h2>${name}</h2>${fields}</section>`;
  })}`;
}

/** What people are asked; the name in words where the question says nothing more. */
export function questionPrompt({ name, prompt }: Pick<QuestionView, 'name' | 'prompt'>): string {
  return prompt === '' ? humanize(name.replaceAll('_', ' ')) : prompt;
}

/** A message that stands beside its question, which need not name it. */
export function withoutQuestionName(name: string, message: string): string {
  const words = message.startsWith(`${name}: `) ? message.slice(name.length + 2) : message;
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function questionField(call: PageCall, question: QuestionView, shown: QuestionContext): Markup {
  const { name, type, isShown } = question;
  const wrapper = html`class="question" data-question="${name}"${!isShown && html` hidden`}`;
  if (type === 'Label')
    return html`<div ${wrapper}><h3>${questionPrompt(question)}</h3>${question.help !== '' && html`<p class="text">${question.help}</p>`}</div>\n`;
  const text = shown.sent[name] ?? answerInputText(call, question);
  const before = shown.before.get(name) ?? answerInputText(call, question);
  const problem = withoutQuestionName(name, shown.problems.get(name) ?? question.problem);
  const isFixed = shown.isClosed || question.isReadOnly;
  const required = html` <span class="quiet" data-required${!question.isRequired && html` hidden`}>(required)</span>`;
  const below = html`${question.help !== '' && html`<span class="quiet text" id="h-${name}">${question.help}</span>`}<span class="wrong" id="e-${name}">${problem}</span>`;
  if (isFixed)
    return html`<div ${wrapper}><span class="prompt" id="l-${name}">${questionPrompt(question)}${question.isCalculated && html` <span class="quiet">(calculated)</span>`}</span><output class="text" aria-labelledby="l-${name}">${readOnlyText(call, question)}</output>${below}</div>\n`;
  const kept = html`<input type="hidden" name="${ORIGINAL_PREFIX}${name}" value="${before}">`;
  const said = html`${problem !== '' && html` aria-invalid="true"`} aria-describedby="${question.help === '' ? '' : `h-${name} `}e-${name}"`;
  if (type === 'MultipleChoice') {
    const picked = new Set(text.split('|'));
    return html`<fieldset ${wrapper} id="f-${name}"${said}><legend>${questionPrompt(question)}${required}</legend>${question.choices.map(({ code, label }) => html`<label class="choice"><input type="checkbox" name="${ANSWER_PREFIX}${name}" value="${code}"${picked.has(code) && html` checked`}> ${label}</label>`)}${below}${kept}</fieldset>\n`;
  }
  return html`<div ${wrapper}><label for="f-${name}">${questionPrompt(question)}${required}</label>${input(question, text, html`id="f-${name}" name="${ANSWER_PREFIX}${name}"${said}`)}${below}${kept}</div>\n`;
}

/** An answer that is not changed here, as people read it. */
function readOnlyText(call: PageCall, question: QuestionView): string {
  const labels = question.choices.filter(({ isChosen }) => isChosen).map(({ label }) => label);
  if (labels.length > 0) return labels.join(', ');
  if (question.type === 'Boolean') return question.value === '' ? '–' : question.value === 'true' ? 'Yes' : 'No';
  return answerInputText(call, question).replace('T', question.type === 'Timestamp' ? ' ' : 'T') || '–';
}

function input(
  { type, choices, minimum, maximum, value: stored }: QuestionView,
  value: string,
  common: Markup,
): Markup {
  const dates = html`${minimum !== '' && html` min="${minimum}"`}${maximum !== '' && html` max="${maximum}"`}`;
  switch (type) {
    case 'LongText':
      return html`<textarea ${common} rows="5">\n${value}</textarea>`;
    case 'Boolean':
      return select(common, value, [
        { code: 'true', label: 'Yes' },
        { code: 'false', label: 'No' },
      ]);
    case 'Choice':
      return select(common, value, choices);
    case 'Date':
      // What is no date is shown as it was entered, which an input of dates could not hold.
      return /^(?:|\d{4}-\d{2}-\d{2})$/.test(value)
        ? html`<input ${common} type="date"${dates} value="${value}">`
        : html`<input ${common} type="text" value="${value}">`;
    case 'Timestamp':
      return /^(?:|\d{4}-\d{2}-\d{2}T[\d:]+)$/.test(value)
        ? html`<input ${common} type="datetime-local" step="1" value="${value}">`
        : html`<input ${common} type="text" value="${value}">`;
    case 'Number':
    case 'Money':
      return html`<input ${common} type="text" inputmode="decimal" value="${value}">`;
    case 'Person':
      return html`<input ${common} type="text" inputmode="numeric" data-lookup="Person" value="${value}">`;
    default:
      // An input of one line would drop line ends.
      return value.includes('\n') || stored.includes('\n')
        ? html`<textarea ${common} rows="3">\n${value}</textarea>`
        : html`<input ${common} type="text" value="${value}">`;
  }
}

function select(
  common: Markup,
  value: string,
  choices: readonly { readonly code: string; readonly label: string }[],
): Markup {
  const isKnown = value === '' || choices.some(({ code }) => code === value);
  return html`<select ${common}><option value=""></option>${!isKnown && html`<option selected>${value}</option>`}${choices.map(({ code, label }) => html`<option value="${code}"${code === value && html` selected`}>${label}</option>`)}</select>`;
}
