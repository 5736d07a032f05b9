import type { AnswerRowFor } from '../../../kernel/declare/catalog.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { dataTable } from '../components.ts';
import { dayMark } from '../display-values.ts';
import type { PageCall } from '../page-call.ts';
import { page } from '../page.ts';
import { recordLabel, selectRow } from '../record-address.ts';
import { caseFromPath, workflowFromRequest } from './case-address.ts';
import { casePath } from './case-link.ts';
import { stateOf } from './step-view.ts';
import { workflowName } from './workflow-section.ts';

/** A step of a workflow with its dates. */
type ProjectionRow = AnswerRowFor<'decision/project'>;

/** Shows when a workflow's current and upcoming steps are expected, in order of time. */
export const datesPage = page(async (call) => {
  const { record, id } = caseFromPath(call);
  const [caseRow, workflow] = await Promise.all([selectRow(call, record, id), workflowFromRequest(call, record, id)]);
  const workflowId = workflow.DecisionID;
  const { answer, alerts } = await call.call('decision/project', { ID: workflowId });
  const rows = answer.rows;
  const name = workflowName(workflow);
  const end = rows[0]?.WorkflowCompletion ?? undefined;
  const caseUrl = `${casePath(record, id)}?tab=workflow&Workflow=${workflowId}`;
  return {
    title: `Dates of ${name}`,
    wide: true,
    body: html`<p class="crumbs"><a href="${caseUrl}"><bdi>${recordLabel(record, caseRow)}</bdi></a></p>
<h1>Dates of <bdi>${name}</bdi></h1>
<p>${end !== undefined ? html`Expected to be done ${dayMark(call, end)}.` : 'No completion date is known.'}</p>
${alerts.length > 0 && warningList(alerts)}
${rows.length === 0 ? html`<p class="quiet">This workflow has no steps.</p>` : datesTable(call, rows)}`,
  };
});

function warningList(warnings: readonly { readonly text: string }[]): Markup {
  return html`<div class="note" role="status"><ul>${warnings.map(({ text }) => html`<li>${text}</li>`)}</ul></div>`;
}

function datesTable(call: PageCall, rows: readonly ProjectionRow[]): Markup {
  return dataTable({
    label: 'Dates of the steps',
    className: 'steps',
    heads: ['Step', 'Status', 'Expected start', 'Expected completion', 'Projected', 'Estimated', 'Condition'],
    rows: rows.map((row) => dateRow(call, row)),
  });
}

function dateRow(call: PageCall, row: ProjectionRow): Markup {
  const { ExpectedStart, ExpectedCompletion, ProjectedCompletion, EstimatedCompletion } = row;
  const date = (value: string | null): Markup => html`<td>${value !== null && dayMark(call, value)}</td>`;
  const status = stateOf({ row: row.IsProjected ? undefined : row, outlook: 'comes' }).word;
  return html`<tr>
<th scope="row"><bdi>${row.DecisionStep}</bdi></th>
<td>${status}</td>
${[ExpectedStart, ExpectedCompletion, ProjectedCompletion, EstimatedCompletion].map(date)}
<td><bdi>${conditionInWords(row.DependsOn ?? '')}</bdi></td>
</tr>\n`;
}

/** Returns a condition as people read it: `Documents are complete: no` for `Documents are complete = 0`. */
function conditionInWords(condition: string): string {
  return condition.replace(/ = ([01])(?= and | or |$)/g, (_, result) => (result === '1' ? ': yes' : ': no'));
}
