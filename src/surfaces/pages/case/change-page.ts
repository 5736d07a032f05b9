import type { Row } from '../../../kernel/door/answer.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import type { RecordType } from '../../../kernel/declare/record.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { recordLabel, selectRow } from '../record-address.ts';
import type { PageAnswer, PageCall } from '../page-call.ts';
import { errorNote } from '../error.ts';
import { csrfField } from '../layout.ts';
import { page } from '../page.ts';
import { localDateTime } from '../display-values.ts';
import { caseFromPath, workflowFromRequest } from './case-address.ts';
import { applyChange } from './apply-change.ts';
import { workflowChanges, type WorkflowChange, type StepTarget } from './workflow-changes.ts';
import { casePath } from './case-link.ts';
import { previewSection, readPreview } from './change-preview.ts';
import { workflowName, readWorkflow, type WorkflowView } from './workflow-section.ts';

/** Asks before something is done to a workflow, and says what will happen. */
export const changePage = page(async (call) => changeAnswer(call, changeFromPath(call)));

/** Does what the page has asked for, where the workflow is still as the page showed it; what refuses is told on the page. */
export const confirmChange = page(async (call) => {
  const change = changeFromPath(call);
  const { record, id } = caseFromPath(call);
  try {
    const row = await workflowFromRequest(call, record, id);
    if (String(row['Version']) !== call.form['Version'])
      throw new PlatformError('VERSION_CONFLICT', {
        message:
          'The workflow has moved on since you looked: somebody, or the workflow itself, has changed it. Nothing was done. This is what would happen now.',
      });
    if (change.isExplained && submittedText(call, 'BodyText').trim() === '')
      throw new PlatformError('MISSING_PARAMETER', { field: 'BodyText', message: 'Say why this is done.' });
    const workflow = await readWorkflow(call, row, casePath(record, id));
    if (!change.isPossible(workflow)) return await changeAnswer(call, change);
    const done = await applyChange(call, change, workflow, targetFromRequest(call, change, workflow));
    return {
      redirectTo: `${casePath(record, id)}?${new URLSearchParams(done).toString()}${done['Workflow'] === undefined ? '' : `#workflow-${done['Workflow']}`}`,
    };
  } catch (error) {
    if (!(error instanceof PlatformError) || error.status >= 500 || error.status === 404) throw error;
    return changeAnswer(call, change, error);
  }
});

/** The change that the address names, for who may make it. */
function changeFromPath(call: PageCall): WorkflowChange {
  const change = workflowChanges.find(({ name }) => name === call.path['change']);
  if (!change) throw new PlatformError('UNKNOWN_OPERATION', { message: 'There is no such page of a case.' });
  if (!call.may(change.route))
    throw new PlatformError('NO_PERMISSION', {
      message: `You may not do this: it takes the permission to call ${change.route}.`,
    });
  return change;
}

/** What a form or the address says. */
function submittedText(call: PageCall, name: string): string {
  return String(call.form[name] ?? call.query[name] ?? '').replace(/\r\n?/g, '\n');
}

/** The step that is named, where the change takes one. @throws BAD_PARAMETER where it is none that the change can take */
function targetFromRequest(call: PageCall, change: WorkflowChange, workflow: WorkflowView): StepTarget | undefined {
  if (!change.targets) return undefined;
  const target = change.targets(workflow).find((each) => String(each.id) === submittedText(call, 'Step'));
  if (!target)
    throw new PlatformError('BAD_PARAMETER', {
      field: 'Step',
      message: 'Step: expected one of the steps that are offered; this one is not among them, or not any more.',
    });
  return target;
}

