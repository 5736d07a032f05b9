import type { AnswerFor, RowNamed } from '../../../kernel/declare/catalog.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { hiddenField } from '../components.ts';
import { count } from '../design/badge.ts';
import { button, buttonLink } from '../design/button.ts';
import { card } from '../design/card.ts';
import { textField } from '../design/field.ts';
import { table } from '../design/table.ts';
import { recordLink } from '../display-values.ts';
import { csrfField } from '../layout.ts';
import type { PageCall } from '../page-call.ts';
import { page } from '../page.ts';
import { recordIdFromPath } from '../record-address.ts';
import { shortTimeMark } from '../due-words.ts';
import { rowsOf } from '../table.ts';
import { countWithNoun, fileName, groupedCount, importPath, liveImport, type ImportRow } from './import-display.ts';

/** Failed calls of a batch that the page shows; the list has the rest. */
const ROWS_SHOWN = 25;

/** Renders the failed calls of a batch, with ways to run them again. Imports that are no batches have none. */
export async function batchSection(call: PageCall, file: ImportRow): Promise<Markup> {
  const id = file.ImportFileID;
  const list = await failedRows(call, id, ROWS_SHOWN);
  // The element is there even while it is empty, so that the page's script can fill it.
  if (!list || list.rows.length === 0) return html`<div id="batch"${liveImport(id)}></div>`;
  const { rows, count: total, isEstimate } = rowsOf(list);
  const mayRun = call.may('importfilequeue/requeue') && file.Status !== 'Stopped' && file.Status !== 'Canceled';
  const failed = new URLSearchParams({ ImportFileID: String(id), FailureDate: 'not null' }).toString();
  const failedCalls = table({
    label: 'Failed calls',
    heads: [
      'Call',
      'Operation',
      'Reason',
      { text: 'Attempts', isNumber: true },
      'Failed',
      mayRun && { text: 'Run again', isHidden: true },
    ],
    rows: rows.map((row) => queueRow(call, id, row, mayRun)),
  });
  return html`<div id="batch"${liveImport(id)}>${card({
    id: 'failed-calls',
    title: html`Failed calls ${count(html`${isEstimate && 'about '}${groupedCount(total)}`, 'danger')}`,
    actions: html`${buttonLink({
      text: 'View all failed calls',
      href: `/records/importfilequeue?${failed}`,
      kind: 'quiet',
      attributes: html`id="all-failed"`,
    })}${
      mayRun &&
      buttonLink({ text: 'Run all again…', href: `${importPath(id)}/again`, attributes: html`id="all-again"` })
    }`,
    body: failedCalls,
  })}</div>`;
}

function queueRow(call: PageCall, fileId: number, row: RowNamed<'ImportFileQueue'>, mayRun: boolean): Markup {
  const { ImportFileQueueID: id, FailureDate: failed } = row;
  const label = (row.ImportFileQueue ?? '') || `Call ${id}`;
  return html`<tr>
<th scope="row">${recordLink(call, 'ImportFileQueue', id, label)}</th>
<td><code>${row.ClassName}/${row.Operation}</code></td>
<td class="reason">${row.Message}</td>
<td class="number">${row.ExecuteCount ?? 0}</td>
<td>${shortTimeMark(call, failed)}</td>
${
  mayRun &&
  html`<td><div class="row">${
    call.may('importfilequeue/correct') &&
    html`<a class="link" href="${importPath(fileId)}/calls/${id}">Fix<span class="hidden"> ${label}</span></a>`
  }${runAgainForm(call, fileId, id, label)}</div></td>`
}
</tr>\n`;
}

function runAgainForm(call: PageCall, fileId: number, id: number, label: string): Markup {
  return html`<form method="post" action="${importPath(fileId)}">
${csrfField(call)}${hiddenField('Row', id)}
${button({
  text: 'Run again',
  kind: 'quiet',
  name: 'Action',
  value: 'requeue',
  of: label,
  attributes: html`id="again-${id}"`,
})}
</form>`;
}

async function failedRows(
  call: PageCall,
  id: number,
  size: number,
): Promise<AnswerFor<'importfilequeue/search'> | undefined> {
  if (!call.may('importfilequeue/search')) return undefined;
  const { answer } = await call.call('importfilequeue/search', {
    ImportFileID: id,
    FailureDate: 'not null',
    OrderBy: 'ImportFileQueueID',
    DisplaySize: size,
  });
  return answer;
}

/** Asks before all failed calls of a batch run again: each may send something or change a record. */
export const requeuePage = page(async (call) => {
  const id = recordIdFromPath(call);
  const file = (await call.call('importfile/select', { ID: id })).answer.row;
  const list = await failedRows(call, id, 1);
  const { count: total, isEstimate } = list ? rowsOf(list) : { count: 0, isEstimate: false };
  const path = importPath(id);
  const name = fileName(file);
  const none = html`<p>This batch has no failed calls. <a class="link" href="${path}">Back to the import</a></p>`;
  return {
    title: `Run again: ${name}`,
    place: 'imports',
    crumbs: [{ text: 'Imports', href: '/imports' }, { text: name, href: path }, { text: 'Run again' }],
    body: html`<div class="page narrow"><h1>Run failed calls again?</h1>
${total === 0 ? none : requeueForm(call, path, `${isEstimate ? 'About ' : ''}${countWithNoun(total, 'call')}`)}</div>`,
  };
});

function requeueForm(call: PageCall, path: string, calls: string): Markup {
  return html`<p>${calls} failed. Each runs again as its original user. Calls that succeeded are not repeated.</p>
<form class="stack" method="post" action="${path}">
${csrfField(call)}
${textField({
  label: 'Queue',
  name: 'Queue',
  id: 'queue',
  hint: 'Leave it empty to use the same queue.',
  isRequired: false,
  attributes: html`maxlength="100"`,
})}
<p class="row">
${button({ text: 'Run again', kind: 'primary', name: 'Action', value: 'requeue' })}
${buttonLink({ text: 'Cancel', href: path })}
</p>
</form>`;
}
