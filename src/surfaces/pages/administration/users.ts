import type { RowNamed } from '../../../kernel/declare/catalog.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { dataTable, hiddenField, option } from '../components.ts';
import { confirmationField } from '../confirmation.ts';
import { localDateTime, recordLink } from '../display-values.ts';
import { loadLabels, referencesOf, type Labels } from '../labels.ts';
import { administrationCrumb, csrfField } from '../layout.ts';
import { errorNote, flashNote, statusNote } from '../notes.ts';
import type { PageAnswer, PageCall } from '../page-call.ts';
import { page } from '../page.ts';
import { columnText, plainText, plainTexts, rowOffset } from '../plain-text.ts';
import { rowsOf } from '../table.ts';
import { keyTable, newKeyForm } from './keys.ts';

type UserRow = RowNamed<'Person'>;
type RoleRow = RowNamed<'Role'>;
type SessionRow = RowNamed<'Session'>;

/** Users of one page. */
const PAGE_ROWS = 100;
/** Sessions that a user's page shows. */
const SESSIONS_SHOWN = 20;
/** Most roles that are offered. */
const ROLES_MAX = 200;

/** Lists all users, with a search by name. */
export const usersPage = page(async (call) => {
  const text = plainText(call.query['Text']).trim();
  const start = rowOffset(call.query['RecordStart']);
  const { answer } = await call.call('person/search', {
    ...(text === '' ? {} : { Person: `*${text.replaceAll('*', '')}*` }),
    OrderBy: 'Person',
    DisplaySize: PAGE_ROWS,
    RecordStart: start,
  });
  const { rows, count } = rowsOf(answer);
  const labels = await loadLabels(call, [referencesOf(rows, ['OrganizationID', 'Organization'])]);
  const to = (at: number): string => `?${new URLSearchParams({ Text: text, RecordStart: String(at) }).toString()}`;
  return {
    title: 'Users',
    wide: true,
    body: html`${administrationCrumb()}
<h1>Users</h1>
<p class="actions"><a class="button" href="/administration/users/new" accesskey="n">New user</a></p>
<form class="filters" method="get" role="search">
<p>
<label class="hidden" for="text">Search users</label>
<input id="text" name="Text" type="search" value="${text}" placeholder="Search by sign-in name">
<button>Search</button>
</p>
</form>
${dataTable({
  label: 'Users',
  caption: 'Users',
  heads: ['Sign-in name', 'Name', 'Roles', 'Firm', 'Status'],
  rows: rows.map((row) => userRow(call, row, labels)),
})}
<nav class="paging" aria-label="Pages">
<span>${count} users</span>
${start > 0 && html`<a href="${to(Math.max(0, start - PAGE_ROWS))}">Previous page</a>`}
${start + rows.length < count && html`<a href="${to(start + PAGE_ROWS)}">Next page</a>`}
</nav>`,
  };
});

function userRow(call: PageCall, row: UserRow, labels: Labels): Markup {
  const firmId = row.OrganizationID;
  const firm = firmId !== null && recordLink(call, 'Organization', firmId, labels.get('Organization')?.get(firmId));
  const name = html`<a href="/administration/users/${row.PersonID}">${row.Person}</a>`;
  return html`<tr>
<th scope="row">${name}</th>
<td>${[row.FirstName, row.LastName].filter(Boolean).join(' ')}</td>
<td>${row.Roles}</td>
<td>${firm}</td>
<td>${statusOf(row)}</td>
</tr>\n`;
}

function statusOf({ Status: status }: UserValues): string {
  return plainText(status ?? 'Active');
}

/** The text fields of a user's form. */
const fields = [
  'Person',
  'FirstName',
  'LastName',
  'Email',
  'OrganizationID',
  'Password',
] as const satisfies readonly (keyof UserRow)[];

/** Shows a user: name, roles, API keys and sessions. */
export const userPage = page((call) => userAnswer(call));

/** Shows the form for a new user. */
export const newUserPage = page((call) => newUserAnswer(call));

/** Creates a user. */
export const saveNewUser = page(async (call) => {
  try {
    const { answer } = await call.call('person/insert', submittedUser(call));
    const id = answer.row.PersonID;
    return { redirectTo: `/administration/users/${id}?done=saved` };
  } catch (error) {
    return newUserAnswer(call, requireCallerError(error));
  }
});

/** Saves a user. */
export const saveUser = page(async (call) => {
  const id = call.path['id'] ?? '';
  try {
    const { answer } = await call.call('person/select', { ID: id });
    const changed = changedValues(submittedUser(call), answer.row);
    await call.call('person/update', { ...changed, ID: id, Version: plainText(call.form['Version']) });
    return { redirectTo: `/administration/users/${id}?done=saved` };
  } catch (error) {
    return userAnswer(call, { error: requireCallerError(error) });
  }
});

