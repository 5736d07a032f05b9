import { createHash, randomUUID } from 'node:crypto';
import { FILE_OBJECT, type FileObject } from '../../../../contracts/file-object.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { f, required } from '../../../../kernel/declare/field.ts';
import { list, type ListAnswer } from '../../../../kernel/door/answer.ts';
import { readRecord } from '../../../../kernel/records/search/read.ts';
import { updateRow } from '../../../../kernel/records/save/update-row.ts';
import { openStream, sealStream } from '../../../../kernel/security/seal-stream.ts';
import { DEFAULT_PATH_URL, pathOfDocument } from './path-url.ts';
import { FILE_PURPOSE } from './stored-documents.ts';
import type { attachment, StoredDocument } from '../attachment.record.ts';

/** Parameters of the three operations on documents' files. */
export const transferParameters = {
  ID: required(f.idList({ doc: 'The documents.' })),
  FileObject: required(f.text({ doc: 'The name of the target storage location.', max: 100 })),
  PathURL: f.text({
    doc:
      'The target path. `{Guid}`, `{Year}`, `{Month}`, `{Uri.FileName}`, `{Uri.Extension}`, `{Object}`, ' +
      '`{ObjectID}` and the columns of the document are filled in. A path that ends in `/` is a folder.',
    max: 1000,
    exact: true,
    default: DEFAULT_PATH_URL,
  }),
};

/** Answer row of each document. */
export const transferRows = {
  AttachmentID: required(f.id({ doc: 'The document.', to: 'Attachment' })),
  FileObject: required(f.text({ doc: 'The storage location of the copy.' })),
  FilePath: required(f.personal({ doc: 'The path of the copy.' })),
};

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

interface DocumentLocation {
  readonly location: string;
  readonly path: string;
  readonly sealed: boolean;
}

/**
 * Copies the files of documents, one after the other. A failure becomes a warning and the rest continue; if all fail,
 * the call fails.
 */
export async function transferFiles(
  ctx: Context<typeof attachment>,
  ids: readonly number[],
  transfer: FileTransfer,
): Promise<ListAnswer> {
  if (!ctx.user.universal)
    throw new PlatformError('NO_PERMISSION', {
      field: 'FileObject',
      message: 'FileObject: only users with universal access can use storage locations.',
    });
  // An unknown location fails the whole call.
  ctx.providers.get(FILE_OBJECT, transfer.location);
  const rows: { AttachmentID: number; FileObject: string; FilePath: string }[] = [];
  let first: PlatformError | undefined;
  for (const id of ids) {
    try {
      const { location, path } = await transferFile(ctx, id, transfer);
      rows.push({ AttachmentID: id, FileObject: location, FilePath: path });
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error;
      first ??= error;
      if (ids.length > 1) ctx.alert({ code: error.code, id, text: error.message });
    }
  }
  if (first && rows.length === 0) throw first;
  return list('Attachment', transferRows, rows);
}

/** Transfers one file. The original is removed only after the document durably refers to the copy. */
async function transferFile(
  ctx: Context<typeof attachment>,
  id: number,
  transfer: FileTransfer,
): Promise<DocumentLocation> {
  const row = await readRecord(ctx.db, ctx.record, id);
  const from = documentLocation(row, id);
  const location =
    ctx.providers.names(FILE_OBJECT).find((name) => name.toLowerCase() === transfer.location.toLowerCase()) ??
    transfer.location;
  const to: DocumentLocation = {
    location,
    path: pathOfDocument(ctx.record, row, { pathUrl: transfer.pathUrl, guid: randomUUID(), field: 'PathURL' }),
    sealed: from.sealed || transfer.seal,
  };
  if (isSameLocation(from, to)) return from;
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
      message: `FileObject: Attachment ${id} is stored encrypted and must stay in the platform's own storage.`,
    });
  const isFresh = await copyFile(ctx, row, from, to);
  if (transfer.repoint) await repoint(ctx, id, { from, to, isFresh });
  if (transfer.remove) await removeOriginal(ctx, from);
  return to;
}

function documentLocation(row: StoredDocument, id: number): DocumentLocation {
  const { FilePath: path, FileObject: location } = row;
  if (path === null || location === null)
    throw new PlatformError('NOT_FOUND', { field: 'ID', message: `Attachment ${id} has no file.` });
  return { location, path, sealed: row.Sealed === true };
}

function isSameLocation(one: DocumentLocation, other: DocumentLocation): boolean {
  return one.location.toLowerCase() === other.location.toLowerCase() && one.path === other.path;
}

