import type { ListAnswer, Row } from '../../../kernel/door/answer.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { recordLabel, selectRow } from '../record-address.ts';
import { page } from '../page.ts';
import { caseFromPath, workflowFromRequest } from './case-address.ts';
import { casePath } from './case-link.ts';
import { day, workflowName } from './workflow-section.ts';

/** When the steps of a workflow are to be expected, those that there are and those that are to come, in the order of time. */
export const datesPage = page(async (call) => {
  const { record, id } = caseFromPath(call);
  const [caseRow, workflow] = await Promise.all([selectRow(call, record, id), workflowFromRequest(call, record, id)]);
  const { answer, alerts } = await call.call('decision/project', { DecisionID: String(workflow['DecisionID']) });
  const rows = (answer as ListAnswer).rows;
  const name = workflowName(workflow);
  const end = rows[0]?.['WorkflowCompletion'];
  const at = (row: Row, field: string): Markup | false => typeof row[field] === 'string' && day(call, row[field]);
  const line = (row: Row): Markup =>
    html`<tr><th scope="row"><bdi>${String(row['DecisionStep'] ?? '')}</bdi></th><td>${row['IsProjected'] === true ? 'To come' : String(row['Status'] ?? '')}</td><td>${at(row, 'ExpectedStart')}</td><td>${at(row, 'ExpectedCompletion')}</td><td>${at(row, 'ProjectedCompletion')}</td><td>${at(row, 'EstimatedCompletion')}</td><td><bdi>${String(row['DependsOn'] ?? '')}</bdi></td></tr>\n`;
  return {
    title: `Dates of ${name}`,
    wide: true,
    body: html`<p class="crumbs"><a href="${casePath(record, id)}?Workflow=${String(workflow['DecisionID'])}"><bdi>${recordLabel(record, caseRow)}</bdi></a></p><h1>Dates of <bdi>${name}</bdi></h1>
<p>${typeof end === 'string' ? html`The last step is to be complete ${day(call, end)}.` : 'When it is complete cannot be told.'}</p>
${alerts.length > 0 && html`<div class="note" role="status"><ul>${alerts.map((alert) => html`<li>${alert.text}</li>`)}</ul></div>`}
${rows.length === 0 ? html`<p class="quiet">It has no steps.</p>` : html`<div class="scroll" role="region" tabindex="0" aria-label="Dates of the steps"><table class="steps"><thead><tr><th scope="col">Step</th><th scope="col">State</th><th scope="col">Start, expected</th><th scope="col">Complete, expected</th><th scope="col">as somebody projects</th><th scope="col">as estimated</th><th scope="col">Comes if</th></tr></thead><tbody>${rows.map(line)}</tbody></table></div>`}`,
  };
});
