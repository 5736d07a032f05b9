import type { AnswerRowFor, RowNamed } from '../../../kernel/declare/catalog.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { hiddenField } from '../components.ts';
import { confirmationField } from '../confirmation.ts';
import { badge } from '../design/badge.ts';
import { button } from '../design/button.ts';
import { card } from '../design/card.ts';
import { emptyState } from '../design/empty.ts';
import { textField } from '../design/field.ts';
import { table } from '../design/table.ts';
import { loadLabels, referencesOf, type Labels } from '../labels.ts';
import { csrfField } from '../layout.ts';
import type { PageCall } from '../page-call.ts';
import { page } from '../page.ts';
import { plainText, rowOffset } from '../plain-text.ts';
import { shortTimeMark } from '../due-words.ts';
import { rowsOf } from '../table.ts';
import { administrationAnswer } from './frame.ts';
import { securityLogPath } from './security-log.ts';

type KeyRow = RowNamed<'ApiKey'>;
type KeyUse = AnswerRowFor<'apikey/lastuse'>;

const PATH = '/administration/keys';
/** Rows of one page. */
const PAGE_ROWS = 100;
/** Days before its end from which a key is marked. */
const SOON_MILLISECONDS = 30 * 86_400_000;

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
  const next =
    start + rows.length < count && html`<a href="?RecordStart=${start + PAGE_ROWS}" rel="next">Next page</a>`;
  return administrationAnswer(call, {
    title: 'API keys',
    path: PATH,
    intro: html`<span class="prose">To create a key, open its <a href="/administration/users">user</a>. The key is shown
only once.</span>`,
    done: call.query['done'] === 'revoked' ? 'Key revoked' : undefined,
    body: card({
      id: 'keys',
      title: 'Keys',
      note: count,
      body: html`${await keyTable(call, rows, labels)}<nav class="page-turn" aria-label="Pages">${next}</nav>`,
    }),
  });
});

/** Revokes a key, which takes effect at once. */
export const revokeKey = page(async (call) => {
  await call.call('apikey/revoke', { ID: plainText(call.form['ID']) });
  const user = Number(call.form['PersonID']);
  if (Number.isSafeInteger(user) && user > 0) return { redirectTo: `/administration/users/${user}?done=revoked` };
  // What comes next: what was the key used for?
  return {
    redirectTo: call.may('securitylog/search')
      ? `${securityLogPath({ Key: plainText(call.form['ID']) })}&done=revoked`
      : `${PATH}?done=revoked`,
  };
});

/**
 * Renders keys with their last use, each with a button that revokes it. `labels` name their users; without them the
 * keys are one user's.
 */
export async function keyTable(call: PageCall, rows: readonly KeyRow[], labels?: Labels): Promise<Markup> {
  if (rows.length === 0) return emptyState({ title: 'There are no keys.' });
  const uses = await lastUses(call, rows);
  return table({
    label: 'API keys and their use',
    heads: [
      'Name',
      labels !== undefined && 'User',
      'Starts with',
      'Status',
      'Expires',
      'Last used',
      'Networks',
      { text: 'Calls per minute', isNumber: true },
      { text: 'Uses and revocation', isHidden: true },
    ],
    rows: rows.map((row) => keyRow(call, row, { labels, use: uses.get(row.ApiKeyID) })),
  });
}

async function lastUses(call: PageCall, rows: readonly KeyRow[]): Promise<ReadonlyMap<number, KeyUse>> {
  if (!call.may('apikey/lastuse')) return new Map();
  const { answer } = await call.call('apikey/lastuse', { ID: rows.map(({ ApiKeyID: id }) => id) });
  return new Map(answer.rows.map((use) => [use.ApiKeyID, use]));
}

interface KeyDetails {
  readonly labels: Labels | undefined;
  readonly use: KeyUse | undefined;
}

function keyRow(call: PageCall, row: KeyRow, { labels, use }: KeyDetails): Markup {
  const canRevoke = row.RevokedDate === null && call.may('apikey/revoke');
  const used = use
    ? html`${shortTimeMark(call, use.LastUsed)} <span class="mono muted">${use.Address}</span>`
    : 'Never';
  return html`<tr>
<th scope="row">${row.ApiKey}</th>
${labels && html`<td>${userLink(row, labels)}</td>`}
<td class="mono">${row.KeyStart}…</td>
<td>${keyBadge(call, row)}</td>
<td>${shortTimeMark(call, row.Expires) || 'Never'}</td>
<td>${used}</td>
<td>${row.AllowedNetworks ?? 'Any'}</td>
<td class="number">${row.RateLimitPerMinute}</td>
<td><div class="row end">${
    call.may('securitylog/search') &&
    html`<a class="link" href="${securityLogPath({ Key: String(row.ApiKeyID) })}">Uses<span class="hidden"> of
${row.ApiKey}</span></a>`
  }${canRevoke && revokeForm(call, row, labels === undefined)}</div></td>
</tr>\n`;
}

function keyBadge({ platform }: PageCall, { RevokedDate: revoked, Expires: expires }: KeyRow): Markup {
  if (revoked !== null) return badge('Revoked', 'neutral');
  const left = expires === null ? Infinity : Date.parse(expires) - platform.clock.milliseconds();
  if (left <= 0) return badge('Expired', 'neutral');
  return left < SOON_MILLISECONDS ? badge('Expires soon', 'warn', 'warning') : badge('Active', 'ok');
}

function userLink({ PersonID: id }: KeyRow, labels: Labels): Markup {
  return html`<a href="/administration/users/${id}">${labels.get('Person')?.get(id) ?? id}</a>`;
}

/** Renders the button that revokes a key. `returnsToUser`: whether it leads back to the key's user. */
function revokeForm(call: PageCall, row: KeyRow, returnsToUser: boolean): Markup {
  return html`<form method="post" action="${PATH}/revoke">
${csrfField(call)}${hiddenField('ID', row.ApiKeyID)}
${returnsToUser && hiddenField('PersonID', row.PersonID)}
${button({ text: 'Revoke', kind: 'quiet', of: row.ApiKey ?? '' })}
</form>`;
}

/** Renders the form that creates a key for a user. */
export function newKeyForm(call: PageCall, personId: string): Markup | false {
  if (!call.may('apikey/create')) return false;
  return html`<form class="card-body stack entry" method="post" action="/administration/users/${personId}/key">
${csrfField(call)}
<div class="form-grid">
${textField({ label: 'Key name', name: 'Name', id: 'k-name', isRequired: true, attributes: html`maxlength="255"` })}
${textField({ label: 'Expires', name: 'Expires', id: 'k-expires', type: 'datetime-local', isRequired: false })}
${textField({
  label: 'Allowed networks',
  name: 'AllowedNetworks',
  id: 'k-networks',
  hint: 'Such as 10.0.0.0/8; empty for any.',
})}
${textField({
  label: 'Calls per minute, at most',
  name: 'RateLimitPerMinute',
  id: 'k-rate',
  attributes: html`inputmode="numeric"`,
})}
</div>
${confirmationField(call, 'key')}
<p>${button({ text: 'Create key', icon: 'key' })}</p>
</form>`;
}
