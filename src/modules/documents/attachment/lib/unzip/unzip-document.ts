import { crc32 } from 'node:zlib';
import type { ZipFile } from 'yauzl';
import { lockName } from '../../../../../kernel/database/advisory-lock.ts';
import { arrayLiteral } from '../../../../../kernel/database/store.ts';
import { discardStaged } from '../../../../../kernel/documents/discard-staged.ts';
import type { Context } from '../../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../../kernel/door/errors.ts';
import { inflatedBytes, type ZipSource } from '../../../../../lib/readers/zip/zip-source.ts';
import type { attachment, StoredDocument } from '../../attachment.record.ts';
import { unzipFilesMax, unzipMegabytesMax } from '../../settings.ts';
import {
  archiveError,
  listArchive,
  UnreadableArchive,
  type ArchiveEntry,
  type EntryProblem,
} from './archive-entries.ts';

/** Problems that an error names. */
const PROBLEMS_NAMED = 20;

/** A document of an unpacked archive. */
export interface UnzippedDocument {
  readonly AttachmentID: number;
  readonly Attachment: string;
  readonly FileName: string;
  /** False if it was there already, from an earlier call. */
  readonly Added: boolean;
}

/** A file of an archive that is stored, and not a document yet. */
interface StagedEntry extends ArchiveEntry {
  readonly token: string;
  readonly hash: string;
}

/**
 * Adds a document for each file of an archive, to the archive's record: all of them or none. Documents that an earlier
 * call added are found again.
 * @throws STATE_REFUSES naming what is wrong with each file
 */
export async function unzipDocument(
  ctx: Context<typeof attachment>,
  archive: StoredDocument,
): Promise<readonly UnzippedDocument[]> {
  if (archive.Sealed === true)
    throw refused(
      'the archive is stored encrypted because it may contain protected numbers, but its files would not be',
    );
  const source = await ctx.documents.content(archive);
  const staged: StagedEntry[] = [];
  try {
    const { zip, entries, problems } = await listArchive(source, {
      filesMax: ctx.settings.get(unzipFilesMax),
      bytesMax: ctx.settings.get(unzipMegabytesMax) * 1024 * 1024,
    });
    if (problems.length > 0) throw refused(problemsText(problems));
    if (entries.length === 0) throw refused('the archive contains no files');
    for (const each of entries) {
      const { token, hash } = await ctx.documents.stage(entryBytes(source, zip, each), { fileName: each.fileName });
      staged.push({ ...each, token, hash });
    }
    return await ctx.inTransaction((own) => saveEntries(own, archive, staged));
  } catch (error) {
    const known = archiveError(error);
    throw known instanceof UnreadableArchive ? refused(`the file ${known.message}`) : known;
  } finally {
    await discardStaged(ctx, staged);
  }
}

function refused(message: string): PlatformError {
  return new PlatformError('STATE_REFUSES', { field: 'ID', message: `ID: ${message}. Nothing was added.` });
}

function problemsText(problems: readonly EntryProblem[]): string {
  const named = problems.slice(0, PROBLEMS_NAMED).map(({ path, problem }) => `"${path}" ${problem}`);
  const more = problems.length > named.length ? `; and ${problems.length - named.length} more` : '';
  return `${named.join('; ')}${more}`;
}

/** Unpacks one file, and checks it against the archive's directory as it passes. */
async function* entryBytes(source: ZipSource, zip: ZipFile, { entry, path }: ArchiveEntry): AsyncIterable<Uint8Array> {
  let [size, checksum] = [0, 0];
  for await (const piece of inflatedBytes(source, zip, entry)) {
    size += piece.length;
    checksum = crc32(piece, checksum);
    if (size > entry.uncompressedSize) break;
    yield piece;
  }
  if (size !== entry.uncompressedSize || checksum !== entry.crc32)
    throw new UnreadableArchive(`is damaged: "${path}" does not match the directory of the archive`);
}

async function saveEntries(
  own: Context<typeof attachment>,
  archive: StoredDocument,
  staged: readonly StagedEntry[],
): Promise<readonly UnzippedDocument[]> {
  // Two calls for one archive add its files once.
  await lockName(own, `unzip ${archive.AttachmentID}`);
  const known = await documentsLike(own, archive, staged);
  const documents: UnzippedDocument[] = [];
  for (const { path, fileName, hash, token } of staged) {
    const document = { Attachment: path, FileName: fileName };
    const id = known.get(`${hash} ${path}`);
    if (id !== undefined) documents.push({ AttachmentID: id, ...document, Added: false });
    else {
      const parent =
        archive.Object === null || archive.ObjectID === null
          ? {}
          : { Object: archive.Object, ObjectID: archive.ObjectID };
      const saved = await own.call(
        'attachment/save',
        { FileName: fileName, Staged: token },
        { Attachment: path, ...parent },
      );
      documents.push({ AttachmentID: saved.row.AttachmentID, ...document, Added: true });
    }
  }
  return documents;
}

/** Returns the ids of the record's documents with the content of a file, by hash and name. */
async function documentsLike(
  own: Context,
  { Object: object, ObjectID: id }: StoredDocument,
  staged: readonly StagedEntry[],
): Promise<ReadonlyMap<string, number>> {
  const rows = await own.db.query<{ id: number; hash: string; name: string }>(
    `select attachmentid as id, filehash as hash, attachment as name
     from attachment
     where filehash = any($1::text[]) and object is not distinct from $2::text
       and objectid is not distinct from $3::bigint
     order by attachmentid desc`,
    [arrayLiteral(staged.map(({ hash }) => hash)), object, id],
  );
  return new Map(rows.map((row) => [`${row.hash} ${row.name}`, row.id]));
}
