/** How far the texts of documents are read. */
import type { Db } from '../../../kernel/database/store.ts';

/** Documents whose text is missing, by reason; each number counted up to {@link COUNTED_MAX}. */
export interface TextBacklog {
  /** To be read. */
  readonly waiting: number;
  /** With pictures that wait for the program that recognizes them. */
  readonly unrecognized: number;
  /** Why one of these is not recognized. */
  readonly reason: string | null;
}

/** Most documents that are counted. */
export const COUNTED_MAX = 10_000;

/** Returns how many documents wait for their text. The caller has checked that the user may know of all documents. */
export async function textBacklog(db: Db): Promise<TextBacklog> {
  const [row] = await db.query<TextBacklog>(
    `select (select count(*)::integer from (select from documenttext where state in ('Waiting', 'Reading')
         limit ${COUNTED_MAX}) w) as waiting,
       (select count(*)::integer from (select from documenttext where state = 'Unrecognized'
         limit ${COUNTED_MAX}) u) as unrecognized,
       (select reason from documenttext where state = 'Unrecognized' order by attachmentid desc limit 1) as reason`,
  );
  return row ?? { waiting: 0, unrecognized: 0, reason: null };
}
