import { arrayLiteral } from '../../../../kernel/database/store.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { MICROSECONDS } from '../../../../kernel/records/history/recent-changes.ts';
import { ownText } from '../../../../lib/mail/quoted-text.ts';
import {
  DATE,
  hasMessagesUpTo,
  THREAD,
  THREADS,
  unreadThreads,
  type InboxValues,
  type ThreadSource,
} from './inbox-sql.ts';
import type { InboxSubjects } from './inbox-subjects.ts';

/** Conversations that an inbox shows: with received mail, with unread mail, with mail that its users sent, or all. */
export const INBOX_VIEWS = ['Received', 'Unread', 'Sent', 'All'] as const;
export type InboxView = (typeof INBOX_VIEWS)[number];

/** Whether unread conversations come first. Otherwise they are looked up by date. */
export function hasUnreadFirst(view: InboxView): boolean {
  return view === 'Received' || view === 'Unread';
}

/** Most unread conversations that are counted. */
export const UNREAD_MAX = 100;
/** Characters of the text that a row shows. */
const SNIPPET_CHARACTERS = 160;
/** Characters of a text that are read for its snippet. */
const SNIPPET_SOURCE_CHARACTERS = 1_000;

/** Where a page of an inbox begins: after this conversation. Unread ones come first. */
export interface InboxCursor {
  readonly isUnread: boolean;
  readonly at: string;
  readonly threadId: number;
}

/** A conversation of an inbox, with its latest message. */
export interface InboxThread {
  readonly ThreadID: number;
  readonly MessageID: number;
  readonly Message: string | null;
  readonly Snippet: string | null;
  readonly FromName: string | null;
  readonly FromAddress: string | null;
  readonly CreatedPersonID: number | null;
  readonly IsReceived: boolean;
  readonly Status: string | null;
  readonly LatestDate: string;
  readonly Object: string | null;
  readonly ObjectID: number | null;
  readonly Messages: number;
  readonly Unread: number;
  readonly HasAttachments: boolean;
  readonly Recipients: string | null;
}

/** A page of an inbox. */
export interface InboxPage {
  readonly view: InboxView;
  readonly before: InboxCursor | undefined;
  readonly size: number;
}

/** Which conversations a query returns, and in which order. */
interface Selection {
  readonly source: ThreadSource;
  readonly condition: string;
  readonly isUnreadFirst: boolean;
  readonly before: InboxCursor | undefined;
  readonly size: number;
  /** The conversations of the source Listed. */
  readonly listed?: readonly number[];
}

/** Most messages of an inbox whose conversations are all read for each page. Larger inboxes are read by date. */
const SMALL_INBOX_MAX = 2_000;

const conditions: Readonly<Record<InboxView, string>> = {
  Received: 't.isreceived',
  Unread: 't.unread > 0',
  Sent: 't.issent',
  All: 'true',
};

/** Returns conversations of an inbox, the latest first; in some views after those with unread messages. */
export async function inboxThreads(
  ctx: Context,
  subjects: InboxSubjects,
  { view, before, size }: InboxPage,
): Promise<readonly InboxThread[]> {
  const isUnreadFirst = hasUnreadFirst(view);
  if (await hasMessagesUpTo(ctx, subjectValues(ctx, subjects), SMALL_INBOX_MAX)) {
    const selection = { condition: conditions[view], isUnreadFirst, before, size };
    return threadsOf(ctx, subjects, { ...selection, source: 'All' });
  }
  if (!isUnreadFirst) return latestThreads(ctx, subjects, { condition: conditions[view], before, size });
  const unread = before?.isUnread === false ? [] : await latestUnread(ctx, subjects, { before, size });
  if (view === 'Unread' || unread.length === size) return unread;
  const read = await latestThreads(ctx, subjects, {
    condition: 't.isreceived and t.unread = 0',
    before: before?.isUnread === false ? before : undefined,
    size: size - unread.length,
  });
  return [...unread, ...read];
}

/** Returns how many conversations of an inbox have unread messages, {@link UNREAD_MAX} at most. */
export async function countUnread(ctx: Context, subjects: InboxSubjects): Promise<number> {
  return (await inboxThreads(ctx, subjects, { view: 'Unread', before: undefined, size: UNREAD_MAX })).length;
}

