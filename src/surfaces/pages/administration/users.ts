import type { RowNamed } from '../../../kernel/declare/catalog.ts';
import type { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { hiddenField } from '../components.ts';
import { badge } from '../design/badge.ts';
import { banner } from '../design/banner.ts';
import { button, buttonLink } from '../design/button.ts';
import { card } from '../design/card.ts';
import { emptyState } from '../design/empty.ts';
import { checkbox, recordField, selectField, textField } from '../design/field.ts';
import { table } from '../design/table.ts';
import { confirmationField } from '../confirmation.ts';
import { recordLink } from '../display-values.ts';
import { loadLabels, referencesOf, type Labels } from '../labels.ts';
import { csrfField } from '../layout.ts';
import { errorNote } from '../notes.ts';
import type { PageAnswer, PageCall } from '../page-call.ts';
import { page } from '../page.ts';
import { columnText, plainText, plainTexts, rowOffset } from '../plain-text.ts';
import { rowsOf } from '../table.ts';
import { requireCallerError } from './caller-error.ts';
import { administrationAnswer } from './frame.ts';
import { keyTable, newKeyForm } from './keys.ts';
import { sessionTable } from './sessions.ts';
import { currentHandover, handoverCard } from './user-handover.ts';
import { holdingsPath } from './user-holdings.ts';

type UserRow = RowNamed<'Person'>;
type RoleRow = RowNamed<'Role'>;

const PATH = '/administration/users';
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
  const isFirst = start === 0;
  return administrationAnswer(call, {
    title: 'Users',
    path: PATH,
    actions: buttonLink({ text: 'New user', href: `${PATH}/new`, kind: 'primary', icon: 'plus', key: 'n' }),
    body: card({
      id: 'users',
      title: 'Users',
      note: count,
      body: html`<form class="filter-line" method="get" role="search" aria-label="Users">
${textField({ label: 'Sign-in name', name: 'Text', id: 'text', type: 'search', value: text })}
${button({ text: 'Search', icon: 'search' })}
${text !== '' && buttonLink({ text: 'Show all', href: PATH, kind: 'quiet' })}
</form>
${
  rows.length === 0
    ? emptyState({ title: 'No user has a name like this.' })
    : table({
        label: 'Users by name',
        heads: ['Sign-in name', 'Name', 'Roles', 'Firm', 'Status'],
        rows: rows.map((row) => userRow(call, row, labels)),
      })
}
<nav class="page-turn" aria-label="Pages">
<span>${count} ${count === 1 ? 'user' : 'users'}</span>
${!isFirst && html`<a href="${to(Math.max(0, start - PAGE_ROWS))}" rel="prev">Previous page</a>`}
${start + rows.length < count && html`<a href="${to(start + PAGE_ROWS)}" rel="next">Next page</a>`}
</nav>`,
    }),
  });
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
<td>${statusBadge(row)}</td>
</tr>\n`;
}

function statusOf({ Status: status }: UserValues): string {
  return plainText(status ?? 'Active');
}

function statusBadge(row: UserValues): Markup {
  const status = statusOf(row);
  return badge(status, status === 'Active' ? 'ok' : 'neutral');
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

/** Undoes the deactivation of a user. */
export const reactivateUser = page(async (call) => {
  try {
    await call.call('handover/undo', { ID: plainText(call.form['ID']) });
    return { redirectTo: `${PATH}/${call.path['id'] ?? ''}?done=reactivated` };
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

async function newUserAnswer(call: PageCall, error?: PlatformError): Promise<PageAnswer> {
  const form = await userForm(call, {
    action: `${PATH}/new`,
    row: error ? { ...call.form, Roles: submittedUser(call).Roles } : {},
    isNew: true,
  });
  return administrationAnswer(call, {
    title: 'New user',
    path: PATH,
    below: [{ text: 'New user' }],
    status: error?.status,
    intro: 'Give the initial password to the user yourself. They choose another one when they first sign in.',
    body: html`${error && errorNote(error.masked())}${form}`,
  });
}

const doneTexts: ReadonlyMap<string, string> = new Map([
  ['saved', 'Saved'],
  ['revoked', 'Key revoked'],
  ['deactivated', 'User deactivated. Their work is being handed over'],
  ['reactivated', 'User reactivated. Revoked API keys stay revoked'],
]);

async function userAnswer(
  call: PageCall,
  { error, newKey }: { readonly error?: PlatformError; readonly newKey?: string } = {},
): Promise<PageAnswer> {
  const id = call.path['id'] ?? '';
  const { answer } = await call.call('person/select', { ID: id });
  const { row } = answer;
  const [handover, keys, sessions, form] = await Promise.all([
    handoverSection(call, row),
    keysSection(call, id),
    sessionsSection(call, id),
    userForm(call, { action: `${PATH}/${id}`, row, isNew: false }),
  ]);
  const name = row.Person ?? '';
  return administrationAnswer(call, {
    title: name,
    path: PATH,
    below: [{ text: name }],
    heading: html`${name} ${statusBadge(row)}`,
    status: error?.status,
    done: doneTexts.get(plainText(call.query['done'])),
    actions: html`${buttonLink({
      text: 'Security log',
      href: `/administration/security?PersonID=${id}`,
      kind: 'quiet',
      icon: 'admin',
    })}${
      call.may('handover/holdings') &&
      html`${buttonLink({ text: 'What they hold', href: holdingsPath(id), kind: 'quiet', icon: 'work' })}${
        statusOf(row) === 'Active' &&
        row.PersonID !== call.user.personId &&
        buttonLink({ text: 'Deactivate…', href: `${holdingsPath(id)}#deactivate`, kind: 'quiet', icon: 'person' })
      }`
    }${buttonLink({ text: 'History', href: `/records/person/${id}/history`, kind: 'quiet', icon: 'history' })}`,
    body: html`${error && errorNote(error.masked())}
${
  newKey !== undefined &&
  banner({
    tone: 'ok',
    role: 'status',
    icon: 'key',
    text: "Copy the new key now; you won't see it again.",
    more: html`<code class="new-key">${newKey}</code>`,
  })
}
${handover}
${form}
${keys}
${sessions}`,
  });
}

