import { createHash, randomUUID } from 'node:crypto';
import { FILE_OBJECT } from '../../../../contracts/file-object.ts';
import type { Settings } from '../../../../kernel/declare/setting.ts';
import type { Cipher } from '../../../../kernel/security/cipher.ts';
import type {
  DocumentContent,
  DocumentRow,
  Documents,
  StagedDocument,
  StoredFileRow,
} from '../../../../kernel/ports/documents.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import type { Providers } from '../../../../kernel/ports/providers.ts';
import { openPart, openStream, sealStream } from '../../../../kernel/security/seal-stream.ts';
import type { Clock } from '../../../../kernel/time/clock.ts';
import { assertServed } from './scan/scan-gate.ts';
import { StagedScans, type StagedVerdict } from './scan/staged-scan.ts';
import { mimeTypeOf, peek } from './file-content.ts';

/** Purpose that sealed files are bound to. */
export const FILE_PURPOSE = 'attachment.file';

const TOKEN_PURPOSE = 'attachment.staged';

/** The content of a staging token. */
export interface StagedFile {
  readonly fileObject: string;
  readonly path: string;
  readonly size: number;
  readonly hash: string;
  readonly mime: string;
  readonly sealed: boolean;
  /** The file is in a location of others; it is neither copied nor removed. */
  readonly inPlace?: true;
  /** The verdict of the malware scan, if there is one already. */
  readonly scan?: StagedVerdict;
}

/**
 * Returns the hash that a document's record shows: none for a sealed file. Whoever knows the rest of its bytes could
 * try all numbers until the hash is the same; with a keyed hash, by sending files with other numbers.
 */
export function storedHash({ hash, sealed }: Pick<StagedFile, 'hash' | 'sealed'>): string | null {
  return sealed ? null : hash;
}

/** Returns the token of a staged file. */
export function sealToken(cipher: Cipher, file: StagedFile): string {
  return cipher.seal(TOKEN_PURPOSE, JSON.stringify(file)).toString('base64url');
}

/** Returns a new path for a file whose record does not exist yet. */
export function stagedPath(): string {
  return `/Staged/${randomUUID()}`;
}

/** Opens a token. Throws BAD_PARAMETER if it is not one. */
export function openToken(cipher: Cipher, token: string): StagedFile {
  try {
    return JSON.parse(cipher.open(TOKEN_PURPOSE, Buffer.from(token, 'base64url')).toString()) as StagedFile;
  } catch {
    throw new PlatformError('BAD_PARAMETER', {
      field: 'Staged',
      message: 'Staged: expected the value that staging the file returned.',
    });
  }
}

/** What stored documents need of the platform. */
interface DocumentParts {
  readonly providers: Providers;
  readonly cipher: Cipher;
  readonly settings: Settings;
  readonly clock: Clock;
}

/** Documents in the storage locations of providers. */
export class StoredDocuments implements Documents {
  private readonly providers: Providers;
  private readonly cipher: Cipher;
  private readonly settings: Settings;
  private readonly scans: StagedScans;

  constructor({ providers, cipher, settings, clock }: DocumentParts) {
    this.providers = providers;
    this.cipher = cipher;
    this.settings = settings;
    this.scans = new StagedScans({ providers, settings, now: () => clock.now() });
  }

  async stage(
    bytes: AsyncIterable<Uint8Array>,
    options: { readonly fileName: string; readonly sealed?: boolean; readonly location?: string },
  ): Promise<StagedDocument> {
    const sealed = options.sealed ?? false;
    const [first = ''] = this.providers.names(FILE_OBJECT);
    const fileObject = options.location ?? first;
    const path = stagedPath();
    const { head, bytes: whole } = await peek(bytes);
    const counted = { size: 0, hash: createHash('sha256') };
    const content = hashWhileReading(whole, counted);
    const files = this.providers.get(FILE_OBJECT, fileObject);
    await (sealed
      ? this.cipher.whileSealing(() =>
          files.write(path, sealStream(this.cipher, FILE_PURPOSE, content), { uniqueContent: true }),
        )
      : files.write(path, content));
    const file: StagedFile = {
      fileObject,
      path,
      size: counted.size,
      hash: counted.hash.digest('hex'),
      mime: await mimeTypeOf(head, options.fileName),
      sealed,
    };
    return this.stagedDocument(file);
  }

