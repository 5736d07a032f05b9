import type { Row, TreeAnswer } from '../../../kernel/door/answer.ts';
import { timeZone } from '../../../kernel/declare/core-settings.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import type { Parameters } from '../../../kernel/parameters/parameters.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { recordIdFromPath } from '../record-address.ts';
import type { PageAnswer, PageCall } from '../page-call.ts';
import { errorNote } from '../error.ts';
import { loadLabels } from '../labels.ts';
import { csrfField } from '../layout.ts';
import { page } from '../page.ts';
import { recordLink, recordPath, localDateTime } from '../display-values.ts';
import { changedAnswers, answerInputText, withoutQuestionName, questionPrompt, questionFields } from './questions.ts';
import { formView, type FormView, type HoldView, type MoveView } from './form-view.ts';

/** What names the form of a task that is not there yet. */
const newTaskFields = ['Template', 'TemplateID', 'Object', 'ObjectID'] as const;

/** A task's form, to be filled in. */
export const formPage = page(async (call) =>
  formAnswer(call, await readFormView(call, 'describe', { ID: String(recordIdFromPath(call)) }), {}),
);

/** The form of a new task: `/form/new?Template=…&Object=…&ObjectID=…`. */
export const newFormPage = page(async (call) =>
  formAnswer(
    call,
    await readFormView(call, 'describe', newTaskParameters(call.query)),
    {},
    undefined,
    newTaskParameters(call.query),
  ),
);

/** Saves a task's form: it stays open, is completed, or is moved to another status, as the button says. */
export const saveForm = page(async (call) => {
  const id = recordIdFromPath(call);
  const changed = changedAnswers(call.form);
  const wanted = submittedAction(call);
  const back = returnTo(call);
  if (Object.keys(changed).length === 0 && Object.keys(wanted).length === 0)
    return { redirectTo: back === undefined ? `/form/${id}?done=unchanged` : `${back}&done=unchanged` };
  try {
    await call.call('importform/update', {
      ...wanted,
      ...changed,
      ID: String(id),
      Version: String(call.form['Version'] ?? ''),
    });
    const isComplete = 'ActualCompletion' in wanted;
    if (back !== undefined) return { redirectTo: isComplete ? '/work?done=task' : `${back}&done=saved` };
    return { redirectTo: `/form/${id}?done=${isComplete ? 'completed' : 'saved'}` };
  } catch (error) {
    return rejectedAnswer(call, { ID: String(id) }, changed, error);
  }
});

/** Makes a task with its first answers. */
export const saveNewForm = page(async (call) => {
  const place = newTaskParameters(call.form);
  const changed = changedAnswers(call.form);
  const wanted = submittedAction(call);
  try {
    const { answer } = await call.call('importform/insert', { ...place, ...wanted, ...changed });
    const id = answer.kind === 'item' ? Number((answer.row as Row)['ImportFormID']) : 0;
    return { redirectTo: `/form/${id}?done=${'ActualCompletion' in wanted ? 'completed' : 'made'}` };
  } catch (error) {
    return rejectedAnswer(call, place, changed, error, place);
  }
});

function newTaskParameters(from: Parameters): Record<string, string> {
  return Object.fromEntries(
    newTaskFields.flatMap((name) => (typeof from[name] === 'string' && from[name] !== '' ? [[name, from[name]]] : [])),
  );
}

/** What the button that was pressed changes beside the answers. */
function submittedAction({ form, platform }: PageCall): Record<string, string> {
  const pressed = String(form['Do'] ?? 'save');
  if (pressed === 'complete') return { ActualCompletion: platform.clock.now() };
  return pressed.startsWith('move ') ? { Status: pressed.slice('move '.length) } : {};
}

async function readFormView(
  call: PageCall,
  operation: 'describe' | 'evaluate',
  parameters: Parameters,
): Promise<FormView> {
  const { answer } = await call.call(`importform/${operation}`, parameters);
  return formView((answer as TreeAnswer).root);
}

