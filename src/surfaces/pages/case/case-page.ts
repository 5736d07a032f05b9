import type { ListAnswer, Row } from '../../../kernel/door/answer.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import type { Column, RecordType } from '../../../kernel/declare/record.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { recordLabel, selectRow } from '../record-address.ts';
import type { PageAnswer, PageCall } from '../page-call.ts';
import { errorNote } from '../error.ts';
import { loadLabels, type Labels } from '../labels.ts';
import { page } from '../page.ts';
import { listColumns } from '../table.ts';
import { fieldLabel, displayValue, humanize } from '../display-values.ts';
import { performAction, actionFlash } from './actions.ts';
import { caseFromPath } from './case-address.ts';
import { relatedLinks, holdSection, contextReferences, readCaseContext, taskSection } from './case-context.ts';
import { changeFlash } from './apply-change.ts';
import { casePath } from './case-link.ts';
import { isOpen } from './step-view.ts';
import { stepReferences, workflowName, readWorkflow, workflowSection } from './workflow-section.ts';

/** Workflows of one case that the page knows of, the newest. */
const WORKFLOWS_MAX = 50;
/** Of how many of them it shows the steps; the others are a click away. */
const SHOWN_MAX = 5;

/** The page of a case: its facts, its workflows step by step, tasks, holds, and what else belongs to it. */
export const casePage = page((call) => caseAnswer(call));

/** Completes or starts a step, or puts the case on hold and ends that; what refuses is told on the page. */
export const changeCase = page(async (call) => {
  const { record, id } = caseFromPath(call);
  try {
    const done = await performAction(call);
    const at = /^(?:step-\d+-\d+|holds)$/.test(String(call.form['At'] ?? '')) ? String(call.form['At']) : '';
    const workflow = /^step-(\d+)-/.exec(at)?.[1];
    return {
      redirectTo: `${casePath(record, id)}?${new URLSearchParams(done).toString()}#${workflow === undefined ? at : `workflow-${workflow}`}`,
    };
  } catch (error) {
    if (!(error instanceof PlatformError) || error.status >= 500 || error.status === 404) throw error;
    return caseAnswer(call, error);
  }
});

async function caseAnswer(call: PageCall, refused?: PlatformError): Promise<PageAnswer> {
  const { record, id } = caseFromPath(call);
  const row = await selectRow(call, record, id);
  const concrete = typeof row['RecordClass'] === 'string' ? call.platform.registry.record(row['RecordClass']) : record;
  if (!refused && concrete && concrete !== record && call.may(`${concrete.module}/select`))
    return { redirectTo: casePath(concrete, id) };
  const [workflows, around] = await Promise.all([workflowsOf(call, record, id), readCaseContext(call, record, id)]);
  const chosen = chooseShown(call, workflows);
  const shown = await Promise.all(chosen.map((each) => readWorkflow(call, each, casePath(record, id))));
  const facts = listColumns(record, [row]).filter(({ name }) => name !== record.name && name !== 'Status');
  const labels = await loadLabels(call, [
    { columns: facts, rows: [row] },
    ...shown.map(stepReferences),
    ...contextReferences(around),
  ]);
  const open = workflows.filter(isOpen);
  const others = workflows.filter((each) => !chosen.includes(each));
  return {
    title: recordLabel(record, row),
    wide: true,
    status: refused?.status ?? 200,
    scripts: ['/work.js'],
    body: html`<p class="crumbs"><a href="/records/${record.module}">${humanize(record.name)}</a></p>
<h1><bdi>${recordLabel(record, row)}</bdi> ${typeof row['Status'] === 'string' && row['Status'] !== '' && html`<span class="status">${row['Status']}</span>`}</h1>
${refused ? errorNote(refused.masked()) : (await actionFlash(call)) || changeFlash(call, workflows)}
${factList(call, facts, row, labels)}
${relatedLinks(call, record, id, around)}
${shown.map((workflow) => workflowSection(call, workflow, labels))}
${workflows.length === 0 && html`<section aria-labelledby="workflows"><h2 id="workflows">Workflows</h2><p class="quiet">No workflow runs on this ${humanize(record.name).toLowerCase()} yet.</p></section>`}
${others.length > 0 && otherWorkflows(record, id, others)}
${taskSection(call, record, id, around, labels)}
${holdSection(call, around, open)}`,
  };
}

/** The case's workflows, the newest first. */
async function workflowsOf(call: PageCall, record: RecordType, id: number): Promise<readonly Row[]> {
  if (!call.may('decision/search')) return [];
  const { answer } = await call.call(`${record.module}/${id}/decision/search`, {
    OrderBy: '-DecisionID',
    DisplaySize: String(WORKFLOWS_MAX),
    RecordCount: 'false',
  });
  return (answer as ListAnswer).rows;
}

/** The one that is asked for; otherwise those that run; where none does, the last. */
function chooseShown(call: PageCall, workflows: readonly Row[]): readonly Row[] {
  const wanted = workflows.filter((row) => String(row['DecisionID']) === call.query['Workflow']);
  if (wanted.length > 0) return wanted;
  const open = workflows.filter(isOpen);
  return (open.length > 0 ? open : workflows.slice(0, 1)).slice(0, SHOWN_MAX);
}

function factList(
  call: PageCall,
  facts: readonly Pick<Column, 'name' | 'field'>[],
  row: Row,
  labels: Labels,
): Markup | false {
  return (
    facts.length > 0 &&
    html`<dl class="fields">${facts.map(({ name, field }) => html`<div><dt title="${field.doc}">${fieldLabel(name, field)}</dt><dd>${displayValue(call, field, row[name], labels)}</dd></div>\n`)}</dl>`
  );
}

function otherWorkflows(record: RecordType, id: number, others: readonly Row[]): Markup {
  return html`<section aria-labelledby="others"><h2 id="others">Other workflows <span class="count">${others.length}</span></h2><ul class="found">${others.map((row) => html`<li><a href="${casePath(record, id)}?Workflow=${String(row['DecisionID'])}"><bdi>${workflowName(row)}</bdi></a> ${typeof row['Status'] === 'string' && html`<span class="status">${row['Status']}</span>`}</li>`)}</ul></section>`;
}