/** Creates an API key for a user and shows it, this once. */
export const createKey = page(async (call) => {
  const { Name = '', Expires = '', AllowedNetworks = '', RateLimitPerMinute = '' } = call.form;
  const sent = filledIn({
    Name: plainText(Name),
    Expires: plainText(Expires),
    AllowedNetworks: plainText(AllowedNetworks),
    RateLimitPerMinute: plainText(RateLimitPerMinute),
  });
  try {
    const { answer } = await call.call('apikey/create', { PersonID: call.path['id'] ?? '', ...sent });
    return await userAnswer(call, { newKey: answer.row.ApiKey });
  } catch (error) {
    return userAnswer(call, { error: requireCallerError(error) });
  }
});

/** Returns the texts that are not empty. */
function filledIn<T extends Readonly<Record<string, string>>>(texts: T): Partial<T> {
  return Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== '')) as Partial<T>;
}

/** Returns an error that the page shows to its user. @throws any other error */
function requireCallerError(error: unknown): PlatformError {
  if (!(error instanceof PlatformError) || error.status >= 500) throw error;
  return error;
}

type UserField = (typeof fields)[number] | Extract<keyof UserRow, 'Roles' | 'Status'>;

type SubmittedUser = Partial<Record<UserField, string>>;

/** The values of a user, stored or submitted, that a form shows. */
type UserValues = Readonly<Partial<Record<UserField | 'Version', unknown>>>;

/** Returns the submitted values of a user. An empty password leaves the current one; unticked roles are taken away. */
function submittedUser({ form }: PageCall): SubmittedUser {
  const values: SubmittedUser = {
    Roles: plainTexts(form['Role']).join(', '),
    Status: plainText(form['Status'] ?? 'Active'),
  };
  for (const name of fields)
    if (typeof form[name] === 'string' && (name !== 'Password' || form[name] !== '')) values[name] = form[name];
  return values;
}

/** Returns the values that differ from the stored ones: sending the others would ask for a confirmation in vain. */
function changedValues(submitted: SubmittedUser, row: UserValues): SubmittedUser {
  return Object.fromEntries(
    Object.entries(submitted).filter(([name, text]) => {
      const stored = name === 'Status' ? statusOf(row) : columnText(row, name as UserField);
      return name === 'Roles' ? roleNames(text) !== roleNames(stored) : text !== stored;
    }),
  );
}

/** Returns the names of roles in an order that does not matter. */
function roleNames(roles: string): string {
  return roles
    .toLowerCase()
    .split(/\s*,\s*/)
    .sort()
    .join(',');
}

const usersCrumb = html`<p class="crumbs"><a href="/administration/users">Users</a></p>`;

async function newUserAnswer(call: PageCall, error?: PlatformError): Promise<PageAnswer> {
  const form = await userForm(call, {
    action: '/administration/users/new',
    row: error ? { ...call.form, Roles: submittedUser(call).Roles } : {},
    isNew: true,
  });
  return {
    title: 'New user',
    wide: true,
    status: error?.status ?? 200,
    body: html`${usersCrumb}
<h1>New user</h1>
${error && errorNote(error.masked())}
${form}`,
  };
}

const flashMessages: ReadonlyMap<string, string> = new Map([['saved', 'Saved']]);

