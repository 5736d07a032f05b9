import type { Context } from '../../../../kernel/door/context.ts';
import type { Db } from '../../../../kernel/database/store.ts';
import type { Platform } from '../../../../kernel/ports/platform.ts';

/** Width of the images in lists. */
export const THUMBNAIL_PIXELS = 240;

/** An image of a page. */
export interface ImageKey {
  readonly id: number;
  /** The hash of the content, so that other content never has an old image. */
  readonly version: string;
  readonly page: number;
  /** The requested width; a small picture has fewer pixels. */
  readonly width: number;
}

/** Runs a query elevated: the table is closed to all users. The door has checked that the document is visible. */
function elevated<T>(ctx: Context, run: (db: Db) => Promise<T>): Promise<T> {
  return ctx.user.universal ? run(ctx.db) : ctx.inTransaction((own) => own.transaction().elevated(run));
}

/** Returns a stored image, and notes once a day that it is used; undefined if there is none. */
export async function findImage(ctx: Context, { id, version, page, width }: ImageKey): Promise<Buffer | undefined> {
  const key = [id, version, page, width];
  const where = 'attachmentid = $1::bigint and version = $2::text and page = $3::integer and width = $4::integer';
  const [found] = await elevated(ctx, (db) =>
    db.query<{ image: Buffer; stale: boolean }>(
      `select image, useddate < current_date as stale from documentimage where ${where}`,
      key,
    ),
  );
  if (found?.stale === true)
    await ctx.inTransaction((own) =>
      own
        .transaction()
        .elevated((db) => db.query(`update documentimage set useddate = current_date where ${where}`, key)),
    );
  return found?.image;
}

/** Stores an image, unless another call was faster, or the document is gone or was sealed meanwhile. */
export async function storeImage(
  ctx: Context,
  { id, version, page, width }: ImageKey,
  image: Uint8Array,
): Promise<void> {
  await ctx.inTransaction((own) =>
    own.transaction().elevated((db) =>
      db.query(
        `insert into documentimage (attachmentid, version, page, width, image)
         select attachmentid, $2::text, $3::integer, $4::integer, $5::bytea
         from attachment where attachmentid = $1::bigint and sealed is not true
         for share
         on conflict do nothing`,
        [id, version, page, width, image],
      ),
    ),
  );
}

/** Images that nobody has looked at for so long are drawn again when somebody does. */
const UNUSED_DAYS = 30;
const BATCH_IMAGES = 1_000;

/** Housekeeping: removes images of pages that have not been viewed for a while. Returns how many. */
export const sweepImages = {
  name: 'images of pages that nobody looks at',
  everyMinutes: 60,
  async run({ store }: Platform): Promise<number> {
    const rows = await store.query(
      `delete from documentimage where ctid = any(array(
         select ctid from documentimage where useddate < current_date - ${UNUSED_DAYS}
         order by useddate limit ${BATCH_IMAGES} for update skip locked))
       returning 1`,
    );
    return rows.length;
  },
} as const;
