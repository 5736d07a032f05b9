import type { Context } from '../../../../kernel/door/context.ts';
import type { Recipient } from '../../maildelivery/lib/mail-content.ts';

/** A delivery that a report may be about. */
export interface ReportedDelivery {
  readonly id: number;
  readonly status: string;
  readonly messageId: number | null;
  readonly messageRecipientId: number | null;
  readonly recipients: readonly Recipient[];
  /** Whether the mail is only the notice of a secure message. */
  readonly isNotice: boolean;
  /** The addresses that it was sent to. */
  readonly addresses: readonly string[];
  /** Whether it was sent to an address. */
  has(address: string): boolean;
}

interface DeliveryRow {
  readonly id: number;
  readonly status: string;
  readonly messageId: number | null;
  readonly messageRecipientId: number | null;
  readonly recipients: readonly Recipient[];
  readonly isNotice: boolean;
}

/** A mail of which a report names the Message-ID, or the service's own ID, and a recipient. */
export interface ReportedMail {
  readonly messageId: string;
  readonly address: string;
  /** The mail server that took it over, if that is proven. */
  readonly provider?: string;
}

/** Locks and returns the delivery of an id, if anything was transmitted of it. */
export async function readDelivery(own: Context, id: number): Promise<ReportedDelivery | undefined> {
  const [row] = await own.db.query<DeliveryRow>(
    `select ${COLUMNS} from maildelivery where maildeliveryid = $1::bigint and attempts > 0 for update`,
    [id],
  );
  return row && reportedDelivery(row);
}

/** Locks and returns the deliveries of a mail to an address, of which anything was transmitted. */
export async function readReported(
  own: Context,
  { messageId, address, provider }: ReportedMail,
): Promise<readonly ReportedDelivery[]> {
  const rows = await own.db.query<DeliveryRow>(
    `select ${COLUMNS}
     from maildelivery
     where maildeliveryid in (
         select maildeliveryid from maildelivery where internetmessageid = $1::text
         union all
         select maildeliveryid from maildelivery
         where $3::text is not null and recipients -> 0 ->> 'Reference' = $1::text)
       and attempts > 0
       and exists (select from jsonb_array_elements(recipients) r where lower(r ->> 'Address') = lower($2::text))
       and ($3::text is null
         or attemptlog @> jsonb_build_array(jsonb_build_object('Provider', $3::text))
         or lower(provider) = lower($3::text)
         or status = 'Sending')
     order by maildeliveryid
     for update`,
    [messageId, address, provider ?? null],
  );
  return rows.map(reportedDelivery);
}

/** The select list of a {@link DeliveryRow}. */
const COLUMNS = `maildeliveryid as id, status, messageid as "messageId", messagerecipientid as "messageRecipientId",
       recipients, coalesce((select m.securedelivery from message m where m.messageid = maildelivery.messageid), false)
         as "isNotice"`;

function reportedDelivery(row: DeliveryRow): ReportedDelivery {
  const addresses = row.recipients.map(({ Address }) => Address);
  const known = new Set(addresses.map((address) => address.toLowerCase()));
  return { ...row, addresses, has: (address) => known.has(address.toLowerCase()) };
}

/** Whether an address is that of another recipient of the same message. */
export async function isOtherRecipient(
  own: Context,
  { messageId, messageRecipientId }: ReportedDelivery,
  address: string,
): Promise<boolean> {
  if (messageId === null) return true;
  const rows = await own.db.query(
    `select 1 from messagerecipient
     where messageid = $1::bigint and messagerecipientid <> $2::bigint and messagerecipient = $3::text
     limit 1`,
    [messageId, messageRecipientId, address],
  );
  return rows.length > 0;
}