async function changeAnswer(call: PageCall, change: WorkflowChange, refused?: PlatformError): Promise<PageAnswer> {
  const { record, id } = caseFromPath(call);
  const [caseRow, row] = await Promise.all([selectRow(call, record, id), workflowFromRequest(call, record, id)]);
  const workflow = await readWorkflow(call, row, casePath(record, id));
  let error = refused;
  let body: Markup | false | undefined;
  let target: StepTarget | undefined;
  let isAsked = true;
  try {
    if (!change.isPossible(workflow))
      throw new PlatformError('STATE_REFUSES', { message: `${stateText(row)} This is not possible now.` });
    const isChoosing = change.choice !== undefined && submittedText(call, 'Step') === '';
    target = isChoosing ? undefined : targetFromRequest(call, change, workflow);
    const preview = isChoosing ? undefined : await readPreview(call, change, workflow.id, target?.id);
    body = isChoosing
      ? choiceForm(call, change, workflow)
      : html`${preview && previewSection(preview, workflow.id)}${confirmForm(call, change, workflow, { target, wrong: error?.field })}`;
  } catch (caught) {
    if (!(caught instanceof PlatformError) || caught.status >= 500 || caught.status === 404) throw caught;
    isAsked = false;
    // Where it was refused once already the page says both: what came of it, and why there is nothing more to ask.
    body = refused && refused.message !== caught.message && errorNote(caught.masked());
    error = refused ?? caught;
  }
  const quoted = (name: string | undefined): Markup => html`“<bdi>${name}</bdi>”`;
  return {
    title: `${change.button}: ${workflowName(row)}`,
    wide: true,
    status: error?.status ?? 200,
    scripts: ['/work.js'],
    body: html`<p class="crumbs"><a href="${backPath(record, id, row)}"><bdi>${recordLabel(record, caseRow)}</bdi></a></p><h1>${change.question(quoted(workflowName(row)), target && quoted(workflow.steps[target.at]?.name))}</h1>
${error && errorNote(error.masked())}
<p class="lead">${change.lead}</p>
${body}
${!isAsked && html`<p class="actions"><a class="button quiet" href="${backPath(record, id, row)}">Back to the case</a></p>`}`,
  };
}

function backPath(record: RecordType, id: number, row: Row): string {
  return `${casePath(record, id)}?Workflow=${String(row['DecisionID'])}#workflow-${String(row['DecisionID'])}`;
}

/** How a workflow stands, where that keeps something from being done. */
function stateText(row: Row): string {
  if (typeof row['CanceledDate'] === 'string')
    return row['Status'] === 'Restart'
      ? 'The workflow was restarted; another goes on in its place.'
      : 'The workflow is canceled.';
  if (typeof row['ActualCompletion'] === 'string') return 'The workflow is complete.';
  return row['Delayed'] === true
    ? 'The workflow is on hold.'
    : 'The workflow is under way, and there is no step for this.';
}

/** Which step is meant; what would happen is shown next. */
function choiceForm(call: PageCall, change: WorkflowChange, workflow: WorkflowView): Markup {
  const { path, id, steps, row } = workflow;
  const option = ({ id: value, at }: StepTarget): Markup => {
    const completion = steps[at]?.row?.['ActualCompletion'];
    return html`<option value="${value}">${steps[at]?.name}${typeof completion === 'string' && `, complete ${localDateTime(call, completion)}`}</option>`;
  };
  return html`<form class="stacked" method="get" action="${path}/${change.name}"><input type="hidden" name="Workflow" value="${id}">
<p><label for="step">${change.choice}</label><select id="step" name="Step" required><option value=""></option>${change.targets?.(workflow).map(option)}</select></p>
<p class="actions"><button>Show what will happen</button> <a class="button quiet" href="${path}?Workflow=${String(row['DecisionID'])}#workflow-${id}">Leave it as it is</a></p></form>`;
}

function confirmForm(
  call: PageCall,
  change: WorkflowChange,
  { path, id, row }: WorkflowView,
  { target, wrong }: { readonly target: StepTarget | undefined; readonly wrong: string | undefined },
): Markup {
  const isSent = Object.keys(call.form).length > 0;
  const box = (name: string, text: string, isOn: boolean): Markup =>
    html`<p><label class="choice"><input type="checkbox" name="${name}" value="true"${(isSent ? call.form[name] === 'true' : isOn) && html` checked`}> ${text}</label></p>`;
  return html`<form class="stacked" method="post" action="${path}/${change.name}">${csrfField(call)}<input type="hidden" name="Workflow" value="${id}"><input type="hidden" name="Version" value="${String(row['Version'])}">${target && html`<input type="hidden" name="Step" value="${target.id}">`}
${change.isExplained && html`<p><label for="why">Why</label><textarea id="why" name="BodyText" rows="3" required aria-describedby="why-doc"${wrong === 'BodyText' && html` aria-invalid="true" autofocus`}>\n${submittedText(call, 'BodyText')}</textarea><span class="quiet" id="why-doc">It stands as your message on the case.</span></p>`}
${change.name === 'cancel' && html`<p><label for="status">What the workflow becomes</label><input id="status" name="Status" maxlength="100" value="${submittedText(call, 'Status') || 'Canceled'}"></p>${box('KeepImportForm', 'Keep the open tasks: they stay open on the case', false)}`}
${change.name === 'reactivate' && call.may('decision/process') && box('Process', 'Go on at once', true)}
<p class="actions"><button${(change.name === 'cancel' || change.name === 'restart') && html` class="danger"`}>${change.button}</button> <a class="button quiet" href="${path}?Workflow=${id}#workflow-${id}">Leave it as it is</a></p></form>`;
}
