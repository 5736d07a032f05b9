import type { Context } from '../../../../kernel/door/context.ts';
import type { Parameters } from '../../../../kernel/parameters/parameters.ts';
import { lockNames } from '../../../../kernel/database/advisory-lock.ts';
import type { Db } from '../../../../kernel/database/store.ts';

/** What the fields of a document to be are sealed for. */
export const FIELDS_PURPOSE = 'attachment.upload';

/** An upload as its row tells it. */
export interface Upload {
  readonly guid: string;
  readonly fileName: string;
  readonly size: number;
  /** How many bytes were acknowledged, or are about to be; and their CRC-32. */
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

const columns =
  'uploadguid::text as guid, filename as "fileName", filesize as size, received, checksum, fileobject as "fileObject", filehash as hash, fields, finisheddate is not null as "isFinished", attachmentid as "attachmentId"';

/** The table is closed to everybody but the platform itself; each statement names the user whose upload it is. */
function elevated<T>(ctx: Context, run: (db: Db) => Promise<T>): Promise<T> {
  return ctx.transaction().elevated(run);
}

/** An upload of the user's own; undefined for somebody else's as for none. */
export async function findUpload(ctx: Context, guid: string): Promise<Upload | undefined> {
  const find = (db: Db): Promise<Upload[]> =>
    db.query<Upload>(`select ${columns} from upload where uploadguid = $1::uuid and personid = $2::bigint`, [
      guid,
      ctx.user.personId,
    ]);
  // Whoever reads without row security needs no transaction to leave it.
  const rows = ctx.user.universal ? await find(ctx.db) : await ctx.inTransaction((own) => elevated(own, find));
  return rows[0];
}

/** How many uploads of the user are not finished. Others of the same user that begin wait until this transaction ends. */
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

/** What is known of an upload when it begins. */
export interface NewUpload extends Pick<
  Upload,
  'guid' | 'fileName' | 'size' | 'received' | 'checksum' | 'fileObject' | 'hash'
> {
  readonly fields: Parameters;
}

/** Makes the row of an upload. */
export async function insertUpload(ctx: Context, upload: NewUpload): Promise<Upload> {
  const { guid, fileName, size, received, checksum, fileObject, hash, fields } = upload;
  const [row] = await elevated(ctx, (db) =>
    db.query<Upload>(
      `insert into upload (uploadguid, personid, filename, filesize, received, fileobject, filehash, fields, createddate, updateddate, checksum)
       values ($1::uuid, $2::bigint, $3::text, $4::bigint, $5::bigint, $6::text, $7::text, $8::bytea, $9::timestamptz, $9::timestamptz, $10::bigint) returning ${columns}`,
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
 * Takes the place of the next bytes: of two callers who see the same state one gets the row, and the other, who waits for the
 * first's end, gets nothing. The row stays locked until the transaction ends, so nobody else writes at the same place. Its
 * checksum is still that of the bytes before: see {@link storeChecksum}.
 */
export async function reserveBytes(
  ctx: Context,
  guid: string,
  position: number,
  bytes: number,
): Promise<Upload | undefined> {
  const [row] = await elevated(ctx, (db) =>
    db.query<Upload>(
      `update upload set received = received + $4::bigint, updateddate = $5::timestamptz
       where uploadguid = $1::uuid and personid = $2::bigint and received = $3::bigint and received + $4::bigint <= filesize returning ${columns}`,
      [guid, ctx.user.personId, position, bytes, ctx.clock.now()],
    ),
  );
  return row;
}

/** Notes the checksum of all bytes; it travels with the commit. */
export async function storeChecksum(ctx: Context, guid: string, checksum: number): Promise<void> {
  await elevated(ctx, async () =>
    ctx.transaction().later('update upload set checksum = $2::bigint where uploadguid = $1::uuid', [guid, checksum]),
  );
}

/** Takes the right to make the document: false where another call has made it. */
export async function claimFinish(ctx: Context, guid: string): Promise<boolean> {
  const rows = await elevated(ctx, (db) =>
    db.query(
      'update upload set finisheddate = $3::timestamptz, updateddate = $3::timestamptz where uploadguid = $1::uuid and personid = $2::bigint and finisheddate is null and received = filesize returning 1',
      [guid, ctx.user.personId, ctx.clock.now()],
    ),
  );
  return rows.length > 0;
}

/** Notes the document that an upload became. */
export async function linkDocument(ctx: Context, guid: string, attachmentId: number): Promise<void> {
  await elevated(ctx, (db) =>
    db.query('update upload set attachmentid = $2::bigint where uploadguid = $1::uuid', [guid, attachmentId]),
  );
}

/** Forgets an upload of the user's own; false where it is finished, or gone. */
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

/** The fields that came with the first chunk. */
export function uploadFields(ctx: Pick<Context, 'cipher'>, upload: Upload): Parameters {
  return JSON.parse(ctx.cipher.open(FIELDS_PURPOSE, upload.fields).toString()) as Parameters;
}
