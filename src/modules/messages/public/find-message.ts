import type { Db } from '../../../kernel/database/store.ts';

/** A message below a record, by its contents. */
export interface MessageContents {
  readonly object: string;
  readonly objectId: number;
  readonly templateId: number | null;
  /** The subject; '' for none. */
  readonly message: string;
  /** The text; '' for none. */
  readonly bodyText: string;
}

/** Returns a message with exactly these contents. */
export async function findMessage(db: Db, contents: MessageContents): Promise<number | undefined> {
  const { object, objectId, templateId, message, bodyText } = contents;
  const [same] = await db.query<{ id: number }>(
    `select messageid as id from message where object = $1::text and objectid = $2::bigint
      and messagetemplateid is not distinct from $3::bigint
      and coalesce(message, '') collate "C" = $4::text and coalesce(bodytext, '') collate "C" = $5::text limit 1`,
    [object, objectId, templateId, message, bodyText],
  );
  return same?.id;
}
