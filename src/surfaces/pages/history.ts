import type { ListAnswer, Row } from '../../kernel/door/answer.ts';
import type { RecordType } from '../../kernel/declare/record.ts';
import { html, type Markup } from '../../kernel/render/markup.ts';
import { recordIdFromPath, recordTypeFromPath } from './record-address.ts';
import type { Labels } from './labels.ts';
import { csrfField } from './layout.ts';
import type { PageCall } from './page-call.ts';
import { page } from './page.ts';
import { loadLabels } from './labels.ts';
import { recordLink, recordPath, displayValue, humanize, localDateTime } from './display-values.ts';

/** Changed columns that a record's page shows, and a page of its whole history. */
const CHANGES_SHOWN = 25;
const PAGE_CHANGES = 200;

/** The latest changes of a record, one row for each column; none where the user may not see them. */
export async function readChanges(
  call: PageCall,
  record: RecordType,
  id: number,
  start: number,
  size = CHANGES_SHOWN,
): Promise<readonly Row[]> {
  if (record.history === false || !call.may(`${record.module}/history`)) return [];
  const { answer } = await call.call(`${record.module}/history`, {
    ID: String(id),
    RecordStart: String(start),
    DisplaySize: String(size),
  });
  return (answer as ListAnswer).rows;
}

/** The history as a part of a record's page. */
export function historySection(
  call: PageCall,
  record: RecordType,
  id: number,
  changes: readonly Row[],
  labels: Labels,
): Markup | false {
  if (record.history === false || !call.may(`${record.module}/history`)) return false;
  return html`<section aria-labelledby="history"><h2 id="history">History</h2>
${changes.length === 0 ? html`<p class="quiet">Not changed since it was made.</p>` : changeTable(call, record, id, changes, labels)}
${changes.length >= CHANGES_SHOWN && html`<p><a href="${recordPath(record.module, id)}/history">The whole history</a></p>`}</section>`;
}

/** The whole history of a record, a page at a time. */
export const historyPage = page(async (call) => {
  const record = recordTypeFromPath(call);
  const id = recordIdFromPath(call);
  const start = Math.max(0, Number(call.query['RecordStart'] ?? 0) || 0);
  const changes = await readChanges(call, record, id, start, PAGE_CHANGES);
  const labels = await loadLabels(call, [
    {
      columns: [{ name: 'PersonID', field: { kind: 'id', classification: 'public', doc: 'Who.', to: 'Person' } }],
      rows: changes,
    },
  ]);
  const path = recordPath(record.module, id);
  return {
    title: `History of ${record.name} ${id}`,
    wide: true,
    body: html`<p class="crumbs"><a href="${path}">${record.name} ${id}</a></p><h1>History</h1>
${changes.length === 0 ? html`<p class="quiet">No changes.</p>` : changeTable(call, record, id, changes, labels)}
<p>${start > 0 && html`<a href="${path}/history?RecordStart=${Math.max(0, start - PAGE_CHANGES)}">Later changes</a> `}${changes.length === PAGE_CHANGES && html`<a href="${path}/history?RecordStart=${start + PAGE_CHANGES}">Earlier changes</a>`}</p>`,
  };
});

/** Changes by call, latest first: who, when, and each column before and after. */
function changeTable(call: PageCall, record: RecordType, id: number, changes: readonly Row[], labels: Labels): Markup {
  const calls = Object.values(
    Object.groupBy(changes, (change) => `${String(change['At'])} ${String(change['CallID'])}`),
  );
  return html`<div class="scroll" role="region" tabindex="0" aria-label="Changes"><table class="history"><caption class="hidden">Changes, the latest first</caption>
<thead><tr><th scope="col">When and who</th><th scope="col">Field</th><th scope="col">Before</th><th scope="col">After</th></tr></thead>
<tbody>${calls.map((rows) => callRows(call, record, id, rows ?? [], labels))}</tbody></table></div>`;
}

function callRows(call: PageCall, record: RecordType, id: number, rows: readonly Row[], labels: Labels): Markup {
  return html`${rows.map((row, at) => html`<tr>${at === 0 && html`<th scope="rowgroup" rowspan="${rows.length}">${whenAndWho(call, record, id, row, labels)}</th>`}<td>${humanize(String(row['Field']))}</td>${valueCell(call, record, row, 'OldValue', labels)}${valueCell(call, record, row, 'NewValue', labels)}</tr>\n`)}`;
}

function valueCell(call: PageCall, record: RecordType, row: Row, name: string, labels: Labels): Markup {
  const field = record.columns.get(String(row['Field']).toLowerCase())?.field;
  const value = row[name];
  // History keeps values as text.
  const known =
    field && field.kind !== 'boolean' && field.kind !== 'json' && field.kind !== 'id'
      ? displayValue(call, field, value, labels)
      : html`${String(value ?? '–')}`;
  return html`<td>${known}</td>`;
}

function whenAndWho(call: PageCall, record: RecordType, id: number, row: Row, labels: Labels): Markup {
  const at = String(row['At']);
  const person = row['PersonID'];
  const undo = row['Change'] === 'update' && typeof row['CallID'] === 'string' && call.may(`${record.module}/rollback`);
  const before = new Date(Date.parse(at) - 1).toISOString();
  return html`<time datetime="${at}">${localDateTime(call, at)}</time><br>${typeof person === 'number' && recordLink(call, 'Person', person, labels.get('Person')?.get(person))}
${call.may(`${record.module}/asof`) && html`<br><a href="${recordPath(record.module, id)}/asof?At=${encodeURIComponent(before)}">As it was before</a>`}
${undo && html`<form method="post" action="${recordPath(record.module, id)}/undo">${csrfField(call)}<input type="hidden" name="CallID" value="${String(row['CallID'])}"><button class="quiet">Undo<span class="hidden"> this change of ${localDateTime(call, at)}</span></button></form>`}`;
}
