import { html } from '../../../kernel/render/markup.ts';
import type { PlatformError } from '../../../kernel/door/errors.ts';
import { banner } from '../design/banner.ts';
import type { PageCall, ShownPage } from '../page-call.ts';
import { page } from '../page.ts';
import { recordIdFromPath } from '../record-address.ts';
import { INBOX_PATH, messagePath } from './message-paths.ts';
import { messageToasts } from './message-toasts.ts';
import { openThread, threadPane } from './thread-pane.ts';

/** Shows the conversation of a message on a page of its own. */
export const threadPage = page((call) => threadAnswer(call, recordIdFromPath(call)));

/** Returns the page of a conversation. `refused`: why a button's action was refused. */
export async function threadAnswer(call: PageCall, id: number, refused?: PlatformError): Promise<ShownPage> {
  const thread = await openThread(call, id);
  const pane = await threadPane(call, thread, { path: messagePath(id), heading: 'h1' });
  return {
    title: thread.subject,
    place: 'messages',
    crumbs: [{ text: 'Messages', href: INBOX_PATH }, { text: html`<bdi>${thread.subject}</bdi>` }],
    entries: ['messages', 'case'],
    status: refused?.status ?? 200,
    toasts: messageToasts(call, messagePath(id)),
    body: html`<div class="page thread-page">
${refused && banner({ tone: 'danger', role: 'alert', text: refused.message })}
<div class="thread-alone" id="inbox-thread" data-live="message">${pane}</div></div>`,
  };
}
