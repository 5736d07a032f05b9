import type { ListAnswer, Row } from '../../../kernel/door/answer.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { errorNote } from '../error.ts';
import { loadLabels } from '../labels.ts';
import { csrfField } from '../layout.ts';
import type { PageAnswer, PageCall } from '../page-call.ts';
import { page } from '../page.ts';
import { rowsOf } from '../table.ts';
import { recordLink, localDateTime } from '../display-values.ts';
import { keyTable, newKeyForm } from './keys.ts';

/** Users of one page. */
const PAGE_ROWS = 100;
/** Roles that are offered. */
const ROLES_MAX = 200;

/** All users, found by name. */
export const usersPage = page(async (call) => {
  const text = String(call.query['Text'] ?? '').trim();
  const start = Math.max(0, Math.trunc(Number(call.query['RecordStart'] ?? 0)) || 0);
  const { answer } = await call.call('person/search', {
    ...(text === '' ? {} : { Person: `*${text.replaceAll('*', '')}*` }),
    OrderBy: 'Person',
    DisplaySize: String(PAGE_ROWS),
    RecordStart: String(start),
  });
  const { rows, count } = rowsOf(answer as ListAnswer);
  const labels = await loadLabels(call, [
    {
      columns: [
        { name: 'OrganizationID', field: { kind: 'id', classification: 'public', doc: '', to: 'Organization' } },
      ],
      rows,
    },
  ]);
  const firm = (row: Row): Markup | false =>
    typeof row['OrganizationID'] === 'number' &&
    recordLink(call, 'Organization', row['OrganizationID'], labels.get('Organization')?.get(row['OrganizationID']));
  return {
    title: 'Users',
    wide: true,
    body: html`<p class="crumbs"><a href="/administration">Administration</a></p><h1>Users</h1>
<p class="actions"><a class="button" href="/administration/users/new" accesskey="n">New user</a></p>
<form class="filters" method="get" role="search"><p><label class="hidden" for="text">Name</label><input id="text" name="Text" type="search" value="${text}" placeholder="Sign-in name"> <button>Show</button></p></form>
<div class="scroll" role="region" tabindex="0" aria-label="Users"><table><caption class="hidden">Users</caption><thead><tr><th scope="col">Sign-in name</th><th scope="col">Name</th><th scope="col">Roles</th><th scope="col">Organization</th><th scope="col">Status</th></tr></thead>
<tbody>${rows.map((row) => html`<tr><th scope="row"><a href="/administration/users/${String(row['PersonID'])}">${String(row['Person'])}</a></th><td>${[row['FirstName'], row['LastName']].filter(Boolean).join(' ')}</td><td>${String(row['Roles'] ?? '')}</td><td>${firm(row)}</td><td>${String(row['Status'] ?? 'Active')}</td></tr>\n`)}</tbody></table></div>
<nav class="paging" aria-label="Pages"><span>${count} users</span>${start > 0 && html` <a href="?${pageQuery(text, Math.max(0, start - PAGE_ROWS))}">Earlier</a>`}${start + rows.length < count && html` <a href="?${pageQuery(text, start + PAGE_ROWS)}">Next</a>`}</nav>`,
  };
});

function pageQuery(text: string, start: number): string {
  return new URLSearchParams({ Text: text, RecordStart: String(start) }).toString();
}

/** The fields of a user's form, beside the roles. */
const fields = ['Person', 'FirstName', 'LastName', 'Email', 'OrganizationID', 'Password'] as const;

/** One user: who it is, what it may do, its keys and sign-ins. */
export const userPage = page((call) => userAnswer(call));

/** A user to be. */
export const newUserPage = page((call) => newUserAnswer(call));

/** Makes a user. */
export const saveNewUser = page(async (call) => {
  try {
    const { answer } = await call.call('person/insert', submittedUser(call));
    const id = answer.kind === 'item' ? Number((answer.row as Row)['PersonID']) : 0;
    return { redirectTo: `/administration/users/${id}?done=saved` };
  } catch (error) {
    return newUserAnswer(call, requireCallerError(error));
  }
});

