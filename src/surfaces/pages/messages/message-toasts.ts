import { html, type Markup } from '../../../kernel/render/markup.ts';
import { hiddenField } from '../components.ts';
import { button } from '../design/button.ts';
import { toast } from '../design/toast.ts';
import { csrfField } from '../layout.ts';
import type { PageCall } from '../page-call.ts';
import { plainText } from '../plain-text.ts';
import { messagePath } from './message-paths.ts';

/** Words about what was done, by `done` of the address; `undo` is the action that takes it back. */
const words: Readonly<Record<string, { readonly text: string; readonly undo?: string }>> = {
  'mail-sent': { text: 'Your message is on its way.', undo: 'cancel' },
  'mail-stopped': { text: 'The message was not sent.' },
  'mail-again': { text: 'The message is being sent again.' },
  'mail-unread': { text: 'Marked as unread.', undo: 'read' },
  'mail-read': { text: 'Marked as read.', undo: 'unread' },
  'mail-filed': { text: 'Filed.', undo: 'unfile' },
  'mail-unfiled': { text: 'Filing undone. The message is now under “Not filed”.' },
  'mail-revoked': { text: 'Links revoked. Nobody can read the message by them any more.' },
  'mail-pdf': { text: 'Saved as a PDF among the attachments of the message.' },
  'mail-retried': { text: 'The email was read again.' },
  'address-lifted': { text: 'Address unblocked.' },
  'address-blocked': { text: 'Address blocked.' },
};

/**
 * Returns words about what was just done with a message, and the way to undo it.
 *
 * @param path the address of the page, to which undoing returns
 */
export function messageToasts(call: PageCall, path: string): readonly Markup[] {
  const done = words[plainText(call.query['done'])];
  if (!done) return [];
  const id = Number(call.query['message']);
  if (done.undo === undefined || !Number.isSafeInteger(id) || id < 1) return [toast({ text: done.text })];
  const undo = html`<form method="post"
 action="${messagePath(id)}">${csrfField(call)}${hiddenField('Back', path)}${button({
   text: 'Undo',
   kind: 'quiet',
   name: 'Action',
   value: done.undo,
   attributes: html`data-key="z"`,
 })}</form>`;
  return [toast({ text: done.text, undo })];
}
