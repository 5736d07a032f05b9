import type { RowNamed } from '../../../kernel/declare/catalog.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { dataTable, hiddenField } from '../components.ts';
import { confirmationField } from '../confirmation.ts';
import { localDateTime } from '../display-values.ts';
import { loadLabels, referencesOf, type Labels } from '../labels.ts';
import { administrationCrumb, csrfField } from '../layout.ts';
import type { PageCall } from '../page-call.ts';
import { page } from '../page.ts';
import { plainText, rowOffset } from '../plain-text.ts';
import { rowsOf } from '../table.ts';

type KeyRow = RowNamed<'ApiKey'>;

/** Rows of one page. */
const PAGE_ROWS = 100;

/** Lists all API keys. */
export const keysPage = page(async (call) => {
  const start = rowOffset(call.query['RecordStart']);
  const { answer } = await call.call('apikey/search', {
    OrderBy: '-ApiKeyID',
    DisplaySize: PAGE_ROWS,
    RecordStart: start,
  });
  const { rows, count } = rowsOf(answer);
  const labels = await loadLabels(call, [referencesOf(rows, ['PersonID', 'Person'])]);
  const next = start + rows.length < count && html`<a href="?RecordStart=${start + PAGE_ROWS}">Next page</a>`;
  return {
    title: 'API keys',
    wide: true,
    body: html`${administrationCrumb()}
<h1>API keys</h1>
<p class="quiet">To create a key, open its <a href="/administration/users">user</a>. The key is shown only once.</p>
${keyTable(call, rows, labels)}
<nav class="paging" aria-label="Pages"><span>${count} keys</span>${next}</nav>`,
  };
});

/** Revokes a key, which takes effect at once. */
export const revokeKey = page(async (call) => {
  await call.call('apikey/revoke', { ID: plainText(call.form['ID']) });
  const user = Number(call.form['PersonID']);
  return {
    redirectTo:
      Number.isSafeInteger(user) && user > 0 ? `/administration/users/${user}?done=saved` : '/administration/keys',
  };
});

/**
 * Renders keys, each with a button that revokes it. `labels` name their users; without them the keys are one user's.
 */
export function keyTable(call: PageCall, rows: readonly KeyRow[], labels?: Labels): Markup {
  if (rows.length === 0) return html`<p class="quiet">None</p>`;
  return dataTable({
    label: 'API keys',
    heads: [
      'Name',
      labels !== undefined && 'User',
      'Starts with',
      'Status',
      'Expires',
      'Networks',
      'Calls / min',
      { text: 'Revoke', isHidden: true },
    ],
    rows: rows.map((row) => keyRow(call, row, labels)),
  });
}

function keyRow(call: PageCall, row: KeyRow, labels: Labels | undefined): Markup {
  const canRevoke = row.RevokedDate === null && call.may('apikey/revoke');
  return html`<tr>
<th scope="row">${row.ApiKey}</th>
${labels && html`<td>${userLink(row, labels)}</td>`}
<td><code>${row.KeyStart}…</code></td>
<td>${row.Status}</td>
<td>${row.Expires !== null && localDateTime(call, row.Expires)}</td>
<td>${row.AllowedNetworks}</td>
<td class="number">${row.RateLimitPerMinute}</td>
<td>${canRevoke && revokeForm(call, row, labels === undefined)}</td>
</tr>\n`;
}

function userLink({ PersonID: id }: KeyRow, labels: Labels): Markup {
  return html`<a href="/administration/users/${id}">${labels.get('Person')?.get(id) ?? id}</a>`;
}

/** Renders the button that revokes a key. `returnsToUser`: whether it leads back to the key's user. */
function revokeForm(call: PageCall, row: KeyRow, returnsToUser: boolean): Markup {
  return html`<form method="post" action="/administration/keys/revoke">
${csrfField(call)}${hiddenField('ID', row.ApiKeyID)}
${returnsToUser && hiddenField('PersonID', row.PersonID)}
<button class="quiet">Revoke<span class="hidden"> ${row.ApiKey}</span></button>
</form>`;
}

/** Renders the form that creates a key for a user. */
export function newKeyForm(call: PageCall, personId: string): Markup | false {
  if (!call.may('apikey/create')) return false;
  return html`<form class="entry" method="post" action="/administration/users/${personId}/key">
${csrfField(call)}
<div class="grid">
<p><label for="k-name">Key name</label><input id="k-name" name="Name" maxlength="255" required></p>
<p><label for="k-expires">Expires</label><input id="k-expires" name="Expires" type="datetime-local"></p>
<p>
<label for="k-networks">Allowed networks, such as 10.0.0.0/8</label>
<input id="k-networks" name="AllowedNetworks">
</p>
<p>
<label for="k-rate">Rate limit (calls / min)</label>
<input id="k-rate" name="RateLimitPerMinute" inputmode="numeric">
</p>
</div>
${confirmationField(call, 'key')}
<p class="actions"><button>Create key</button></p>
</form>`;
}
