import { bad } from '../../../../kernel/parameters/parse-value.ts';
import { hasUnreadFirst, type InboxCursor, type InboxThread, type InboxView } from './inbox-threads.ts';

/** Returns the text of the cursor after a conversation. */
export function cursorText({ ThreadID, LatestDate, Unread }: InboxThread, view: InboxView): string {
  return `${hasUnreadFirst(view) && Unread > 0 ? 'unread' : 'read'}/${LatestDate}/${ThreadID}`;
}

/** Parses the cursor of a conversation. @throws BAD_PARAMETER for another text */
export function parseCursor(text: string | null | undefined): InboxCursor | undefined {
  if (text === null || text === undefined || text === '') return undefined;
  const [, state, at, id] = /^(unread|read)\/(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z)\/(\d{1,15})$/.exec(text) ?? [];
  if (at === undefined || Number.isNaN(Date.parse(at))) throw bad('Before', 'the Cursor of a conversation');
  return { isUnread: state === 'unread', at, threadId: Number(id) };
}
