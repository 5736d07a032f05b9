import type { Context } from '../../../../kernel/door/context.ts';
import type { Parameters } from '../../../../kernel/parameters/parameters.ts';
import { uploadsOpenMax } from '../settings.ts';
import { lockNames } from '../../../../kernel/database/advisory-lock.ts';
import type { Db } from '../../../../kernel/database/store.ts';

/** Purpose that the sealed fields of an upload are bound to. */
export const FIELDS_PURPOSE = 'attachment.upload';

/** An upload in progress. */
export interface Upload {
  readonly guid: string;
  readonly fileName: string;
  readonly size: number;
  /** Bytes acknowledged or about to be, and their CRC-32. */
  readonly received: number;
  readonly checksum: number;
  readonly fileObject: string;
  /** The SHA-256 that the sender expects. */
  readonly hash: string | null;
  /** The fields that came with the first chunk, sealed. */
  readonly fields: Uint8Array;
  readonly isFinished: boolean;
  readonly attachmentId: number | null;
}

const columns = `uploadguid::text as guid, filename as "fileName", filesize as size, received, checksum,
  fileobject as "fileObject", filehash as hash, fields, finisheddate is not null as "isFinished",
  attachmentid as "attachmentId"`;

/** Runs a query elevated: the table is closed to all users. Each statement names the user whose upload it is. */
function elevated<T>(ctx: Context, run: (db: Db) => Promise<T>): Promise<T> {
  return ctx.transaction().elevated(run);
}

/** Returns an upload of the user; undefined for another user's as for none. */
export async function findUpload(ctx: Context, guid: string): Promise<Upload | undefined> {
  const find = (db: Db): Promise<Upload[]> =>
    db.query<Upload>(`select ${columns} from upload where uploadguid = $1::uuid and personid = $2::bigint`, [
      guid,
      ctx.user.personId,
    ]);
  // A caller outside row security needs no transaction to bypass it.
  const rows = ctx.user.universal ? await find(ctx.db) : await ctx.inTransaction((own) => elevated(own, find));
  return rows[0];
}

/** An unfinished upload in a list. */
export type OpenUpload = Upload & { readonly updated: string };

/** Returns the user's unfinished uploads, the newest first; at most as many as a user may have. */
export async function openUploads(ctx: Context): Promise<readonly OpenUpload[]> {
  return ctx.inTransaction((own) =>
    elevated(own, (db) =>
      db.query<OpenUpload>(
        `select ${columns}, updateddate as updated from upload
         where personid = $1::bigint and finisheddate is null order by updateddate desc limit $2::integer`,
        [own.user.personId, own.settings.get(uploadsOpenMax)],
      ),
    ),
  );
}

/** Counts the user's unfinished uploads. Concurrent beginnings of the same user wait until this transaction ends. */
export async function countOpenUploads(ctx: Context): Promise<number> {
  return elevated(ctx, async (db) => {
    await lockNames(db, [`uploads of ${ctx.user.personId}`]);
    const [row] = await db.query<{ n: number }>(
      'select count(*)::integer as n from upload where personid = $1::bigint and finisheddate is null',
      [ctx.user.personId],
    );
    return row?.n ?? 0;
  });
}

/** An upload to insert. */
export interface NewUpload extends Pick<
  Upload,
  'guid' | 'fileName' | 'size' | 'received' | 'checksum' | 'fileObject' | 'hash'
> {
  readonly fields: Parameters;
}

/** Inserts the row of an upload. */
export async function insertUpload(ctx: Context, upload: NewUpload): Promise<Upload> {
  const { guid, fileName, size, received, checksum, fileObject, hash, fields } = upload;
  const [row] = await elevated(ctx, (db) =>
    db.query<Upload>(
      `insert into upload (uploadguid, personid, filename, filesize, received, fileobject, filehash, fields,
         createddate, updateddate, checksum)
       values ($1::uuid, $2::bigint, $3::text, $4::bigint, $5::bigint, $6::text, $7::text, $8::bytea,
         $9::timestamptz, $9::timestamptz, $10::bigint)
       returning ${columns}`,
      [
        guid,
        ctx.user.personId,
        fileName,
        size,
        received,
        fileObject,
        hash,
        ctx.cipher.seal(FIELDS_PURPOSE, JSON.stringify(fields)),
        ctx.clock.now(),
        checksum,
      ],
    ),
  );
  if (!row) throw new Error('the upload was not inserted');
  return row;
}

/**
 * Reserves the place of the next bytes. Of two callers that saw the same state one gets the row; the other waits for
 * the first and gets nothing. The row stays locked until the transaction ends, so no other call writes at the same
 * position. Its checksum is still that of the earlier bytes: see {@link storeChecksum}.
 */
export async function reserveBytes(
  ctx: Context,
  guid: string,
  position: number,
  bytes: number,
): Promise<Upload | undefined> {
  const [row] = await elevated(ctx, (db) =>
    db.query<Upload>(
      `update upload
       set received = received + $4::bigint, updateddate = $5::timestamptz
       where uploadguid = $1::uuid and personid = $2::bigint and received = $3::bigint
         and received + $4::bigint <= filesize
       returning ${columns}`,
      [guid, ctx.user.personId, position, bytes, ctx.clock.now()],
    ),
  );
  return row;
}

/** Stores the checksum of all bytes; sent with the commit. */
export async function storeChecksum(ctx: Context, guid: string, checksum: number): Promise<void> {
  await elevated(ctx, async () =>
    ctx.transaction().later('update upload set checksum = $2::bigint where uploadguid = $1::uuid', [guid, checksum]),
  );
}

/** Claims the right to create the document; false if another call has. */
export async function claimFinish(ctx: Context, guid: string): Promise<boolean> {
  const rows = await elevated(ctx, (db) =>
    db.query(
      `update upload
       set finisheddate = $3::timestamptz, updateddate = $3::timestamptz
       where uploadguid = $1::uuid and personid = $2::bigint and finisheddate is null and received = filesize
       returning 1`,
      [guid, ctx.user.personId, ctx.clock.now()],
    ),
  );
  return rows.length > 0;
}

/** Stores which document an upload became. */
export async function linkDocument(ctx: Context, guid: string, attachmentId: number): Promise<void> {
  await elevated(ctx, (db) =>
    db.query('update upload set attachmentid = $2::bigint where uploadguid = $1::uuid', [guid, attachmentId]),
  );
}

/** Deletes an unfinished upload of the user; false if it is finished or gone. */
export async function deleteUpload(ctx: Context, guid: string): Promise<boolean> {
  const rows = await ctx.inTransaction((own) =>
    elevated(own, (db) =>
      db.query(
        'delete from upload where uploadguid = $1::uuid and personid = $2::bigint and finisheddate is null returning 1',
        [guid, own.user.personId],
      ),
    ),
  );
  return rows.length > 0;
}

/** The fields of the first chunk. */
export function uploadFields(ctx: Pick<Context, 'cipher'>, upload: Upload): Parameters {
  return JSON.parse(ctx.cipher.open(FIELDS_PURPOSE, upload.fields).toString()) as Parameters;
}