  async stageInPlace(location: string, path: string): Promise<StagedDocument> {
    const files = this.providers.get(FILE_OBJECT, location);
    const before = await files.stat(path);
    if (!before)
      throw new PlatformError('NOT_FOUND', {
        field: 'Path',
        message: 'Path: the storage location has no such file.',
      });
    const { head, bytes } = await peek(files.read(path));
    const counted = { size: 0, hash: createHash('sha256') };
    for await (const _piece of hashWhileReading(bytes, counted));
    const after = await files.stat(path);
    if (counted.size !== before.size || after?.size !== before.size || after.modified !== before.modified)
      throw new PlatformError('CONCURRENT_CHANGE', { message: 'The file changed while it was being read.' });
    const file: StagedFile = {
      fileObject: location,
      path,
      size: counted.size,
      hash: counted.hash.digest('hex'),
      mime: await mimeTypeOf(head, path.slice(path.lastIndexOf('/') + 1)),
      sealed: false,
      inPlace: true,
    };
    return this.stagedDocument(file);
  }

  async content(row: DocumentRow): Promise<DocumentContent> {
    assertServed(this.settings, row);
    return this.unscannedContent(row);
  }

  async unscannedContent(row: StoredFileRow): Promise<DocumentContent> {
    const { FilePath: path, FileObject: location, FileSize: size, FileName: fileName, MimeType: mime } = row;
    if (path === null || location === null || size === null)
      throw new PlatformError('NOT_FOUND', { message: 'The document has no file.' });
    const files = this.providers.get(FILE_OBJECT, location);
    if (!(await files.stat(path)))
      throw new PlatformError('UNAVAILABLE', { message: "The document's file is missing from its storage location." });
    const known = { fileName: fileName ?? 'file', mime: mime ?? '', size };
    const read = (start: number, end: number): AsyncIterable<Uint8Array> => files.read(path, { start, end });
    if (row.Sealed !== true) return { ...known, open: () => files.read(path), part: read };
    return {
      ...known,
      open: () => openStream(this.cipher, FILE_PURPOSE, files.read(path)),
      part: (start, end) => openPart(this.cipher, FILE_PURPOSE, { size, read }, { start, end }),
    };
  }

  async sha256(row: StoredFileRow): Promise<string> {
    const hash = createHash('sha256');
    for await (const piece of (await this.unscannedContent(row)).open()) hash.update(piece);
    return hash.digest('hex');
  }

  async scanStaged(token: string): Promise<string> {
    const file = openToken(this.cipher, token);
    const scanned = await this.withVerdict(file);
    return scanned === file ? token : sealToken(this.cipher, scanned);
  }

  private async withVerdict(file: StagedFile): Promise<StagedFile> {
    const { fileObject, path, size, sealed } = file;
    const files = this.providers.get(FILE_OBJECT, fileObject);
    const open = (): AsyncIterable<Uint8Array> =>
      sealed ? openStream(this.cipher, FILE_PURPOSE, files.read(path)) : files.read(path);
    const scan = await this.scans.verdict({ size, open });
    return scan === undefined ? file : { ...file, scan };
  }

  private async stagedDocument(file: StagedFile): Promise<StagedDocument> {
    return { token: sealToken(this.cipher, await this.withVerdict(file)), size: file.size, hash: file.hash };
  }

  async discard(token: string): Promise<void> {
    const file = openToken(this.cipher, token);
    if (file.inPlace === true) return;
    await this.providers.get(FILE_OBJECT, file.fileObject).delete(file.path);
  }
}

/** Passes pieces on and adds their size and hash: a sealed file's own bytes cannot be compared. */
async function* hashWhileReading(
  bytes: AsyncIterable<Uint8Array>,
  counted: { size: number; readonly hash: ReturnType<typeof createHash> },
): AsyncIterable<Uint8Array> {
  for await (const piece of bytes) {
    counted.size += piece.length;
    counted.hash.update(piece);
    yield piece;
  }
}
