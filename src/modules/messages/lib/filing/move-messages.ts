import type { Row } from '../../../../kernel/door/answer.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { arrayLiteral, type Db } from '../../../../kernel/database/store.ts';
import type { Values } from '../../../../kernel/declare/values.ts';
import { planColumns } from '../../../../kernel/records/save/plan.ts';
import { saveRecord } from '../../../../kernel/records/save/save-record.ts';
import { message } from '../../message/message.record.ts';
import { findMailbox } from '../receiving/mailboxes.ts';
import { assertOfFirm, type Proposal } from './apply-filing.ts';
import { plainSubject } from './subject-text.ts';
import { detailText, type FiledRecord } from './filing.ts';

/** Most messages of a conversation that move together. */
const REPLIES_MAX = 1_000;

/** A message that follows another one when that is filed elsewhere. */
interface Reply {
  readonly id: number;
  readonly isReceived: boolean;
}

/**
 * Returns the replies to a message, at any depth, that are on the same record as it, or like it on none; locked.
 */
async function repliesTo(own: Context, id: number, record: FiledRecord | undefined): Promise<readonly Reply[]> {
  const rows = await own.db.query<Reply>(
    `with recursive reply (messageid) as (
       select m.messageid from message m where m.parentmessageid = $1::bigint
       union select m.messageid from reply r join message m on m.parentmessageid = r.messageid)
     select m.messageid as id, m.mailinboundid is not null as "isReceived"
     from message m
     where m.messageid in (select messageid from reply limit ${REPLIES_MAX + 1}) and m.messageid <> $1::bigint
       and m.object is not distinct from $2::text and m.objectid is not distinct from $3::bigint
     order by m.messageid
     for no key update of m`,
    [id, record?.object ?? null, record?.objectId ?? null],
  );
  if (rows.length > REPLIES_MAX)
    throw new PlatformError('TOO_LARGE', {
      field: 'ID',
      message: `ID: message ${id} has more than ${REPLIES_MAX} replies; they cannot be moved together.`,
    });
  return rows;
}

/** The record of a message row, if it is filed. */
function recordOf({ Object: object, ObjectID: objectId }: Row<typeof message>): FiledRecord | undefined {
  return object === null || objectId === null ? undefined : { object, objectId };
}

/** Throws unless a message is a received one: others are where they were sent from. */
function assertReceived(row: Row<typeof message>): number {
  if (row.MailInboundID !== null) return row.MailInboundID;
  throw new PlatformError('STATE_REFUSES', {
    field: 'ID',
    message: `ID: message ${row.MessageID} was not received by a mailbox; only received mail is filed.`,
  });
}

async function save(own: Context, id: number, values: Values<typeof message>): Promise<Row<typeof message>> {
  return (await saveRecord(own, { ...planColumns(message, values), id }, 'update')).row;
}

/** Where a person files a message. */
export interface PersonsFiling {
  readonly record: FiledRecord;
  readonly detail: string;
  /** The message that it answers; undefined if it begins a conversation there. */
  readonly parentMessageId?: number | undefined;
}

/**
 * Files a received message on a record because a person said so, with the replies to it and the documents that were
 * filed with it. Returns the IDs of all messages that were moved.
 */
export async function fileByPerson(
  own: Context,
  row: Row<typeof message>,
  { record, detail, parentMessageId }: PersonsFiling,
): Promise<readonly number[]> {
  const mailbox = await findMailbox(own.db, assertReceived(row));
  await assertOfFirm(own.db, record, mailbox?.organizationId ?? null);
  const before = recordOf(row);
  const replies = await repliesTo(own, row.MessageID, before);
  const target = { Object: record.object, ObjectID: record.objectId };
  const parent = parentMessageId === undefined ? undefined : await parentOf(own.db, parentMessageId);
  const thread = parent
    ? {
        ParentMessageID: parent.id,
        ThreadID: parent.threadId,
        SubjectChanged: plainSubject(parent.subject) !== plainSubject(row.Message ?? ''),
      }
    : await leftThread(own.db, row, record);
  const filed = { ...target, Status: 'Received', FiledBy: 'Person', FiledDetail: detailText(detail) } as const;
  await save(own, row.MessageID, { ...filed, ...thread });
  const followed = `It is a reply to message ${row.MessageID}, which was filed by a person.`;
  for (const { id, isReceived } of replies)
    await save(own, id, {
      ...target,
      ...(thread.ThreadID === undefined ? {} : { ThreadID: thread.ThreadID }),
      ...(isReceived ? { Status: 'Received', FiledBy: 'Person', FiledDetail: followed } : {}),
    });
  const ids = [row.MessageID, ...replies.map(({ id }) => id)];
  await moveDocuments(own, ids, record);
  return ids;
}

