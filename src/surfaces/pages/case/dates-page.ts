import type { AnswerRowFor } from '../../../kernel/declare/catalog.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { shortDay } from '../days.ts';
import { banner } from '../design/banner.ts';
import { card } from '../design/card.ts';
import { emptyState } from '../design/empty.ts';
import { table } from '../design/table.ts';
import type { PageCall } from '../page-call.ts';
import { page } from '../page.ts';
import { recordLabel, selectRow } from '../record-address.ts';
import { caseFromPath, workflowFromRequest } from './case-address.ts';
import { caseCrumbs, placeOfCase } from './case-crumbs.ts';
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
    place: placeOfCase(record),
    crumbs: [...caseCrumbs(record, { href: caseUrl, name: recordLabel(record, caseRow) }), { text: 'Dates' }],
    body: html`<div class="page wide">
<div><h1>Dates of <bdi>${name}</bdi></h1>
<p class="soft">${
      end !== undefined ? html`Expected to be done ${shortDay(call, end)}.` : 'No completion date is known.'
    }</p></div>
${alerts.length > 0 && warnings(alerts)}
${
  rows.length === 0
    ? emptyState({ icon: 'workflow', title: 'This workflow has no steps.' })
    : card({ id: 'dates', title: 'Steps', note: 'In order of time', body: datesTable(call, rows) })
}</div>`,
  };
});

function warnings(of: readonly { readonly text: string }[]): Markup {
  const more = of.length > 1 && html`<ul>${of.slice(1).map(({ text }) => html`<li>${text}</li>`)}</ul>`;
  return banner({ tone: 'warn', role: 'status', text: of[0]?.text, more });
}

function datesTable(call: PageCall, rows: readonly ProjectionRow[]): Markup {
  return table({
    label: 'Dates of the steps',
    className: 'wrap',
    heads: ['Step', 'Status', 'Expected start', 'Expected completion', 'Projected', 'Estimated', 'Condition'],
    rows: rows.map((row) => dateRow(call, row)),
  });
}

function dateRow(call: PageCall, row: ProjectionRow): Markup {
  const { ExpectedStart, ExpectedCompletion, ProjectedCompletion, EstimatedCompletion } = row;
  const date = (value: string | null): Markup =>
    html`<td class="nowrap">${value !== null && shortDay(call, value)}</td>`;
  const { word, kind } = stateOf({ row: row.IsProjected ? undefined : row, outlook: 'comes' });
  return html`<tr>
<th scope="row"><bdi>${row.DecisionStep}</bdi></th>
<td><span class="state ${kind}">${word}</span></td>
${[ExpectedStart, ExpectedCompletion, ProjectedCompletion, EstimatedCompletion].map(date)}
<td class="soft"><bdi>${conditionInWords(row.DependsOn ?? '')}</bdi></td>
</tr>\n`;
}

/** Returns a condition as people read it: `Documents are complete: no` for `Documents are complete = 0`. */
function conditionInWords(condition: string): string {
  return condition.replace(/ = ([01])(?= and | or |$)/g, (_, result) => (result === '1' ? ': yes' : ': no'));
}
