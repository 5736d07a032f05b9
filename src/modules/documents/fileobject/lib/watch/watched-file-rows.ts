import { randomUUID } from 'node:crypto';
import type { FileEntry } from '../../../../../contracts/file-object.ts';
import { leaseEnd, LeaseLost, leaseSql } from '../../../../../kernel/database/lease.ts';
import type { Context } from '../../../../../kernel/door/context.ts';
import { arrayLiteral, type Db } from '../../../../../kernel/database/store.ts';

/** How far a file is processed; each state names the last step done. */
export type WatchState = 'Waiting' | 'Taken' | 'Placed' | 'Cleared' | 'Imported' | 'Done';

/**
 * Leases of files. Each step is repeated after a crash until it is recorded, and recording it extends the lease: the
 * records of a file are created once, in the transaction that records their step.
 */
const fileLease = leaseSql({ token: { column: 'leaseid', type: 'uuid' } });

/** A file that a watch has seen. */
export interface WatchedFileRow {
  readonly id: number;
  readonly path: string;
  readonly size: number;
  readonly modified: string;
  /** When a watch last saw it change. */
  readonly changed: string;
  /** Since when it has not been taken. */
  readonly waiting: string;
  /** When it was reported to operators that it does not settle. */
  readonly alarmed: string | null;
  readonly state: WatchState;
  readonly hash: string | null;
  readonly attachmentId: number | null;
  readonly importFileId: number | null;
  readonly targetLocation: string | null;
  readonly targetPath: string | null;
  readonly removeSource: boolean;
  readonly guid: string;
}

const columns = `watchedfileid as id, path, size, modified, changeddate as changed,
  coalesce(waitingdate, changeddate) as waiting, alarmdate as alarmed, state, hash,
  attachmentid as "attachmentId", importfileid as "importFileId", targetlocation as "targetLocation",
  targetpath as "targetPath", removesource as "removeSource", guid::text as guid`;

/** Returns interrupted files of a watch's kind and folder that are not leased. */
export async function findUnfinished(
  ctx: Context,
  { location, kind, prefix }: { readonly location: string; readonly kind: string; readonly prefix: string },
  most: number,
): Promise<readonly WatchedFileRow[]> {
  return ctx.db.query<WatchedFileRow>(
    `select ${columns}
     from watchedfile
     where location = $1::text and kind = $2::text and state in ('Taken', 'Placed', 'Cleared', 'Imported')
       and starts_with(path, $3::text)
       and ${fileLease.isFree('$4')}
     order by path
     limit $5::integer`,
    [location, kind, prefix, ctx.clock.now(), most],
  );
}

/** Returns the rows of these paths. */
export async function knownFiles(
  ctx: Context,
  location: string,
  paths: readonly string[],
): Promise<ReadonlyMap<string, WatchedFileRow>> {
  const rows = await ctx.db.query<WatchedFileRow>(
    `select ${columns} from watchedfile where location = $1::text and path = any($2::text[])`,
    [location, arrayLiteral(paths)],
  );
  return new Map(rows.map((row) => [row.path, row]));
}

/** Returns those paths at which a document's file is stored already, by a watch or otherwise. */
export async function documentPaths(
  ctx: Context,
  location: string,
  paths: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await ctx.db.query<{ path: string }>(
    'select filepath as path from attachment where filepath = any($1::text[]) and fileobject = $2::text',
    [arrayLiteral(paths), location],
  );
  return new Set(rows.map(({ path }) => path));
}

/** Inserts a file as it is now; concurrent first sightings make one row. */
export async function recordSighting(
  ctx: Context,
  location: string,
  { path, size, modified }: FileEntry,
): Promise<void> {
  await ctx.db.query(
    `insert into watchedfile (location, path, size, modified, changeddate, waitingdate, createddate)
     values ($1::text, $2::text, $3::bigint, $4::timestamptz, $5::timestamptz, $5::timestamptz, $5::timestamptz)
     on conflict (location, path) do nothing`,
    [location, path, size, modified, ctx.clock.now()],
  );
}

/** Records that a file changed; a leased file is left alone. */
export async function recordChange(ctx: Context, file: WatchedFileRow, { size, modified }: FileEntry): Promise<void> {
  await ctx.db.query(
    `update watchedfile
     set size = $2::bigint, modified = $3::timestamptz, changeddate = $4::timestamptz, state = 'Waiting',
       waitingdate = case when state = 'Done' then $4::timestamptz else coalesce(waitingdate, changeddate) end,
       alarmdate = case when state = 'Done' then null else alarmdate end, attempts = 0, problem = null
     where watchedfileid = $1::bigint and state in ('Waiting', 'Done') and ${fileLease.isFree('$4')}
       and size = $5::bigint and modified = $6::timestamptz`,
    [file.id, size, modified, ctx.clock.now(), file.size, file.modified],
  );
}

