import { createHash, randomInt } from 'node:crypto';
import { FILE_OBJECT } from '../../../../contracts/file-object.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import type { Platform } from '../../../../kernel/ports/platform.ts';
import { openStream } from '../../../../kernel/security/seal-stream.ts';
import { FILE_PURPOSE } from './stored-documents.ts';

/** Most documents that one run reads, and most bytes in total; the first is read whatever its size. */
const SAMPLE_DOCUMENTS = 200;
const SAMPLE_BYTES = 512 * 1024 * 1024;

interface StoredFile {
  readonly id: number;
  readonly location: string;
  readonly path: string;
  readonly size: number | null;
  readonly hash: string | null;
  readonly sealed: boolean | null;
}

/**
 * Housekeeping: verifies a sample of stored files against the hashes of their documents. The sample starts at a random
 * place, so that in time all are checked and no node needs to remember where it was. Damaged or missing files are
 * written to the error log, and so is, once per run, a location that cannot be reached. In shared locations only
 * presence and size are checked: reading may cost what the operator charges. Returns how many are damaged.
 */
export const checkStoredFiles = {
  name: 'damaged stored files',
  everyMinutes: 60,
  async run(platform: Platform): Promise<number> {
    let [bytes, damaged] = [0, 0];
    const away = new Set<string>();
    for (const file of await sampleFiles(platform)) {
      if (away.has(file.location)) continue;
      const shared = isShared(platform, file.location);
      bytes += shared ? 0 : (file.size ?? 0);
      if (bytes > SAMPLE_BYTES && bytes !== file.size) break;
      const problem = await problemOf(platform, file);
      if (problem === undefined) continue;
      damaged++;
      if (problem === UNREACHABLE) {
        away.add(file.location);
        platform.log.error('storage location with documents cannot be reached', { location: file.location });
        await platform.journal.error({
          correlationId: '',
          operation: 'attachment/checkfiles',
          message: `The storage location ${file.location}, which holds documents, is unknown or cannot be reached.`,
          stack: '',
          cause: '',
          personId: null,
        });
        continue;
      }
      platform.log.error('stored file is damaged', { attachmentId: file.id, problem });
      await platform.journal.error({
        correlationId: '',
        operation: 'attachment/checkfiles',
        message: `The stored file of Attachment ${file.id} ${problem}. Restore it from a backup.`,
        stack: '',
        cause: '',
        personId: null,
      });
    }
    return damaged;
  },
} as const;

/** The problem of all files of a location at once. */
const UNREACHABLE = 'is in a storage location that cannot be reached';

function isShared(platform: Platform, location: string): boolean {
  return (
    platform.providers.names(FILE_OBJECT).some((name) => name.toLowerCase() === location.toLowerCase()) &&
    platform.providers.get(FILE_OBJECT, location).shared === true
  );
}

/** Returns consecutive documents from a random id, wrapping around at the end. */
async function sampleFiles(platform: Platform): Promise<StoredFile[]> {
  const [last] = await platform.store.query<{ id: number | null }>('select max(attachmentid) as id from attachment');
  const start = randomInt(1, (last?.id ?? 0) + 2);
  const from = (condition: string, turn: number): string =>
    `(select attachmentid as id, fileobject as location, filepath as path, filesize as size, filehash as hash, sealed,
        ${turn} as turn
      from attachment
      where filepath is not null and ${condition}
      order by attachmentid
      limit ${SAMPLE_DOCUMENTS})`;
  return platform.store.query<StoredFile>(
    `${from('attachmentid >= $1::bigint', 1)} union all ${from('attachmentid < $1::bigint', 2)} order by ` +
      `turn, id limit ${SAMPLE_DOCUMENTS}`,
    [start],
  );
}

/** Returns what is wrong with a file, or undefined. A file that cannot be read now counts too. */
async function problemOf(
  platform: Platform,
  { location, path, size, hash, sealed }: StoredFile,
): Promise<string | undefined> {
  try {
    const files = platform.providers.get(FILE_OBJECT, location);
    const stat = await files.stat(path);
    if (!stat) return 'is missing';
    if (files.shared) return sealed === true ? undefined : sizeProblem(size, stat.size);
    const stored = files.read(path);
    const found = createHash('sha256');
    let length = 0;
    for await (const piece of sealed === true ? openStream(platform.cipher, FILE_PURPOSE, stored) : stored) {
      found.update(piece);
      length += piece.length;
    }
    const isOther = hash !== null && found.digest('hex') !== hash;
    return sizeProblem(size, length) ?? (isOther ? 'does not have the content that was stored' : undefined);
  } catch (error) {
    if (error instanceof PlatformError && ['UNAVAILABLE', 'UNKNOWN_PROVIDER'].includes(error.code)) return UNREACHABLE;
    const { code } = error as { code?: unknown };
    return `cannot be read (${typeof code === 'string' ? code : 'unreadable'})`;
  }
}

function sizeProblem(expected: number | null, actual: number): string | undefined {
  return expected === null || actual === expected ? undefined : `has ${actual} bytes instead of ${expected}`;
}
