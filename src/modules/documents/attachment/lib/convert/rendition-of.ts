import { setTimeout as delay } from 'node:timers/promises';
import { convertFile, type ConvertedFile } from '../../../../../contracts/converter.ts';
import type { FileContent } from '../../../../../contracts/file-content.ts';
import { FILE_OBJECT } from '../../../../../contracts/file-object.ts';
import { discardStaged } from '../../../../../kernel/documents/discard-staged.ts';
import { extendLeaseDuring, LeaseLost } from '../../../../../kernel/database/lease.ts';
import type { Context } from '../../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../../kernel/door/errors.ts';
import { convertSeconds } from '../../settings.ts';
import { assertServed } from '../scan/scan-gate.ts';
import { openToken } from '../stored-documents.ts';
import type { StoredDocument } from '../../attachment.record.ts';
import {
  claimRendition,
  extendRendition,
  findRendition,
  forgetRendition,
  LEASE_SECONDS,
  releaseRendition,
  sealedRefusal,
  storeRendition,
  type Rendition,
  type RenditionClaim,
  type RenditionKey,
} from './rendition-rows.ts';
import { sourceFile, sourceTypeOf } from './source-file.ts';

/** Media types that documents are converted to, by the names that calls use. */
export const TARGETS = { Pdf: 'application/pdf', Html: 'text/html', Text: 'text/plain' } as const;

/** How often a call that waits for the same conversion looks whether another one has finished it. */
const WAIT_MILLISECONDS = 250;

/**
 * Returns a document in another format: what is stored of an earlier conversion of the same content, or else a new one,
 * which is then stored. The caller has checked that the user may download the document. Outside a transaction.
 *
 * @throws UNREADABLE_DOCUMENT, CONVERTER_UNAVAILABLE, TOO_LARGE, TIMED_OUT; STATE_REFUSES for a sealed document
 */
export async function renditionOf(ctx: Context, row: StoredDocument, mime: string): Promise<Rendition> {
  const documentId = row.AttachmentID;
  if (row.Sealed === true) throw sealedRefusal(documentId);
  assertServed(ctx.settings, row);
  const hash = row.FileHash ?? (await ctx.documents.sha256(row));
  const key: RenditionKey = { hash, sourceType: sourceTypeOf(row), mime };
  const deadline = performance.now() + ctx.settings.get(convertSeconds) * 1_000;
  while (performance.now() < deadline) {
    const found = await storedRendition(ctx, key);
    if (found) return found;
    const attempt = await claimRendition(ctx, key, documentId);
    const made = attempt === undefined ? undefined : await convertClaimed(ctx, row, { key, attempt, documentId });
    if (made) return made;
    await delay(WAIT_MILLISECONDS);
  }
  throw timedOut(ctx);
}

/** Converts a file within the time that the settings allow. */
export async function convertInTime(ctx: Context, file: FileContent, mime: string): Promise<ConvertedFile> {
  const signal = AbortSignal.timeout(ctx.settings.get(convertSeconds) * 1_000);
  try {
    return await convertFile(ctx.providers, file, mime, { signal });
  } catch (error) {
    throw signal.aborted && error === signal.reason ? timedOut(ctx) : error;
  }
}

function timedOut(ctx: Context): PlatformError {
  return new PlatformError('TIMED_OUT', {
    message: `The conversion took longer than ${ctx.settings.get(convertSeconds)} s and was stopped (ConvertSeconds).`,
  });
}

async function storedRendition(ctx: Context, key: RenditionKey): Promise<Rendition | undefined> {
  const found = await findRendition(ctx, key);
  if (!found || (await ctx.providers.get(FILE_OBJECT, found.fileObject).stat(found.path))) return found;
  await forgetRendition(ctx, key, found.path);
  return undefined;
}

/** Converts and stores; undefined if another process has taken the conversion over. */
async function convertClaimed(
  ctx: Context,
  row: StoredDocument,
  claim: RenditionClaim,
): Promise<Rendition | undefined> {
  const { key, attempt } = claim;
  const extend = (): void => void extendRendition(ctx, key, attempt).catch(() => undefined);
  try {
    return await extendLeaseDuring(LEASE_SECONDS, extend, async () => {
      const converted = await convertInTime(ctx, await sourceFile(ctx, row), key.mime);
      const { token } = await ctx.documents.stage(
        (async function* () {
          yield converted.bytes;
        })(),
        { fileName: `rendition.${converted.extension}` },
      );
      try {
        const { fileObject, path, size, hash } = openToken(ctx.cipher, token);
        const rendition = { mime: key.mime, extension: converted.extension, fileObject, path, size, hash };
        await storeRendition(ctx, claim, rendition);
        return rendition;
      } catch (error) {
        await discardStaged(ctx, [{ token }]);
        throw error;
      }
    });
  } catch (error) {
    if (error instanceof LeaseLost) return undefined;
    await releaseRendition(ctx, key, attempt);
    throw error;
  }
}
