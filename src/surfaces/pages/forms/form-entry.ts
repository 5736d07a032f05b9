import { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { hiddenField } from '../components.ts';
import { banner } from '../design/banner.ts';
import { button } from '../design/button.ts';
import { recordLink, timeZoneNote } from '../display-values.ts';
import { shortDay } from '../due-words.ts';
import { conflictTable } from '../records/edit-page.ts';
import { csrfField } from '../layout.ts';
import type { PageCall } from '../page-call.ts';
import { plainText } from '../plain-text.ts';
import { ORIGINAL_PREFIX } from '../records/record-form.ts';
import type { FormView, HoldView, MoveView, QuestionView } from './form-view.ts';
import { questionFields, questionPrompt, submittedWords, withoutQuestionName } from './questions.ts';
import { problemPlace, problemTarget } from './rows-question.ts';

/** Why a submitted form was rejected. `before`: the task's current answers. */
export interface RejectedAnswers {
  readonly error: PlatformError;
  readonly before: ReadonlyMap<string, string>;
}

/** How a form is rendered. */
export interface FormEntryOptions {
  /** The answers that were submitted and rejected. */
  readonly sent?: Readonly<Record<string, string>>;
  readonly rejected?: RejectedAnswers | undefined;
  readonly newTask?: Record<string, string> | undefined;
  /** The work item that the form is shown for: its own page has the buttons. */
  readonly itemId?: string | undefined;
}

/** The id of the form's element, which buttons outside of it name. */
export const TASK_FORM_ID = 'task-form';

/** Renders the questions and buttons of a form, on its own page or in work mode. */
export function formEntry(call: PageCall, form: FormView, options: FormEntryOptions): Markup {
  const { sent = {}, rejected, itemId } = options;
  const isClosed = isReadOnlyForm(call, form);
  const isOwnPage = itemId === undefined;
  const questions = questionFields(call, form.questions, {
    sent,
    problems: problemsOf(rejected?.error),
    before: rejected?.before ?? new Map<string, string>(),
    isClosed,
  });
  const path = isOwnPage ? `/form/${form.id ?? 'new'}` : '/work';
  return html`${isOwnPage && form.isOnHold && holdNote(call, form)}
<task-answers data-task="${form.id ?? ''}"${isClosed && html` data-closed`}>
<form class="task-form answers" id="${TASK_FORM_ID}" method="post" action="${path}"${!isOwnPage && html` data-next`}>
${defaultButton(form)}${csrfField(call)}${hiddenFields(form, options)}
${questions}
${form.questions.some(({ type }) => type === 'Timestamp') && timeZoneNote(call)}
${!isClosed && (isOwnPage ? actions(form) : saveWithoutScript)}
</form></task-answers>`;
}

/** Renders what names the task, or the form of a new one, and the item that it is shown for. */
function hiddenFields({ id, version }: FormView, { newTask = {}, itemId }: FormEntryOptions): readonly Markup[] {
  const fields = {
    ...(id === undefined ? {} : { Version: version }),
    ...newTask,
    ...(itemId === undefined ? {} : { ID: itemId, Task: String(id ?? '') }),
  };
  return Object.entries(fields).map(([name, value]) => hiddenField(name, value));
}

/** Renders what the Enter key presses: the first button of a form, which should not be one that adds a row. */
function defaultButton({ questions }: FormView): Markup | false {
  if (!questions.some(({ type }) => type === 'Rows')) return false;
  return html`<div hidden>${button({ text: 'Save', name: 'Do', value: 'save' })}</div>`;
}

/** With script, work mode saves answers on leaving each field. */
const saveWithoutScript = html`<div class="task-actions without-script">${button({
  text: 'Save',
  name: 'Do',
  value: 'save',
})}</div>`;

/** Whether the user may not change the form's answers. */
export function isReadOnlyForm(call: PageCall, form: FormView): boolean {
  return !form.canChange || !call.may(`importform/${form.id === undefined ? 'insert' : 'update'}`);
}

/**
 * Names the holds that block a task's completion; of holds that the user may not see, reports only that there are
 * some.
 */
export function holdNote(call: PageCall, { holds }: FormView): Markup {
  const item = ({ id, name, since, until }: HoldView): Markup => {
    const start = since !== '' && html` since ${shortDay(call, since)}`;
    const end =
      until === '' ? 'no end date' : html`expected to end <time datetime="${until}">${shortDay(call, until)}</time>`;
    return html`<li><bdi>${recordLink(call, 'DecisionDelay', id, name)}</bdi>${start}, ${end}</li>`;
  };
  return banner({
    tone: 'warn',
    icon: 'hold',
    role: 'status',
    text: 'This task is on hold. You can save answers, but you can’t complete it until the hold ends.',
    more: holds.length > 0 && html`<ul>${holds.map(item)}</ul>`,
  });
}

/**
 * Renders the buttons. Save comes first, so that the Enter key saves and does not complete. A form with statuses is
 * completed by a move to a final one.
 */
function actions(form: FormView): Markup {
  return html`<div class="task-actions">
${button({ text: 'Save', name: 'Do', value: 'save', kind: canComplete(form) ? 'plain' : 'primary' })}
${canComplete(form) && button({ text: 'Complete', kind: 'primary', key: 'c', name: 'Do', value: 'complete' })}
${form.id !== undefined && form.moves.map((move) => moveButton(move))}
</div>`;
}

/** Whether a button completes the form; a form with statuses is completed by a move. */
export function canComplete({ isComplete, isOnHold, hasStatuses }: FormView): boolean {
  return !isComplete && !isOnHold && !hasStatuses;
}

/** Renders the button of a move to another status. `formId`: the form that it submits, where it is outside of it. */
export function moveButton({ name, to }: MoveView, formId?: string): Markup {
  const text = name.includes('→') ? to : name;
  return button({ text, name: 'Do', value: `move ${to}`, ...(formId === undefined ? {} : { form: formId }) });
}

/** Returns the problems of a rejected form by question. */
function problemsOf(error: PlatformError | undefined): ReadonlyMap<string, string> {
  const { Questions: names, Problems: texts } = error?.details ?? {};
  if (Array.isArray(names) && Array.isArray(texts))
    return new Map(names.map((name, at) => [plainText(name), plainText(texts[at])]));
  return new Map(error?.field === undefined ? [] : [[error.field, error.message]]);
}

/** Shows why nothing was saved: every problem with a link to its question, or both answers of a conflict. */
export function rejectionNote(
  call: PageCall,
  form: FormView,
  sent: Readonly<Record<string, string>>,
  { error, before }: RejectedAnswers,
): Markup {
  if (error.code === 'VERSION_CONFLICT') return conflictNote(call, form, sent, before);
  const items = [...problemsOf(error)].flatMap(([name, problem]) => {
    const question = questionOf(form, name);
    if (!question) return [];
    const place = problemPlace(question, questionPrompt(question), name);
    const text = withoutQuestionName(name, problem);
    return [html`<li><a class="link" href="#${problemTarget(question.name, name)}">${place}</a>: ${text}</li>`];
  });
  if (items.length === 0) return banner({ tone: 'danger', role: 'alert', text: error.masked().message });
  const count = items.length === 1 ? '1 answer' : `${items.length} answers`;
  return banner({
    tone: 'danger',
    role: 'alert',
    text: `Fix ${count} to continue`,
    more: html`<ul class="prose">${items}</ul>`,
  });
}

/** Returns the question that a problem is about, by its name or a cell's; undefined if it cannot be changed here. */
function questionOf({ questions }: FormView, problem: string): QuestionView | undefined {
  return questions.find(({ name, type, isReadOnly }) =>
    isReadOnly ? false : name === problem || (type === 'Rows' && problem.startsWith(`${name}[`)),
  );
}

function conflictNote(
  call: PageCall,
  form: FormView,
  sent: Readonly<Record<string, string>>,
  before: ReadonlyMap<string, string>,
): Markup {
  const differing = form.questions.filter(
    ({ name }) =>
      sent[name] !== undefined && (before.get(name) ?? '') !== plainText(call.form[`${ORIGINAL_PREFIX}${name}`]),
  );
  return banner({
    tone: 'warn',
    role: 'alert',
    text:
      'Someone else changed this task while you were editing. Your changes aren’t saved yet. ' +
      'Save again to keep yours.',
    more: conflictTable(
      differing.map((question) => ({
        name: questionPrompt(question),
        theirs: submittedWords(question, before.get(question.name) ?? ''),
        yours: submittedWords(question, sent[question.name] ?? ''),
      })),
    ),
  });
}
