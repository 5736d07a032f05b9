import type { KnownMail, MailHead, MailPlace } from '../../../../contracts/mail-inbound.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { arrayLiteral, type Db } from '../../../../kernel/database/store.ts';
import type { Mailbox } from './mailboxes.ts';
import type { MailContent } from './taken-mail.ts';

/** What became of a received mail, as MailReceipt stores it. */
export type ReceiptStatus = 'Received' | 'SetAside' | 'Duplicate' | 'OwnCopy' | 'Report';

/** Longest stored subject, address and reason. */
const SUBJECT_CHARACTERS_MAX = 1_000;
const ADDRESS_CHARACTERS_MAX = 320;
const REASON_CHARACTERS_MAX = 1_000;
/** Greatest stored size: of an integer. */
const SIZE_MAX = 2_147_483_647;

/** Returns the header hashes of those mails of a folder that have been received, by UID; '' where it is not known. */
export async function receivedMails(
  db: Db,
  { id }: Mailbox,
  heads: readonly MailPlace[],
): Promise<ReadonlyMap<string, string>> {
  const [first] = heads;
  if (!first) return new Map();
  const rows = await db.query<{ uid: string; hash: string | null }>(
    `select uid, headerhash as hash from mailreceipt
     where mailinboundid = $1::bigint and folder = $2::text and uidvalidity = $3::text and uid = any($4::text[])`,
    [id, first.folder, first.uidValidity, arrayLiteral(heads.map(({ uid }) => uid))],
  );
  return new Map(rows.map(({ uid, hash }) => [uid, hash ?? '']));
}

/** Returns a received mail with the hash of its headers, by which a renumbered folder is noticed. */
export async function knownMail(db: Db, mailbox: Mailbox, place: MailPlace): Promise<KnownMail> {
  const headerHash = (await receivedMails(db, mailbox, [place])).get(place.uid);
  return { ...place, ...(headerHash === undefined || headerHash === '' ? {} : { headerHash }) };
}

/**
 * Records that a mail is being stored. Undefined if another receiver has stored it: of two, one waits for the commit
 * of the other. A mail that had this UID before the server numbered the folder anew gives it up.
 */
export async function claimReceipt(own: Context, { id }: Mailbox, head: MailHead): Promise<number | undefined> {
  const key = [id, head.folder, head.uidValidity, head.uid];
  await own.db.query(
    `update mailreceipt set uidvalidity = left('renumbered ' || mailreceiptid || ' ' || uidvalidity, 100)
     where mailinboundid = $1::bigint and folder = $2::text and uidvalidity = $3::text and uid = $4::text
       and headerhash <> $5::text`,
    [...key, head.headerHash],
  );
  const [row] = await own.db.query<{ id: number }>(
    `insert into mailreceipt (mailinboundid, folder, uidvalidity, uid, headerhash, receiveddate, size, status, attempts,
       createddate, createdpersonid, updateddate, updatedpersonid)
     values ($1::bigint, $2::text, $3::text, $4::text, $5::text, $6::timestamptz, $7::integer, 'Received', 1,
       $8::timestamptz, $9::bigint, $8::timestamptz, $9::bigint)
     on conflict (mailinboundid, folder, uidvalidity, uid) do nothing
     returning mailreceiptid as id`,
    [...key, head.headerHash, head.receivedDate, Math.min(head.size, SIZE_MAX), own.clock.now(), own.user.personId],
  );
  return row?.id;
}

/** Locks a mail that was set aside, to store it after all. Returns whether it still is. */
export async function lockSetAside(own: Context, id: number): Promise<boolean> {
  const rows = await own.db.query(
    `update mailreceipt set attempts = coalesce(attempts, 0) + 1
     where mailreceiptid = $1::bigint and status = 'SetAside'
     returning 1`,
    [id],
  );
  return rows.length > 0;
}

/** The end of receiving a mail. */
export interface ReceiptOutcome {
  readonly status: ReceiptStatus;
  readonly messageId?: number | undefined;
  readonly attachmentId?: number | undefined;
  readonly reason?: string | undefined;
  readonly content?: MailContent | undefined;
}

