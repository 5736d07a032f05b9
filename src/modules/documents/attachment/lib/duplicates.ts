import type { Context } from '../../../../kernel/door/context.ts';
import { arrayLiteral } from '../../../../kernel/database/store.ts';
import type { StoredDocument } from '../attachment.record.ts';

/** Most documents that are returned. */
const DUPLICATES_MAX = 1_000;

/** A document with the content of another one. */
export type Duplicate = Pick<
  StoredDocument,
  'AttachmentID' | 'Attachment' | 'FileName' | 'Object' | 'ObjectID' | 'FileSize' | 'CreatedDate'
>;

/**
 * Returns the visible documents with the same SHA-256, the newest first; of `among`, if given. A document without a
 * file has none.
 */
export async function duplicatesOf(
  ctx: Context,
  { AttachmentID: id, FileHash: hash }: StoredDocument,
  among: readonly number[] | undefined,
): Promise<readonly Duplicate[]> {
  if (hash === null) return [];
  return ctx.db.query<Duplicate>(
    `select attachmentid as "AttachmentID", attachment as "Attachment", filename as "FileName", object as "Object",
       objectid as "ObjectID", filesize as "FileSize", createddate as "CreatedDate"
     from attachment
     where filehash = $1::text and attachmentid <> $2::bigint
       and ($3::bigint[] is null or attachmentid = any($3::bigint[]))
     order by attachmentid desc
     limit ${DUPLICATES_MAX}`,
    [hash, id, among === undefined ? null : arrayLiteral(among)],
  );
}
