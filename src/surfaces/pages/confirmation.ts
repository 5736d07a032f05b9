import { isConfirmed } from '../../kernel/security/confirmation.ts';
import { html, type Markup } from '../../kernel/render/markup.ts';
import type { PageCall } from './page-call.ts';

/** The form field with the user's own password. The page reads it; no operation gets it. */
export const CONFIRMATION_FIELD = 'OwnPassword';

/**
 * Renders the field for the user's own password, for forms that change the access of users; nothing if the user has
 * entered it recently. `form` distinguishes the fields of several forms on one page.
 */
export function confirmationField(call: PageCall, form: string): Markup | false {
  if (isConfirmed(call.user, call.platform)) return false;
  return html`<p class="confirm">
<label for="own-password-${form}">Your own password, to confirm that it is you</label>
<input id="own-password-${form}" name="${CONFIRMATION_FIELD}" type="password" autocomplete="current-password" required>
</p>`;
}