/** Stores what became of a mail. */
export async function recordOutcome(own: Context, id: number, outcome: ReceiptOutcome): Promise<void> {
  const { status, messageId, attachmentId, reason, content } = outcome;
  await own.db.query(
    `update mailreceipt
     set status = $2::text, messageid = $3::bigint, attachmentid = coalesce($4::bigint, attachmentid),
       reason = $5::text, mailreceipt = $6::text, fromaddress = $7::text, internetmessageid = $8::text,
       inreplyto = $9::text, earlierids = $10::text::jsonb, contenthash = $11::text, updateddate = $12::timestamptz,
       updatedpersonid = $13::bigint
     where mailreceiptid = $1::bigint`,
    [
      id,
      status,
      messageId ?? null,
      attachmentId ?? null,
      reason?.slice(0, REASON_CHARACTERS_MAX) ?? null,
      ...contentColumns(content),
      own.clock.now(),
      own.user.personId,
    ],
  );
}

/** Returns subject, sender, Message-ID, In-Reply-To, earlier IDs and hash of a mail; nulls for one that is not read. */
function contentColumns(content: MailContent | undefined): readonly (string | null)[] {
  if (!content) return [null, null, null, null, null, null];
  const { mail, hash } = content;
  return [
    mail.subject.slice(0, SUBJECT_CHARACTERS_MAX),
    mail.from?.address.slice(0, ADDRESS_CHARACTERS_MAX) ?? null,
    mail.messageId,
    mail.inReplyTo,
    JSON.stringify(earlierIds(mail)),
    hash,
  ];
}

/** All Message-IDs that a mail refers to: later replies to any of them are of its conversation. */
function earlierIds({ references, inReplyTo }: MailContent['mail']): readonly string[] {
  return [...new Set([...references, ...(inReplyTo === null ? [] : [inReplyTo])])];
}

/** A mail that was received before. */
export interface EarlierMail {
  readonly messageId: number | null;
  readonly isEqual: boolean;
}

/**
 * Returns the mails with this Message-ID that mailboxes of the same firm have received, those with the same content
 * first. Without a Message-ID: the mail with the same headers and content of the same mailbox under another numbering
 * of its folder.
 */
export async function earlierMails(
  own: Context,
  { id, organizationId }: Mailbox,
  { head, content, receiptId }: { readonly head: MailHead; readonly content: MailContent; readonly receiptId: number },
): Promise<readonly EarlierMail[]> {
  const { messageId } = content.mail;
  if (messageId === null)
    return own.db.query<EarlierMail>(
      `select messageid as "messageId", true as "isEqual" from mailreceipt
       where mailinboundid = $1::bigint and headerhash = $2::text and contenthash = $3::text
         and uidvalidity <> $4::text and mailreceiptid <> $5::bigint and status in ('Received', 'Duplicate')
       limit 1`,
      [id, head.headerHash, content.hash, head.uidValidity, receiptId],
    );
  return own.db.query<EarlierMail>(
    `select r.messageid as "messageId", r.contenthash is not distinct from $3::text as "isEqual"
     from mailreceipt r join mailinbound i on i.mailinboundid = r.mailinboundid
     where r.internetmessageid = $1::text and i.organizationid is not distinct from $2::bigint
       and r.mailreceiptid <> $4::bigint and r.status = 'Received'
     order by 2 desc, r.mailreceiptid
     limit 1`,
    [messageId, organizationId, content.hash, receiptId],
  );
}

/** Returns whether a Message-ID is of a message that we sent, from the same address. */
export async function isOwnMail(db: Db, messageId: string, from: string | undefined): Promise<boolean> {
  const rows = await db.query(
    `select 1 from message
     where internetmessageid = $1::text and mailinboundid is null
       and (fromaddress is null or fromaddress = $2::text)
     limit 1`,
    [messageId, from ?? ''],
  );
  return rows.length > 0;
}
