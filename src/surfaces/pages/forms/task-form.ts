import { PlatformError } from '../../../kernel/door/errors.ts';
import type { Parameters } from '../../../kernel/parameters/parameters.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { hiddenField } from '../components.ts';
import { dayMark, recordLink, recordPath, timeZoneNote } from '../display-values.ts';
import { conflictAlert } from '../edit.ts';
import { loadLabels } from '../labels.ts';
import { csrfField } from '../layout.ts';
import { alertNote, errorNote, flashNote } from '../notes.ts';
import type { PageAnswer, PageCall } from '../page-call.ts';
import { page } from '../page.ts';
import { plainText } from '../plain-text.ts';
import { recordIdFromPath } from '../record-address.ts';
import { ORIGINAL_PREFIX } from '../record-form.ts';
import { formView, type FormView, type HoldView, type MoveView } from './form-view.ts';
import { withPeople } from './form-people.ts';
import { answerInputText, changedAnswers, questionFields, questionPrompt, withoutQuestionName } from './questions.ts';

/** The parameters that name the form of a new task. */
const newTaskFields = ['Template', 'TemplateID', 'Object', 'ObjectID'] as const;

/** Shows a task's form. */
export const formPage = page(async (call) =>
  formAnswer(call, await readFormView(call, 'describe', { ID: recordIdFromPath(call) })),
);

/** Shows the form of a new task: `/form/new?Template=…&Object=…&ObjectID=…`. */
export const newFormPage = page(async (call) => {
  const parameters = newTaskParameters(call.query);
  return formAnswer(call, await readFormView(call, 'describe', parameters), { newTask: parameters });
});

/** Saves a task's answers, and completes the task or moves it to another status if its button does that. */
export const saveForm = page(async (call) => {
  const id = recordIdFromPath(call);
  const changed = changedAnswers(call.form);
  const action = submittedAction(call);
  const back = returnTo(call);
  if (Object.keys(changed).length === 0 && Object.keys(action).length === 0)
    return { redirectTo: back === undefined ? `/form/${id}?done=unchanged` : `${back}&done=unchanged` };
  try {
    await call.call(
      'importform/update',
      { ID: id, Version: plainText(call.form['Version']) },
      { ...action, ...changed },
    );
    const isComplete = 'ActualCompletion' in action;
    if (back !== undefined) return { redirectTo: isComplete ? '/work?done=task' : `${back}&done=saved` };
    return { redirectTo: `/form/${id}?done=${isComplete ? 'completed' : 'saved'}` };
  } catch (error) {
    return rejectedAnswer(call, { parameters: { ID: String(id) }, changed }, error);
  }
});

/** Creates a task with its first answers. */
export const saveNewForm = page(async (call) => {
  const newTask = newTaskParameters(call.form);
  const changed = changedAnswers(call.form);
  const action = submittedAction(call);
  try {
    const { answer } = await call.call('importform/insert', {}, { ...newTask, ...action, ...changed });
    const id = answer.row.ImportFormID;
    return { redirectTo: `/form/${id}?done=${'ActualCompletion' in action ? 'completed' : 'made'}` };
  } catch (error) {
    return rejectedAnswer(call, { parameters: newTask, changed, newTask }, error);
  }
});

function newTaskParameters(from: Parameters): Record<string, string> {
  return Object.fromEntries(
    newTaskFields.flatMap((name) => (typeof from[name] === 'string' && from[name] !== '' ? [[name, from[name]]] : [])),
  );
}

/** Returns what the pressed button changes besides the answers. */
function submittedAction({ form, platform }: PageCall): Record<string, string> {
  const pressed = plainText(form['Do'] ?? 'save');
  if (pressed === 'complete') return { ActualCompletion: platform.clock.now() };
  return pressed.startsWith('move ') ? { Status: pressed.slice('move '.length) } : {};
}

async function readFormView(
  call: PageCall,
  operation: 'describe' | 'evaluate',
  parameters: Parameters,
): Promise<FormView> {
  const { answer } = await call.call(`importform/${operation}`, {}, parameters);
  return withPeople(call, formView(answer.root));
}

