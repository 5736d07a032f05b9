import { arrayLiteral, type Db } from '../../../../kernel/database/store.ts';
import type { AnsweredMessage } from './filing.ts';

/** Most messages that are considered for one mail. */
const MESSAGES_MAX = 50;

interface MessageRow {
  readonly messageId: number;
  readonly threadId: number | null;
  readonly subject: string | null;
  readonly object: string | null;
  readonly objectId: number | null;
  /** The Message-ID by which it was found. */
  readonly mailId: string;
}

/** A message that a mail refers to, and by which Message-ID. */
export interface ReferredMessage extends AnsweredMessage {
  readonly mailId: string;
}

const COLUMNS = `m.messageid as "messageId", m.threadid as "threadId", m.message as subject, m.object,
  m.objectid as "objectId"`;

/**
 * Returns a condition that limits messages `m` to those of a firm: on a record that it reaches, or received by its
 * mailbox and not filed yet. `firm` is SQL; null for the installation's own mailbox, which is not limited.
 */
const ofFirm = (firm: string): string => `(${firm}::bigint is null
    or m.object is not null and ${firm}::bigint = any(casewright_reach_below(m.object, m.objectid))
    or m.object is null and exists (select from mailinbound i
      where i.mailinboundid = m.mailinboundid and i.organizationid = ${firm}::bigint))`;

/** Returns a message by its ID, if a firm's mailbox may file on its record. */
export async function findMessage(
  db: Db,
  messageId: number,
  firm: number | null,
): Promise<AnsweredMessage | undefined> {
  const [row] = await db.query<MessageRow>(
    `select ${COLUMNS}, '' as "mailId" from message m where m.messageid = $1::bigint and ${ofFirm('$2')}`,
    [messageId, firm],
  );
  return row && toMessage(row);
}

/** Returns the messages with these Message-IDs, in the order of the IDs and then the newest first. */
export async function messagesOfIds(db: Db, ids: readonly string[], firm: number | null): Promise<ReferredMessage[]> {
  if (ids.length === 0) return [];
  const rows = await db.query<MessageRow>(
    `select ${COLUMNS}, known.id as "mailId"
     from unnest($1::text[]) with ordinality known (id, position)
     join message m on m.internetmessageid = known.id
     where ${ofFirm('$2')}
     order by known.position, m.messageid desc
     limit ${MESSAGES_MAX}`,
    [arrayLiteral(ids), firm],
  );
  return rows.map(toMessage);
}

/**
 * Returns received messages that refer to one of these Message-IDs, the newest first: replies to a mail that no mailbox
 * received are of one conversation.
 */
export async function messagesReferringTo(
  db: Db,
  ids: readonly string[],
  firm: number | null,
): Promise<ReferredMessage[]> {
  if (ids.length === 0) return [];
  const rows = await db.query<MessageRow>(
    `select ${COLUMNS},
       (select e.id from jsonb_array_elements_text(r.earlierids) e (id) where e.id = any($1::text[]) limit 1)
         as "mailId"
     from mailreceipt r
     join message m on m.messageid = r.messageid
     where r.earlierids ?| $1::text[] and ${ofFirm('$2')}
     order by m.messageid desc
     limit ${MESSAGES_MAX}`,
    [arrayLiteral(ids), firm],
  );
  return rows.map(toMessage);
}

/** Returns those Message-IDs that a message has, or that a received mail refers to. */
export async function knownIds(db: Db, ids: readonly string[]): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const rows = await db.query<{ id: string }>(
    `select id
     from unnest($1::text[]) id
     where exists (select from message m where m.internetmessageid = id)
       or exists (select from mailreceipt r where r.earlierids ? id)`,
    [arrayLiteral(ids)],
  );
  return new Set(rows.map(({ id }) => id));
}

function toMessage({ messageId, threadId, subject, object, objectId, mailId }: MessageRow): ReferredMessage {
  return {
    messageId,
    threadId: threadId ?? messageId,
    subject: subject ?? '',
    record: object === null || objectId === null ? undefined : { object, objectId },
    mailId,
  };
}
