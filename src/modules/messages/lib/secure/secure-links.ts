import type { Context } from '../../../../kernel/door/context.ts';
import type { Db } from '../../../../kernel/database/store.ts';
import { updateRow } from '../../../../kernel/records/save/update-row.ts';
import { hashOfToken } from './secure-notice.ts';

/** A secure link that works. */
export interface OpenLink {
  readonly id: number;
  readonly messageId: number;
  readonly recipientId: number;
  /** The address to which it was sent. */
  readonly address: string;
}

/** What a reader did with a link. `Code`: a one-time code was mailed. `Refused`: a wrong code was entered. */
export type ReadKind = 'Code' | 'Refused' | 'Message' | 'File';

const OPEN_LINK = `select securelinkid as id, messageid as "messageId", messagerecipientid as "recipientId",
  securelink as address from securelink where revokeddate is null`;

/** Returns the link of a token, unless it is unknown, expired or revoked. */
export async function findLink(ctx: Context, db: Db, token: string): Promise<OpenLink | undefined> {
  const [link] = await db.query<OpenLink>(`${OPEN_LINK} and tokenhash = $1::text and expirydate > $2::timestamptz`, [
    hashOfToken(token),
    ctx.clock.now(),
  ]);
  return link;
}

/** Returns a link by its ID, unless it has expired or was revoked since. */
export async function openLink(ctx: Context, db: Db, id: number): Promise<OpenLink | undefined> {
  const [link] = await db.query<OpenLink>(
    `${OPEN_LINK} and securelinkid = $1::bigint and expirydate > $2::timestamptz`,
    [id, ctx.clock.now()],
  );
  return link;
}

/** What is recorded of a use of a link. */
export interface LinkUse {
  readonly what: ReadKind;
  /** The file that was read. */
  readonly detail?: string | undefined;
  /** The user, if one is signed in. */
  readonly personId?: number | undefined;
}

/**
 * Records who used a link, for what, and when. A page reads a message several times: within a minute it is recorded
 * once. Runs as System.
 */
export async function recordUse(own: Context, link: OpenLink, { what, detail, personId }: LinkUse): Promise<void> {
  const now = own.clock.now();
  await own.db.query(
    `insert into securelinkread (securelinkid, readdate, what, detail, personid, address)
     select $1::bigint, $2::timestamptz, $3::text, $4::text, $5::bigint, $6::text
     where $3::text <> 'Message' or not exists (
       select from securelinkread r
       where r.securelinkid = $1::bigint and r.what = 'Message' and r.address = $6::text
         and r.personid is not distinct from $5::bigint and r.readdate > $2::timestamptz - interval '1 minute')`,
    [link.id, now, what, detail?.slice(0, 300) ?? null, personId ?? null, own.address.slice(0, 60)],
  );
  if (what === 'Message' && (await isRecipient(own, link, personId))) await recordRead(own, link, now);
}

/** Whether a reader is the recipient: who entered a code from their mail, or a user with that address. */
async function isRecipient(own: Context, { recipientId, address }: OpenLink, personId?: number): Promise<boolean> {
  if (personId === undefined) return true;
  const rows = await own.db.query(
    `select 1 from messagerecipient where messagerecipientid = $1::bigint and personid = $2::bigint
     union all
     select 1 from person where personid = $2::bigint and lower(email) = lower($3::text)
     limit 1`,
    [recipientId, personId, address],
  );
  return rows.length > 0;
}

/** The recipient has read the message: its first reading is shown with the recipient. */
async function recordRead(own: Context, link: OpenLink, now: string): Promise<void> {
  await own.db.query('update securelink set lastread = $2::timestamptz where securelinkid = $1::bigint', [
    link.id,
    now,
  ]);
  const [unread] = await own.db.query(
    `select 1 from messagerecipient where messagerecipientid = $1::bigint and readdate is null for update`,
    [link.recipientId],
  );
  if (!unread) return;
  const recipients = own.registry.recordType('MessageRecipient');
  await updateRow(own, recipients, link.recipientId, { ReadDate: now, Status: 'Read' });
}
