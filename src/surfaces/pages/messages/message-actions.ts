import { PlatformError } from '../../../kernel/door/errors.ts';
import type { PageAnswer, PageCall } from '../page-call.ts';
import { withQuery } from '../page-query.ts';
import { page } from '../page.ts';
import { plainText } from '../plain-text.ts';
import { recordIdFromPath } from '../record-address.ts';
import { backPath } from './message-paths.ts';
import { readThread } from './read-thread.ts';
import { sendAgain } from './send-again.ts';
import { threadAnswer } from './thread-page.ts';

/** Does what a button of a message says, and goes back to where it was pressed. */
export const changeMessage = page(async (call): Promise<PageAnswer> => {
  const id = recordIdFromPath(call);
  const back = backPath(plainText(call.form['Back']));
  try {
    const done = await act(call, id, plainText(call.form['Action']));
    return { redirectTo: withQuery(back, { done, message: String(id) }) };
  } catch (error) {
    if (!(error instanceof PlatformError) || error.status >= 500 || error.status === 404) throw error;
    return threadAnswer(call, id, error.masked());
  }
});

async function act(call: PageCall, id: number, action: string): Promise<string> {
  switch (action) {
    case 'unread':
      await call.call('message/markunread', { ID: [id] });
      return 'mail-unread';
    case 'read':
    case 'done':
      await markThreadRead(call, id);
      return 'mail-read';
    case 'file':
      await call.call('message/file', {
        ID: [id],
        Object: plainText(call.form['Object']),
        ObjectID: Number(plainText(call.form['ObjectID'])),
      });
      return 'mail-filed';
    case 'unfile':
      await call.call('message/unfile', { ID: [id] });
      return 'mail-unfiled';
    case 'pdf':
      await call.call('message/saveaspdf', { ID: id });
      return 'mail-pdf';
    case 'cancel':
      await call.call('message/stopsending', { ID: id });
      return 'mail-stopped';
    case 'again':
      await sendAgain(call, id);
      return 'mail-again';
    case 'revoke':
      await call.call('securelink/revoke', { MessageID: id });
      return 'mail-revoked';
    default:
      throw new PlatformError('BAD_PARAMETER', {
        field: 'Action',
        message: 'Action: expected unread, read, done, file, unfile, pdf, cancel, again or revoke.',
      });
  }
}

async function markThreadRead(call: PageCall, id: number): Promise<void> {
  const { messages } = await readThread(call, id);
  const unread = messages.filter(({ isUnread }) => isUnread).map(({ row }) => row.MessageID);
  if (unread.length > 0) await call.call('message/markread', { ID: unread });
}
