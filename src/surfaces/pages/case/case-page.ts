import type { AnyRow } from '../../../kernel/declare/catalog.ts';
import type { Row } from '../../../kernel/door/answer.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import type { Column, RecordType } from '../../../kernel/declare/record.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { fact } from '../components.ts';
import { fieldLabel } from '../../../kernel/declare/labels.ts';
import { inSentence } from '../display-names.ts';
import { displayValue } from '../display-values.ts';
import { loadLabels, type Labels } from '../labels.ts';
import { assignmentFlash } from '../loans/assignment-list.ts';
import { loanAccess } from '../loans/loan-access.ts';
import { errorNote } from '../notes.ts';
import type { PageAnswer, PageCall } from '../page-call.ts';
import { page } from '../page.ts';
import { plainText } from '../plain-text.ts';
import { derivedType, recordLabel, selectRow } from '../record-address.ts';
import { listColumns } from '../table.ts';
import { actionFlash, performAction } from './actions.ts';
import { changeFlash } from './apply-change.ts';
import { caseFromPath } from './case-address.ts';
import { contextReferences, holdSection, readCaseContext, relatedLinks, taskSection } from './case-context.ts';
import { casePath } from './case-link.ts';
import { isOpen, stateOf, type WorkflowRow } from './step-view.ts';
import { readWorkflow, stepReferences, workflowName, workflowSection, type WorkflowView } from './workflow-section.ts';

/** Workflows of one case that the page knows of, the newest. */
const WORKFLOWS_MAX = 50;
/** Workflows whose steps the page shows; the others are a click away. */
const SHOWN_MAX = 5;

/** Shows a case: its facts, its workflows step by step, its tasks and holds, and what else belongs to it. */
export const casePage = page((call) => caseAnswer(call));

/** Completes or starts a step, or places or ends a hold. A refusal is shown on the page. */
export const changeCase = page(async (call) => {
  const { record, id } = caseFromPath(call);
  try {
    const done = await performAction(call);
    const sentAnchor = plainText(call.form['At']);
    const anchor = /^(?:step-\d+-\d+|holds)$/.test(sentAnchor) ? sentAnchor : '';
    const workflow = /^step-(\d+)-/.exec(anchor)?.[1];
    const target = workflow === undefined ? anchor : `workflow-${workflow}`;
    return { redirectTo: `${casePath(record, id)}?${new URLSearchParams(done).toString()}#${target}` };
  } catch (error) {
    if (!(error instanceof PlatformError) || error.status >= 500 || error.status === 404) throw error;
    return caseAnswer(call, error);
  }
});

async function caseAnswer(call: PageCall, refused?: PlatformError): Promise<PageAnswer> {
  const { record, id } = caseFromPath(call);
  const row = await selectRow(call, record, id);
  const derived = derivedType(call, record, row);
  if (!refused && derived) return { redirectTo: casePath(derived, id) };
  const [workflows, context] = await Promise.all([workflowsOf(call, record, id), readCaseContext(call, record, id)]);
  const chosen = chooseShown(call, workflows);
  const shown = await Promise.all(chosen.map((each) => readWorkflow(call, each, casePath(record, id))));
  const facts = listColumns(record, [row]).filter(({ name }) => name !== record.name && name !== 'Status');
  const labels = await loadLabels(call, [
    { columns: facts, rows: [row] },
    ...shown.flatMap(stepReferences),
    ...contextReferences(context),
  ]);
  const others = workflows.filter((each) => !chosen.includes(each));
  const open = workflows.filter(isOpen);
  return {
    title: recordLabel(record, row),
    wide: true,
    status: refused?.status ?? 200,
    scripts: ['/work.js'],
    body: html`${caseHeading(record, row, { open, shown })}
${refused ? errorNote(refused.masked()) : (await actionFlash(call, open)) || changeFlash(call, workflows)}
${assignmentFlash(call.query['done'])}
${loanAccess(call, record, row)}
${factsOf(call, facts, row, labels)}
${relatedLinks(call, context)}
${shown.map((workflow) => workflowSection(call, workflow, labels))}
${workflows.length === 0 && noWorkflows(record)}
${others.length > 0 && otherWorkflows(record, id, others)}
${taskSection(call, context, { labels, heldTasks: heldTasks(shown) })}
${holdSection(call, context, open)}`,
  };
}

