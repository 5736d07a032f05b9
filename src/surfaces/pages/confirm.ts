import { html } from '../../kernel/render/markup.ts';
import { button } from './design/button.ts';
import { confirmationField } from './confirmation.ts';
import { csrfField } from './layout.ts';
import { errorNote, statusNote } from './notes.ts';
import { page } from './page.ts';

/** Asks for the user's own password again, for changes on pages that do not ask themselves. */
export const confirmIdentityPage = page(async (call) => {
  const field = confirmationField(call, 'page');
  return {
    title: 'Confirm your password',
    place: 'none',
    status: call.refusal?.status ?? 200,
    body: html`<div class="page narrow"><h1>Confirm your password</h1>
<p class="soft">Changes of what people may do need your password again, in case somebody else sits at your computer.</p>
${call.refusal && errorNote(call.refusal.masked())}
${
  field
    ? html`<form class="stack" method="post" action="/account/confirm">
${csrfField(call)}${field}
<p>${button({ text: 'Confirm', kind: 'primary' })}</p>
</form>`
    : statusNote('Your identity is confirmed. Go back to the other tab and send the change again.')
}</div>`,
  };
});
