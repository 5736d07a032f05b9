import type { Markup } from '../../../kernel/render/markup.ts';
import { buttonLink } from '../design/button.ts';
import type { PageCall } from '../page-call.ts';

/** Whether the user may mail documents. */
export function mayMail(call: PageCall): boolean {
  return call.user.universal && call.may('delivery/prepare');
}

/** Returns the address of the page that mails documents. */
export function newMailingPath(documentIds: readonly (number | string)[]): string {
  return `/mailings/new?AttachmentID=${documentIds.join(',')}`;
}

/** Renders a link that mails documents; nothing where the user may not. */
export function mailLink(call: PageCall, documentIds: readonly number[], text: string): Markup | false {
  return (
    documentIds.length > 0 && mayMail(call) && buttonLink({ text, icon: 'message', href: newMailingPath(documentIds) })
  );
}
