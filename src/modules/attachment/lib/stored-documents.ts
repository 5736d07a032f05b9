import { createHash, randomUUID } from 'node:crypto';
import type { FileObject } from '../../../contracts/file-object.ts';
import type { Cipher } from '../../../kernel/cipher.ts';
import type { Documents, StagedDocument } from '../../../kernel/documents.ts';
import { PlatformError } from '../../../kernel/errors.ts';
import type { Providers } from '../../../kernel/providers.ts';
import { sealStream } from '../../../kernel/seal-stream.ts';
import { mimeTypeOf, peek } from './content.ts';

/** The contract that storage providers fulfil. */
export const FILE_OBJECT = 'file-object';
/** What sealed files are bound to. */
export const FILE_PURPOSE = 'attachment.file';

const TOKEN_PURPOSE = 'attachment.staged';

/** What a token says of the staged file. */
export interface StagedFile {
  readonly fileObject: string;
  readonly path: string;
  readonly size: number;
  readonly hash: string;
  readonly mime: string;
  readonly sealed: boolean;
}

/** What stands for a staged file. */
export function sealToken(cipher: Cipher, file: StagedFile): string {
  return cipher.seal(TOKEN_PURPOSE, JSON.stringify(file)).toString('base64url');
}

/** A path of a file that waits for its record. */
export function stagedPath(): string {
  return `/Staged/${randomUUID()}`;
}

/** Opens a token, or refuses it. */
export function openToken(cipher: Cipher, token: string): StagedFile {
  try {
    return JSON.parse(cipher.open(TOKEN_PURPOSE, Buffer.from(token, 'base64url')).toString()) as StagedFile;
  } catch {
    throw new PlatformError('BAD_PARAMETER', { field: 'Staged', message: 'Staged: expected what staging a file answered.' });
  }
}

/** Documents in the storage locations that providers offer. */
export class StoredDocuments implements Documents {
  private readonly providers: Providers;
  private readonly cipher: Cipher;

  constructor(providers: Providers, cipher: Cipher) {
    this.providers = providers;
    this.cipher = cipher;
  }

  async stage(bytes: AsyncIterable<Uint8Array>, options: { readonly fileName: string; readonly sealed?: boolean }): Promise<StagedDocument> {
    const sealed = options.sealed ?? false;
    const [fileObject = ''] = this.providers.names(FILE_OBJECT);
    const path = stagedPath();
    const { head, bytes: whole } = await peek(bytes);
    const counted = { size: 0, hash: createHash('sha256') };
    const content = count(whole, counted);
    const files = this.providers.get<FileObject>(FILE_OBJECT, fileObject);
    await (sealed ? this.cipher.during(() => files.write(path, sealStream(this.cipher, FILE_PURPOSE, content), { unlike: true })) : files.write(path, content));
    const file: StagedFile = { fileObject, path, size: counted.size, hash: counted.hash.digest('hex'), mime: await mimeTypeOf(head, options.fileName), sealed };
    return { token: sealToken(this.cipher, file), size: file.size, hash: file.hash };
  }

  async discard(token: string): Promise<void> {
    const file = openToken(this.cipher, token);
    await this.providers.get<FileObject>(FILE_OBJECT, file.fileObject).delete(file.path);
  }
}

/** Counts and hashes the plain content while it passes: a sealed file's own bytes say nothing about equality. */
async function* count(bytes: AsyncIterable<Uint8Array>, counted: { size: number; readonly hash: ReturnType<typeof createHash> }): AsyncIterable<Uint8Array> {
  for await (const piece of bytes) {
    counted.size += piece.length;
    counted.hash.update(piece);
    yield piece;
  }
}