async function parentOf(
  db: Db,
  id: number,
): Promise<{ readonly id: number; readonly threadId: number; readonly subject: string } | undefined> {
  const [row] = await db.query<{ id: number; threadId: number; subject: string }>(
    `select messageid as id, coalesce(threadid, messageid) as "threadId", coalesce(message, '') as subject
     from message where messageid = $1::bigint`,
    [id],
  );
  return row;
}

/** Returns the values that take a message out of the conversation of a message on another record. */
async function leftThread(
  db: Db,
  { MessageID, ParentMessageID }: Row<typeof message>,
  { object, objectId }: FiledRecord,
): Promise<Values<typeof message>> {
  if (ParentMessageID === null) return {};
  const [parent] = await db.query(
    'select 1 from message where messageid = $1::bigint and object = $2::text and objectid = $3::bigint',
    [ParentMessageID, object, objectId],
  );
  return parent ? {} : { ParentMessageID: null, ThreadID: MessageID, SubjectChanged: false };
}

/**
 * Takes a received message from its record, with the received replies to it: nobody but staff sees them then. Documents
 * that were filed with them are deleted, and can be restored from history. Returns the IDs of the messages.
 */
export async function unfile(own: Context, row: Row<typeof message>): Promise<readonly number[]> {
  assertReceived(row);
  const record = recordOf(row);
  if (!record) return [];
  const replies = (await repliesTo(own, row.MessageID, record)).filter(({ isReceived }) => isReceived);
  const nowhere = { Object: null, ObjectID: null, Status: 'Unfiled', FiledBy: null } as const;
  const detail = detailText(`It was filed on ${record.object} ${record.objectId}; a person undid that.`);
  const thread = { ParentMessageID: null, ThreadID: row.MessageID, SubjectChanged: false };
  await save(own, row.MessageID, { ...nowhere, ...thread, FiledDetail: detail });
  for (const { id } of replies) await save(own, id, { ...nowhere, ThreadID: row.MessageID, FiledDetail: detail });
  const ids = [row.MessageID, ...replies.map(({ id }) => id)];
  for (const id of await documentsOf(own.db, ids)) await own.call('attachment/delete', { ID: id });
  return ids;
}

async function documentsOf(db: Db, messageIds: readonly number[]): Promise<readonly number[]> {
  const rows = await db.query<{ id: number }>(
    'select attachmentid as id from messagefile where messageid = any($1::bigint[]) order by attachmentid',
    [arrayLiteral(messageIds)],
  );
  return rows.map(({ id }) => id);
}

async function moveDocuments(own: Context, messageIds: readonly number[], record: FiledRecord): Promise<void> {
  for (const id of await documentsOf(own.db, messageIds))
    await own.call('attachment/save', { ID: id, Object: record.object, ObjectID: record.objectId });
}

/** Returns the proposals for those messages that are not filed. A proposal stays, for when its acceptance is undone. */
export async function proposalsFor(db: Db, messageIds: readonly number[]): Promise<readonly Proposal[]> {
  return db.query<Proposal>(
    `select p.messageid as "messageId", p.object, p.objectid as "objectId", p.parentmessageid as "parentMessageId",
       p.filedby as "filedBy", p.detail
     from messageproposal p join message m on m.messageid = p.messageid
     where p.messageid = any($1::bigint[]) and m.object is null order by p.messageid`,
    [arrayLiteral(messageIds)],
  );
}
