import type { KnownMail, MailHead, MailPlace } from '../../../../contracts/mail-inbound.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { arrayLiteral, type Db } from '../../../../kernel/database/store.ts';
import { cutText } from './cut-text.ts';
import type { Mailbox } from './mailboxes.ts';
import type { MailContent, MailHeading } from './taken-mail.ts';

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
 * Records that mails of one folder are being stored; returns their receipts by UID. One that another receiver has
 * stored is missing: of two receivers, one waits for the commit of the other. A mail that had a UID before the server
 * numbered the folder anew gives it up.
 */
export async function claimReceipts(
  own: Context,
  { id }: Mailbox,
  heads: readonly MailHead[],
): Promise<ReadonlyMap<string, number>> {
  const [first] = heads;
  if (!first) return new Map();
  const rows = heads.map(({ uid, headerHash, receivedDate, size }, n) => ({
    n,
    uid,
    hash: headerHash,
    date: receivedDate,
    size: Math.min(size, SIZE_MAX),
  }));
  const key = [id, first.folder, first.uidValidity, JSON.stringify(rows)];
  await own.db.query(
    `update mailreceipt r set uidvalidity = left('renumbered ' || r.mailreceiptid || ' ' || r.uidvalidity, 100)
     from jsonb_to_recordset($4::text::jsonb) h (uid text, hash text)
     where r.mailinboundid = $1::bigint and r.folder = $2::text and r.uidvalidity = $3::text and r.uid = h.uid
       and r.headerhash <> h.hash`,
    key,
  );
  const claimed = await own.db.query<{ uid: string; id: number }>(
    `insert into mailreceipt (mailinboundid, folder, uidvalidity, uid, headerhash, receiveddate, size, status, attempts,
       createddate, createdpersonid, updateddate, updatedpersonid)
     select $1::bigint, $2::text, $3::text, h.uid, h.hash, h.date, h.size, 'Received', 1,
       $5::timestamptz, $6::bigint, $5::timestamptz, $6::bigint
     from jsonb_to_recordset($4::text::jsonb) h (n integer, uid text, hash text, date timestamptz, size integer)
     order by h.n
     on conflict (mailinboundid, folder, uidvalidity, uid) do nothing
     returning uid, mailreceiptid as id`,
    [...key, own.clock.now(), own.user.personId],
  );
  return new Map(claimed.map((row) => [row.uid, row.id]));
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
  /** Subject and sender of a mail without content. */
  readonly heading?: MailHeading | undefined;
}

/** Stores what became of mails, by the ids of their receipts. */
export async function recordOutcomes(own: Context, outcomes: ReadonlyMap<number, ReceiptOutcome>): Promise<void> {
  const rows = [...outcomes].map(([id, { status, messageId, attachmentId, reason, content, heading }]) => ({
    id,
    status,
    messageid: messageId ?? null,
    attachmentid: attachmentId ?? null,
    reason: reason === undefined ? null : cutText(reason, REASON_CHARACTERS_MAX),
    ...headingColumns(content?.mail ?? heading),
    ...contentColumns(content),
  }));
  await own.db.query(
    `update mailreceipt r
     set status = o.status, messageid = o.messageid, attachmentid = coalesce(o.attachmentid, r.attachmentid),
       reason = o.reason, mailreceipt = o.subject, fromaddress = o.sender, internetmessageid = o.mailid,
       inreplyto = o.inreplyto, earlierids = o.earlierids, contenthash = o.hash, updateddate = $2::timestamptz,
       updatedpersonid = $3::bigint
     from jsonb_to_recordset($1::text::jsonb)
       o (id bigint, status text, messageid bigint, attachmentid bigint, reason text, subject text, sender text,
         mailid text, inreplyto text, earlierids jsonb, hash text)
     where r.mailreceiptid = o.id`,
    [JSON.stringify(rows), own.clock.now(), own.user.personId],
  );
}

function headingColumns(heading: MailHeading | undefined): object {
  if (!heading) return {};
  return {
    subject: cutText(heading.subject, SUBJECT_CHARACTERS_MAX),
    sender: heading.from ? cutText(heading.from.address, ADDRESS_CHARACTERS_MAX) : null,
  };
}

/** Returns the columns that describe the content of a mail; nothing for one that is not read. */
function contentColumns(content: MailContent | undefined): object {
  if (!content) return {};
  const { mail, hash } = content;
  return {
    mailid: mail.messageId,
    inreplyto: mail.inReplyTo,
    earlierids: earlierIds(mail),
    hash,
  };
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

/** A mail that is compared with those received before. */
export interface ComparedMail {
  readonly head: MailHead;
  readonly content: MailContent;
  readonly receiptId: number;
}

/**
 * Returns the mails that were received before, by the receipts of those that are compared: a mail with the same
 * Message-ID that a mailbox of the same firm has received, one with the same content first. Without a Message-ID: the
 * mail with the same headers and content of the same mailbox under another numbering of its folder.
 */
export async function earlierMails(
  own: Context,
  { id, organizationId }: Mailbox,
  mails: readonly ComparedMail[],
): Promise<ReadonlyMap<number, EarlierMail>> {
  const rows = mails.map(({ head, content: { mail, hash }, receiptId }) => ({
    receiptid: receiptId,
    mailid: mail.messageId,
    hash,
    headerhash: head.headerHash,
    uidvalidity: head.uidValidity,
  }));
  const found = await own.db.query<EarlierMail & { readonly receiptId: number }>(
    `with compared as (
       select * from jsonb_to_recordset($1::text::jsonb)
         e (receiptid bigint, mailid text, hash text, headerhash text, uidvalidity text)),
     found as (
       select e.receiptid, r.mailreceiptid, r.messageid, r.contenthash is not distinct from e.hash as isequal
       from compared e
       join mailreceipt r on r.internetmessageid = e.mailid
       join mailinbound i on i.mailinboundid = r.mailinboundid
       where i.organizationid is not distinct from $3::bigint and r.status = 'Received'
       union all
       select e.receiptid, r.mailreceiptid, r.messageid, true
       from compared e
       join mailreceipt r on r.headerhash = e.headerhash
       where e.mailid is null and r.mailinboundid = $2::bigint and r.contenthash = e.hash
         and r.uidvalidity <> e.uidvalidity and r.status in ('Received', 'Duplicate'))
     select distinct on (receiptid) receiptid as "receiptId", messageid as "messageId", isequal as "isEqual"
     from found
     where mailreceiptid <> receiptid
     order by receiptid, isequal desc, mailreceiptid`,
    [JSON.stringify(rows), id, organizationId],
  );
  return new Map(found.map((row) => [row.receiptId, row]));
}

/** Returns which of these Message-IDs are of messages that we sent, from the address that the mail is from. */
export async function ownMails(db: Db, mails: readonly Pick<MailContent, 'mail'>[]): Promise<ReadonlySet<string>> {
  const rows = mails.map(({ mail }) => ({ id: mail.messageId, sender: mail.from?.address ?? '' }));
  const found = await db.query<{ id: string }>(
    `select distinct o.id
     from jsonb_to_recordset($1::text::jsonb) o (id text, sender text)
     join message m on m.internetmessageid = o.id
     where m.mailinboundid is null and (m.fromaddress is null or m.fromaddress = o.sender)`,
    [JSON.stringify(rows)],
  );
  return new Set(found.map(({ id }) => id));
}