/** The form as it was entered, with what is wrong. Where it was changed meanwhile it stands on what it is now. */
async function rejectedAnswer(
  call: PageCall,
  place: Record<string, string>,
  changed: Readonly<Record<string, string>>,
  error: unknown,
  isNew?: Record<string, string>,
): Promise<PageAnswer> {
  if (!(error instanceof PlatformError) || error.status >= 500) throw error;
  const now = await readFormView(call, 'describe', place);
  // Answers that are refused can make an expression fail, which must not lose what was entered.
  const tried = await readFormView(call, 'evaluate', { ...place, ...changed }).catch((failed: unknown) => {
    if (failed instanceof PlatformError && failed.status < 500) return now;
    throw failed;
  });
  const before = new Map(now.questions.map((question) => [question.name, answerInputText(call, question)]));
  return formAnswer(call, tried, changed, { error: error.masked(), before }, isNew);
}

interface RejectedAnswers {
  readonly error: PlatformError;
  readonly before: ReadonlyMap<string, string>;
}

async function formAnswer(
  call: PageCall,
  form: FormView,
  sent: Readonly<Record<string, string>>,
  refused?: RejectedAnswers,
  place?: Record<string, string>,
): Promise<PageAnswer> {
  const parent = form.object === '' ? undefined : await parentLink(call, form);
  const isClosed = isReadOnlyForm(call, form);
  const back = returnTo(call);
  const body = html`<p class="crumbs">${parent}${back !== undefined && html` · <a href="${back}">Back to your work</a>`}</p>
<h1>${form.name}${form.status !== '' && html` <span class="status">${form.status}</span>`}</h1>
${flashNote(call)}${refused && rejectionNote(call, form, sent, refused)}
${form.isComplete && (isClosed || call.query['done'] !== 'completed') && html`<p class="note">This task is complete.${isClosed && ' Its answers cannot be changed.'}</p>`}
${form.instructions !== '' && html`<div class="text instructions">${form.instructions}</div>`}
${formEntry(call, form, { sent, refused, place, returnTo: returnTo(call) })}
${form.id !== undefined && call.may('importform/select') && html`<p class="quiet"><a href="${recordPath('importform', form.id)}">The task as a record</a></p>`}`;
  return { title: form.name, scripts: ['/form.js'], status: refused?.error.status ?? 200, body };
}

/** What a form is shown with. `returnTo`: the worker's page that it is a part of, to which saving leads back. */
interface FormEntryOptions {
  readonly sent?: Readonly<Record<string, string>>;
  readonly refused?: RejectedAnswers | undefined;
  readonly place?: Record<string, string> | undefined;
  readonly returnTo?: string | undefined;
}

/** The form by itself: its questions and buttons, on its own page or on a worker's. */
export function formEntry(
  call: PageCall,
  form: FormView,
  { sent = {}, refused, place = {}, returnTo: back }: FormEntryOptions,
): Markup {
  const isClosed = isReadOnlyForm(call, form);
  const hidden = {
    ...(form.id === undefined ? {} : { Version: form.version }),
    ...place,
    ...(back === undefined ? {} : { Return: back }),
  };
  return html`${form.isOnHold && holdNote(call, form)}<form class="entry answers" method="post" action="${form.id === undefined ? '/form/new' : `/form/${form.id}`}" data-form="${form.id ?? ''}">${csrfField(call)}${Object.entries(hidden).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
${questionFields(call, form.questions, { sent, problems: problemsOf(refused?.error), before: refused?.before ?? new Map(), isClosed })}
${form.questions.some(({ type }) => type === 'Timestamp') && html`<p class="quiet">Times are those of ${call.platform.settings.get(timeZone)}.</p>`}
${!isClosed && actions(form)}</form>`;
}

/** Which holds keep the task from being completed, and until when; of those that the user may not see, that there are some. */
function holdNote(call: PageCall, { holds }: FormView): Markup {
  const one = ({ id, name, since, until }: HoldView): Markup =>
    html`<li><strong>${recordLink(call, 'DecisionDelay', id, name)}</strong>${since !== '' && html` since <time datetime="${since}">${localDateTime(call, since)}</time>`}, ${until === '' ? 'until it is ended' : html`expected to end <time datetime="${until}">${localDateTime(call, until)}</time>`}</li>`;
  return html`<div class="note" role="status"><p>The workflow that waits for this task is on hold. Answers can be saved; the task can be completed when the hold has ended.</p>${holds.length > 0 && html`<ul>${holds.map(one)}</ul>`}</div>
`;
}