/** Copies the bytes; returns false if the same ones exist already, as after an interrupted call. */
async function copyFile(
  ctx: Context,
  row: StoredDocument,
  from: DocumentLocation,
  to: DocumentLocation,
): Promise<boolean> {
  const source = ctx.providers.get(FILE_OBJECT, from.location);
  const target = ctx.providers.get(FILE_OBJECT, to.location);
  try {
    if (source === target && from.sealed === to.sealed) await target.copy(from.path, to.path);
    else if (from.sealed) await target.write(to.path, source.read(from.path), { uniqueContent: true });
    else await copyVerified(ctx, { from, to, hash: row.FileHash ?? '' });
    return true;
  } catch (error) {
    if (!(error instanceof PlatformError) || error.code !== 'DUPLICATE_KEY') throw error;
    // The record of a sealed file has no hash.
    const hash = row.FileHash ?? (from.sealed ? await hashOf(ctx, source, from) : undefined);
    if (hash === undefined || (await hashOf(ctx, target, to).catch(() => undefined)) !== hash) throw error;
    return false;
  }
}

/** Copies an unsealed file, and keeps the copy only if its hash is the document's. */
async function copyVerified(
  ctx: Context,
  { from, to, hash }: { readonly from: DocumentLocation; readonly to: DocumentLocation; readonly hash: string },
): Promise<void> {
  const source = ctx.providers.get(FILE_OBJECT, from.location);
  const target = ctx.providers.get(FILE_OBJECT, to.location);
  const found = createHash('sha256');
  const passing = async function* (): AsyncIterable<Uint8Array> {
    for await (const piece of source.read(from.path)) {
      found.update(piece);
      yield piece;
    }
  };
  if (to.sealed)
    await ctx.cipher.whileSealing(() =>
      target.write(to.path, sealStream(ctx.cipher, FILE_PURPOSE, passing()), { uniqueContent: true }),
    );
  else await target.write(to.path, passing());
  if (hash === '' || found.digest('hex') === hash) return;
  await target.delete(to.path);
  throw new PlatformError('CONCURRENT_CHANGE', {
    message: "The stored file's content differs from what the document records; it was not copied.",
  });
}

async function hashOf(ctx: Context, files: FileObject, { path, sealed }: DocumentLocation): Promise<string> {
  const hash = createHash('sha256');
  const stored = files.read(path);
  for await (const piece of sealed ? openStream(ctx.cipher, FILE_PURPOSE, stored) : stored) hash.update(piece);
  return hash.digest('hex');
}

/** Points the document to the copy, unless it got another file meanwhile. */
async function repoint(
  ctx: Context,
  id: number,
  { from, to, isFresh }: { readonly from: DocumentLocation; readonly to: DocumentLocation; readonly isFresh: boolean },
): Promise<void> {
  const values = {
    FileObject: to.location,
    FilePath: to.path,
    Sealed: to.sealed,
    ...(to.sealed ? { FileHash: null } : {}),
  };
  try {
    await ctx.inTransaction(async (own) => {
      const [now] = await own.db.query<{ location: string | null; path: string | null }>(
        `select fileobject as location, filepath as path
         from attachment
         where attachmentid = $1::bigint
         for no key update`,
        [id],
      );
      if (now && isSameLocation({ location: now.location ?? '', path: now.path ?? '', sealed: false }, to)) return;
      if (!now || !isSameLocation({ location: now.location ?? '', path: now.path ?? '', sealed: false }, from))
        throw new PlatformError('CONCURRENT_CHANGE', {
          field: 'ID',
          message: `The file of Attachment ${id} was replaced in the meantime.`,
        });
      await updateRow(own, own.registry.recordType('Attachment'), id, values);
    });
  } catch (error) {
    if (isFresh)
      await ctx.providers
        .get(FILE_OBJECT, to.location)
        .delete(to.path)
        .catch(() => ctx.log.warn('copied file was not removed', { correlationId: ctx.correlationId }));
    throw error;
  }
}

/** Removes the original, unless another document refers to it. */
async function removeOriginal(ctx: Context, { location, path }: DocumentLocation): Promise<void> {
  const others = await ctx.inTransaction((own) =>
    own
      .transaction()
      .elevated((db) =>
        db.query('select 1 from attachment where filepath = $1::text and fileobject = $2::text limit 1', [
          path,
          location,
        ]),
      ),
  );
  if (others.length === 0) await ctx.providers.get(FILE_OBJECT, location).delete(path);
}
