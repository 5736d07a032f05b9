import { arrayLiteral, type Db } from '../../../../kernel/database/store.ts';

/** A document of a message. */
export interface MessageFile {
  readonly id: number;
  readonly messageId: number;
  readonly name: string;
  readonly mime: string | null;
  readonly size: number | null;
  /** By which the HTML of a received mail refers to it. */
  readonly contentId: string | null;
  /** Whether it is a part of the text, such as a picture in it. */
  readonly isInline: boolean;
}

/** Most documents of messages that are listed at once. */
const FILES_MAX = 2_000;
/** Characters of a file's metadata that are read. */
const MARK_CHARACTERS_MAX = 2_000;

/**
 * Returns the documents of messages, in order: those that belong to them, and documents of cases that were sent with
 * them. Only those that the caller sees.
 */
export async function messageFiles(db: Db, messageIds: readonly number[]): Promise<readonly MessageFile[]> {
  const rows = await db.query<Omit<MessageFile, 'contentId' | 'isInline'> & { readonly mark: string | null }>(
    `select attachmentid as id, m.id as "messageId", coalesce(filename, attachment, '') as name, mimetype as mime,
       filesize as size, left(xmldata::text, ${MARK_CHARACTERS_MAX}) as mark
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
  return rows.map(({ mark, ...file }) => ({
    ...file,
    contentId: contentIdOf(mark ?? ''),
    isInline: /^<MailFile\b[^>]*\sIsInline="true"/.test(mark ?? ''),
  }));
}

/** Returns the content ID that was stored with a file of a received mail. */
function contentIdOf(mark: string): string | null {
  const written = /^<MailFile ContentID="([^"]*)"/.exec(mark)?.[1];
  return written === undefined ? null : unescapeText(written).replace(/^<|>$/g, '');
}

function unescapeText(text: string): string {
  return text.replace(/&(lt|gt|quot|#39|amp);/g, (_all, name: string) => CHARACTERS[name] ?? '');
}

const CHARACTERS: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' };
