import { arrayLiteral } from '../../../../kernel/database/store.ts';
import type { Context } from '../../../../kernel/door/context.ts';

/** What became of a message at a recipient by an attempt to send it. */
export interface RecipientOutcomeRow {
  readonly messageRecipientId: number;
  readonly messageId: number;
  readonly deliveryId: number;
  readonly status: 'Waiting' | 'Sent' | 'Refused' | 'Suppressed' | 'Unknown' | 'Canceled';
  readonly detail: string | null;
}

/** A delivery and what it sends; null for system mail. */
export interface DeliveryOfMessage {
  readonly id: number;
  readonly message: number | null;
  readonly recipient: number | null;
}

/** Returns one outcome for the recipients of all deliveries of messages. */
export function recipientsOf(
  deliveries: readonly DeliveryOfMessage[],
  status: RecipientOutcomeRow['status'],
  detail: string | null,
): RecipientOutcomeRow[] {
  return deliveries.flatMap(({ id, message, recipient }) =>
    message === null || recipient === null
      ? []
      : [{ messageRecipientId: recipient, messageId: message, deliveryId: id, status, detail }],
  );
}

/** Writes outcomes to the recipients of messages and sums up the messages, in the caller's transaction. */
export async function settleRecipients(own: Context, outcomes: readonly RecipientOutcomeRow[]): Promise<void> {
  await writeRecipientOutcomes(own, outcomes);
  await sumUpMessages(own, [...new Set(outcomes.map(({ messageId }) => messageId))]);
}

/**
 * Writes outcomes to the recipients of messages, in the caller's transaction. A report that arrived before the outcome
 * was recorded stays. The caller sums up the messages.
 */
export async function writeRecipientOutcomes(own: Context, outcomes: readonly RecipientOutcomeRow[]): Promise<void> {
  if (outcomes.length === 0) return;
  await own.db.query(
    `with one as (
       select r.messagerecipientid as id
       from messagerecipient r
       join jsonb_to_recordset($1::text::jsonb) as o ("messageRecipientId" bigint)
         on r.messagerecipientid = o."messageRecipientId"
       order by r.messagerecipientid
       for no key update of r)
     update messagerecipient r
     set status = case when o.status = 'Sent' and r.status in ('Delivered', 'Bounced', 'Read') then r.status
         else o.status end,
       detail = case when o.status = 'Sent' and r.status in ('Delivered', 'Bounced', 'Read') then r.detail
         else o.detail end,
       sentdate = case when o.status = 'Sent' then $2::timestamptz else r.sentdate end,
       maildeliveryid = o."deliveryId", version = r.version + 1,
       updateddate = $2::timestamptz, updatedpersonid = $3::bigint
     from one
     join jsonb_to_recordset($1::text::jsonb)
       as o ("messageRecipientId" bigint, "deliveryId" bigint, status text, detail text)
       on o."messageRecipientId" = one.id
     where r.messagerecipientid = one.id`,
    [JSON.stringify(outcomes), own.clock.now(), own.user.personId],
  );
}

/**
 * Whether the status of message m sums up recipient r. A firm that sees the message would otherwise learn from it what
 * became of blind copies that it does not see. A message with no other recipients counts as sent.
 */
const IS_SUMMED_UP = '(m.reachorganizationid is null or r.reachorganizationid = m.reachorganizationid)';

/**
 * Sets the status of messages from those of their recipients. Locks the messages first: of two attempts that end at the
 * same time, the second sees what the first has written. While a recipient waits, nothing else is read.
 */
export async function sumUpMessages(
  own: Pick<Context, 'db' | 'clock' | 'user'>,
  ids: readonly number[],
): Promise<void> {
  await own.db.query(`select 1 from message where messageid = any($1::bigint[]) order by messageid for no key update`, [
    arrayLiteral(ids),
  ]);
  const rows = await own.db.query<{ id: number; waits: boolean }>(
    `select m.messageid as id,
       exists (
         select from messagerecipient r
         where r.messageid = m.messageid and r.status = 'Waiting' and ${IS_SUMMED_UP}) as waits
     from message m
     where m.messageid = any($1::bigint[])`,
    [arrayLiteral(ids)],
  );
  const waiting = rows.filter(({ waits }) => waits).map(({ id }) => id);
  const done = rows.filter(({ waits }) => !waits).map(({ id }) => id);
  if (waiting.length > 0)
    await own.db.query(
      `update message set status = 'Queued', version = version + 1, updateddate = $2::timestamptz,
         updatedpersonid = $3::bigint
       where messageid = any($1::bigint[]) and status is distinct from 'Queued'`,
      [arrayLiteral(waiting), own.clock.now(), own.user.personId],
    );
  if (done.length > 0) await setFinalStatus(own, done);
}

/** Sets the status of messages of which no recipient waits. */
async function setFinalStatus(own: Pick<Context, 'db' | 'clock' | 'user'>, ids: readonly number[]): Promise<void> {
  await own.db.query(
    `update message m
     set status = s.status, version = m.version + 1, updateddate = $2::timestamptz,
       updatedpersonid = $3::bigint
     from (
       select m.messageid,
         case when bool_or(r.status = 'Unknown') then 'Unknown'
           when bool_and(r.status in ('Sent', 'Delivered', 'Read')) then 'Sent'
           when bool_or(r.status in ('Sent', 'Delivered', 'Read')) then 'Partly sent'
           when count(r.status) > 0 then 'Not sent'
           else 'Sent' end as status
       from message m
       join messagerecipient c on c.messageid = m.messageid and c.category in (0, 1, 2) and c.status <> 'Inactive'
       left join messagerecipient r on r.messagerecipientid = c.messagerecipientid and ${IS_SUMMED_UP}
       where m.messageid = any($1::bigint[])
       group by m.messageid) s
     where m.messageid = s.messageid and m.status is distinct from s.status`,
    [arrayLiteral(ids), own.clock.now(), own.user.personId],
  );
}
