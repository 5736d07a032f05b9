import type { Parameters } from '../../../kernel/parameters/parameters.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { hiddenField } from '../components.ts';
import { checkbox } from '../design/field.ts';
import { icon } from '../design/icons.ts';
import { wordsOf } from '../../../kernel/declare/labels.ts';
import { localDateTime } from '../display-values.ts';
import type { PageCall } from '../page-call.ts';
import { normalizeLineEnds, plainTexts } from '../plain-text.ts';
import { ORIGINAL_PREFIX } from '../records/record-form.ts';
import { ANSWER_PREFIX, answerInput, answerWords, inputText, withoutZeroSeconds, YES_NO } from './answer-input.ts';
import type { QuestionView } from './form-view.ts';
import { comparableRows, rowsInputText, rowsReading, rowsTable, rowsWords, submittedRows } from './rows-question.ts';

/** Returns an answer as its input, or the table of its rows, holds it. */
export function answerInputText(call: PageCall, question: Pick<QuestionView, 'type' | 'value' | 'columns'>): string {
  return question.type === 'Rows' ? rowsInputText(call, question) : inputText(call, question);
}

/** Returns the answers that differ from those that the form was rendered with; several choices as one text. */
export function changedAnswers(form: Parameters): Record<string, string> {
  const changed: Record<string, string> = {};
  const rows = submittedRows(form);
  for (const key of Object.keys(form)) {
    if (!key.startsWith(ORIGINAL_PREFIX)) continue;
    const name = key.slice(ORIGINAL_PREFIX.length);
    const answer = rows.get(name) ?? normalizeLineEnds(plainTexts(form[`${ANSWER_PREFIX}${name}`]).join('|'));
    const original = plainTexts(form[key]).join(',');
    const comparable = rows.has(name) ? comparableRows : withoutZeroSeconds;
    if (comparable(answer) !== comparable(original)) changed[name] = answer;
  }
  return changed;
}

/** What questions are rendered with: the entered answers and their problems, where a save was rejected. */
export interface QuestionContext {
  readonly sent: Readonly<Record<string, string>>;
  readonly problems: ReadonlyMap<string, string>;
  /** The task's current answers, where the questions hold other ones that were evaluated. */
  readonly before: ReadonlyMap<string, string>;
  readonly isClosed: boolean;
}

/** A question with those that follow it and are shown by its answer. */
interface QuestionGroup {
  readonly question: QuestionView;
  readonly number: number | undefined;
  readonly conditional: QuestionView[];
}

/**
 * Renders the questions by section, numbered. A question that depends on the answer of the one before it is below it,
 * with that answer. Questions that do not apply are hidden, so that the script can show them; without script, the style
 * sheet shows them with the answer that they are for.
 */
export function questionFields(call: PageCall, questions: readonly QuestionView[], context: QuestionContext): Markup {
  const groups = groupsOf(questions);
  const prompts = new Map(groups.map(({ question, number }) => [question.name, { question, number }]));
  const bySection: { readonly name: string; readonly groups: QuestionGroup[] }[] = [];
  for (const group of groups) {
    const last = bySection.at(-1);
    if (last?.name === group.question.section) last.groups.push(group);
    else bySection.push({ name: group.question.section, groups: [group] });
  }
  const render = ({ question, number, conditional }: QuestionGroup): Markup => {
    const below = conditional.length > 0 && conditionalPart(call, question, conditional, context);
    return html`<div class="question-group">${condition(question, prompts)}${questionField(call, question, {
      ...context,
      number,
    })}${below}</div>\n`;
  };
  return html`${bySection.map(({ name, groups: own }) => {
    const fields = html`${own.map(render)}`;
    return name === '' ? fields : html`<section class="asked"><h2>${name}</h2>${fields}</section>`;
  })}`;
}

function groupsOf(questions: readonly QuestionView[]): readonly QuestionGroup[] {
  const groups: QuestionGroup[] = [];
  let number = 0;
  for (const question of questions) {
    const last = groups.at(-1);
    if (question.shownBy !== '' && last?.question.name === question.shownBy) last.conditional.push(question);
    else groups.push({ question, number: question.type === 'Label' ? undefined : ++number, conditional: [] });
  }
  return groups;
}

function conditionalPart(
  call: PageCall,
  { name }: QuestionView,
  questions: readonly QuestionView[],
  context: QuestionContext,
): Markup {
  const parts = Map.groupBy(questions, ({ shownFor }) => shownFor);
  return html`${[...parts].map(
    ([answer, own]) => html`<div class="conditional" data-conditional="${name}">
<p class="small muted">${because(answer)}</p>
<div class="conditional-fields">${own.map((question) => questionField(call, question, context))}</div>
</div>`,
  )}`;
}

/** Says which answer a question is asked for: with script that it was given, without script that it would be. */
function because(answer: string): Markup {
  const given = answer === '' ? 'of your answer above' : `you answered ${answer}`;
  const would = answer === '' ? 'If your answer above asks for it' : `If you answered ${answer}`;
  return html`<span class="with-script">Asked because ${given}</span><span class="without-script">${would}</span>`;
}

