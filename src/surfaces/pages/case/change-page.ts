import { PlatformError } from '../../../kernel/door/errors.ts';
import type { RecordType } from '../../../kernel/declare/record.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { hiddenField } from '../components.ts';
import { button, buttonLink } from '../design/button.ts';
import { checkbox, selectField, textAreaField, textField } from '../design/field.ts';
import { localDateTime } from '../display-values.ts';
import { csrfField } from '../layout.ts';
import { alertNote, errorNote } from '../notes.ts';
import type { PageAnswer, PageCall } from '../page-call.ts';
import { page } from '../page.ts';
import { normalizeLineEnds, plainText } from '../plain-text.ts';
import { recordLabel, selectRow } from '../record-address.ts';
import { applyChange } from './apply-change.ts';
import { caseFromPath, workflowFromRequest } from './case-address.ts';
import { caseCrumbs, placeOfCase } from './case-crumbs.ts';
import { casePath } from './case-link.ts';
import { previewSection, readPreview } from './change-preview.ts';
import type { WorkflowRow } from './step-view.ts';
import { workflowChanges, type StepTarget, type WorkflowChange } from './workflow-changes.ts';
import { readWorkflow, workflowName, type WorkflowView } from './workflow-section.ts';

/** Asks before a workflow is changed, and shows what will happen. */
export const changePage = page(async (call) => changeAnswer(call, changeFromPath(call)));

/** Makes the change, if the workflow is still as the page showed it. A refusal is shown on the page. */
export const confirmChange = page(async (call) => {
  const change = changeFromPath(call);
  const { record, id } = caseFromPath(call);
  try {
    const row = await workflowFromRequest(call, record, id);
    if (String(row.Version) !== call.form['Version'])
      throw new PlatformError('VERSION_CONFLICT', {
        message: 'The workflow changed since you opened this page. Nothing was done. This is what would happen now.',
      });
    if (change.isExplained && submittedText(call, 'BodyText').trim() === '')
      throw new PlatformError('MISSING_PARAMETER', { field: 'BodyText', message: 'Enter a reason.' });
    const workflow = await readWorkflow(call, row, casePath(record, id));
    if (!change.isPossible(workflow)) return await changeAnswer(call, change);
    const done = await applyChange(call, change, workflow, targetFromRequest(call, change, workflow));
    const anchor = done['Workflow'] === undefined ? '' : `#workflow-${done['Workflow']}`;
    return {
      redirectTo: `${casePath(record, id)}?${new URLSearchParams({ tab: 'workflow', ...done }).toString()}${anchor}`,
    };
  } catch (error) {
    if (!isShown(error)) throw error;
    return changeAnswer(call, change, error);
  }
});

/** Whether an error is shown on the page of the change. */
function isShown(error: unknown): error is PlatformError {
  return error instanceof PlatformError && error.status < 500 && error.status !== 404;
}

/** Returns the change that the address names. @throws NO_PERMISSION where the user may not make it */
function changeFromPath(call: PageCall): WorkflowChange {
  const change = workflowChanges.find(({ name }) => name === call.path['change']);
  if (!change) throw new PlatformError('UNKNOWN_OPERATION', { message: 'There is no such page of a case.' });
  if (!call.may(change.route))
    throw new PlatformError('NO_PERMISSION', {
      message: `You don't have permission to do this. It needs permission to call ${change.route}.`,
    });
  return change;
}

/** Returns a parameter of the form, else of the address. */
function submittedText(call: PageCall, name: string): string {
  return normalizeLineEnds(plainText(call.form[name] ?? call.query[name]));
}

/** Returns the named step, where the change needs one. @throws BAD_PARAMETER for a step that it cannot apply to */
function targetFromRequest(call: PageCall, change: WorkflowChange, workflow: WorkflowView): StepTarget | undefined {
  if (!change.targets) return undefined;
  const target = change.targets(workflow).find((each) => String(each.id) === submittedText(call, 'Step'));
  if (!target)
    throw new PlatformError('BAD_PARAMETER', {
      field: 'Step',
      message: "Step: expected one of the offered steps. This one isn't offered, or no longer is.",
    });
  return target;
}

/** The question of a change's page: which step to use, or whether to proceed. */
interface ChangeQuestion {
  readonly target: StepTarget | undefined;
  readonly body: Markup;
}

async function readQuestion(
  call: PageCall,
  change: WorkflowChange,
  workflow: WorkflowView,
  wrong: string | undefined,
): Promise<ChangeQuestion> {
  if (!change.isPossible(workflow))
    throw new PlatformError('STATE_REFUSES', { message: `${stateText(workflow.row)} You can't do this now.` });
  if (change.choice !== undefined && submittedText(call, 'Step') === '')
    return { target: undefined, body: choiceForm(call, change, workflow) };
  const target = targetFromRequest(call, change, workflow);
  const preview = await readPreview(call, change, workflow.id, target?.id);
  const form = confirmForm(call, change, workflow, { target, wrong });
  return { target, body: html`${preview && previewSection(preview, workflow.id)}${form}` };
}