/** Returns the tasks of open steps that are on hold. */
function heldTasks(workflows: readonly WorkflowView[]): ReadonlySet<number> {
  const steps = workflows.flatMap((workflow) => workflow.steps.flatMap(({ row }) => (row && isOpen(row) ? [row] : [])));
  const held = steps.filter((row) => row.Delayed === true && row.EnforceDelay !== false);
  return new Set(held.flatMap(({ Object: name, ObjectID: id }) => (name === 'ImportForm' && id !== null ? [id] : [])));
}

/** The workflows of a case: those that are open, and those that the page shows. */
interface CaseWorkflows {
  readonly open: readonly WorkflowRow[];
  readonly shown: readonly WorkflowView[];
}

function caseHeading(record: RecordType, row: AnyRow, { open, shown }: CaseWorkflows): Markup {
  const status = row.Status ?? '';
  const held = open.filter(({ Delayed: delayed }) => delayed === true).length;
  const what = held < open.length ? `${held} of ${open.length} workflows on hold` : 'On hold';
  const heldChip = held > 0 && html`<a class="status warning" href="#holds">${what}</a>`;
  const chip = html`${status !== '' && html`<span class="status">${status}</span>`} ${heldChip} ${failedChip(shown)}`;
  return html`<p class="crumbs"><a href="/records/${record.module}">${record.titlePlural}</a></p>
<h1><bdi>${recordLabel(record, row)}</bdi> ${chip}</h1>`;
}

/** Links to the first failed step of an open workflow; nothing if no step has failed. */
function failedChip(workflows: readonly WorkflowView[]): Markup | false {
  const failed = workflows
    .filter(({ row }) => isOpen(row))
    .flatMap(({ id, steps }) => steps.flatMap((step) => (stateOf(step).kind === 'failed' ? [id] : [])));
  const [first] = failed;
  if (first === undefined) return false;
  const text = failed.length === 1 ? '1 step failed' : `${failed.length} steps failed`;
  return html`<a class="status warning" href="#workflow-${first}">${text}</a>`;
}

/** Reads the case's workflows, newest first. */
async function workflowsOf(call: PageCall, record: RecordType, id: number): Promise<readonly WorkflowRow[]> {
  if (!call.may('decision/search')) return [];
  const { answer } = await call.callBelow(`${record.module}/${id}`, 'decision/search', {
    OrderBy: '-DecisionID',
    DisplaySize: WORKFLOWS_MAX,
    RecordCount: 'false',
  });
  return answer.rows;
}

/** Returns the workflow that the address names; else the open ones, or the newest if none is open. */
function chooseShown(call: PageCall, workflows: readonly WorkflowRow[]): readonly WorkflowRow[] {
  const named = workflows.filter((row) => String(row.DecisionID) === call.query['Workflow']);
  if (named.length > 0) return named;
  const open = workflows.filter(isOpen);
  return (open.length > 0 ? open : workflows.slice(0, 1)).slice(0, SHOWN_MAX);
}

function factsOf(
  call: PageCall,
  facts: readonly Pick<Column, 'name' | 'field'>[],
  row: Row,
  labels: Labels,
): Markup | false {
  const line = ({ name, field }: Pick<Column, 'name' | 'field'>): Markup =>
    fact(fieldLabel(name, field), displayValue(call, field, row[name], labels), field.doc);
  return facts.length > 0 && html`<dl class="fields">${facts.map(line)}</dl>`;
}

function noWorkflows(record: RecordType): Markup {
  return html`<section aria-labelledby="workflows">
<h2 id="workflows">Workflows</h2>
<p class="quiet">No workflow has run on this ${inSentence(record.title)} yet.</p>
</section>`;
}

function otherWorkflows(record: RecordType, id: number, others: readonly WorkflowRow[]): Markup {
  const item = (row: WorkflowRow): Markup => {
    const path = `${casePath(record, id)}?Workflow=${row.DecisionID}`;
    const chip = row.Status !== null && html`<span class="status">${row.Status}</span>`;
    return html`<li><a href="${path}"><bdi>${workflowName(row)}</bdi></a> ${chip}</li>`;
  };
  return html`<section aria-labelledby="others">
<h2 id="others">Other workflows <span class="count">${others.length}</span></h2>
<ul class="found">${others.map(item)}</ul>
</section>`;
}
