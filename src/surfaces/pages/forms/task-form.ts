import type { Parameters } from '../../../kernel/parameters/parameters.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { caseLink } from '../case/case-link.ts';
import { documentsBeside } from '../documents/documents-beside.ts';
import { badge } from '../design/badge.ts';
import { banner } from '../design/banner.ts';
import { toast } from '../design/toast.ts';
import { recordLink } from '../display-values.ts';
import { recentTime } from '../due-words.ts';
import { loadLabels } from '../labels.ts';
import type { PageAnswer, PageCall } from '../page-call.ts';
import { page } from '../page.ts';
import { plainText } from '../plain-text.ts';
import { recordIdFromPath } from '../record-address.ts';
import { formEntry, isReadOnlyForm, rejectionNote, type FormEntryOptions } from './form-entry.ts';
import type { FormView } from './form-view.ts';
import { changedAnswers } from './questions.ts';
import {
  asksForRows,
  draftAnswers,
  readFormView,
  rejectedForm,
  submitAnswers,
  submittedAction,
  type SubmittedForm,
} from './submit-form.ts';

/** The parameters that name the form of a new task. */
const newTaskFields = ['Template', 'TemplateID', 'Object', 'ObjectID'] as const;

/** Shows a task's form. */
export const formPage = page(async (call) =>
  formAnswer(
    call,
    await readFormView(call, 'describe', { ID: recordIdFromPath(call), WithDraft: call.may('importform/update') }),
  ),
);

/** Shows the form of a new task: `/form/new?Template=…&Object=…&ObjectID=…`. */
export const newFormPage = page(async (call) => {
  const parameters = newTaskParameters(call.query);
  return formAnswer(call, await readFormView(call, 'describe', parameters), { newTask: parameters });
});

/** Saves a task's answers, and completes the task or moves it to another status if its button does that. */
export const saveForm = page(async (call) => {
  const id = recordIdFromPath(call);
  try {
    if (asksForRows(call)) {
      await draftAnswers(call, id);
      return { redirectTo: `/form/${id}` };
    }
    if (!(await submitAnswers(call, id))) return { redirectTo: `/form/${id}?done=unchanged` };
    const isComplete = 'ActualCompletion' in submittedAction(call);
    return { redirectTo: `/form/${id}?done=${isComplete ? 'completed' : 'saved'}` };
  } catch (error) {
    return rejectedAnswer(call, { parameters: { ID: String(id) }, changed: changedAnswers(call.form) }, error);
  }
});

/** Creates a task with its first answers. */
export const saveNewForm = page(async (call) => {
  const newTask = newTaskParameters(call.form);
  const changed = changedAnswers(call.form);
  const action = submittedAction(call);
  try {
    if (asksForRows(call)) {
      const form = await readFormView(call, 'evaluate', { ...newTask, ...changed });
      return await formAnswer(call, form, { sent: changed, newTask });
    }
    const { answer } = await call.call('importform/insert', {}, { ...newTask, ...action, ...changed });
    const id = answer.row.ImportFormID;
    return { redirectTo: `/form/${id}?done=${'ActualCompletion' in action ? 'completed' : 'made'}` };
  } catch (error) {
    return rejectedAnswer(call, { parameters: newTask, changed }, error, newTask);
  }
});

function newTaskParameters(from: Parameters): Record<string, string> {
  return Object.fromEntries(
    newTaskFields.flatMap((name) => (typeof from[name] === 'string' && from[name] !== '' ? [[name, from[name]]] : [])),
  );
}

async function rejectedAnswer(
  call: PageCall,
  submitted: SubmittedForm,
  error: unknown,
  newTask?: Record<string, string>,
): Promise<PageAnswer> {
  const { form, rejected } = await rejectedForm(call, submitted, error);
  return formAnswer(call, form, { sent: submitted.changed, rejected, newTask });
}

async function formAnswer(call: PageCall, form: FormView, options: FormEntryOptions = {}): Promise<PageAnswer> {
  const { sent = {}, rejected } = options;
  const path = form.id === undefined ? '' : `/form/${form.id}`;
  const [parent, beside] = await Promise.all([
    form.object === '' ? undefined : parentCrumb(call, form),
    path !== '' && documentsBeside(call, { object: form.object, objectId: form.objectId, path }),
  ]);
  const done = flashMessages.get(plainText(call.query['done']));
  const main = html`<div><h1><bdi>${form.name}</bdi>${form.status !== '' && html` ${badge(form.status)}`}</h1>
${parent !== undefined && html`<p class="soft">${parent}</p>`}</div>
${rejected && rejectionNote(call, form, sent, rejected)}
${completeNote(call, form)}${draftNote(call, form)}
${form.instructions !== '' && html`<p class="text soft">${form.instructions}</p>`}
${formEntry(call, form, options)}
${detailsLink(call, form)}`;
  return {
    title: form.name,
    place: 'work',
    crumbs: [{ text: 'My work', href: '/work' }, { text: form.name }],
    entries: beside === false ? ['task'] : ['task', 'viewer'],
    status: rejected?.error.status ?? 200,
    toasts: done === undefined ? [] : [toast({ text: done })],
    body: taskLayout({ main, beside }),
  };
}

/** The form of a task, and what is read while it is filled in, such as a document; false where there is nothing. */
interface TaskLayout {
  readonly main: Markup;
  readonly beside: Markup | false;
}

/** Renders the form, and beside it, on a phone below it, what belongs to it. */
function taskLayout({ main, beside }: TaskLayout): Markup {
  if (beside === false) return html`<div class="page narrow">${main}</div>`;
  return html`<div class="page wide task-page"><div class="task-main">${main}</div>
<div class="task-beside">${beside}</div></div>`;
}

/** Says that the form has answers that were entered before and not saved. */
export function draftNote(call: PageCall, { draftDate, draftPersonId }: FormView): Markup | false {
  if (draftDate === '') return false;
  const who = draftPersonId === call.user.personId ? 'you' : 'somebody else';
  return banner({
    tone: 'info',
    text: `Answers that ${who} entered ${recentTime(call, draftDate)} are here and not saved yet.`,
  });
}

/** Reports that a task is complete, unless the note above it just did and its answers can still be changed. */
export function completeNote(call: PageCall, form: FormView): Markup | false {
  const isReadOnly = isReadOnlyForm(call, form);
  if (!form.isComplete || (!isReadOnly && call.query['done'] === 'completed')) return false;
  return banner({ tone: 'ok', text: `This task is done.${isReadOnly ? ' You can’t change its answers.' : ''}` });
}

function detailsLink(call: PageCall, { id }: FormView): Markup | false {
  if (id === undefined || !call.may('importform/select')) return false;
  return html`<p class="small"><a class="link" href="/records/importform/${id}">View details</a></p>`;
}

async function parentCrumb(call: PageCall, { object, objectId }: FormView): Promise<Markup> {
  const labels = await loadLabels(call, [{ columns: [], rows: [{ Object: object, ObjectID: objectId }] }]);
  const label = labels.get(object)?.get(objectId);
  return (
    (label !== undefined && caseLink(call, { name: object, id: objectId }, label, 'link')) ||
    recordLink(call, object, objectId, label)
  );
}

const flashMessages: ReadonlyMap<string, string> = new Map(
  Object.entries({
    saved: 'Saved.',
    made: 'Task created.',
    completed: 'Task completed.',
    unchanged: 'There was nothing to save.',
  }),
);
