import { FILE_OBJECT, type FileObject } from '../../contracts/file-object.ts';
import { keyIdOf, type Cipher } from '../../kernel/security/cipher.ts';
import { PlatformError } from '../../kernel/door/errors.ts';
import type { Providers } from '../../kernel/ports/providers.ts';
import { openStream, sealStream } from '../../kernel/security/seal-stream.ts';
import { FILE_PURPOSE } from '../../modules/documents/attachment/lib/stored-documents.ts';

/** Deepest folders searched; paths of documents are far shorter. */
const DEPTH_MAX = 64;
/** Bytes of the frame length, the form, and the key's id. */
const HEAD_BYTES = 9;

/** Result of one pass over the stored files. */
export interface ResealedFiles {
  readonly sealed: number;
  /** Files that stay under an old key, with the reason. */
  readonly left: readonly string[];
}

/**
 * Reseals every stored file that one of these keys sealed, whether or not a document or the history refers to it: the
 * first bytes of a file name its key. Files are replaced atomically; a reader continues with the old one.
 */
export async function resealFiles(
  providers: Providers,
  cipher: Cipher,
  keys: readonly string[],
  progress: (sealed: number) => void,
): Promise<ResealedFiles> {
  let sealed = 0;
  const left: string[] = [];
  for (const name of providers.names(FILE_OBJECT)) {
    const files = providers.get(FILE_OBJECT, name);
    // Sealed documents are only in the platform's own storage.
    if (files.shared) continue;
    for await (const path of files.list('/', { depth: DEPTH_MAX })) {
      if (!(await isUnder(files, path, keys))) continue;
      if (!files.replace) {
        left.push(`${name} ${path}: this storage location cannot replace files`);
        continue;
      }
      try {
        await files.replace(path, sealStream(cipher, FILE_PURPOSE, openStream(cipher, FILE_PURPOSE, files.read(path))));
        progress(++sealed);
      } catch (error) {
        if (error instanceof PlatformError && error.code === 'UNAVAILABLE') throw error;
        // A file deleted meanwhile needs no key.
        if (await files.stat(path)) left.push(`${name} ${path}: its key does not open it`);
      }
    }
  }
  return { sealed, left };
}

async function isUnder(files: FileObject, path: string, keys: readonly string[]): Promise<boolean> {
  const parts: Uint8Array[] = [];
  try {
    for await (const part of files.read(path, { start: 0, end: HEAD_BYTES })) parts.push(part);
  } catch (error) {
    if (error instanceof PlatformError && error.code === 'NOT_FOUND') return false;
    throw error;
  }
  const id = keyIdOf(Buffer.concat(parts).subarray(4))?.toString('hex');
  return id !== undefined && keys.includes(id);
}