/** A form that was submitted. `parameters` name its task; `newTask`: the same, where the task does not exist yet. */
interface SubmittedForm {
  readonly parameters: Record<string, string>;
  readonly changed: Readonly<Record<string, string>>;
  readonly newTask?: Record<string, string>;
}

/**
 * Shows the form as it was submitted, with its problems. After a conflict it is based on the task's current answers.
 */
async function rejectedAnswer(
  call: PageCall,
  { parameters, changed, newTask }: SubmittedForm,
  error: unknown,
): Promise<PageAnswer> {
  if (!(error instanceof PlatformError) || error.status >= 500) throw error;
  const current = await readFormView(call, 'describe', parameters);
  // Rejected answers can make an expression fail. That must not lose what was entered.
  const evaluated = await readFormView(call, 'evaluate', { ...parameters, ...changed }).catch((failed: unknown) => {
    if (failed instanceof PlatformError && failed.status < 500) return current;
    throw failed;
  });
  const before = new Map(current.questions.map((question) => [question.name, answerInputText(call, question)]));
  return formAnswer(call, evaluated, { sent: changed, rejected: { error: error.masked(), before }, newTask });
}

/** Why a submitted form was rejected. `before`: the task's current answers. */
interface RejectedAnswers {
  readonly error: PlatformError;
  readonly before: ReadonlyMap<string, string>;
}

/** How a form is rendered. `returnTo`: the work page that contains it, to which saving leads back. */
interface FormEntryOptions {
  readonly sent?: Readonly<Record<string, string>>;
  readonly rejected?: RejectedAnswers | undefined;
  readonly newTask?: Record<string, string> | undefined;
  readonly returnTo?: string | undefined;
}

async function formAnswer(call: PageCall, form: FormView, options: FormEntryOptions = {}): Promise<PageAnswer> {
  const { sent = {}, rejected } = options;
  const parent = form.object === '' ? undefined : await parentLink(call, form);
  const back = returnTo(call);
  const body = html`<p class="crumbs">${parent}${back !== undefined && html` · <a href="${back}">Back to work</a>`}</p>
<h1>${form.name}${form.status !== '' && html` <span class="status">${form.status}</span>`}</h1>
${flashNote(flashMessages, call.query['done'])}
${rejected && rejectionNote(call, form, sent, rejected)}
${completeNote(call, form)}
${form.instructions !== '' && html`<div class="text instructions">${form.instructions}</div>`}
${formEntry(call, form, { ...options, returnTo: back })}
${detailsLink(call, form)}`;
  return { title: form.name, scripts: ['/form.js'], status: rejected?.error.status ?? 200, body };
}

/** Reports that a task is complete, unless the note above it just did and its answers can still be changed. */
function completeNote(call: PageCall, form: FormView): Markup | false {
  const isReadOnly = isReadOnlyForm(call, form);
  if (!form.isComplete || (!isReadOnly && call.query['done'] === 'completed')) return false;
  return html`<p class="note">This task is done.${isReadOnly && " You can't change its answers."}</p>`;
}

function detailsLink(call: PageCall, { id }: FormView): Markup | false {
  return (
    id !== undefined &&
    call.may('importform/select') &&
    html`<p class="quiet"><a href="${recordPath('importform', id)}">View details</a></p>`
  );
}

/** Renders the questions and buttons of a form, on its own page or on the work page. */
export function formEntry(call: PageCall, form: FormView, options: FormEntryOptions): Markup {
  const { sent = {}, rejected, newTask = {}, returnTo: back } = options;
  const isClosed = isReadOnlyForm(call, form);
  const hidden = {
    ...(form.id === undefined ? {} : { Version: form.version }),
    ...newTask,
    ...(back === undefined ? {} : { Return: back }),
  };
  const path = form.id === undefined ? '/form/new' : `/form/${form.id}`;
  const questions = questionFields(call, form.questions, {
    sent,
    problems: problemsOf(rejected?.error),
    before: rejected?.before ?? new Map<string, string>(),
    isClosed,
  });
  return html`${form.isOnHold && holdNote(call, form)}
<form class="entry answers" method="post" action="${path}" data-form="${form.id ?? ''}">
${csrfField(call)}${Object.entries(hidden).map(([name, value]) => hiddenField(name, value))}
${questions}
${form.questions.some(({ type }) => type === 'Timestamp') && timeZoneNote(call)}
${!isClosed && actions(form)}
</form>`;
}

