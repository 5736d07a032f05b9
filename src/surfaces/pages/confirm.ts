import { html } from '../../kernel/render/markup.ts';
import { confirmationField } from './confirmation.ts';
import { csrfField } from './layout.ts';
import { errorNote, statusNote } from './notes.ts';
import { page } from './page.ts';

/** Asks for the user's own password again, for changes on pages that do not ask themselves. */
export const confirmIdentityPage = page(async (call) => {
  const field = confirmationField(call, 'page');
  return {
    title: 'Confirm your password',
    status: call.refusal?.status ?? 200,
    body: html`<h1>Confirm your password</h1>
${call.refusal && errorNote(call.refusal.masked())}
${
  field
    ? html`<form class="stacked" method="post" action="/account/confirm">
${csrfField(call)}${field}
<p><button>Confirm</button></p>
</form>`
    : statusNote('Your identity is confirmed. Go back to the other tab and send the change again.')
}`,
  };
});
