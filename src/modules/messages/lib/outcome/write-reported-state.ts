import { arrayLiteral } from '../../../../kernel/database/store.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { mailStatusOf } from '../../maildelivery/lib/mail-status.ts';
import type { ReportedDelivery } from './reported-deliveries.ts';
import { sumUpMessages } from './recipient-outcomes.ts';

/** What a report says about one recipient of a delivery. */
export interface ReportedState {
  readonly address: string;
  /** Undefined if the status stays. */
  readonly status: 'Delivered' | 'Bounced' | 'Read' | undefined;
  readonly detail: string | null;
  /** The statuses of a message's recipient that it may follow. */
  readonly from: readonly string[];
}

/**
 * Writes a reported state to the delivery and to the recipient of the message, and sums up the message. Returns whether
 * anything changed. Reports may arrive in any order and again.
 */
export async function writeReportedState(
  own: Context,
  delivery: ReportedDelivery,
  state: ReportedState,
): Promise<boolean> {
  const isNew = await writeToDelivery(own, delivery, state);
  const { messageId, messageRecipientId } = delivery;
  if (messageId === null || messageRecipientId === null) return isNew;
  const rows = await own.db.query(
    `update messagerecipient r
     set status = coalesce($2::text, r.status),
       detail = $3::text,
       receiveddate = case when $2::text = 'Delivered' then $4::timestamptz else r.receiveddate end,
       readdate = case when $2::text = 'Read' then coalesce(r.readdate, $4::timestamptz) else r.readdate end,
       version = r.version + 1, updateddate = $4::timestamptz, updatedpersonid = $6::bigint
     where r.messagerecipientid = $1::bigint and r.status = any($5::text[])
       and (coalesce($2::text, r.status) <> r.status or r.detail is distinct from $3::text)
     returning 1`,
    [
      messageRecipientId,
      state.status ?? null,
      state.detail,
      own.clock.now(),
      arrayLiteral(state.from),
      own.user.personId,
    ],
  );
  if (rows.length > 0 && state.status !== undefined) await sumUpMessages(own, [messageId]);
  return isNew || rows.length > 0;
}

/** Writes a state to the recipient in a delivery. One that is being sent is not touched: its outcome follows. */
async function writeToDelivery(
  own: Context,
  { id, status, recipients }: ReportedDelivery,
  state: ReportedState,
): Promise<boolean> {
  const address = state.address.toLowerCase();
  const before = recipients.find(({ Address }) => Address.toLowerCase() === address);
  // A mail that was opened has been delivered.
  const Status = state.status === 'Read' ? 'Delivered' : state.status;
  const isKnown = before?.Status === 'Bounced' || before?.Status === Status;
  if (!before || Status === undefined || isKnown || status === 'Sending' || status === 'Waiting') return false;
  const { detail: Detail } = state;
  const after = recipients.map((one) => (one === before ? { ...one, Status, Detail, Date: own.clock.now() } : one));
  await own.db.query(
    `update maildelivery
     set recipients = $2::text::jsonb, status = $3::text, lasterror = coalesce($4::text, lasterror),
       updateddate = $5::timestamptz
     where maildeliveryid = $1::bigint`,
    [id, JSON.stringify(after), mailStatusOf(after), Detail, own.clock.now()],
  );
  return true;
}
