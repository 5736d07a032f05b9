import type { ListAnswer, Row } from '../../../kernel/door/answer.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { recordIdFromPath, selectRow } from '../record-address.ts';
import type { PageCall } from '../page-call.ts';
import { csrfField } from '../layout.ts';
import { page } from '../page.ts';
import { rowsOf } from '../table.ts';
import { recordLink, localDateTime } from '../display-values.ts';
import { groupedCount, countWithNoun, fileName, importPath } from './import-display.ts';

/** Failed rows of a batch that the page shows; the others are a link away. */
const ROWS_SHOWN = 25;

/** The rows of a batch that failed: each can be run again, or all of them. Files that are no batch have none. */
export async function batchSection(call: PageCall, file: Row): Promise<Markup> {
  const id = Number(file['ImportFileID']);
  const list = await failedRows(call, id, ROWS_SHOWN);
  // The part is there even where it is empty, so that what fails later can come into it.
  if (!list || list.rows.length === 0) return html`<div id="batch" data-live></div>`;
  const { rows, count: total, isEstimate } = rowsOf(list);
  const mayRun = call.may('importfilequeue/requeue') && file['Status'] !== 'Stopped' && file['Status'] !== 'Canceled';
  const failed = new URLSearchParams({ ImportFileID: String(id), FailureDate: 'not null' }).toString();
  return html`<div id="batch" data-live><section aria-labelledby="batch-head"><h2 id="batch-head">Calls of the batch that failed <span class="count">${isEstimate && 'about '}${groupedCount(total)}</span></h2>
<div class="scroll" role="region" tabindex="0" aria-label="Calls that failed"><table class="outcomes"><thead><tr><th scope="col">Call</th><th scope="col">Operation</th><th scope="col">Reason</th><th scope="col" class="number">Run</th><th scope="col">Failed</th>${mayRun && html`<th scope="col"><span class="hidden">Run again</span></th>`}</tr></thead>
<tbody>${rows.map((row) => queueRow(call, id, row, mayRun))}</tbody></table></div>
<p class="actions">${mayRun && html`<a class="button" id="all-again" href="${importPath(id)}/again">Run all that failed again …</a> `}<a class="button quiet" id="all-failed" href="/records/importfilequeue?${failed}">All that failed</a></p></section></div>`;
}

function queueRow(call: PageCall, fileId: number, row: Row, mayRun: boolean): Markup {
  const id = Number(row['ImportFileQueueID']);
  const label = String(row['ImportFileQueue'] ?? '') || `Call ${id}`;
  const again = html`<td><form method="post" action="${importPath(fileId)}">${csrfField(call)}<input type="hidden" name="Row" value="${id}"><button class="quiet" id="again-${id}" name="Action" value="requeue">Run again<span class="hidden"> ${label}</span></button></form></td>`;
  return html`<tr><th scope="row">${recordLink(call, 'ImportFileQueue', id, label)}</th><td><code>${String(row['ClassName'] ?? '')}/${String(row['Operation'] ?? '')}</code></td><td class="reason">${String(row['Message'] ?? '')}</td><td class="number">${countWithNoun(Number(row['ExecuteCount'] ?? 0), 'time')}</td><td>${typeof row['FailureDate'] === 'string' && localDateTime(call, row['FailureDate'])}</td>${mayRun && again}</tr>\n`;
}

async function failedRows(call: PageCall, id: number, size: number): Promise<ListAnswer | undefined> {
  if (!call.may('importfilequeue/search')) return undefined;
  const { answer } = await call.call('importfilequeue/search', {
    ImportFileID: String(id),
    FailureDate: 'not null',
    OrderBy: 'ImportFileQueueID',
    DisplaySize: String(size),
  });
  return answer as ListAnswer;
}

/** Asks before every failed call of a batch is run again: each may send something or change a record. */
export const requeuePage = page(async (call) => {
  const id = recordIdFromPath(call);
  const file = await selectRow(call, call.platform.registry.requireRecord('ImportFile', 'ID'), id);
  const list = await failedRows(call, id, 1);
  const { count: total, isEstimate } = list ? rowsOf(list) : { count: 0, isEstimate: false };
  const path = importPath(id);
  return {
    title: `Run again: ${fileName(file)}`,
    body: html`<p class="crumbs"><a href="/imports">Imports</a> · <a href="${path}">${fileName(file)}</a></p><h1>Run what failed again?</h1>
${
  total === 0
    ? html`<p>No call of this batch has failed. <a href="${path}">Back to the import</a></p>`
    : html`<p>${isEstimate && 'About '}${countWithNoun(total, 'call')} of this batch failed. Each is made again as who queued it first; those that were carried out are left alone.</p>
<form class="stacked" method="post" action="${path}">${csrfField(call)}
<p><label for="queue">Through another queue <span class="quiet">(empty: the one that they had)</span></label><input id="queue" name="Queue" maxlength="100"></p>
<p class="actions"><button name="Action" value="requeue">Run them again</button> <a class="button quiet" href="${path}">Leave them</a></p></form>`
}`,
  };
});
