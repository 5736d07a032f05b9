import type postgres from 'postgres';

/** Cases on which the messages of the team are. */
const CASES = 2_000;
/** The reader has read all messages but one of this many. */
const UNREAD_EVERY = 2_500;

/** What the figures of messages show: the inbox of a team. */
export interface ShownMail {
  readonly mailTeam: number;
}

/**
 * Adds messages, unless they are there: conversations of two on cases that a user of the team Intake is responsible
 * for, of which half were received. `readerId` has read nearly all. Returns the team.
 */
export async function fillMail(
  sql: postgres.Sql,
  messages: number,
  { memberId, readerId }: { readonly memberId: number; readonly readerId: number },
): Promise<ShownMail> {
  const [known] = await sql.unsafe<{ count: number }[]>('select count(*)::integer as count from message');
  if ((known?.count ?? 0) < messages) await insertMail(sql, messages, memberId);
  await sql.unsafe(
    `insert into messageread (messageid, personid, readdate)
     select messageid, $1::bigint, now() from message where messageid % ${UNREAD_EVERY} <> 0
     on conflict do nothing`,
    [readerId],
  );
  await sql.unsafe('vacuum analyze message, messagerecipient, messageread');
  const [team] = await sql.unsafe<{ id: number }[]>(
    "select collectionid::integer as id from collection where collection = 'Intake' and sourceobject = 'Person'",
  );
  return { mailTeam: team?.id ?? 0 };
}

async function insertMail(sql: postgres.Sql, messages: number, memberId: number): Promise<void> {
  await sql.unsafe(
    `insert into mailinbound (mailinbound, mailinboundtype, active)
     select 'Bench', 'ImapReceiver', false where not exists (select from mailinbound)`,
  );
  await sql.unsafe(
    `update process set assignedpersonid = $1::bigint
     where processid in (
       select processid from process where recordclass = 'Foreclosure' order by processid limit ${CASES})`,
    [memberId],
  );
  await sql.unsafe(
    `with made as (
       insert into message (message, messagetype, status, bodytext, object, objectid, threadid, receiveddate, sentdate,
         mailinboundid, createdpersonid, fromaddress)
       select 'Payoff of loan ' || n / 2, 'Email', case when n % 2 = 0 then 'Received' else 'Sent' end,
         repeat('The payoff is due at the end of the month. ', 40), 'Foreclosure',
         c.ids[1 + n / 2 % cardinality(c.ids)],
         case when n % 2 = 1 then f.first + n - 1 end, case when n % 2 = 0 then d.at end, d.at,
         case when n % 2 = 0 then (select min(mailinboundid) from mailinbound) end,
         case when n % 2 = 1 then $1::bigint end, 'arowe@rowelaw.example'
       from generate_series(0, ${messages - 1}) n
       cross join (select array_agg(processid order by processid) as ids
                   from process where assignedpersonid = $1::bigint) c
       cross join (select coalesce(max(messageid), 0) + 1 as first from message) f
       cross join lateral (select now() - ${messages} * interval '5 minutes' + n * interval '5 minutes' as at) d
       order by n
       returning messageid)
     insert into messagerecipient (messageid, messagerecipient, category)
     select messageid, 'arowe@rowelaw.example', 0 from made`,
    [memberId],
  );
}
