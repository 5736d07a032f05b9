import { arrayLiteral, type Db } from '../../../../kernel/database/store.ts';

/** A document of a message. */
export interface MessageFile {
  readonly id: number;
  readonly messageId: number;
  readonly name: string;
  readonly mime: string | null;
  readonly size: number | null;
}

/** Most documents of messages that are listed at once. */
const FILES_MAX = 2_000;

/**
 * Returns the documents of messages, in order: those that belong to them, and documents of cases that were sent with
 * them. Only those that the caller sees.
 */
export async function messageFiles(db: Db, messageIds: readonly number[]): Promise<readonly MessageFile[]> {
  return db.query<MessageFile>(
    `select attachmentid as id, m.id as "messageId", coalesce(filename, attachment, '') as name, mimetype as mime,
       filesize as size
     from (
       select objectid as id, attachmentid as file from attachment
       where object = 'Message' and objectid = any($1::bigint[])
       union
       select primaryobjectid, linkedobjectid from objectlink
       where primaryobject = 'Message' and linkedobject = 'Attachment' and primaryobjectid = any($1::bigint[])) m
     join attachment on attachmentid = m.file
     order by m.id, attachmentid
     limit ${FILES_MAX}`,
    [arrayLiteral(messageIds)],
  );
}
