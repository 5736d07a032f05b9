import { leaseEnd, LeaseLost, leaseSql } from '../../../../../kernel/database/lease.ts';
import type { Db } from '../../../../../kernel/database/store.ts';
import type { Context } from '../../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../../kernel/door/errors.ts';

/** What a rendition is of: a content, what it is read as, and the media type that it is converted to. */
export interface RenditionKey {
  readonly hash: string;
  readonly sourceType: string;
  readonly mime: string;
}

/** A conversion that this process does. */
export interface RenditionClaim {
  readonly key: RenditionKey;
  readonly attempt: number;
  /** The document that is converted. */
  readonly documentId: number;
}

/** A document in another format. */
export interface Rendition {
  readonly mime: string;
  readonly extension: string;
  readonly fileObject: string;
  readonly path: string;
  readonly size: number;
  /** SHA-256 of its bytes, hexadecimal. */
  readonly hash: string;
}

/** How long a conversion counts as running without renewing its lease. */
export const LEASE_SECONDS = 30;

const lease = leaseSql({ token: { column: 'attempt', type: 'integer' } });
const KEY = 'filehash = $1::text and sourcetype = $2::text and mimetype = $3::text';

/** Returns a finished rendition, and notes that it is used. */
export async function findRendition(
  ctx: Context,
  { hash, sourceType, mime }: RenditionKey,
): Promise<Rendition | undefined> {
  return asOwner(ctx, async (db) => {
    const [row] = await db.query<Rendition>(
      `update documentrendition set useddate = $4::timestamptz
       where ${KEY} and filepath is not null
       returning mimetype as mime, extension, fileobject as "fileObject", filepath as path, filesize as size,
         resulthash as hash`,
      [hash, sourceType, mime, now(ctx)],
    );
    return row;
  });
}

/**
 * Claims a conversion. Returns the number of the attempt; undefined if it is finished, or another process has it.
 * Throws STATE_REFUSES if the document is sealed by now.
 */
export async function claimRendition(
  ctx: Context,
  { hash, sourceType, mime }: RenditionKey,
  documentId: number,
): Promise<number | undefined> {
  return asOwner(ctx, async (db) => {
    await assertNotSealed(db, documentId);
    const [row] = await db.query<{ attempt: number }>(
      `insert into documentrendition (filehash, sourcetype, mimetype, leaseduntil)
       values ($1::text, $2::text, $3::text, $5::timestamptz)
       on conflict (filehash, sourcetype, mimetype) do update set ${lease.start('$5', { alias: 'documentrendition' })}
       where documentrendition.filepath is null and ${lease.isFree('$4', 'documentrendition')}
       returning attempt`,
      [hash, sourceType, mime, now(ctx), leaseEnd(ctx.clock, LEASE_SECONDS)],
    );
    return row?.attempt;
  });
}

/** Extends a claim. One that is lost shows when the result is stored. */
export async function extendRendition(ctx: Context, key: RenditionKey, attempt: number): Promise<void> {
  await asOwner(ctx, (db) =>
    db.query(`update documentrendition set ${lease.extend('$5')} where ${KEY} and ${lease.isHeld('$4')}`, [
      key.hash,
      key.sourceType,
      key.mime,
      attempt,
      leaseEnd(ctx.clock, LEASE_SECONDS),
    ]),
  );
}

/**
 * Stores what was converted. Throws {@link LeaseLost} if another process has claimed it, STATE_REFUSES if the document
 * was sealed meanwhile: the result contains what it is sealed for.
 */
export async function storeRendition(
  ctx: Context,
  { key, attempt, documentId }: RenditionClaim,
  result: Rendition,
): Promise<void> {
  const stored = await asOwner(ctx, async (db) => {
    await assertNotSealed(db, documentId);
    return db.query(
      `update documentrendition set fileobject = $5::text, filepath = $6::text, filesize = $7::integer,
         resulthash = $8::text, extension = $9::text, ${lease.end()}
       where ${KEY} and filepath is null and ${lease.isHeld('$4')}
       returning attempt`,
      [
        key.hash,
        key.sourceType,
        key.mime,
        attempt,
        result.fileObject,
        result.path,
        result.size,
        result.hash,
        result.extension,
      ],
    );
  });
  if (stored.length === 0) throw new LeaseLost('the conversion was claimed by another process');
}

/** Gives up a claim, so that the next call tries again. */
export async function releaseRendition(ctx: Context, key: RenditionKey, attempt: number): Promise<void> {
  await asOwner(ctx, (db) =>
    db.query(`delete from documentrendition where ${KEY} and filepath is null and ${lease.isHeld('$4')}`, [
      key.hash,
      key.sourceType,
      key.mime,
      attempt,
    ]),
  );
}

/** Forgets a rendition whose file is missing. */
export async function forgetRendition(ctx: Context, key: RenditionKey, path: string): Promise<void> {
  await asOwner(ctx, (db) =>
    db.query(`delete from documentrendition where ${KEY} and filepath = $4::text`, [
      key.hash,
      key.sourceType,
      key.mime,
      path,
    ]),
  );
}

/** Keeps a document from being sealed until the transaction ends. Throws STATE_REFUSES if it is sealed. */
async function assertNotSealed(db: Db, documentId: number): Promise<void> {
  const [row] = await db.query<{ sealed: boolean | null }>(
    'select sealed from attachment where attachmentid = $1::bigint for share',
    [documentId],
  );
  if (row?.sealed === true) throw sealedRefusal(documentId);
}

/** Returns the refusal to convert a sealed document. */
export function sealedRefusal(documentId: number): PlatformError {
  return new PlatformError('STATE_REFUSES', {
    field: 'ID',
    message: `ID: document ${documentId} is stored encrypted and is not converted.`,
  });
}

function now(ctx: Context): string {
  return new Date(ctx.clock.milliseconds()).toISOString();
}

/** The table has no rows for anybody under row security: the caller must reach a document with the content. */
function asOwner<T>(ctx: Context, work: (db: Db) => Promise<T>): Promise<T> {
  return ctx.inTransaction((own) => own.transaction().elevated(work));
}
