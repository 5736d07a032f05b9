import type { Context } from '../../../../kernel/door/context.ts';

/** The values $1 to $5 of a query: users, addresses, types and IDs of records, and the caller. */
export type InboxValues = readonly [string, string, string, string, number];

/**
 * Which conversations a query reads. All: those of the inbox. Listed: those of a list that are in the inbox. Latest:
 * those in the inbox whose latest message is among the latest of the installation. LatestAfter: the same, after the
 * cursor.
 */
export type ThreadSource = 'All' | 'Listed' | 'Latest' | 'LatestAfter';

/** Most messages that are read by date for one page. */
const LATEST_MAX = 20_000;

/** The conversation of a message, and its date there. Both are indexed as they are written here. */
export const THREAD = 'coalesce(m.threadid, m.messageid)';
export const DATE = 'coalesce(m.receiveddate, m.sentdate, m.createddate)';

/** A message that was received or is sent, and not a note on a record. */
const IS_MAIL = '(m.mailinboundid is not null or m.sentdate is not null)';
const IS_SENT = '(m.sentdate is not null and m.mailinboundid is null and m.createdpersonid = any($1::bigint[]))';

/** The messages of an inbox. */
const SUBJECT = `subject as materialized (
    select s.object collate "C" as object, s.id from unnest($3::text[], $4::bigint[]) as s (object, id)
    union
    select p.recordclass collate "C", p.processid from process p where p.assignedpersonid = any($1::bigint[])
  )`;
const OWN = `
    select ${THREAD} as threadid
    from subject s join message m on m.objectid = s.id and m.object = s.object
    where ${IS_MAIL}
    union all
    select ${THREAD} from message m where ${IS_SENT}
    union all
    select ${THREAD}
    from messagerecipient r join message m on m.messageid = r.messageid
    where r.personid = any($1::bigint[])
    union all
    select ${THREAD}
    from messagerecipient r join message m on m.messageid = r.messageid
    where r.messagerecipient = any($2::text[]) and m.mailinboundid is not null`;

/**
 * Whether the conversation w.threadid has one of these messages. `offset 0` makes the database check conversations one
 * by one as needed; with a join, it would check all of them first.
 */
const IS_OWN = `exists (
      select from message m
      where ${THREAD} = w.threadid
        and ((${IS_MAIL} and (
            exists (
              select from process p
              where p.processid = m.objectid and p.recordclass = m.object and p.assignedpersonid = any($1::bigint[]))
            or (m.object collate "C", m.objectid) in (
              select s.object collate "C", s.id from unnest($3::text[], $4::bigint[]) as s (object, id))))
          or ${IS_SENT}
          or exists (
            select from messagerecipient r
            where r.messageid = m.messageid
              and (r.personid = any($1::bigint[])
                or (m.mailinboundid is not null and r.messagerecipient = any($2::text[])))))
      offset 0)`;

/** What an inbox shows of the conversation w.threadid, by the caller's read state. */
const STATE = `(
      select max(m.at) as latest, count(*)::integer as messages, count(*) filter (where m.isunread)::integer as unread,
        bool_or(m.isreceived) as isreceived, bool_or(m.issent) as issent
      from (
        select ${DATE} as at, r.isreceived,
          r.isreceived and not exists (
            select from messageread e where e.messageid = m.messageid and e.personid = $5::bigint) as isunread,
          ${IS_SENT} as issent
        from message m
        cross join lateral (select m.mailinboundid is not null or exists (
          select from messagerecipient n where n.messageid = m.messageid and n.personid = $5::bigint) as isreceived) r
        where ${THREAD} = w.threadid
      ) m
    )`;

const COLUMNS = 't.messages, t.unread, t.isreceived, t.issent';

/** Whether a message w is the latest of its conversation, so that each conversation is read once, in page order. */
const IS_LATEST = `w.messageid = (
          select m.messageid from message m
          where ${THREAD} = w.threadid
          order by ${DATE} desc, m.messageid desc
          limit 1)`;
const MESSAGES = `select ${THREAD} as threadid, ${DATE} as at, m.messageid from message m`;
const BY_DATE = `order by ${DATE} desc, ${THREAD} desc limit ${LATEST_MAX}`;

/** The conversations of each source. The cursor is $6 and $8, the list $10. */
export const THREADS = {
  All: `with ${SUBJECT}
      select w.threadid, t.latest, ${COLUMNS}
      from (select distinct o.threadid from (${OWN}) o) w
      cross join lateral ${STATE} t`,
  Listed: `
      select w.threadid, t.latest, ${COLUMNS}
      from unnest($10::bigint[]) as w (threadid)
      cross join lateral ${STATE} t
      where ${IS_OWN}`,
  Latest: `
      select w.threadid, w.at as latest, ${COLUMNS}
      from (
        select w.threadid, w.at
        from (${MESSAGES} ${BY_DATE}) w
        where ${IS_LATEST} and ${IS_OWN}
        order by w.at desc, w.threadid desc
      ) w
      cross join lateral ${STATE} t`,
  LatestAfter: `
      select w.threadid, w.at as latest, ${COLUMNS}
      from (
        select w.threadid, w.at
        from (${MESSAGES} where (${DATE}, ${THREAD}) < ($6::timestamptz, $8::bigint) ${BY_DATE}) w
        where ${IS_LATEST} and ${IS_OWN}
        order by w.at desc, w.threadid desc
      ) w
      cross join lateral ${STATE} t`,
} as const satisfies Readonly<Record<ThreadSource, string>>;

/** Whether an inbox has at most `max` messages. A message counts once for each reason for which it is there. */
export async function hasMessagesUpTo(ctx: Context, values: InboxValues, max: number): Promise<boolean> {
  const [row] = await ctx.db.query<{ found: number }>(
    `with ${SUBJECT} select count(*)::integer as found from (select from (${OWN}) o limit $5::integer) o`,
    [...values.slice(0, 4), max + 1],
  );
  return (row?.found ?? 0) <= max;
}

/** Returns the conversations with messages that the caller has not read; undefined if these are more than `max`. */
export async function unreadThreads(ctx: Context, max: number): Promise<readonly number[] | undefined> {
  const rows = await ctx.db.query<{ id: number }>(
    `select ${THREAD} as id
     from (
       select m.messageid, m.threadid from message m where m.mailinboundid is not null
       union all
       select m.messageid, m.threadid
       from messagerecipient n join message m on m.messageid = n.messageid
       where n.personid = $1::bigint
     ) m
     where not exists (select from messageread e where e.messageid = m.messageid and e.personid = $1::bigint)
     limit $2::integer`,
    [ctx.user.personId, max + 1],
  );
  return rows.length > max ? undefined : [...new Set(rows.map(({ id }) => id))];
}