/** Changes a user. */
export const saveUser = page(async (call) => {
  const id = call.path['id'] ?? '';
  try {
    await call.call('person/update', { ...submittedUser(call), ID: id, Version: String(call.form['Version'] ?? '') });
    return { redirectTo: `/administration/users/${id}?done=saved` };
  } catch (error) {
    return userAnswer(call, requireCallerError(error));
  }
});

/** Makes a key for a user and shows it, this once. */
export const createKey = page(async (call) => {
  const { Name = '', Expires = '', AllowedNetworks = '', RateLimitPerMinute = '' } = call.form;
  const sent = Object.fromEntries(
    Object.entries({ Name, Expires, AllowedNetworks, RateLimitPerMinute }).filter(([, value]) => value !== ''),
  );
  try {
    const { answer } = await call.call('apikey/create', { PersonID: call.path['id'] ?? '', ...sent });
    const key = answer.kind === 'item' ? String((answer.row as Row)['ApiKey']) : '';
    return await userAnswer(call, undefined, key);
  } catch (error) {
    return userAnswer(call, requireCallerError(error));
  }
});

function requireCallerError(error: unknown): PlatformError {
  if (!(error instanceof PlatformError) || error.status >= 500) throw error;
  return error;
}

/** An empty password leaves the present one as it is; roles that are not ticked are taken away. */
function submittedUser({ form }: PageCall): Record<string, string> {
  const sent: Record<string, string> = {
    Roles: [form['Role'] ?? []].flat().map(String).join(', '),
    Status: String(form['Status'] ?? 'Active'),
  };
  for (const name of fields)
    if (typeof form[name] === 'string' && (name !== 'Password' || form[name] !== '')) sent[name] = form[name];
  return sent;
}

async function newUserAnswer(call: PageCall, error?: PlatformError): Promise<PageAnswer> {
  const form = await userForm(call, {
    action: '/administration/users/new',
    row: error ? { ...call.form, Roles: submittedUser(call)['Roles'] } : {},
    isNew: true,
  });
  return {
    title: 'New user',
    wide: true,
    status: error?.status ?? 200,
    body: html`<p class="crumbs"><a href="/administration/users">Users</a></p><h1>New user</h1>${error && errorNote(error.masked())}${form}`,
  };
}

async function userAnswer(call: PageCall, error?: PlatformError, madeKey?: string): Promise<PageAnswer> {
  const id = call.path['id'] ?? '';
  const { answer } = await call.call('person/select', { ID: id });
  const row = answer.kind === 'item' ? (answer.row as Row) : {};
  const [keys, sessions, form] = await Promise.all([
    call.may('apikey/search')
      ? call.call('apikey/search', { PersonID: id, OrderBy: '-ApiKeyID', DisplaySize: String(PAGE_ROWS) })
      : undefined,
    call.may('session/search')
      ? call.call('session/search', { PersonID: id, Status: 'Open', OrderBy: '-SessionID', DisplaySize: '20' })
      : undefined,
    userForm(call, { action: `/administration/users/${id}`, row, isNew: false }),
  ]);
  return {
    title: String(row['Person']),
    wide: true,
    status: error?.status ?? 200,
    body: html`<p class="crumbs"><a href="/administration/users">Users</a></p><h1>${String(row['Person'])} <span class="status">${String(row['Status'] ?? 'Active')}</span></h1>
${call.query['done'] === 'saved' && html`<div class="note" role="status"><p>Saved.</p></div>`}
${error && errorNote(error.masked())}
${madeKey !== undefined && html`<div class="note" role="status"><p>The key, shown this once: <code>${madeKey}</code></p></div>`}
${form}
${keys && html`<section aria-labelledby="keys"><h2 id="keys">API keys</h2>${keyTable(call, rowsOf(keys.answer as ListAnswer).rows)}${newKeyForm(call, id)}</section>`}
${sessions && html`<section aria-labelledby="sessions"><h2 id="sessions">Open sign-ins</h2>${sessionTable(call, rowsOf(sessions.answer as ListAnswer).rows)}</section>`}
<p><a href="/records/person/${id}#history">History of the user</a></p>`,
  };
}