/** Shows the deactivation of an inactive user. */
async function handoverSection(call: PageCall, row: UserRow): Promise<Markup | false> {
  if (statusOf(row) !== 'Inactive') return false;
  const handover = await currentHandover(call, String(row.PersonID));
  return handover !== undefined && handoverCard(call, handover);
}

async function keysSection(call: PageCall, id: string): Promise<Markup | false> {
  if (!call.may('apikey/search')) return false;
  const { answer } = await call.call('apikey/search', {
    PersonID: id,
    OrderBy: '-ApiKeyID',
    DisplaySize: PAGE_ROWS,
  });
  return card({
    id: 'keys',
    title: 'API keys',
    body: html`${await keyTable(call, rowsOf(answer).rows)}${newKeyForm(call, id)}`,
  });
}

async function sessionsSection(call: PageCall, id: string): Promise<Markup | false> {
  if (!call.may('session/search')) return false;
  const { answer } = await call.call('session/search', {
    PersonID: id,
    Status: 'Open',
    OrderBy: '-SessionID',
    DisplaySize: SESSIONS_SHOWN,
  });
  return card({ id: 'sessions', title: 'Sessions', body: sessionTable(call, rowsOf(answer).rows) });
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
  const of = (name: UserField): { name: string; id: string; value: string } => ({
    name,
    id: `u-${name}`,
    value: columnText(row, name),
  });
  const title = isNew ? 'Who it is' : 'Profile and roles';
  return card({
    id: 'user',
    title,
    body: html`<form class="card-body stack entry" method="post" action="${action}">
${csrfField(call)}
${!isNew && hiddenField('Version', columnText(row, 'Version'))}
<div class="form-grid">
${textField({ label: 'Sign-in name', ...of('Person'), isRequired: true, attributes: html`autocomplete="off"` })}
${textField({ label: 'First name', ...of('FirstName') })}
${textField({ label: 'Last name', ...of('LastName') })}
${textField({ label: 'Email', type: 'email', ...of('Email') })}
${recordField({ label: 'Firm', type: 'Organization', ...of('OrganizationID'), hint: 'Empty for staff.' })}
${textField({
  label: isNew ? 'Password' : 'New password',
  name: 'Password',
  id: 'u-Password',
  type: 'password',
  hint: isNew ? 'At least 12 characters.' : 'Empty: it stays as it is.',
  attributes: html`autocomplete="new-password" minlength="12"`,
})}
${selectField({
  label: 'Status',
  name: 'Status',
  id: 'u-Status',
  value: statusOf(row),
  choices: ['Active', 'Inactive'].map((status) => ({ value: status, text: status })),
})}
</div>
${roleChoices(answer.rows, columnText(row, 'Roles'))}
${confirmationField(call, 'user')}
<p class="row">
${button({ text: isNew ? 'Create user' : 'Save', kind: 'primary' })}
${buttonLink({ text: 'Cancel', href: PATH })}
</p>
</form>`,
  });
}

/** Renders a box for each role. `own`: the names of the user's roles, separated by commas. */
function roleChoices(roles: readonly RoleRow[], own: string): Markup {
  const names = new Set(own.split(',').map((name) => name.trim().toLowerCase()));
  const choice = ({ Role: role, Description: description }: RoleRow): Markup => {
    const name = role ?? '';
    return checkbox({
      label: html`<b>${name}</b> <span class="soft">${description}</span>`,
      name: 'Role',
      value: name,
      isChecked: names.has(name.toLowerCase()),
    });
  };
  return html`<fieldset class="stack"><legend class="field-label">Roles</legend>
<div class="role-choices">${roles.map(choice)}</div></fieldset>`;
}
