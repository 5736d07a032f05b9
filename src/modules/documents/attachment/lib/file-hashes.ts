import { createHash } from 'node:crypto';
import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { updateRow } from '../../../../kernel/records/save/update-row.ts';
import type { attachment, StoredDocument } from '../attachment.record.ts';

/** Algorithms of hashes by the column that stores them. SHA-256 is the one by which stored files are checked. */
const algorithms = {
  SHA256: { digest: 'sha256', column: 'FileHash' },
  SHA1: { digest: 'sha1', column: 'FileSha1' },
  MD5: { digest: 'md5', column: 'FileMd5' },
} as const;

/** A supported algorithm. */
export type HashAlgorithm = keyof typeof algorithms;

/** The names of the supported algorithms, the default first. */
export const hashAlgorithms = ['SHA256', 'SHA1', 'MD5'] as const satisfies readonly HashAlgorithm[];

/**
 * Calculates a hash of a document's file, stores it, and returns it, hexadecimal. The file is checked against the
 * stored SHA-256 at the same time; a stored SHA-256 is never replaced.
 * @throws STATE_REFUSES for a sealed file, UNAVAILABLE for a damaged one, CONCURRENT_CHANGE if it was replaced
 * meanwhile
 */
export async function saveFileHash(
  ctx: Context<typeof attachment>,
  row: StoredDocument,
  algorithm: HashAlgorithm,
): Promise<string> {
  assertHashed(row);
  const { digest, column } = algorithms[algorithm];
  const content = await ctx.documents.content(row);
  const [check, hash] = [createHash('sha256'), createHash(digest)];
  for await (const piece of content.open()) {
    check.update(piece);
    hash.update(piece);
  }
  const [sha256, value] = [check.digest('hex'), hash.digest('hex')];
  if (row.FileHash !== null && row.FileHash !== sha256)
    throw new PlatformError('UNAVAILABLE', {
      message: `The file of Attachment ${row.AttachmentID} is damaged: it does not have the content that was stored.`,
    });
  await ctx.inTransaction(async (own) => {
    const [now] = await own.db.query<{ path: string | null; hash: string | null }>(
      `select filepath as path, filehash as hash
       from attachment
       where attachmentid = $1::bigint
       for no key update`,
      [row.AttachmentID],
    );
    if (now?.hash !== row.FileHash)
      throw new PlatformError('CONCURRENT_CHANGE', {
        field: 'ID',
        message: `The file of Attachment ${row.AttachmentID} was replaced in the meantime.`,
      });
    if (row[column] !== value) await updateRow(own, own.record, row.AttachmentID, { [column]: value });
  });
  return value;
}

/** Throws STATE_REFUSES for a sealed file: somebody who knows the rest could try numbers until the hash matches. */
export function assertHashed({ AttachmentID: id, Sealed: sealed }: StoredDocument): void {
  if (sealed === true)
    throw new PlatformError('STATE_REFUSES', {
      field: 'ID',
      message: `ID: Attachment ${id} is stored encrypted because it may contain protected numbers; it has no hash.`,
    });
}
