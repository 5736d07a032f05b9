import { arrayLiteral } from '../../../../kernel/database/store.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { MICROSECONDS } from '../../../../kernel/records/history/recent-changes.ts';
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

/** A message that was received or is sent, and not a note on a record. */
const IS_MAIL = '(m.mailinboundid is not null or m.sentdate is not null)';

/** The conversations of an inbox. $1 to $4: its subjects; $5: the caller, whose read state counts. */
const THREADS = `subject as materialized (
    select s.object collate "C" as object, s.id from unnest($3::text[], $4::bigint[]) as s (object, id)
    union
    select p.recordclass collate "C", p.processid from process p where p.assignedpersonid = any($1::bigint[])
  ), own as materialized (
    select coalesce(m.threadid, m.messageid) as threadid
    from subject s join message m on m.objectid = s.id and m.object = s.object
    where ${IS_MAIL}
    union
    select coalesce(m.threadid, m.messageid)
    from message m
    where m.createdpersonid = any($1::bigint[]) and m.sentdate is not null and m.mailinboundid is null
    union
    select coalesce(m.threadid, m.messageid)
    from messagerecipient r join message m on m.messageid = r.messageid
    where r.personid = any($1::bigint[])
    union
    select coalesce(m.threadid, m.messageid)
    from messagerecipient r join message m on m.messageid = r.messageid
    where r.messagerecipient = any($2::text[]) and m.mailinboundid is not null
  ), thread as materialized (
    select o.threadid, max(m.at) as latest, count(*)::integer as messages,
      count(*) filter (where m.isunread)::integer as unread, bool_or(m.isreceived) as isreceived,
      bool_or(m.issent) as issent
    from own o
    cross join lateral (
      select coalesce(m.receiveddate, m.sentdate, m.createddate) as at, r.isreceived,
        r.isreceived and not exists (
          select from messageread e where e.messageid = m.messageid and e.personid = $5::bigint) as isunread,
        m.sentdate is not null and m.mailinboundid is null and m.createdpersonid = any($1::bigint[]) as issent
      from message m
      cross join lateral (select m.mailinboundid is not null or exists (
        select from messagerecipient n where n.messageid = m.messageid and n.personid = $5::bigint) as isreceived) r
      where m.threadid = o.threadid or (m.messageid = o.threadid and m.threadid is null)
    ) m
    group by o.threadid
  )`;

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
  page: { readonly view: InboxView; readonly before: InboxCursor | undefined; readonly size: number },
): Promise<readonly InboxThread[]> {
  const { view, before, size } = page;
  const unread = hasUnreadFirst(view) ? 't.unread > 0' : 'false';
  return ctx.db.query<InboxThread>(
    `with ${THREADS}, page as materialized (
       select t.*, ${unread} as first
       from thread t
       where ${conditions[view]}
         and ($6::timestamptz is null
           or (${unread}, t.latest, t.threadid) < ($7::boolean, $6::timestamptz, $8::bigint))
       order by first desc, t.latest desc, t.threadid desc
       limit $9::integer
     )
     select t.threadid as "ThreadID", m.messageid as "MessageID", m.message as "Message",
       left(regexp_replace(left(m.bodytext, 1000) collate "C", '\\s+', ' ', 'g'), ${SNIPPET_CHARACTERS}) as "Snippet",
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
       where m.threadid = t.threadid or (m.messageid = t.threadid and m.threadid is null)
       order by coalesce(m.receiveddate, m.sentdate, m.createddate) desc, m.messageid desc
       limit 1
     ) m
     order by t.first desc, t.latest desc, t.threadid desc`,
    [...subjectValues(ctx, subjects), before?.at ?? null, before?.isUnread ?? false, before?.threadId ?? null, size],
  );
}

/** Returns how many conversations of an inbox have unread messages, {@link UNREAD_MAX} at most. */
export async function countUnread(ctx: Context, subjects: InboxSubjects): Promise<number> {
  const [row] = await ctx.db.query<{ unread: number }>(
    `with ${THREADS}
     select count(*)::integer as unread from (select from thread t where t.unread > 0 limit ${UNREAD_MAX}) u`,
    subjectValues(ctx, subjects),
  );
  return row?.unread ?? 0;
}

function subjectValues(
  ctx: Context,
  { personIds, addresses, records }: InboxSubjects,
): readonly [string, string, string, string, number] {
  return [
    arrayLiteral(personIds),
    arrayLiteral(addresses),
    arrayLiteral(records.map(({ object }) => object)),
    arrayLiteral(records.map(({ id }) => id)),
    ctx.user.personId,
  ];
}