async function userAnswer(
  call: PageCall,
  { error, newKey }: { readonly error?: PlatformError; readonly newKey?: string } = {},
): Promise<PageAnswer> {
  const id = call.path['id'] ?? '';
  const { answer } = await call.call('person/select', { ID: id });
  const { row } = answer;
  const [keys, sessions, form] = await Promise.all([
    keysSection(call, id),
    sessionsSection(call, id),
    userForm(call, { action: `/administration/users/${id}`, row, isNew: false }),
  ]);
  const name = row.Person ?? '';
  return {
    title: name,
    wide: true,
    status: error?.status ?? 200,
    body: html`${usersCrumb}
<h1>${name} <span class="status">${statusOf(row)}</span></h1>
${flashNote(flashMessages, call.query['done'])}
${error && errorNote(error.masked())}
${newKey !== undefined && statusNote(html`Copy the new key now; you won't see it again: <code>${newKey}</code>`)}
${form}
${keys}
${sessions}
<p><a href="/records/person/${id}#history">View history</a></p>`,
  };
}

async function keysSection(call: PageCall, id: string): Promise<Markup | false> {
  if (!call.may('apikey/search')) return false;
  const { answer } = await call.call('apikey/search', {
    PersonID: id,
    OrderBy: '-ApiKeyID',
    DisplaySize: PAGE_ROWS,
  });
  return html`<section aria-labelledby="keys">
<h2 id="keys">API keys</h2>
${keyTable(call, rowsOf(answer).rows)}
${newKeyForm(call, id)}
</section>`;
}

async function sessionsSection(call: PageCall, id: string): Promise<Markup | false> {
  if (!call.may('session/search')) return false;
  const { answer } = await call.call('session/search', {
    PersonID: id,
    Status: 'Open',
    OrderBy: '-SessionID',
    DisplaySize: SESSIONS_SHOWN,
  });
  return html`<section aria-labelledby="sessions">
<h2 id="sessions">Sessions</h2>
${sessionTable(call, rowsOf(answer).rows)}
</section>`;
}

/** What a user's form is rendered from. */
interface UserForm {
  readonly action: string;
  readonly row: UserValues;
  readonly isNew: boolean;
}

async function userForm(call: PageCall, { action, row, isNew }: UserForm): Promise<Markup> {
  const { answer } = await call.call('role/search', {
    OrderBy: 'Role',
    DisplaySize: ROLES_MAX,
    RecordCount: 'false',
  });
  const text = (name: UserField, label: string, attributes: Markup): Markup =>
    html`<p>
<label for="u-${name}">${label}</label>
<input id="u-${name}" name="${name}" value="${columnText(row, name)}"${attributes}>
</p>`;
  const placeholder = !isNew && html` placeholder="Unchanged"`;
  const statuses = ['Active', 'Inactive'].map((status) => option(status, status, status === statusOf(row)));
  return html`<form class="entry" method="post" action="${action}">
${csrfField(call)}
${!isNew && hiddenField('Version', columnText(row, 'Version'))}
<div class="grid">
${text('Person', 'Sign-in name', html` required autocomplete="off"`)}
${text('FirstName', 'First name', html``)}
${text('LastName', 'Last name', html``)}
${text('Email', 'Email', html` type="email"`)}
${text('OrganizationID', 'Firm', html` inputmode="numeric" data-lookup="Organization"`)}
<p>
<label for="u-Password">${isNew ? 'Password' : 'New password'}</label>
<input id="u-Password" name="Password" type="password" autocomplete="new-password" minlength="12"${placeholder}>
</p>
<p><label for="u-Status">Status</label><select id="u-Status" name="Status">${statuses}</select></p>
</div>
${roleChoices(answer.rows, columnText(row, 'Roles'))}
${confirmationField(call, 'user')}
<p class="actions">
<button accesskey="s">Save</button>
<a class="button quiet" href="/administration/users">Cancel</a>
</p>
</form>`;
}

/** Renders a box for each role. `own`: the names of the user's roles, separated by commas. */
function roleChoices(roles: readonly RoleRow[], own: string): Markup {
  const names = new Set(own.split(',').map((name) => name.trim().toLowerCase()));
  const choice = ({ Role: role, Description: description }: RoleRow): Markup => {
    const name = role ?? '';
    const checked = names.has(name.toLowerCase()) && html` checked`;
    return html`<label class="choice">
<input type="checkbox" name="Role" value="${name}"${checked}> ${name}
<span class="quiet">${description}</span>
</label>`;
  };
  return html`<fieldset><legend>Roles</legend>${roles.map(choice)}</fieldset>`;
}

/** Renders sessions, each with a button that ends it. */
export function sessionTable(call: PageCall, rows: readonly SessionRow[]): Markup {
  if (rows.length === 0) return html`<p class="quiet">None</p>`;
  return dataTable({
    label: 'Sessions',
    heads: ['Browser', 'User', 'IP address', 'Signed in', 'Last used', { text: 'End', isHidden: true }],
    rows: rows.map((row) => sessionRow(call, row)),
  });
}

function sessionRow(call: PageCall, row: SessionRow): Markup {
  const canEnd = row.EndedDate === null && call.may('session/end');
  return html`<tr>
<th scope="row">${(row.Session ?? '') || 'Unknown'}</th>
<td>${recordLink(call, 'Person', row.PersonID, undefined)}</td>
<td>${row.Address}</td>
<td>${localDateTime(call, row.CreatedDate)}</td>
<td>${localDateTime(call, row.LastSeen ?? '')}</td>
<td>${canEnd && endForm(call, row.SessionID)}</td>
</tr>\n`;
}

function endForm(call: PageCall, id: number): Markup {
  return html`<form method="post" action="/administration/sessions/end">
${csrfField(call)}${hiddenField('ID', id)}
<button class="quiet">End</button>
</form>`;
}
