import { randomUUID } from 'node:crypto';
import { leaseEnd, LeaseLost, leaseSql } from '../../../../../kernel/database/lease.ts';
import { arrayLiteral, type Db } from '../../../../../kernel/database/store.ts';
import type { Context } from '../../../../../kernel/door/context.ts';
import type { Clock } from '../../../../../kernel/time/clock.ts';
import type { StoredFileRow } from '../../../../../kernel/ports/documents.ts';
import { DUE_COUNTED_MAX, type WorkCount } from '../queue-workers.ts';
import type { StoredVerdict } from './scan-content.ts';

/** A content that this process scans. */
export interface ScanClaim {
  readonly id: number;
  /** The version of the file. */
  readonly number: number;
  readonly token: string;
  /** Attempts that came to no verdict, this one included. */
  readonly failures: number;
  /** It was stored before a scanner was set up, and is served meanwhile. */
  readonly earlier: boolean;
}

/** How long a process has a content without a sign of life. */
export const LEASE_SECONDS = 30;

const lease = leaseSql({ token: { column: 'token', type: 'uuid' } });

/** Whether a content is to be scanned now, and no process scans it. `now` is a placeholder. */
function isDue(now: string): string {
  return `(${lease.isFree(now)} and (duedate is null or duedate <= ${now}::timestamptz))`;
}

/** Claims a content that is due, those that nobody is served first; undefined if none is, or all slots are busy. */
export async function claimScan(
  ctx: Context,
  { slots, ids }: { readonly slots: number; readonly ids?: readonly number[] },
): Promise<ScanClaim | undefined> {
  const now = new Date(ctx.clock.milliseconds()).toISOString();
  const [claim] = await ctx.db.query<ScanClaim>(
    `with next as materialized (
       select attachmentid, number from documentscan
       where ${isDue('$1')}
         and ($4::bigint[] is null or attachmentid = any($4::bigint[]))
         and (select count(*) from documentscan r where ${lease.isLeased('$1', 'r')}) < $5::integer
       order by earlier, attachmentid
       limit 1
       for update skip locked)
     update documentscan s
     set ${lease.start('$2', { token: '$3' })}, failures = s.failures + 1
     from next
     where s.attachmentid = next.attachmentid and s.number = next.number
     returning s.attachmentid as id, s.number, s.token, s.failures, s.earlier`,
    [now, leaseEnd(ctx.clock, LEASE_SECONDS), randomUUID(), ids === undefined ? null : arrayLiteral(ids), slots],
  );
  return claim;
}

/** Returns how many contents are due, counted up to {@link DUE_COUNTED_MAX}, and how many are being scanned. */
export async function countScans(db: Db, clock: Clock): Promise<WorkCount> {
  const [row] = await db.query<WorkCount>(
    `select (select count(*)::integer from (select from documentscan where ${isDue('$1')}
         limit ${DUE_COUNTED_MAX}) d) as due,
       (select count(*)::integer from documentscan where ${lease.isLeased('$1')}) as running`,
    [new Date(clock.milliseconds()).toISOString()],
  );
  return row ?? { due: 0, running: 0 };
}

/** Extends the claim. A claim that is lost shows when the verdict is stored. */
export async function extendScan(ctx: Context, { id, number, token }: ScanClaim): Promise<void> {
  await ctx.db.query(
    `update documentscan set ${lease.extend('$4')}
     where attachmentid = $1::bigint and number = $2::integer and ${lease.isHeld('$3')}`,
    [id, number, token, leaseEnd(ctx.clock, LEASE_SECONDS)],
  );
}

/** Ends a claim without a verdict. `isCounted`: as a failure of this file, and not of the scanner or the storage. */
export async function postponeScan(
  ctx: Context,
  { id, number, token }: ScanClaim,
  { seconds, reason, isCounted }: { readonly seconds: number; readonly reason: string; readonly isCounted: boolean },
): Promise<void> {
  await ctx.db.query(
    `update documentscan set ${lease.end()}, duedate = $4::timestamptz, reason = $5::text,
       failures = failures - $6::integer
     where attachmentid = $1::bigint and number = $2::integer and ${lease.isHeld('$3')}`,
    [id, number, token, leaseEnd(ctx.clock, seconds), reason.slice(0, 300), isCounted ? 0 : 1],
  );
}

/** A content to be scanned, and who stored it. */
export interface ScannedContent extends StoredFileRow {
  readonly Sealed: boolean;
  readonly personId: number | null;
}

const FILE_COLUMNS =
  'c.filepath as "FilePath", c.fileobject as "FileObject", c.filesize as "FileSize", c.filename as "FileName", ' +
  'c.mimetype as "MimeType"';

