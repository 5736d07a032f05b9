import { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { buttonLink } from '../design/button.ts';
import { emptyState } from '../design/empty.ts';
import { threadLine, type InboxContext, type ThreadRow } from '../messages/inbox-list.ts';
import { withQuery } from '../page-query.ts';
import type { Thread } from '../messages/read-thread.ts';
import { openThread } from '../messages/thread-pane.ts';
import { threadView } from '../messages/thread-view.ts';
import type { PageCall } from '../page-call.ts';
import { loadPeople } from '../people.ts';
import { plainText } from '../plain-text.ts';
import type { CaseView } from './case-view.ts';

/** Conversations of a page of the tab. */
const PAGE_ROWS = 50;

/** Renders the conversations by mail of a case, the latest first; the one that the address names is open. */
export async function caseThreads(call: PageCall, { record, id, path }: CaseView): Promise<Markup> {
  const open = await chosenThread(call);
  // The case's timeline has the name `before`.
  const before = plainText(call.query['older']);
  const { answer } = await call.call('inbox/threads', {
    Object: record.name,
    ObjectID: id,
    Show: 'All',
    DisplaySize: PAGE_ROWS,
    ...(before !== '' && { Before: before }),
  });
  const rows: readonly ThreadRow[] = answer.rows;
  if (rows.length === 0 && before !== '') return emptyState({ icon: 'message', title: 'No older conversations.' });
  if (rows.length === 0)
    return emptyState({
      icon: 'message',
      title: 'No mail yet.',
      text: 'Press M to write to somebody about this case.',
    });
  const people = await loadPeople(
    call,
    [...rows, ...(open?.messages ?? []).map(({ row }) => row)].map(({ CreatedPersonID }) => CreatedPersonID),
  );
  const tab = withQuery(path, { tab: 'messages', older: before });
  const here = (thread?: number): string => (thread === undefined ? tab : withQuery(tab, { thread: String(thread) }));
  const last = rows.at(-1);
  const context: InboxContext = {
    cases: new Map(),
    people,
    current: open?.id,
    pathOf: (thread) => here(thread === open?.id ? undefined : thread),
    hasUnreadFirst: false,
    isOfCase: true,
  };
  return html`<ul class="case-threads" id="case-threads" aria-label="Conversations"
 data-live="${record.module}/${id}/message">${rows.map(
   (row) =>
     html`${threadLine(call, row, context)}${
       open !== undefined &&
       row.ThreadID === open.id &&
       html`<li class="case-thread">${threadView(call, open, { path: here(open.id), people })}</li>`
     }`,
 )}</ul>
${
  last &&
  rows.length === PAGE_ROWS &&
  html`<p class="older">${buttonLink({
    text: 'Older conversations',
    href: withQuery(path, { tab: 'messages', older: last.Cursor }),
  })}</p>`
}`;
}

/** Reads the conversation that the address names; undefined if there is none, or the user does not see it. */
async function chosenThread(call: PageCall): Promise<Thread | undefined> {
  const chosen = Number(plainText(call.query['thread']));
  if (!Number.isSafeInteger(chosen) || chosen <= 0) return undefined;
  try {
    return await openThread(call, chosen);
  } catch (error) {
    if (error instanceof PlatformError && error.code === 'NOT_FOUND') return undefined;
    throw error;
  }
}