async function changeAnswer(call: PageCall, change: WorkflowChange, refused?: PlatformError): Promise<PageAnswer> {
  const { record, id } = caseFromPath(call);
  const [caseRow, row] = await Promise.all([selectRow(call, record, id), workflowFromRequest(call, record, id)]);
  const workflow = await readWorkflow(call, row, casePath(record, id));
  const question = await readQuestion(call, change, workflow, refused?.field).catch((caught: unknown) => {
    if (!isShown(caught)) throw caught;
    return caught;
  });
  const impossible = question instanceof PlatformError ? question : undefined;
  const { target, body } = question instanceof PlatformError ? { target: undefined, body: undefined } : question;
  const error = refused ?? impossible;
  // After a refusal the page says both: why the change was refused, and why it is no longer possible.
  const second = refused && impossible && refused.message !== impossible.message && errorNote(impossible.masked());
  const caseUrl = backPath(record, id, row);
  const quoted = (name: string | undefined): Markup => html`“<bdi>${name}</bdi>”`;
  const heading = change.question(quoted(workflowName(row)), target && quoted(workflow.steps[target.at]?.name));
  return {
    title: `${change.button}: ${workflowName(row)}`,
    place: placeOfCase(record),
    crumbs: [...caseCrumbs(record, { href: caseUrl, name: recordLabel(record, caseRow) }), { text: change.button }],
    status: error?.status ?? 200,
    body: html`<div class="page">
<div><h1>${heading}</h1><p class="soft">${change.lead}</p></div>
${error && refusal(error)}
${body}
${second}
${impossible && html`<p>${buttonLink({ text: 'Back to the case', href: caseUrl })}</p>`}</div>`,
  };
}

/** Says why nothing was done; a field that is wrong says the rest itself. */
function refusal(error: PlatformError): Markup {
  return error.field === 'BodyText' ? alertNote(error.masked().message) : errorNote(error.masked());
}

function backPath(record: RecordType, id: number, { DecisionID: workflowId }: WorkflowRow): string {
  return `${casePath(record, id)}?tab=workflow&Workflow=${workflowId}#workflow-${workflowId}`;
}

/** Returns the state of a workflow that prevents a change. */
function stateText(row: WorkflowRow): string {
  if (row.CanceledDate !== null)
    return row.Status === 'Restart'
      ? 'The workflow was restarted, and another one replaces it.'
      : 'The workflow is canceled.';
  if (row.ActualCompletion !== null) return 'The workflow is done.';
  return row.Delayed === true
    ? 'The workflow is on hold.'
    : 'The workflow is in progress, and this applies to none of its steps.';
}

/** Renders the choice of a step; the next page shows what would happen. */
function choiceForm(call: PageCall, change: WorkflowChange, workflow: WorkflowView): Markup {
  const { path, id, steps } = workflow;
  const choiceOf = ({ id: value, at }: StepTarget) => {
    const completion = steps[at]?.row?.ActualCompletion ?? undefined;
    const done = completion === undefined ? '' : `, done ${localDateTime(call, completion)}`;
    return { value: String(value), text: `${steps[at]?.name ?? ''}${done}` };
  };
  return html`<form class="form" method="get" action="${path}/${change.name}">
${hiddenField('Workflow', id)}
${selectField({
  label: change.choice ?? 'Step',
  name: 'Step',
  id: 'step',
  isRequired: true,
  empty: 'Choose a step',
  choices: change.targets?.(workflow).map(choiceOf) ?? [],
})}
<div class="row">${button({ text: 'Preview', kind: 'primary' })}${backLink(workflow)}</div>
</form>`;
}

function backLink({ path, id }: WorkflowView): Markup {
  return buttonLink({ text: 'Go back', kind: 'quiet', href: `${path}?tab=workflow&Workflow=${id}#workflow-${id}` });
}

function confirmForm(
  call: PageCall,
  change: WorkflowChange,
  workflow: WorkflowView,
  { target, wrong }: { readonly target: StepTarget | undefined; readonly wrong: string | undefined },
): Markup {
  const { path, id, row } = workflow;
  const isDangerous = change.name === 'cancel' || change.name === 'restart';
  return html`<form class="form entry" method="post" action="${path}/${change.name}">
${csrfField(call)}${hiddenField('Workflow', id)}${hiddenField('Version', row.Version)}
${target && hiddenField('Step', target.id)}
${change.isExplained && reasonField(call, wrong === 'BodyText')}
${change.name === 'cancel' && cancelFields(call)}
${change.name === 'reactivate' && call.may('decision/process') && tick(call, 'Process', 'Continue now', true)}
<div class="row">${button({ text: change.button, kind: isDangerous ? 'danger' : 'primary' })}${backLink(workflow)}</div>
</form>`;
}

function reasonField(call: PageCall, isWrong: boolean): Markup {
  return textAreaField({
    label: 'Reason',
    name: 'BodyText',
    id: 'why',
    value: submittedText(call, 'BodyText'),
    isRequired: true,
    hint: 'Saved as a note on the case',
    error: isWrong ? 'Enter a reason.' : undefined,
    attributes: isWrong && html`autofocus`,
  });
}

function cancelFields(call: PageCall): Markup {
  return html`${textField({
    label: 'Status',
    name: 'Status',
    id: 'status',
    value: submittedText(call, 'Status') || 'Canceled',
    attributes: html`maxlength="100"`,
  })}
${tick(call, 'KeepImportForm', 'Keep open tasks on the case', false)}`;
}

function tick(call: PageCall, name: string, label: string, isDefault: boolean): Markup {
  const isSent = Object.keys(call.form).length > 0;
  return checkbox({ name, label, isChecked: isSent ? call.form[name] === 'true' : isDefault });
}
