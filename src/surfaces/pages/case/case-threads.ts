import { html, type Markup } from '../../../kernel/render/markup.ts';
import { emptyState } from '../design/empty.ts';
import { threadLine, type InboxContext, type ThreadRow } from '../messages/inbox-list.ts';
import { type MessageRow } from '../messages/read-thread.ts';
import { openThread } from '../messages/thread-pane.ts';
import { threadView } from '../messages/thread-view.ts';
import type { PageCall } from '../page-call.ts';
import { loadPeople } from '../people.ts';
import { plainText } from '../plain-text.ts';
import type { CaseView } from './case-view.ts';

/** Mails of a case that its tab groups into conversations. */
const MAILS_MAX = 200;

/** Renders the conversations by mail of a case, the latest first; the one that the address names is open. */
export async function caseThreads(call: PageCall, { record, id, path }: CaseView): Promise<Markup> {
  const mails = await readMails(call, `${record.module}/${id}`);
  const groups = [...Map.groupBy(mails, (row) => row.ThreadID ?? row.MessageID).values()];
  const chosen = Number(plainText(call.query['thread']));
  const [unread, people, open] = await Promise.all([
    readUnread(call, `${record.module}/${id}`),
    loadPeople(
      call,
      mails.map(({ CreatedPersonID }) => CreatedPersonID),
    ),
    mails.some(({ MessageID, ThreadID }) => chosen === MessageID || chosen === ThreadID)
      ? openThread(call, chosen)
      : undefined,
  ]);
  if (groups.length === 0)
    return emptyState({
      icon: 'message',
      title: 'No mail yet.',
      text: 'Press M to write to somebody about this case.',
    });
  const here = (thread?: number): string => `${path}?tab=messages${thread === undefined ? '' : `&thread=${thread}`}`;
  const context: InboxContext = {
    cases: new Map(),
    people,
    current: open?.id,
    pathOf: (thread) => here(thread === open?.id ? undefined : thread),
    hasUnreadFirst: false,
    isOfCase: true,
  };
  return html`<ul class="case-threads" id="case-threads" aria-label="Conversations"
 data-live="${record.module}/${id}/message">${groups.map(
   (group) =>
     html`${threadLine(call, rowOf(group, unread), context)}${
       open !== undefined &&
       rowOf(group, unread).ThreadID === open.id &&
       html`<li class="case-thread">${threadView(call, open, { path: here(open.id), people })}</li>`
     }`,
 )}</ul>`;
}

async function readMails(call: PageCall, below: string): Promise<readonly MessageRow[]> {
  const { answer } = await call.callBelow(below, 'message/search', {
    SentDate: 'not null',
    OrderBy: '-SentDate',
    DisplaySize: MAILS_MAX,
    RecordCount: 'false',
  });
  return (answer.rows as readonly MessageRow[]).toSorted((a, b) => timeOf(b).localeCompare(timeOf(a)));
}

function timeOf({ ReceivedDate, SentDate, CreatedDate }: MessageRow): string {
  return ReceivedDate ?? SentDate ?? CreatedDate;
}

async function readUnread(call: PageCall, below: string): Promise<ReadonlySet<number>> {
  if (!call.may('message/markread')) return new Set();
  const { answer } = await call.callBelow(below, 'message/search', {
    ...({ Unread: 'true' } as object),
    SqlColumns: 'MessageID',
    DisplaySize: MAILS_MAX,
    RecordCount: 'false',
  });
  return new Set(answer.rows.map(({ MessageID }) => MessageID));
}

/** Returns a conversation of the case as the list of an inbox has it. */
function rowOf(group: readonly MessageRow[], unread: ReadonlySet<number>): ThreadRow {
  const [latest] = group as readonly [MessageRow, ...MessageRow[]];
  return {
    Cursor: '',
    ThreadID: latest.ThreadID ?? latest.MessageID,
    MessageID: latest.MessageID,
    Message: latest.Message,
    Snippet: (latest.BodyText ?? '').slice(0, 600).replace(/\s+/g, ' ').slice(0, 160),
    FromName: latest.FromName,
    FromAddress: latest.FromAddress,
    CreatedPersonID: latest.CreatedPersonID,
    IsReceived: latest.MailInboundID !== null,
    Status: latest.Status,
    LatestDate: timeOf(latest),
    Object: latest.Object,
    ObjectID: latest.ObjectID,
    Messages: group.length,
    Unread: group.filter(({ MessageID }) => unread.has(MessageID)).length,
    HasAttachments: false,
    Recipients: null,
  };
}
