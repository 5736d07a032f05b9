import { createHash } from 'node:crypto';
import { FILE_OBJECT } from '../../../../../contracts/file-object.ts';
import type { Context } from '../../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../../kernel/door/errors.ts';
import type { Db } from '../../../../../kernel/database/store.ts';
import { readRecord } from '../../../../../kernel/records/search/read.ts';
import { updateRow } from '../../../../../kernel/records/save/update-row.ts';
import { documentAsVersion, versionsOf } from '../document-versions.ts';
import { assertServed } from '../scan/scan-gate.ts';
import { pathOfDocument } from '../path-url.ts';
import type { attachment, StoredDocument } from '../../attachment.record.ts';
import { assertStoredWhole, copyFile, type DocumentLocation, type FileCopy } from './copy-file.ts';
import { isSameFile, type FileLocation } from './file-location.ts';
import { assertMayWrite } from './mail-house-folders.ts';
import { lockFile, noteRemoval, removeFile } from './remove-file.ts';

/** The target, and what happens to document and original. */
export interface FileTransfer {
  readonly location: string;
  readonly pathUrl: string;
  /** Whether the document refers to the copy afterwards. */
  readonly repoint: boolean;
  /** Whether the original is removed once the document refers to the copy. */
  readonly remove: boolean;
  /** Whether the copy is sealed. */
  readonly seal: boolean;
}

/** A content of a document: the present one, or an earlier version. */
interface Content {
  readonly row: StoredDocument;
  /** The number of an earlier version. */
  readonly version?: number;
}

type Attachments = Context<typeof attachment>;

/**
 * Transfers the file of a document. If the document is to refer to the copy, the files of its earlier versions follow.
 * Returns where the file is now. Repeating an interrupted transfer continues it. A document that is sealed is marked so
 * last: an interrupted call leaves it as one that is not sealed yet.
 */
export async function transferDocument(
  ctx: Attachments,
  id: number,
  transfer: FileTransfer,
): Promise<DocumentLocation> {
  const row = await readRecord(ctx.db, ctx.record, id);
  if (!transfer.repoint) return transferContent(ctx, { row }, transfer);
  const seal = transfer.seal || row.Sealed === true;
  const before = seal ? await transferVersions(ctx, row, { ...transfer, seal }) : undefined;
  const to = await transferContent(ctx, { row }, transfer);
  const failure = seal ? before : await transferVersions(ctx, row, transfer);
  if (failure) throw failure;
  return to;
}

/** Transfers the files of the earlier versions. Returns the first failure; the others are transferred all the same. */
async function transferVersions(
  ctx: Attachments,
  row: StoredDocument,
  transfer: FileTransfer,
): Promise<PlatformError | undefined> {
  let failure: PlatformError | undefined;
  for (const { number } of await versionsOf(ctx, row.AttachmentID))
    try {
      await transferContent(ctx, { row: await documentAsVersion(ctx, row, number), version: number }, transfer);
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error;
      failure ??= error;
    }
  return failure;
}

/** Transfers one file. The original is removed only after the document durably refers to the copy. */
async function transferContent(ctx: Attachments, content: Content, transfer: FileTransfer): Promise<DocumentLocation> {
  assertServed(ctx.settings, content.row);
  const from = locationOf(content);
  const to = targetOf(ctx, content, from, transfer);
  if (isSameFile(from, to)) return from;
  assertMayWrite(ctx, to);
  assertAccepted(ctx, content.row, to, transfer);
  const copy: FileCopy = { from, to, hash: from.sealed ? null : content.row.FileHash };
  const isFresh = await copyFile(ctx, copy);
  try {
    if (transfer.remove) await assertStoredWhole(ctx, copy);
    if (transfer.repoint) await repoint(ctx, content, { from, to, remove: transfer.remove });
  } catch (error) {
    // Another call may have made the document refer to it meanwhile.
    if (isFresh)
      await removeFile(ctx, to).catch(() =>
        ctx.log.warn('copied file was not removed', { correlationId: ctx.correlationId }),
      );
    throw error;
  }
  // The document is moved; the original that could not be removed now is noted, and removed later.
  if (transfer.remove)
    await removeFile(ctx, from).catch((error: unknown) => {
      if (!(error instanceof PlatformError)) throw error;
      ctx.log.warn('original of a moved document was not removed', { location: from.location, error: error.code });
    });
  return to;
}

function locationOf({ row }: Content): DocumentLocation {
  const { FilePath: path, FileObject: location } = row;
  if (path === null || location === null)
    throw new PlatformError('NOT_FOUND', { field: 'ID', message: `Attachment ${row.AttachmentID} has no file.` });
  return { location, path, sealed: row.Sealed === true };
}

