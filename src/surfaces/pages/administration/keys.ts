import type { ListAnswer, Row } from '../../../kernel/door/answer.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { loadLabels, type Labels } from '../labels.ts';
import { csrfField } from '../layout.ts';
import type { PageCall } from '../page-call.ts';
import { page } from '../page.ts';
import { rowsOf } from '../table.ts';
import { localDateTime } from '../display-values.ts';

/** Rows of one page. */
const PAGE_ROWS = 100;

/** All API keys. */
export const keysPage = page(async (call) => {
  const start = Math.max(0, Math.trunc(Number(call.query['RecordStart'] ?? 0)) || 0);
  const { answer } = await call.call('apikey/search', {
    OrderBy: '-ApiKeyID',
    DisplaySize: String(PAGE_ROWS),
    RecordStart: String(start),
  });
  const { rows, count } = rowsOf(answer as ListAnswer);
  const labels = await loadLabels(call, [
    { columns: [{ name: 'PersonID', field: { kind: 'id', classification: 'public', doc: '', to: 'Person' } }], rows },
  ]);
  return {
    title: 'API keys',
    wide: true,
    body: html`<p class="crumbs"><a href="/administration">Administration</a></p><h1>API keys</h1>
<p class="quiet">A key is made on its <a href="/administration/users">user's</a> page, and shown there once.</p>
${keyTable(call, rows, labels)}
<nav class="paging" aria-label="Pages"><span>${count} keys</span>${start + rows.length < count && html` <a href="?RecordStart=${start + PAGE_ROWS}">Next</a>`}</nav>`,
  };
});

/** Ends a key at once. */
export const revokeKey = page(async (call) => {
  await call.call('apikey/revoke', { ID: String(call.form['ID'] ?? '') });
  const back = Number(call.form['PersonID']);
  return {
    redirectTo:
      Number.isSafeInteger(back) && back > 0 ? `/administration/users/${back}?done=saved` : '/administration/keys',
  };
});

/** Keys, with a button that revokes each that still works. */
export function keyTable(call: PageCall, rows: readonly Row[], labels?: Labels): Markup {
  if (rows.length === 0) return html`<p class="quiet">None.</p>`;
  const revoke = (row: Row): Markup =>
    html`<form method="post" action="/administration/keys/revoke">${csrfField(call)}<input type="hidden" name="ID" value="${String(row['ApiKeyID'])}">${!labels && html`<input type="hidden" name="PersonID" value="${String(row['PersonID'])}">`}<button class="quiet">Revoke<span class="hidden"> ${String(row['ApiKey'])}</span></button></form>`;
  return html`<div class="scroll" role="region" tabindex="0" aria-label="API keys"><table><thead><tr><th scope="col">Name</th>${labels && html`<th scope="col">User</th>`}<th scope="col">Begins with</th><th scope="col">Status</th><th scope="col">Expires</th><th scope="col">Networks</th><th scope="col">A minute</th><th scope="col"><span class="hidden">Revoke</span></th></tr></thead>
<tbody>${rows.map((row) => html`<tr><th scope="row">${String(row['ApiKey'] ?? '')}</th>${labels && html`<td><a href="/administration/users/${String(row['PersonID'])}">${labels.get('Person')?.get(Number(row['PersonID'])) ?? String(row['PersonID'])}</a></td>`}<td><code>${String(row['KeyStart'] ?? '')}…</code></td><td>${String(row['Status'] ?? '')}</td><td>${typeof row['Expires'] === 'string' && localDateTime(call, row['Expires'])}</td><td>${String(row['AllowedNetworks'] ?? '')}</td><td class="number">${String(row['RateLimitPerMinute'] ?? '')}</td><td>${row['RevokedDate'] === null && call.may('apikey/revoke') && revoke(row)}</td></tr>\n`)}</tbody></table></div>`;
}

/** The form that makes a key for a user. */
export function newKeyForm(call: PageCall, personId: string): Markup | false {
  if (!call.may('apikey/create')) return false;
  return html`<form class="entry" method="post" action="/administration/users/${personId}/key">${csrfField(call)}<div class="grid">
<p><label for="k-name">Name of a new key</label><input id="k-name" name="Name" maxlength="255" required></p>
<p><label for="k-expires">Expires</label><input id="k-expires" name="Expires" type="datetime-local"></p>
<p><label for="k-networks">Only from networks, such as 10.0.0.0/8</label><input id="k-networks" name="AllowedNetworks"></p>
<p><label for="k-rate">Calls a minute at most</label><input id="k-rate" name="RateLimitPerMinute" inputmode="numeric"></p></div><p class="actions"><button>Make the key</button></p></form>`;
}
