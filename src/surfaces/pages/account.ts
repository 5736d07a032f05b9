import { PlatformError } from '../../kernel/door/errors.ts';
import { html } from '../../kernel/render/markup.ts';
import { errorNote } from './error.ts';
import { csrfField } from './layout.ts';
import type { PageAnswer, PageCall } from './page-call.ts';
import { page } from './page.ts';

/** Who the user is, what it may do, and its password. */
export const accountPage = page((call) => Promise.resolve(accountAnswer(call)));

/** Changes the user's own password; every sign-in ends with it, this one too. */
export const changePassword = page(async (call) => {
  const { CurrentPassword = '', NewPassword = '', Repeated = '' } = call.form;
  try {
    if (NewPassword !== Repeated)
      throw new PlatformError('BAD_PARAMETER', {
        field: 'Repeated',
        message: 'The new password and its repetition are not the same.',
      });
    await call.call('person/changepassword', { CurrentPassword, NewPassword });
    return { redirectTo: '/signin' };
  } catch (error) {
    if (!(error instanceof PlatformError) || error.status >= 500) throw error;
    return accountAnswer(call, error);
  }
});

function accountAnswer(call: PageCall, error?: PlatformError): PageAnswer {
  const { user } = call;
  return {
    title: 'Your account',
    status: error?.status ?? 200,
    body: html`<h1>${user.name}</h1>
<dl class="fields"><div><dt>Roles</dt><dd>${user.roles.join(', ') || '–'}</dd></div><div><dt>Reach</dt><dd>${user.universal ? 'All records' : 'The records of your organization'}</dd></div><div><dt>Permissions</dt><dd>${user.permissions.size}</dd></div></dl>
<h2>Change the password</h2>
${error && errorNote(error.masked())}
<form class="stacked" method="post" action="/account">${csrfField(call)}
<input class="hidden" name="Name" value="${user.name}" autocomplete="username" tabindex="-1" aria-hidden="true" readonly>
<p><label for="current">Present password</label><input id="current" name="CurrentPassword" type="password" autocomplete="current-password" required></p>
<p><label for="new">New password, at least 12 characters</label><input id="new" name="NewPassword" type="password" autocomplete="new-password" minlength="12" required></p>
<p><label for="repeated">The new password again</label><input id="repeated" name="Repeated" type="password" autocomplete="new-password" minlength="12" required></p>
<p><button>Change it</button></p></form>
<p class="quiet">You will be signed out everywhere, and sign in again with the new one.</p>`,
  };
}
