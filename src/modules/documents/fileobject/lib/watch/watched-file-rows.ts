import { randomUUID } from 'node:crypto';
import type { FileEntry } from '../../../../../contracts/file-object.ts';
import type { Context } from '../../../../../kernel/door/context.ts';
import { arrayLiteral, type Db } from '../../../../../kernel/database/store.ts';

/** How far a file is: each state says what is done. */
export type WatchState = 'Waiting' | 'Taken' | 'Placed' | 'Cleared' | 'Imported' | 'Done';

/** A file that a watch has seen. */
export interface WatchedFileRow {
  readonly id: number;
  readonly path: string;
  readonly size: number;
  readonly modified: string;
  readonly changed: string;
  readonly state: WatchState;
  readonly hash: string | null;
  readonly attachmentId: number | null;
  readonly importFileId: number | null;
  readonly targetLocation: string | null;
  readonly targetPath: string | null;
  readonly removeSource: boolean;
  readonly guid: string;
}

const columns = `watchedfileid as id, path, size, modified, changeddate as changed, state, hash, attachmentid as "attachmentId", importfileid as "importFileId",
  targetlocation as "targetLocation", targetpath as "targetPath", removesource as "removeSource", guid::text as guid`;

/** What was cut off and nobody works on: a watch of the same kind, over the same folder, goes on with it. */
export async function findUnfinished(
  ctx: Context,
  { location, kind, prefix }: { readonly location: string; readonly kind: string; readonly prefix: string },
  most: number,
): Promise<readonly WatchedFileRow[]> {
  return ctx.db.query<WatchedFileRow & Record<string, unknown>>(
    `select ${columns} from watchedfile where location = $1::text and kind = $2::text and state in ('Taken', 'Placed', 'Cleared', 'Imported') and starts_with(path, $3::text)
       and (leaseduntil is null or leaseduntil < $4::timestamptz) order by path limit $5::integer`,
    [location, kind, prefix, ctx.clock.now(), most],
  );
}

/** What is known of these paths. */
export async function knownFiles(
  ctx: Context,
  location: string,
  paths: readonly string[],
): Promise<ReadonlyMap<string, WatchedFileRow>> {
  const rows = await ctx.db.query<WatchedFileRow & Record<string, unknown>>(
    `select ${columns} from watchedfile where location = $1::text and path = any($2::text[])`,
    [location, arrayLiteral(paths)],
  );
  return new Map(rows.map((row) => [row.path, row]));
}

/** Of paths that no watch has seen, those at which a document's file lies already: where watches put files, or others did. */
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

/** Notes a file as it is now. Of several who see it first, one row comes of it. */
export async function recordSighting(
  ctx: Context,
  location: string,
  { path, size, modified }: FileEntry,
): Promise<void> {
  await ctx.db.query(
    `insert into watchedfile (location, path, size, modified, changeddate, createddate) values ($1::text, $2::text, $3::bigint, $4::timestamptz, $5::timestamptz, $5::timestamptz)
     on conflict (location, path) do nothing`,
    [location, path, size, modified, ctx.clock.now()],
  );
}

/** Notes that a file is another than it was; what is being worked on stays as it is. */
export async function recordChange(ctx: Context, file: WatchedFileRow, { size, modified }: FileEntry): Promise<void> {
  await ctx.db.query(
    `update watchedfile set size = $2::bigint, modified = $3::timestamptz, changeddate = $4::timestamptz, state = 'Waiting', attempts = 0, problem = null
     where watchedfileid = $1::bigint and state in ('Waiting', 'Done') and (leaseduntil is null or leaseduntil < $4::timestamptz) and size = $5::bigint and modified = $6::timestamptz`,
    [file.id, size, modified, ctx.clock.now(), file.size, file.modified],
  );
}

/** A file that is this caller's to work on, for a time. */
export interface LeasedFile {
  readonly file: WatchedFileRow;
  readonly leaseId: string;
}

/** Takes a file that nobody works on, if it still is as this caller saw it. */
export async function acquireLease(
  ctx: Context,
  { location, seconds }: { readonly location: string; readonly seconds: number },
  seen: Pick<WatchedFileRow, 'path' | 'size' | 'modified'>,
  states: readonly WatchState[],
): Promise<LeasedFile | undefined> {
  const leaseId = randomUUID();
  const [file] = await ctx.db.query<WatchedFileRow & Record<string, unknown>>(
    `update watchedfile set leaseid = $5::uuid, leaseduntil = $6::timestamptz, attempts = attempts + 1
     where location = $1::text and path = $2::text and size = $3::bigint and modified = $4::timestamptz and state = any($7::text[]) and (leaseduntil is null or leaseduntil < $8::timestamptz)
     returning ${columns}`,
    [
      location,
      seen.path,
      seen.size,
      seen.modified,
      leaseId,
      leaseEnd(ctx, seconds),
      arrayLiteral(states),
      ctx.clock.now(),
    ],
  );
  return file && { file, leaseId };
}

/** Thrown where another watch has taken over what this one was too slow with. */
export class LeaseLost extends Error {}

/** Notes a step, in the caller's transaction, if the file is still the caller's to work on. */
export async function recordState(
  own: Context,
  { file, leaseId }: LeasedFile,
  { state, seconds }: { readonly state: WatchState; readonly seconds: number },
  more: Readonly<Record<string, unknown>> = {},
): Promise<WatchedFileRow> {
  const names = Object.keys(more);
  const [row] = await elevated(own, (db) =>
    db.query<WatchedFileRow & Record<string, unknown>>(
      `update watchedfile set state = $3::text, leaseduntil = $4::timestamptz, problem = null${names.map((name, n) => `, ${name} = $${n + 5}`).join('')} where watchedfileid = $1::bigint and leaseid = $2::uuid returning ${columns}`,
      [file.id, leaseId, state, leaseEnd(own, seconds), ...names.map((name) => more[name])],
    ),
  );
  if (!row) throw new LeaseLost();
  return row;
}

/** Notes that all is done with a file, and lets go of it. */
export async function completeFile(own: Context, { file, leaseId }: LeasedFile): Promise<void> {
  const rows = await elevated(own, (db) =>
    db.query(
      "update watchedfile set state = 'Done', leaseid = null, leaseduntil = null, problem = null where watchedfileid = $1::bigint and leaseid = $2::uuid returning 1",
      [file.id, leaseId],
    ),
  );
  if (rows.length === 0) throw new LeaseLost();
}

/** Lets go of a file; `problem` is why it is not done. */
export async function releaseLease(ctx: Context, { file, leaseId }: LeasedFile, problem: string | null): Promise<void> {
  await ctx.db.query(
    'update watchedfile set leaseid = null, leaseduntil = null, problem = $3::text where watchedfileid = $1::bigint and leaseid = $2::uuid',
    [file.id, leaseId, problem?.slice(0, 1_000) ?? null],
  );
}

/** Forgets a file that is gone: another of its name is a new one. */
export async function forgetFile(own: Context, { file, leaseId }: LeasedFile): Promise<void> {
  await elevated(own, (db) =>
    db.query('delete from watchedfile where watchedfileid = $1::bigint and leaseid = $2::uuid', [file.id, leaseId]),
  );
}

/** The table has no rows that anybody reaches: each statement names the file that it is about. */
function elevated<T>(own: Context, run: (db: Db) => Promise<T>): Promise<T> {
  return own.transaction().elevated(run);
}

function leaseEnd(ctx: Context, seconds: number): string {
  return new Date(ctx.clock.milliseconds() + seconds * 1_000).toISOString();
}