type DatePage = Pick<Selection, 'condition' | 'before' | 'size'>;

/** Returns the latest conversations of a large inbox: of the latest messages, or of all where these are too few. */
async function latestThreads(ctx: Context, subjects: InboxSubjects, page: DatePage): Promise<readonly InboxThread[]> {
  const selection = { ...page, isUnreadFirst: false };
  const latest = await threadsOf(ctx, subjects, { ...selection, source: page.before ? 'LatestAfter' : 'Latest' });
  return latest.length === page.size ? latest : threadsOf(ctx, subjects, { ...selection, source: 'All' });
}

/** Returns the latest conversations of a large inbox with unread messages. */
async function latestUnread(
  ctx: Context,
  subjects: InboxSubjects,
  page: Omit<DatePage, 'condition'>,
): Promise<readonly InboxThread[]> {
  const condition = conditions.Unread;
  const listed = await unreadThreads(ctx, SMALL_INBOX_MAX);
  if (listed === undefined) return latestThreads(ctx, subjects, { ...page, condition });
  return threadsOf(ctx, subjects, { ...page, condition, isUnreadFirst: false, source: 'Listed', listed });
}

async function threadsOf(ctx: Context, subjects: InboxSubjects, selection: Selection): Promise<readonly InboxThread[]> {
  const { source, condition, isUnreadFirst, before, size, listed } = selection;
  const unread = isUnreadFirst ? 't.unread > 0' : 'false';
  const order = isUnreadFirst ? 'first desc, t.latest desc, t.threadid desc' : 't.latest desc, t.threadid desc';
  const threads = await ctx.db.query<InboxThread>(
    `with thread as (${THREADS[source]}), page as materialized (
       select t.*, ${unread} as first
       from thread t
       where ${condition}
         and ($6::timestamptz is null
           or (${unread}, t.latest, t.threadid) < ($7::boolean, $6::timestamptz, $8::bigint))
       order by ${order}
       limit $9::integer
     )
     select t.threadid as "ThreadID", m.messageid as "MessageID", m.message as "Message",
       left(m.bodytext, ${SNIPPET_SOURCE_CHARACTERS}) as "Snippet",
       m.fromname as "FromName", m.fromaddress as "FromAddress", m.createdpersonid as "CreatedPersonID",
       m.mailinboundid is not null as "IsReceived", m.status as "Status",
       to_char(t.latest at time zone 'UTC', ${MICROSECONDS}) as "LatestDate",
       m.object as "Object", m.objectid as "ObjectID", t.messages as "Messages", t.unread as "Unread",
       exists (select from attachment a where a.object = 'Message' and a.objectid = m.messageid) as "HasAttachments",
       (select string_agg(coalesce(nullif(r.name, ''), r.messagerecipient), ', ' order by r.messagerecipientid)
        from (select * from messagerecipient r where r.messageid = m.messageid and r.category < 2
              order by r.messagerecipientid limit 4) r) as "Recipients"
     from page t
     cross join lateral (
       select m.* from message m
       where ${THREAD} = t.threadid
       order by ${DATE} desc, m.messageid desc
       limit 1
     ) m
     order by t.first desc, t.latest desc, t.threadid desc`,
    [
      ...subjectValues(ctx, subjects),
      before?.at ?? null,
      isUnreadFirst && before?.isUnread === true,
      before?.threadId ?? null,
      size,
      ...(listed ? [arrayLiteral(listed)] : []),
    ],
  );
  return threads.map((thread) => ({ ...thread, Snippet: thread.Snippet === null ? null : snippetOf(thread.Snippet) }));
}

/** Returns the beginning of a text in one line, without what it quotes. */
function snippetOf(text: string): string {
  return ownText(text).replaceAll(/\s+/g, ' ').trim().slice(0, SNIPPET_CHARACTERS);
}

function subjectValues(ctx: Context, { personIds, addresses, records }: InboxSubjects): InboxValues {
  return [
    arrayLiteral(personIds),
    arrayLiteral(addresses),
    arrayLiteral(records.map(({ object }) => object)),
    arrayLiteral(records.map(({ id }) => id)),
    ctx.user.personId,
  ];
}
