import { createHash } from 'node:crypto';
import { FILE_OBJECT, type FileObject } from '../../../../../contracts/file-object.ts';
import type { Context } from '../../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../../kernel/door/errors.ts';
import { openStream, sealStream } from '../../../../../kernel/security/seal-stream.ts';
import { FILE_PURPOSE } from '../stored-documents.ts';
import type { FileLocation } from './file-location.ts';

/** Where the file of a document or version is. */
export interface DocumentLocation extends FileLocation {
  readonly sealed: boolean;
}

/** A file to copy. */
export interface FileCopy {
  readonly from: DocumentLocation;
  readonly to: DocumentLocation;
  /** SHA-256 of the content as recorded; null for sealed files. */
  readonly hash: string | null;
}

/** Copies the bytes; returns false if the same ones exist already, as after an interrupted call. */
export async function copyFile(ctx: Context, copy: FileCopy): Promise<boolean> {
  const { from, to } = copy;
  const source = ctx.providers.get(FILE_OBJECT, from.location);
  const target = ctx.providers.get(FILE_OBJECT, to.location);
  try {
    if (source === target && from.sealed === to.sealed) await target.copy(from.path, to.path);
    else if (from.sealed) await target.write(to.path, source.read(from.path), { uniqueContent: true });
    else await copyVerified(ctx, copy);
    return true;
  } catch (error) {
    if (!(error instanceof PlatformError) || error.code !== 'DUPLICATE_KEY') throw error;
    // The record of a sealed file has no hash.
    const hash = copy.hash ?? (from.sealed ? await hashOf(ctx, source, from) : undefined);
    if (hash === undefined || (await hashOf(ctx, target, to).catch(() => undefined)) !== hash) throw error;
    return false;
  }
}

/** Copies an unsealed file, and keeps the copy only if its hash is the recorded one. */
async function copyVerified(ctx: Context, { from, to, hash }: FileCopy): Promise<void> {
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
  if (hash === null || found.digest('hex') === hash) return;
  await target.delete(to.path);
  throw new PlatformError('CONCURRENT_CHANGE', {
    message: "The stored file's content differs from what the document records; it was not copied.",
  });
}

/**
 * Reads a copy back, before its original is removed.
 * @throws UNAVAILABLE if its content is not that of the original
 */
export async function assertStoredWhole(ctx: Context, { from, to, hash }: FileCopy): Promise<void> {
  // The record of a sealed file has no hash.
  const expected = hash ?? (await hashOf(ctx, ctx.providers.get(FILE_OBJECT, from.location), from));
  const found = await hashOf(ctx, ctx.providers.get(FILE_OBJECT, to.location), to);
  if (found !== expected)
    throw new PlatformError('UNAVAILABLE', {
      field: 'FileObject',
      message: `FileObject: ${to.location} returned different bytes than were written; the original was kept.`,
    });
}

async function hashOf(ctx: Context, files: FileObject, { path, sealed }: DocumentLocation): Promise<string> {
  const hash = createHash('sha256');
  const stored = files.read(path);
  for await (const piece of sealed ? openStream(ctx.cipher, FILE_PURPOSE, stored) : stored) hash.update(piece);
  return hash.digest('hex');
}
