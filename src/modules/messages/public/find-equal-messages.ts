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

/** Most equal messages of a record that are returned. */
const EQUAL_MAX = 1_000;

/** Returns the messages with exactly these contents, the oldest first. */
export async function findEqualMessages(db: Db, contents: MessageContents): Promise<readonly number[]> {
  const { object, objectId, templateId, message, bodyText } = contents;
  const rows = await db.query<{ id: number }>(
    `select messageid as id from message where object = $1::text and objectid = $2::bigint
      and messagetemplateid is not distinct from $3::bigint
      and coalesce(message, '') collate "C" = $4::text and coalesce(bodytext, '') collate "C" = $5::text
     order by messageid limit ${EQUAL_MAX}`,
    [object, objectId, templateId, message, bodyText],
  );
  return rows.map(({ id }) => id);
}
