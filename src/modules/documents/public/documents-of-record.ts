/** Documents below a record. */
import type { Db } from '../../../kernel/database/store.ts';

/** The record that documents are below. */
export interface DocumentParent {
  readonly object: string;
  readonly id: number;
}

/** Returns the newest document below a record whose file name matches a regular expression, ignoring case. */
export async function findNewestDocument(
  db: Db,
  { object, id }: DocumentParent,
  fileName: string,
): Promise<{ readonly id: number; readonly hash: string | null } | undefined> {
  const [row] = await db.query<{ id: number; hash: string | null }>(
    `select attachmentid as id, filehash as hash
     from attachment
     where object = $1::text and objectid = $2::bigint and filename collate "C" ~* $3::text
     order by attachmentid desc
     limit 1`,
    [object, id, fileName],
  );
  return row;
}

/** Whether a document is below a record. */
export async function isDocumentOf(db: Db, documentId: number, { object, id }: DocumentParent): Promise<boolean> {
  const rows = await db.query(
    'select 1 from attachment where attachmentid = $1::bigint and object = $2::text and objectid = $3::bigint',
    [documentId, object, id],
  );
  return rows.length > 0;
}
