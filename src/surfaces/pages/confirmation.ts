import { isConfirmed } from '../../kernel/security/confirmation.ts';
import { html, type Markup } from '../../kernel/render/markup.ts';
import { textField } from './design/field.ts';
import type { PageCall } from './page-call.ts';

/** The form field with the user's own password. The page reads it; no operation gets it. */
export const CONFIRMATION_FIELD = 'OwnPassword';

/**
 * Renders the field for the user's own password, for forms that change the access of users; nothing if the user has
 * entered it recently. `form` distinguishes the fields of several forms on one page.
 */
export function confirmationField(call: PageCall, form: string): Markup | false {
  if (isConfirmed(call.user, call.platform)) return false;
  return textField({
    label: 'Your own password, to confirm that it is you',
    name: CONFIRMATION_FIELD,
    id: `own-password-${form}`,
    type: 'password',
    isRequired: true,
    attributes: html`autocomplete="current-password"`,
  });
}
