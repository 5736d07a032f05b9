import { PlatformError } from '../../kernel/door/errors.ts';
import { html, type Markup } from '../../kernel/render/markup.ts';
import { factList } from './components.ts';
import { csrfField } from './layout.ts';
import { errorNote } from './notes.ts';
import type { PageAnswer, PageCall } from './page-call.ts';
import { plainText } from './plain-text.ts';
import { page } from './page.ts';

/** Shows the user's roles and access, and changes their password. */
export const accountPage = page((call) => Promise.resolve(accountAnswer(call)));

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
    return { redirectTo: '/signin' };
  } catch (error) {
    if (!(error instanceof PlatformError) || error.status >= 500) throw error;
    return accountAnswer(call, error);
  }
});

function accountAnswer(call: PageCall, error?: PlatformError): PageAnswer {
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
${facts}
<h2>Change password</h2>
${error && errorNote(error.masked())}
${passwordForm(call)}
<p class="quiet">You'll be signed out on all devices. Sign in again with your new password.</p>`,
  };
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