/** Returns the content of a claim: the present one of its document, or an earlier one; undefined if it is gone. */
export async function contentOfClaim(db: Db, { id, number }: ScanClaim): Promise<ScannedContent | undefined> {
  // A content was stored by whoever replaced the one before it.
  const replacing = `(select b.replacedpersonid from documentversion b
    where b.attachmentid = $1::bigint and b.number = $2::integer - 1)`;
  const [row] = await db.query<ScannedContent>(
    `select ${FILE_COLUMNS}, coalesce(c.sealed, false) as "Sealed",
       coalesce(${replacing}, c.createdpersonid) as "personId"
     from attachment c
     where c.attachmentid = $1::bigint and c.fileversion = $2::integer and c.filepath is not null
     union all
     select ${FILE_COLUMNS}, c.sealed, coalesce(${replacing}, a.createdpersonid)
     from documentversion c join attachment a on a.attachmentid = c.attachmentid
     where c.attachmentid = $1::bigint and c.number = $2::integer and a.fileversion <> $2::integer
     limit 1`,
    [id, number],
  );
  return row;
}

/** Whether a stored verdict changed the state of a content, and what it was before. */
export interface RecordedVerdict {
  readonly before: string | null;
}

/**
 * Stores the verdict with the content that was scanned, wherever that is by now, and ends the claim.
 * @throws LeaseLost if another process has claimed it, or the document has another content under the same version
 */
export async function storeVerdict(own: Context, claim: ScanClaim, verdict: StoredVerdict): Promise<RecordedVerdict> {
  const { db } = own;
  const { id, number } = claim;
  // The row of the document first, as its triggers do.
  const [document] = await db.query<{ version: number; state: string | null }>(
    `select fileversion as version, scanstate as state from attachment
     where attachmentid = $1::bigint for no key update`,
    [id],
  );
  const held = await db.query(
    `delete from documentscan where attachmentid = $1::bigint and number = $2::integer and ${lease.isHeld('$3')}
     returning 1`,
    [id, number, claim.token],
  );
  if (!document || held.length === 0) throw new LeaseLost('the content of a document was claimed by another process');
  const values = [id, verdict.state, own.clock.now(), verdict.result?.slice(0, 300) ?? null];
  if (document.version === number) {
    // What was served before and stays so is no news of the document: millions of such entries would be of no use.
    if (claim.earlier && verdict.state === 'Clean')
      await db.query("select set_config('casewright.reseal', 'on', true)");
    await db.query(
      `update attachment set scanstate = $2::text, scandate = $3::timestamptz, scanresult = $4::text
       where attachmentid = $1::bigint`,
      values,
    );
    return { before: document.state };
  }
  return storeOfVersion(db, number, values, verdict);
}

async function storeOfVersion(
  db: Db,
  number: number,
  values: readonly unknown[],
  { state }: StoredVerdict,
): Promise<RecordedVerdict> {
  const [version] = await db.query<{ before: string | null; hash: string | null }>(
    `update documentversion v set scanstate = $2::text, scandate = $3::timestamptz, scanresult = $4::text
     from documentversion o
     where v.attachmentid = $1::bigint and v.number = $5::integer and o.attachmentid = v.attachmentid
       and o.number = v.number
     returning o.scanstate as before, v.filehash as hash`,
    [...values, number],
  );
  if (state === 'Infected' && version?.hash) {
    await db.query('delete from documentimage where attachmentid = $1::bigint and version = $2::text', [
      values[0],
      version.hash,
    ]);
    await db.query('delete from documentrendition where filehash = $1::text', [version.hash]);
  }
  return { before: version?.before ?? null };
}

/**
 * Requests that all contents of documents be scanned again. Those without a verdict wait for it; others keep their
 * state until there is another verdict.
 */
export async function requestScans(db: Db, ids: readonly number[]): Promise<void> {
  const values = [arrayLiteral(ids)];
  // The trigger of the first statement adds the rows of the present contents.
  await db.query(
    `update attachment set scanstate = 'Waiting', scandate = null, scanresult = null
     where attachmentid = any($1::bigint[]) and scanstate in ('TooLarge', 'Failed')`,
    values,
  );
  await db.query(
    `update documentversion set scanstate = 'Waiting', scandate = null, scanresult = null
     where attachmentid = any($1::bigint[]) and scanstate in ('TooLarge', 'Failed')`,
    values,
  );
  await db.query(
    `insert into documentscan (attachmentid, number)
     select attachmentid, fileversion from attachment where attachmentid = any($1::bigint[]) and filepath is not null
     union all select attachmentid, number from documentversion where attachmentid = any($1::bigint[])
     on conflict (attachmentid, number) do update set duedate = null, failures = 0, earlier = false`,
    values,
  );
}

/** Deletes the row of a content that is gone. */
export async function forgetScan(ctx: Context, { id, number, token }: ScanClaim): Promise<void> {
  await ctx.db.query(
    `delete from documentscan where attachmentid = $1::bigint and number = $2::integer and ${lease.isHeld('$3')}`,
    [id, number, token],
  );
}