/** Records that a file that does not settle is reported to operators. Returns whether this call was the first. */
export async function recordAlarm(own: Context, { id }: WatchedFileRow): Promise<boolean> {
  const rows = await elevated(own, (db) =>
    db.query(
      `update watchedfile set alarmdate = $2::timestamptz
       where watchedfileid = $1::bigint and alarmdate is null and state = 'Waiting'
       returning 1`,
      [id, own.clock.now()],
    ),
  );
  return rows.length > 0;
}

/** A file claimed by this watch. */
export interface FileClaim {
  readonly file: WatchedFileRow;
  readonly leaseId: string;
}

/** Claims a file if it is not leased and has not changed since this watch read it. */
export async function claimFile(
  ctx: Context,
  { location, seconds }: { readonly location: string; readonly seconds: number },
  seen: Pick<WatchedFileRow, 'path' | 'size' | 'modified'>,
  states: readonly WatchState[],
): Promise<FileClaim | undefined> {
  const leaseId = randomUUID();
  const [file] = await ctx.db.query<WatchedFileRow>(
    `update watchedfile
     set ${fileLease.start('$6', { token: '$5' })}, attempts = attempts + 1
     where location = $1::text and path = $2::text and size = $3::bigint and modified = $4::timestamptz
       and state = any($7::text[]) and ${fileLease.isFree('$8')}
     returning ${columns}`,
    [
      location,
      seen.path,
      seen.size,
      seen.modified,
      leaseId,
      leaseEnd(ctx.clock, seconds),
      arrayLiteral(states),
      ctx.clock.now(),
    ],
  );
  return file && { file, leaseId };
}

/** Records a step in the caller's transaction. Throws LeaseLost. */
export async function recordState(
  own: Context,
  { file, leaseId }: FileClaim,
  { state, seconds }: { readonly state: WatchState; readonly seconds: number },
  more: Readonly<Record<string, unknown>> = {},
): Promise<WatchedFileRow> {
  const names = Object.keys(more);
  const [row] = await elevated(own, (db) =>
    db.query<WatchedFileRow>(
      `update watchedfile
       set state = $3::text, ${fileLease.extend('$4')}, problem = null
         ${names.map((name, n) => `, ${name} = $${n + 5}`).join('')}
       where watchedfileid = $1::bigint and ${fileLease.isHeld('$2')}
       returning ${columns}`,
      [file.id, leaseId, state, leaseEnd(own.clock, seconds), ...names.map((name) => more[name])],
    ),
  );
  if (!row) throw new LeaseLost();
  return row;
}

/** Marks a file as done and releases it. Throws LeaseLost. */
export async function completeFile(own: Context, { file, leaseId }: FileClaim): Promise<void> {
  const rows = await elevated(own, (db) =>
    db.query(
      `update watchedfile
       set state = 'Done', ${fileLease.end()}, problem = null
       where watchedfileid = $1::bigint and ${fileLease.isHeld('$2')}
       returning 1`,
      [file.id, leaseId],
    ),
  );
  if (rows.length === 0) throw new LeaseLost();
}

/** Ends the lease of a file; `problem` is why the file is not done. */
export async function releaseFile(ctx: Context, { file, leaseId }: FileClaim, problem: string | null): Promise<void> {
  await ctx.db.query(
    `update watchedfile
     set ${fileLease.end()}, problem = $3::text
     where watchedfileid = $1::bigint and ${fileLease.isHeld('$2')}`,
    [file.id, leaseId, problem?.slice(0, 1_000) ?? null],
  );
}

/** Deletes the row of a removed file: another file of its name is new. Throws LeaseLost. */
export async function forgetFile(own: Context, { file, leaseId }: FileClaim): Promise<void> {
  const rows = await elevated(own, (db) =>
    db.query(`delete from watchedfile where watchedfileid = $1::bigint and ${fileLease.isHeld('$2')} returning 1`, [
      file.id,
      leaseId,
    ]),
  );
  if (rows.length === 0) throw new LeaseLost();
}

/** Runs a query elevated: no user reaches rows of this table. Each statement names its file. */
function elevated<T>(own: Context, run: (db: Db) => Promise<T>): Promise<T> {
  return own.transaction().elevated(run);
}