/** Returns where the copy goes: the file's own place if it is such a path already. */
function targetOf(
  ctx: Attachments,
  { row, version }: Content,
  from: DocumentLocation,
  transfer: FileTransfer,
): DocumentLocation {
  const location =
    ctx.providers.names(FILE_OBJECT).find((name) => name.toLowerCase() === transfer.location.toLowerCase()) ??
    transfer.location;
  const sealed = from.sealed || transfer.seal;
  const pathFor = (guid: string): string => {
    const path = pathOfDocument(ctx.record, row, { pathUrl: transfer.pathUrl, guid, field: 'PathURL' });
    // Without a Guid all contents of a document would have the same path.
    return version === undefined || path.includes(guid) ? path : path.replace(/(?=[^/]*$)/, `version-${version}/`);
  };
  const isMoved = transfer.repoint && location.toLowerCase() === from.location.toLowerCase() && sealed === from.sealed;
  const [present] = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/.exec(from.path) ?? [];
  if (isMoved && present !== undefined && pathFor(present) === from.path) return from;
  return { location, sealed, path: pathFor(guidOf(row.AttachmentID, from)) };
}

/**
 * Returns the Guid of a copy: the same for each copy of a document's file, so that a repeated call finds what an
 * interrupted one has copied.
 */
function guidOf(id: number, { location, path }: FileLocation): string {
  const hash = createHash('sha256').update(`${id}\n${location.toLowerCase()}\n${path}`).digest('hex');
  // Version 8: of the application's own making.
  return [
    hash.slice(0, 8),
    hash.slice(8, 12),
    `8${hash.slice(13, 16)}`,
    `a${hash.slice(17, 20)}`,
    hash.slice(20, 32),
  ].join('-');
}

function assertAccepted(ctx: Context, row: StoredDocument, to: DocumentLocation, transfer: FileTransfer): void {
  const target = ctx.providers.get(FILE_OBJECT, to.location);
  if (!transfer.repoint && !target.shared)
    throw new PlatformError('STATE_REFUSES', {
      field: 'FileObject',
      message:
        `FileObject: ${to.location} stores documents only, and would delete a copy that no document refers to; ` +
        'expected another location.',
    });
  if (to.sealed && target.shared)
    throw new PlatformError('STATE_REFUSES', {
      field: 'FileObject',
      message:
        `FileObject: Attachment ${row.AttachmentID} is stored encrypted and must stay in the platform's own ` +
        'storage.',
    });
}

interface Repointing {
  readonly from: DocumentLocation;
  readonly to: DocumentLocation;
  /** Whether the original is to be removed. */
  readonly remove: boolean;
}

/**
 * Points the document or version to the copy.
 * @throws CONCURRENT_CHANGE if it got another file meanwhile, or the copy was removed as another document's original
 */
async function repoint(ctx: Context, content: Content, { from, to, remove }: Repointing): Promise<void> {
  const { AttachmentID: id } = content.row;
  await ctx.inTransaction(async (own) => {
    const isOver = await own.transaction().elevated(async (db) => {
      const now = await lockedLocation(db, id, content.version);
      if (now && isSameFile(now, to)) return true;
      if (!now || !isSameFile(now, from)) throw changed(`The file of Attachment ${id} was replaced in the meantime.`);
      await lockFile(db, to);
      if (!(await ctx.providers.get(FILE_OBJECT, to.location).stat(to.path)))
        throw changed(`The copy of Attachment ${id} was removed in the meantime.`);
      if (remove) await noteRemoval(db, from, own.clock.now());
      if (content.version !== undefined) await repointVersion(db, content, to);
      return content.version !== undefined;
    });
    if (isOver) return;
    const values = { FileObject: to.location, FilePath: to.path, Sealed: to.sealed };
    const record = own.registry.recordType('Attachment');
    await updateRow(own, record, id, to.sealed ? { ...values, FileHash: null } : values);
  });
}

/** Points a version to its copy. Of a sealed one, neither the hash nor what was converted from it is kept. */
async function repointVersion(db: Db, { row, version }: Content, to: DocumentLocation): Promise<void> {
  await db.query(
    `update documentversion set fileobject = $3::text, filepath = $4::text, sealed = $5::boolean,
       sealdue = sealdue and not $5::boolean, filehash = case when $5::boolean then null else filehash end
     where attachmentid = $1::bigint and number = $2::integer`,
    [row.AttachmentID, version, to.location, to.path, to.sealed],
  );
  if (to.sealed && row.FileHash !== null)
    await db.query('delete from documentrendition where filehash = $1::text', [row.FileHash]);
}

function changed(message: string): PlatformError {
  return new PlatformError('CONCURRENT_CHANGE', { field: 'ID', message });
}

/** Locks the row that refers to a content until the transaction ends, and returns where it says that the file is. */
async function lockedLocation(db: Db, id: number, version: number | undefined): Promise<FileLocation | undefined> {
  const [table, condition] =
    version === undefined ? ['attachment', '$2::integer is null'] : ['documentversion', 'number = $2::integer'];
  const [row] = await db.query<{ location: string | null; path: string | null }>(
    `select fileobject as location, filepath as path
     from ${table}
     where attachmentid = $1::bigint and ${condition}
     for no key update`,
    [id, version ?? null],
  );
  return row && { location: row.location ?? '', path: row.path ?? '' };
}