/** Says which other question decides about one that is not below it. */
function condition(
  { shownBy, shownFor, name }: QuestionView,
  prompts: ReadonlyMap<string, Pick<QuestionGroup, 'question' | 'number'>>,
): Markup | false {
  const by = prompts.get(shownBy);
  if (by?.number === undefined) return false;
  const answer = shownFor === '' ? 'of your answer' : `you answered ${shownFor}`;
  const words = `Asked because ${answer} to question ${by.number}`;
  return html`<p class="small muted condition" data-condition-of="${name}">${words}</p>`;
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

function questionField(
  call: PageCall,
  question: QuestionView,
  context: QuestionContext & { readonly number?: number | undefined },
): Markup {
  const { name, type, help } = question;
  const wrapper = html`class="question" data-question="${name}"${!question.isShown && html` hidden`}`;
  if (type === 'Label')
    return html`<div ${wrapper}>
<h3>${questionPrompt(question)}</h3>
${help !== '' && html`<p class="text soft">${help}</p>`}
</div>\n`;
  const prompt = promptMarkup(question, context.number);
  const problem = withoutQuestionName(name, context.problems.get(name) ?? question.problem);
  const hint = help !== '' && html`<p class="field-hint text" id="h-${name}">${help}</p>`;
  const error = questionError(name, problem);
  if (context.isClosed || question.isReadOnly)
    return html`<div ${wrapper}><span class="question-prompt" id="l-${name}">${prompt}</span>
${readOnlyAnswer(call, question)}${hint}${error}</div>\n`;
  const saved = context.before.get(name) ?? answerInputText(call, { ...question, value: question.saved });
  const value = context.sent[name] ?? answerInputText(call, question);
  const described = html` aria-describedby="${help === '' ? '' : `h-${name} `}e-${name}"`;
  const state = html`${problem !== '' && html` aria-invalid="true"`}${described}`;
  const original = hiddenField(`${ORIGINAL_PREFIX}${name}`, saved);
  const group = type === 'Rows' ? rowsTable(question, value, context.problems) : choiceGroup(question, value);
  if (group)
    return html`<fieldset ${wrapper} id="f-${name}"${state}>
<legend class="question-prompt">${prompt}</legend>
${hint}${group}${error}${original}
</fieldset>\n`;
  const common = html`id="f-${name}" name="${ANSWER_PREFIX}${name}"${state}`;
  return html`<div ${wrapper}>
<label class="question-prompt" for="f-${name}">${prompt}</label>
${hint}<div class="question-answer">${answerInput(question, value, common)}${error}</div>${original}
</div>\n`;
}

function questionError(name: string, problem: string): Markup {
  return html`<p class="field-error wrong" id="e-${name}"${problem === '' && html` hidden`}>${icon('error', 14)}
<span>${problem}</span></p>`;
}

function promptMarkup(question: QuestionView, number: number | undefined): Markup {
  const { isRequired, isCalculated, isReadOnly } = question;
  const optional =
    !isCalculated &&
    !isReadOnly &&
    html` <span class="muted" data-optional${isRequired && html` hidden`}>optional</span>`;
  const calculated = isCalculated && html` <span class="muted">calculated</span>`;
  return html`${number !== undefined && `${number}. `}<bdi>${questionPrompt(question)}</bdi>${optional}${calculated}`;
}

/** Choices that are shown side by side; of more, a list opens. */
const SHOWN_CHOICES_MAX = 4;

/** Renders the choices of a question as radio buttons or boxes; undefined for a question with another control. */
function choiceGroup(question: QuestionView, value: string): Markup | undefined {
  const { name, type, choices } = question;
  const field = `${ANSWER_PREFIX}${name}`;
  if (type === 'MultipleChoice') {
    const picked = new Set(value.split('|'));
    return html`<div class="choice-list">${choices.map(({ code, label }) =>
      checkbox({ label: html`<bdi>${label}</bdi>`, name: field, value: code, isChecked: picked.has(code) }),
    )}</div>`;
  }
  if (type === 'Boolean' && (value === '' || value === 'true' || value === 'false'))
    return html`<span class="segments">${YES_NO.map(
      ({ code, label }) =>
        html`<label><input type="radio" name="${field}" value="${code}"${
          code === value && html` checked`
        }>${label}</label>`,
    )}${noAnswer(field, value)}</span>${clearButton}`;
  const isShown = type === 'Choice' && choices.length > 1 && choices.length < SHOWN_CHOICES_MAX;
  if (!isShown || !(value === '' || choices.some(({ code }) => code === value))) return undefined;
  return html`<span class="choices">${choices.map(
    ({ code, label }) => html`<label class="choice">
<input class="tick" type="radio" name="${field}" value="${code}"${code === value && html` checked`}>
<span><b><bdi>${label}</bdi></b></span></label>`,
  )}${noAnswer(field, value)}</span>${clearButton}`;
}

/** Takes the answer back, as the Delete key does on a choice: a radio button alone cannot be cleared. */
const clearButton = html`<button type="button" class="link small clear-answer with-script" tabindex="-1" data-clear
 title="Delete">Clear</button>`;

/** Renders the choice of no answer for users without script. */
function noAnswer(field: string, value: string): Markup {
  return html`<noscript><label><input type="radio" name="${field}" value=""${
    value === '' && html` checked`
  }>No answer</label></noscript>`;
}

/** Returns a submitted answer for reading: labels in place of codes, and rows as lines. */
export function submittedWords(question: QuestionView, answer: string): string {
  return question.type === 'Rows' ? rowsWords(question, answer) : answerWords(question, answer);
}

/** Renders an answer that cannot be changed here. */
function readOnlyAnswer(call: PageCall, question: QuestionView): Markup {
  if (question.type === 'Rows' && question.value !== '') return rowsReading(call, question);
  return html`<output class="text" aria-labelledby="l-${question.name}">${readOnlyText(call, question)}</output>`;
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
