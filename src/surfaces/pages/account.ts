import type { AnswerRowFor } from '../../kernel/declare/catalog.ts';
import { PlatformError } from '../../kernel/door/errors.ts';
import { html, type Markup } from '../../kernel/render/markup.ts';
import { browserOf } from './browser-name.ts';
import { hiddenField } from './components.ts';
import { confirmationField } from './confirmation.ts';
import { badge } from './design/badge.ts';
import { banner } from './design/banner.ts';
import { button } from './design/button.ts';
import { card } from './design/card.ts';
import { textField } from './design/field.ts';
import { facts } from './design/list.ts';
import { table } from './design/table.ts';
import { toast } from './design/toast.ts';
import { csrfField } from './layout.ts';
import { errorNote } from './notes.ts';
import type { PageAnswer, PageCall } from './page-call.ts';
import { plainText } from './plain-text.ts';
import { page } from './page.ts';
import { shortTimeMark } from './due-words.ts';

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

const doneTexts: ReadonlyMap<string, string> = new Map([['ended', 'Signed out there']]);

async function accountAnswer(call: PageCall, error?: PlatformError): Promise<PageAnswer> {
  const { user } = call;
  const done = doneTexts.get(plainText(call.query['done']));
  return {
    title: 'Your account',
    place: 'account',
    status: error?.status ?? 200,
    toasts: done === undefined ? [] : [toast({ text: done })],
    body: html`<div class="page">
<h1>${user.name}</h1>
${error && errorNote(withLabel(error.masked()))}
${
  user.mustChangePassword &&
  banner({ tone: 'warn', role: 'alert', text: 'This is your initial password. Choose your own to continue.' })
}
${facts(
  [
    ['Roles', user.roles.join(', ') || '–'],
    ['Access', user.universal ? 'All records' : "Your organization's records"],
    ['Permissions', user.permissions.size],
  ],
  'wide',
)}
${card({
  id: 'password',
  title: 'Change password',
  note: "You'll be signed out on all devices. Sign in again with your new password.",
  body: passwordForm(call),
})}
${user.mustChangePassword ? '' : await ownSessions(call)}
</div>`,
  };
}

/** Renders where the user is signed in. */
async function ownSessions(call: PageCall): Promise<Markup> {
  const { answer } = await call.call('session/own', {});
  const line = (row: AnswerRowFor<'session/own'>): Markup => html`<tr>
<th scope="row" title="${row.Session}">${browserOf(row.Session ?? '')}
${row.IsCurrent && badge('This one', 'accent')}</th>
<td class="mono">${row.Address}</td>
<td>${shortTimeMark(call, row.SignedInDate)}</td>
<td>${shortTimeMark(call, row.LastSeen)}</td>
<td class="number">${!row.IsCurrent && endForm(call, row.SessionID)}</td>
</tr>\n`;
  const others =
    answer.rows.some(({ IsCurrent }) => !IsCurrent) &&
    html`<form class="card-body stack" method="post" action="/account/sessions/end">
${csrfField(call)}${confirmationField(call, 'others')}
<p>${button({ text: 'Sign out everywhere else' })}</p>
</form>`;
  return card({
    id: 'sessions',
    title: "Where you're signed in",
    body: html`${table({
      label: 'Sessions',
      heads: ['Browser', 'Address', 'Signed in', 'Last used', { text: 'Sign out', isHidden: true }],
      rows: answer.rows.map(line),
    })}${others}`,
  });
}

function endForm(call: PageCall, id: number): Markup {
  return html`<form method="post" action="/account/sessions/end">
${csrfField(call)}${hiddenField('ID', id)}${confirmationField(call, String(id))}
${button({ text: 'Sign out', kind: 'quiet', of: `session ${id}` })}
</form>`;
}

function passwordForm(call: PageCall): Markup {
  const name = html`name="Name" value="${call.user.name}" autocomplete="username"`;
  const field = (id: string, fieldName: string, label: string, attributes: Markup): Markup =>
    textField({ id, name: fieldName, label, type: 'password', isRequired: true, attributes });
  const newPassword = html`autocomplete="new-password" minlength="12"`;
  return html`<form class="card-body form-grid" method="post" action="/account">
${csrfField(call)}
<input class="hidden" ${name} tabindex="-1" aria-hidden="true" readonly>
${field('current', 'CurrentPassword', 'Current password', html`autocomplete="current-password"`)}
${field('new', 'NewPassword', 'New password (at least 12 characters)', newPassword)}
${field('repeated', 'Repeated', 'Repeat new password', newPassword)}
<p class="row">${button({ text: 'Change password', kind: 'primary' })}</p>
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
