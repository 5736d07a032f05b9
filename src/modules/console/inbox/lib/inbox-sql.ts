import type { Context } from '../../../../kernel/door/context.ts';

/** The values $1 to $5 of a query: users, addresses, types and IDs of records, and the caller. */
export type InboxValues = readonly [string, string, string, string, number];

/**
 * Where a query takes conversations from. Collected: all of the inbox. Chosen: those named, as far as they are of the
 * inbox. Walked: those of the latest messages there are; WalkedOn: from the cursor on.
 */
export type ThreadSource = 'Collected' | 'Chosen' | 'Walked' | 'WalkedOn';

/** Most messages that are read by date for one page. */
const WALKED_MAX = 20_000;

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
 * Whether the conversation w.threadid has one of these messages. `offset 0` has the database check each conversation by
 * itself: joined, it would check all of them.
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

/** Whether a message w is the latest of its conversation: a walk has each once, in the order of the page. */
const IS_LATEST = `w.messageid = (
          select m.messageid from message m
          where ${THREAD} = w.threadid
          order by ${DATE} desc, m.messageid desc
          limit 1)`;
const MESSAGES = `select ${THREAD} as threadid, ${DATE} as at, m.messageid from message m`;
const BY_DATE = `order by ${DATE} desc, ${THREAD} desc limit ${WALKED_MAX}`;

/** The conversations of each source. A walk can begin after the cursor $6 and $8. */
export const THREADS = {
  Collected: `with ${SUBJECT}
      select w.threadid, t.latest, ${COLUMNS}
      from (select distinct o.threadid from (${OWN}) o) w
      cross join lateral ${STATE} t`,
  Chosen: `
      select w.threadid, t.latest, ${COLUMNS}
      from unnest($10::bigint[]) as w (threadid)
      cross join lateral ${STATE} t
      where ${IS_OWN}`,
  Walked: `
      select w.threadid, w.at as latest, ${COLUMNS}
      from (
        select w.threadid, w.at
        from (${MESSAGES} ${BY_DATE}) w
        where ${IS_LATEST} and ${IS_OWN}
        order by w.at desc, w.threadid desc
      ) w
      cross join lateral ${STATE} t`,
  WalkedOn: `
      select w.threadid, w.at as latest, ${COLUMNS}
      from (
        select w.threadid, w.at
        from (${MESSAGES} where (${DATE}, ${THREAD}) < ($6::timestamptz, $8::bigint) ${BY_DATE}) w
        where ${IS_LATEST} and ${IS_OWN}
        order by w.at desc, w.threadid desc
      ) w
      cross join lateral ${STATE} t`,
} as const satisfies Readonly<Record<ThreadSource, string>>;

/** Whether an inbox has so many messages at most. A message counts for each reason for which the inbox has it. */
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