function isReadOnlyForm(call: PageCall, form: FormView): boolean {
  return !form.canChange || !call.may(`importform/${form.id === undefined ? 'insert' : 'update'}`);
}

/** The worker's page that a form was sent from; nothing else is gone back to. */
function returnTo({ form, query }: PageCall): string | undefined {
  const wanted = String(form['Return'] ?? query['Return'] ?? '');
  return /^\/work\?item=\d{1,15}$/.test(wanted) ? wanted : undefined;
}

async function parentLink(call: PageCall, { object, objectId }: FormView): Promise<Markup> {
  const labels = await loadLabels(call, [{ columns: [], rows: [{ Object: object, ObjectID: objectId }] }]);
  return recordLink(call, object, objectId, labels.get(object)?.get(objectId));
}

/** The buttons: what keeps the task open comes first, so that the Enter key saves and does not complete. Where a form has statuses, they complete it. */
function actions({ id, isComplete, isOnHold, hasStatuses, moves }: FormView): Markup {
  const move = ({ name, to, isFinal }: MoveView): Markup =>
    html` <button${!isFinal && html` class="quiet"`} name="Do" value="move ${to}">${name.includes('→') ? to : name}</button>`;
  return html`<p class="actions"><button name="Do" value="save" accesskey="s">Save</button>${!isComplete && !isOnHold && !hasStatuses && html` <button name="Do" value="complete" data-key="c">Complete</button>`}${id !== undefined && html`${moves.map(move)}`}</p>`;
}

const flashMessages: ReadonlyMap<string, string> = new Map(
  Object.entries({
    saved: 'Saved.',
    made: 'The task is made.',
    completed: 'The task is complete.',
    unchanged: 'Nothing was different; nothing was changed.',
  }),
);

function flashNote({ query }: PageCall): Markup | false {
  const text = flashMessages.get(String(query['done'] ?? ''));
  return text !== undefined && html`<div class="note" role="status"><p>${text}</p></div>`;
}

/** What is wrong with which answer. */
function problemsOf(error: PlatformError | undefined): ReadonlyMap<string, string> {
  const { Questions: names, Problems: texts } = error?.details ?? {};
  if (Array.isArray(names) && Array.isArray(texts))
    return new Map(names.map((name, at) => [String(name), String(texts[at] ?? '')]));
  return new Map(error?.field === undefined ? [] : [[error.field, error.message]]);
}

/** Why nothing was saved: all that is wrong, each with a way to its question; of a conflict both answers. */
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
  return html`<div class="note refused" role="alert"><p>Nothing was saved yet: ${known.length === 1 ? 'an answer needs' : `${known.length} answers need`} a look.</p><ul>${known.map((question) => html`<li><a href="#f-${question.name}">${questionPrompt(question)}</a>: ${withoutQuestionName(question.name, String(problems.get(question.name)))}</li>`)}</ul></div>`;
}

function conflictNote(
  call: PageCall,
  form: FormView,
  sent: Readonly<Record<string, string>>,
  before: ReadonlyMap<string, string>,
): Markup {
  const differing = form.questions.filter(
    ({ name }) => sent[name] !== undefined && (before.get(name) ?? '') !== String(call.form[`before.${name}`] ?? ''),
  );
  return html`<div class="note refused" role="alert"><p>Somebody changed this task while you were filling it in. Nothing was saved yet: the form holds your answers on top of the task as it is now. Save again to keep yours.</p>
${differing.length > 0 && html`<table><thead><tr><th scope="col">Question</th><th scope="col">Now in the task</th><th scope="col">Yours</th></tr></thead><tbody>${differing.map((question) => html`<tr><th scope="row">${questionPrompt(question)}</th><td>${before.get(question.name) || '–'}</td><td>${sent[question.name] || '–'}</td></tr>`)}</tbody></table>`}</div>`;
}