async function userForm(
  call: PageCall,
  { action, row, isNew }: { readonly action: string; readonly row: Row; readonly isNew: boolean },
): Promise<Markup> {
  const { answer } = await call.call('role/search', {
    OrderBy: 'Role',
    DisplaySize: String(ROLES_MAX),
    RecordCount: 'false',
  });
  const roles = (answer as ListAnswer).rows;
  const own = new Set(
    String(row['Roles'] ?? '')
      .split(',')
      .map((name) => name.trim().toLowerCase()),
  );
  const text = (name: string, label: string, more: Markup | false = false): Markup =>
    html`<p><label for="u-${name}">${label}</label><input id="u-${name}" name="${name}" value="${String(row[name] ?? '')}"${more}></p>`;
  return html`<form class="entry" method="post" action="${action}">${csrfField(call)}${!isNew && html`<input type="hidden" name="Version" value="${String(row['Version'] ?? '')}">`}
<div class="grid">${text('Person', 'Sign-in name', html` required autocomplete="off"`)}${text('FirstName', 'First name')}${text('LastName', 'Last name')}${text('Email', 'E-mail', html` type="email"`)}
${text('OrganizationID', 'Organization', html` inputmode="numeric" data-lookup="Organization"`)}
<p><label for="u-Password">${isNew ? 'Password' : 'New password'}</label><input id="u-Password" name="Password" type="password" autocomplete="new-password" minlength="12"${!isNew && html` placeholder="unchanged"`}></p>
<p><label for="u-Status">Status</label><select id="u-Status" name="Status">${['Active', 'Inactive'].map((status) => html`<option${String(row['Status'] ?? 'Active') === status && html` selected`}>${status}</option>`)}</select></p></div>
<fieldset><legend>Roles</legend>${roles.map((role) => html`<label class="choice"><input type="checkbox" name="Role" value="${String(role['Role'])}"${own.has(String(role['Role']).toLowerCase()) && html` checked`}> ${String(role['Role'])} <span class="quiet">${String(role['Description'] ?? '')}</span></label>`)}</fieldset>
<p class="actions"><button accesskey="s">Save</button> <a class="button quiet" href="/administration/users">Cancel</a></p></form>`;
}

/** Sign-ins with a button that ends each. */
export function sessionTable(call: PageCall, rows: readonly Row[]): Markup {
  if (rows.length === 0) return html`<p class="quiet">None.</p>`;
  return html`<div class="scroll" role="region" tabindex="0" aria-label="Sign-ins"><table><thead><tr><th scope="col">Browser</th><th scope="col">User</th><th scope="col">Address</th><th scope="col">Since</th><th scope="col">Last used</th><th scope="col"><span class="hidden">End</span></th></tr></thead>
<tbody>${rows.map((row) => html`<tr><th scope="row">${String(row['Session'] ?? '') || 'unknown'}</th><td>${recordLink(call, 'Person', Number(row['PersonID']), undefined)}</td><td>${String(row['Address'] ?? '')}</td><td>${localDateTime(call, String(row['CreatedDate']))}</td><td>${localDateTime(call, String(row['LastSeen']))}</td><td>${row['EndedDate'] === null && call.may('session/end') && html`<form method="post" action="/administration/sessions/end">${csrfField(call)}<input type="hidden" name="ID" value="${String(row['SessionID'])}"><button class="quiet">End</button></form>`}</td></tr>\n`)}</tbody></table></div>`;
}
