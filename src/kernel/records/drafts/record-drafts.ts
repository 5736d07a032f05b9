import { promisify } from 'node:util';
import { zstdCompress, zstdDecompress } from 'node:zlib';
import type { RecordType } from '../../declare/record.ts';
import type { Context } from '../../door/context.ts';
import { PlatformError } from '../../door/errors.ts';
import type { Db } from '../../database/store.ts';

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

/** Largest unpacked draft, in bytes. */
const CONTENT_BYTES_MAX = 256 * 1024 * 1024;

/** Most drafts that are listed. */
const DRAFTS_MAX = 200;

/** The content of a record as it is edited, before it is published. A record has at most one open draft. */
export interface RecordDraft<C> {
  readonly id: number;
  /** Counts its changes from 1; a save must name the one that it changes. */
  readonly version: number;
  /** What was published when the draft began, as its module numbers it. */
  readonly baseVersion: number;
  readonly updatedDate: string;
  readonly updatedPersonId: number | null;
  /** What its module stored. Drafts outlive releases: new properties must be optional. */
  readonly content: C;
}

/** A record that is edited. */
export interface DraftTarget {
  readonly record: RecordType;
  readonly id: number;
  /** What is published now, as its module numbers it. */
  readonly publishedVersion: number;
}

/** Returns the open draft of a record. The caller has checked that the user may see the record. */
export async function readDraft<C>(db: Db, record: RecordType, id: number): Promise<RecordDraft<C> | undefined> {
  const [row] = await db.query<Omit<RecordDraft<C>, 'content'> & { readonly content: Uint8Array }>(
    `select recorddraftid as id, version, baseversion as "baseVersion", updateddate as "updatedDate",
       updatedpersonid as "updatedPersonId", content
     from recorddraft
     where object = $1::text and objectid = $2::bigint and closeddate is null`,
    [record.name, id],
  );
  if (!row) return undefined;
  const text = (await decompress(row.content, { maxOutputLength: CONTENT_BYTES_MAX })).toString();
  return { ...row, content: JSON.parse(text) as C };
}

/** Throws VERSION_CONFLICT unless the draft is at this version; 0 means that there is none yet. */
export function assertDraftVersion(draft: RecordDraft<unknown> | undefined, version: number): void {
  const now = draft?.version ?? 0;
  if (now === version) return;
  throw new PlatformError('VERSION_CONFLICT', {
    field: 'Version',
    message:
      now === 0
        ? 'The draft has been published or discarded meanwhile. Read it again, then repeat the change.'
        : `The draft is at version ${now}, not ${version}. Read it again, then repeat the change.`,
    details: { Version: now, UpdatedPersonID: draft?.updatedPersonId ?? null },
  });
}

/**
 * Stores the content of a draft, or begins one. Returns its version. The caller has locked the record and checked the
 * version.
 */
export async function storeDraft(
  ctx: Context,
  { record, id, publishedVersion }: DraftTarget,
  draft: RecordDraft<unknown> | undefined,
  content: unknown,
): Promise<number> {
  const packed = await compress(JSON.stringify(content));
  const [now, user] = [ctx.clock.now(), ctx.user.personId];
  if (draft) {
    await ctx.db.query(
      `update recorddraft
       set content = $2::bytea, version = version + 1, updateddate = $3::timestamptz, updatedpersonid = $4::bigint
       where recorddraftid = $1::bigint`,
      [draft.id, packed, now, user],
    );
    return draft.version + 1;
  }
  await ctx.db.query(
    `insert into recorddraft (object, objectid, baseversion, content, createddate, createdpersonid, updateddate,
       updatedpersonid)
     values ($1::text, $2::bigint, $3::bigint, $4::bytea, $5::timestamptz, $6::bigint, $5::timestamptz, $6::bigint)`,
    [record.name, id, publishedVersion, packed, now, user],
  );
  return 1;
}

/** Closes an open draft. Its content stays. */
export async function closeDraft(
  ctx: Context,
  draft: RecordDraft<unknown>,
  outcome: 'Published' | 'Discarded',
): Promise<void> {
  await ctx.db.query(
    `update recorddraft
     set closeddate = $2::timestamptz, closedpersonid = $3::bigint, outcome = $4::text
     where recorddraftid = $1::bigint`,
    [draft.id, ctx.clock.now(), ctx.user.personId, outcome],
  );
}

/** An open draft without its content. */
export interface OpenDraft {
  readonly object: string;
  readonly objectId: number;
  readonly updatedDate: string;
  readonly updatedPersonId: number | null;
}

/** Returns the open drafts of all record types, the last saved first, at most 200; also of records that are deleted. */
export function openDrafts(db: Db): Promise<readonly OpenDraft[]> {
  return db.query<OpenDraft>(
    `select object, objectid as "objectId", updateddate as "updatedDate", updatedpersonid as "updatedPersonId"
     from recorddraft
     where closeddate is null
     order by updateddate desc
     limit ${DRAFTS_MAX}`,
  );
}
