import type { AnswerRowFor } from '../../kernel/declare/catalog.ts';
import { PlatformError } from '../../kernel/door/errors.ts';
import { html, type Markup } from '../../kernel/render/markup.ts';
import { dataTable, factList, hiddenField } from './components.ts';
import { confirmationField } from './confirmation.ts';
import { localDateTime } from './display-values.ts';
import { csrfField } from './layout.ts';
import { alertNote, errorNote, flashNote } from './notes.ts';
import type { PageAnswer, PageCall } from './page-call.ts';
import { plainText } from './plain-text.ts';
import { page } from './page.ts';

/** Shows the user's roles, access and open sessions, and changes their password. */
export const accountPage = page((call) => accountAnswer(call));

/** Changes the user's own password, which ends all their sessions, this one too. */
export const changePassword = page(async (call) => {
  const { CurrentPassword = '', NewPassword = '', Repeated = '' } = call.form;
  try {
    if (NewPassword !== Repeated)
      throw new PlatformError('BAD_PARAMETER', {
        field: 'Repeated',
        message: "The new passwords don't match. Enter the same password twice.",
      });
    await call.call('person/changepassword', {
      CurrentPassword: plainText(CurrentPassword),
      NewPassword: plainText(NewPassword),
    });
    return { redirectTo: '/signin?done=password' };
  } catch (error) {
    if (!(error instanceof PlatformError) || error.status >= 500) throw error;
    return accountAnswer(call, error);
  }
});

/** Ends one of the user's own sessions, or all others. */
export const endOwnSessions = page(async (call) => {
  const id = plainText(call.form['ID']);
  try {
    await call.call('session/endown', id === '' ? {} : { ID: id });
    return { redirectTo: '/account?done=ended' };
  } catch (error) {
    if (!(error instanceof PlatformError) || error.status >= 500) throw error;
    return accountAnswer(call, error);
  }
});

const flashMessages: ReadonlyMap<string, string> = new Map([['ended', 'Signed out there']]);

async function accountAnswer(call: PageCall, error?: PlatformError): Promise<PageAnswer> {
  const { user } = call;
  const facts = factList([
    ['Roles', user.roles.join(', ') || '–'],
    ['Access', user.universal ? 'All records' : "Your organization's records"],
    ['Permissions', user.permissions.size],
  ]);
  return {
    title: 'Your account',
    status: error?.status ?? 200,
    body: html`<h1>${user.name}</h1>
${flashNote(flashMessages, call.query['done'])}
${error && errorNote(withLabel(error.masked()))}
${user.mustChangePassword && alertNote('This is your initial password. Choose your own to continue.')}
${facts}
<h2>Change password</h2>
${passwordForm(call)}
<p class="quiet">You'll be signed out on all devices. Sign in again with your new password.</p>
${user.mustChangePassword ? '' : await ownSessions(call)}`,
  };
}

/** Renders where the user is signed in. */
async function ownSessions(call: PageCall): Promise<Markup> {
  const { answer } = await call.call('session/own', {});
  const line = (row: AnswerRowFor<'session/own'>): Markup => html`<tr>
<th scope="row">${(row.Session ?? '') || 'Unknown'}${row.IsCurrent && html` <span class="quiet">(this one)</span>`}</th>
<td>${row.Address}</td>
<td>${localDateTime(call, row.SignedInDate)}</td>
<td>${localDateTime(call, row.LastSeen ?? '')}</td>
<td>${!row.IsCurrent && endForm(call, row.SessionID)}</td>
</tr>\n`;
  return html`<h2>Where you're signed in</h2>
${dataTable({
  label: 'Sessions',
  heads: ['Browser', 'IP address', 'Signed in', 'Last used', { text: 'Sign out', isHidden: true }],
  rows: answer.rows.map(line),
})}
${
  answer.rows.some(({ IsCurrent }) => !IsCurrent) &&
  html`<form method="post" action="/account/sessions/end">
${csrfField(call)}${confirmationField(call, 'others')}
<p><button>Sign out everywhere else</button></p>
</form>`
}`;
}

function endForm(call: PageCall, id: number): Markup {
  return html`<form method="post" action="/account/sessions/end">
${csrfField(call)}${hiddenField('ID', id)}${confirmationField(call, String(id))}
<button class="quiet">Sign out</button>
</form>`;
}

function passwordForm(call: PageCall): Markup {
  const name = html`name="Name" value="${call.user.name}" autocomplete="username"`;
  return html`<form class="stacked" method="post" action="/account">
${csrfField(call)}
<input class="hidden" ${name} tabindex="-1" aria-hidden="true" readonly>
<p>
<label for="current">Current password</label>
<input id="current" name="CurrentPassword" type="password" autocomplete="current-password" required>
</p>
<p>
<label for="new">New password (at least 12 characters)</label>
<input id="new" name="NewPassword" type="password" autocomplete="new-password" minlength="12" required>
</p>
<p>
<label for="repeated">Repeat new password</label>
<input id="repeated" name="Repeated" type="password" autocomplete="new-password" minlength="12" required>
</p>
<p><button>Change password</button></p>
</form>`;
}

const labels: ReadonlyMap<string | undefined, string> = new Map([
  ['CurrentPassword', 'Current password'],
  ['NewPassword', 'New password'],
  ['Repeated', 'Repeat new password'],
]);

/** Returns an error with the label of its field on the page instead of the name of the parameter. */
function withLabel(error: PlatformError): PlatformError {
  const { code, field, message } = error;
  const label = labels.get(field);
  return label === undefined
    ? error
    : new PlatformError(code, { message: message.replace(`${field}: `, `${label}: `) });
}