/**
 * Names the holds that block a task's completion; of holds that the user may not see, reports only that there are
 * some.
 */
function holdNote(call: PageCall, { holds }: FormView): Markup {
  const item = ({ id, name, since, until }: HoldView): Markup => {
    const start = since !== '' && html` since ${dayMark(call, since)}`;
    const end = until === '' ? 'no end date' : html`expected to end ${dayMark(call, until)}`;
    return html`<li><strong>${recordLink(call, 'DecisionDelay', id, name)}</strong>${start}, ${end}</li>`;
  };
  return html`<div class="note" role="status">
<p>This task is on hold. You can save answers, but you can't complete it until the hold ends.</p>
${holds.length > 0 && html`<ul>${holds.map(item)}</ul>`}
</div>`;
}

function isReadOnlyForm(call: PageCall, form: FormView): boolean {
  return !form.canChange || !call.may(`importform/${form.id === undefined ? 'insert' : 'update'}`);
}

/** Returns the work page that contains the form; undefined for any other address. */
function returnTo({ form, query }: PageCall): string | undefined {
  const path = plainText(form['Return'] ?? query['Return']);
  return /^\/work\?item=\d{1,15}$/.test(path) ? path : undefined;
}

async function parentLink(call: PageCall, { object, objectId }: FormView): Promise<Markup> {
  const labels = await loadLabels(call, [{ columns: [], rows: [{ Object: object, ObjectID: objectId }] }]);
  return recordLink(call, object, objectId, labels.get(object)?.get(objectId));
}

/**
 * Renders the buttons. Save comes first, so that the Enter key saves and does not complete. A form with statuses is
 * completed by a move to a final one.
 */
function actions({ id, isComplete, isOnHold, hasStatuses, moves }: FormView): Markup {
  const move = ({ name, to, isFinal }: MoveView): Markup => {
    const quiet = !isFinal && html` class="quiet"`;
    return html`<button${quiet} name="Do" value="move ${to}">${name.includes('→') ? to : name}</button>\n`;
  };
  const canComplete = !isComplete && !isOnHold && !hasStatuses;
  return html`<p class="actions">
<button name="Do" value="save" accesskey="s">Save</button>
${canComplete && html`<button name="Do" value="complete" data-key="c">Complete</button>`}
${id !== undefined && moves.map(move)}
</p>`;
}

const flashMessages: ReadonlyMap<string, string> = new Map(
  Object.entries({
    saved: 'Saved',
    made: 'Task created',
    completed: 'Task completed',
    unchanged: 'No changes to save',
  }),
);

/** Returns the problems of a rejected form by question. */
function problemsOf(error: PlatformError | undefined): ReadonlyMap<string, string> {
  const { Questions: names, Problems: texts } = error?.details ?? {};
  if (Array.isArray(names) && Array.isArray(texts))
    return new Map(names.map((name, at) => [plainText(name), plainText(texts[at])]));
  return new Map(error?.field === undefined ? [] : [[error.field, error.message]]);
}

/** Shows why nothing was saved: every problem with a link to its question, or both answers of a conflict. */
function rejectionNote(
  call: PageCall,
  form: FormView,
  sent: Readonly<Record<string, string>>,
  { error, before }: RejectedAnswers,
): Markup {
  if (error.code === 'VERSION_CONFLICT') return conflictNote(call, form, sent, before);
  const problems = problemsOf(error);
  const known = form.questions.filter(({ name, isReadOnly }) => problems.has(name) && !isReadOnly);
  if (known.length === 0) return errorNote(error);
  const items = known.map((question) => {
    const problem = withoutQuestionName(question.name, problems.get(question.name) ?? '');
    return html`<li><a href="#f-${question.name}">${questionPrompt(question)}</a>: ${problem}</li>`;
  });
  const count = known.length === 1 ? '1 answer' : `${known.length} answers`;
  return alertNote(`Fix ${count} to continue`, html`<ul>${items}</ul>`);
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
  return conflictAlert(
    'task',
    differing.map((question) => ({
      name: questionPrompt(question),
      theirs: before.get(question.name) ?? '',
      yours: sent[question.name] ?? '',
    })),
  );
}
