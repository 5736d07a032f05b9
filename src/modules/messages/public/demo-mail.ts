import type { Db } from '../../../kernel/database/store.ts';
import { strangersNumber } from '../lib/filing/subject-evidence.ts';

/** A recipient of a mail of the demo. */
export interface DemoRecipient {
  readonly address: string;
  readonly name?: string;
  /** What became of it; received mail has no states. */
  readonly status?: 'Sent' | 'Delivered' | 'Read' | 'Bounced';
  readonly detail?: string;
}

/** A mail of the demo, as a mailbox or a mail server would have left it. */
export interface DemoMail {
  readonly subject: string;
  readonly text: string;
  /** ISO 8601. */
  readonly at: string;
  /** The foreclosure on which it is filed; without one it waits to be filed. */
  readonly caseId?: number | undefined;
  /** The first message of the conversation that it continues. */
  readonly threadId?: number | undefined;
  /** The user who sent it; undefined for one that the mailbox received. */
  readonly personId?: number | undefined;
  readonly fromName?: string;
  readonly fromAddress?: string;
  readonly recipients: readonly DemoRecipient[];
  /** The foreclosure whose number is in the subject of mail that waits to be filed: it is proposed there. */
  readonly proposed?: { readonly caseId: number; readonly number: string } | undefined;
  /** Users who have read it. */
  readonly readBy: readonly number[];
}

/** The mailbox of the demo, which is not connected to any server. */
const MAILBOX = 'Demo office';

/** Creates the mailbox of the demo. Returns its ID; undefined if it is there already. */
export async function createDemoMailbox(db: Db, address: string): Promise<number | undefined> {
  const [row] = await db.query<{ id: number }>(
    `insert into mailinbound (mailinbound, mailinboundtype, description, address, host, folder, active)
     select $1::text, 'ImapReceiver', 'Invented. It is not connected, and its mail was written for the demo.',
       $2::text, 'mail.harlan-pryce.example', 'INBOX', false
     where not exists (select from mailinbound where mailinbound = $1::text)
     returning mailinboundid as id`,
    [MAILBOX, address],
  );
  return row?.id;
}

/** Stores a mail of the demo with its recipients. Nothing is sent. Returns the message's ID. */
export async function storeDemoMail(db: Db, mailboxId: number, mail: DemoMail): Promise<number> {
  const isReceived = mail.personId === undefined;
  const [row] = await db.query<{ id: number }>(
    `insert into message (message, bodytext, object, objectid, threadid, status, messagetype, sentdate, receiveddate,
       mailinboundid, fromaddress, fromname, filedby, fileddetail, createdpersonid, createddate, updateddate)
     values ($1::text, $2::text, case when $3::bigint is not null then 'Foreclosure' end, $3::bigint, $4::bigint,
       $5::text, 'Email', $6::timestamptz, $7::timestamptz, $8::bigint, $9::text, $10::text, $11::text, $12::text,
       $13::bigint, $6::timestamptz, $6::timestamptz)
     returning messageid as id`,
    [
      mail.subject,
      mail.text,
      mail.caseId ?? null,
      mail.threadId ?? null,
      statusOf(mail),
      mail.at,
      isReceived ? mail.at : null,
      isReceived ? mailboxId : null,
      mail.fromAddress ?? null,
      mail.fromName ?? null,
      isReceived && mail.threadId !== undefined ? 'ReplyHeader' : null,
      isReceived && mail.threadId !== undefined ? 'It answers the first message of this conversation.' : null,
      mail.personId ?? null,
    ],
  );
  const id = row?.id ?? 0;
  await db.query('update message set threadid = messageid where messageid = $1::bigint and threadid is null', [id]);
  await storeRecipients(db, id, mail);
  await storeProposed(db, id, mail);
  for (const personId of mail.readBy)
    await db.query(
      'insert into messageread (messageid, personid, readdate) values ($1::bigint, $2::bigint, $3::timestamptz)',
      [id, personId, mail.at],
    );
  return id;
}

async function storeProposed(db: Db, messageId: number, { proposed, at }: DemoMail): Promise<void> {
  if (!proposed) return;
  await db.query(
    `insert into messageproposal (messageid, object, objectid, filedby, detail, createddate)
     values ($1::bigint, 'Foreclosure', $2::bigint, 'Subject', $3::text, $4::timestamptz)`,
    [messageId, proposed.caseId, strangersNumber(proposed.number), at],
  );
}

function statusOf({ personId, caseId, recipients }: DemoMail): string {
  if (personId === undefined) return caseId === undefined ? 'Unfiled' : 'Received';
  return recipients.some(({ status }) => status === 'Bounced') ? 'Partly sent' : 'Sent';
}

async function storeRecipients(db: Db, messageId: number, { recipients, at }: DemoMail): Promise<void> {
  for (const { address, name = null, status = null, detail = null } of recipients)
    await db.query(
      `insert into messagerecipient (messageid, messagerecipient, name, category, status, detail, sentdate, readdate,
         createddate, updateddate)
       values ($1::bigint, $2::text, $3::text, 0, $4::text, $5::text,
         case when $4::text is not null then $6::timestamptz end,
         case when $4::text = 'Read' then $6::timestamptz + interval '2 hours' end, $6::timestamptz, $6::timestamptz)`,
      [messageId, address, name, status, detail, at],
    );
}
