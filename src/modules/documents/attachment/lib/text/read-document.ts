import { UnreadableFile, type OpenText, type PageText } from '../../../../../contracts/text-reader.ts';
import { extendLeaseDuring, LeaseLost } from '../../../../../kernel/database/lease.ts';
import type { Context } from '../../../../../kernel/door/context.ts';
import { RecognizerUnavailable, recognizePage, UnrecognizablePage } from '../../../../../lib/ocr/recognize-page.ts';
import { fileNameOf } from '../document-row.ts';
import { ocrCommand, ocrLanguages, ocrPageSeconds, textFileMegabytesMax, textPagesMax } from '../../settings.ts';
import { documentBytes, readerOf, type DocumentFile } from './document-file.ts';
import { storeImage, THUMBNAIL_PIXELS } from '../image-rows.ts';
import { isServed } from '../scan/scan-gate.ts';
import { nameText } from './name-text.ts';
import {
  extendClaim,
  LEASE_SECONDS,
  picturePages,
  storeText,
  type NewPage,
  type TextClaim,
  type TextProgress,
} from './text-rows.ts';

/** Pages that are read and stored together. */
const BATCH_PAGES = 20;
/** Attempts of a document that store nothing, after which it is given up. */
const FAILURES_MAX = 3;
/** How long a document waits after a failure that may pass, such as that of its storage location. */
const RETRY_SECONDS = 60;
/** How long a document waits whose malware scan has not found it clean. */
const UNSCANNED_SECONDS = 600;

/**
 * Reads the text of a claimed document, page by page, until `deadline` (milliseconds of the process's clock). What is
 * stored is searchable. Whatever happens is recorded with the document.
 */
export async function readDocument(ctx: Context, claim: TextClaim, deadline: number): Promise<void> {
  const extend = (): void => void extendClaim(ctx, claim).catch(() => undefined);
  try {
    await extendLeaseDuring(LEASE_SECONDS, extend, () => readParts(ctx, claim, deadline));
  } catch (error) {
    if (error instanceof LeaseLost) return;
    await storeFailure(ctx, claim, error);
  }
}

async function readParts(ctx: Context, claim: TextClaim, deadline: number): Promise<void> {
  const file = await documentRow(ctx, claim.id);
  if (!file) return;
  if (claim.namedue) await storeName(ctx, claim, file);
  if (claim.state !== 'Reading') return store(ctx, claim, { isEnded: true });
  if (claim.failures > FAILURES_MAX) throw new UnreadableFile(`Reading the file failed ${FAILURES_MAX} times.`);
  if (file.FilePath === null) return store(ctx, claim, { state: 'Ready', pagecount: 0, isEnded: true });
  // The trigger of its verdict ends the wait.
  if (!isServed(ctx.settings, file))
    return store(ctx, claim, { state: 'Waiting', failures: 0, retrySeconds: UNSCANNED_SECONDS, isEnded: true });
  const bytes = await documentBytes(ctx, file, ctx.settings.get(textFileMegabytesMax) * 1_048_576);
  const reader = await readerOf(ctx, file, bytes);
  const text = await reader.open({ name: fileNameOf(file), bytes });
  try {
    await drawThumbnail(ctx, claim, text);
    await readOpened(ctx, claim, { text, bytes, deadline });
  } finally {
    await text.close();
  }
}

/** Stores the image of the first page for lists, while the file is open anyway. Without it, it is drawn when shown. */
async function drawThumbnail(ctx: Context, { id, version, pagesread }: TextClaim, text: OpenText): Promise<void> {
  if (pagesread > 0 || version === null || !text.image) return;
  const image = await text.image(1, THUMBNAIL_PIXELS).catch((error: unknown) => {
    // The recognizer reads pictures that are not drawn here.
    if (error instanceof UnreadableFile) return undefined;
    throw error;
  });
  if (image) await storeImage(ctx, { id, version, page: 1, width: THUMBNAIL_PIXELS }, image.bytes);
}

/** A file that is being read. */
interface OpenDocument {
  readonly text: OpenText;
  readonly bytes: Buffer;
  readonly deadline: number;
}

async function readOpened(ctx: Context, claim: TextClaim, document: OpenDocument): Promise<void> {
  const { text, deadline } = document;
  const pagesMax = ctx.settings.get(textPagesMax);
  const pagecount = Math.min(text.pageCount, pagesMax);
  const reason = pagecount < text.pageCount ? `Only the first ${pagesMax} of ${text.pageCount} pages are read.` : null;
  let { pagesread, pictures } = claim;
  while (pagesread < pagecount) {
    const read = await text.pages(pagesread + 1, Math.min(BATCH_PAGES, pagecount - pagesread));
    if (read.length === 0) throw new Error('a reader returned no pages');
    const pages = read.map((page, at) => newPage(page, pagesread + 1 + at, text.isPaged));
    pagesread += pages.length;
    pictures += pages.filter(({ source }) => source === 'Picture').length;
    await store(ctx, claim, { pagecount, pagesread, pictures, reason }, pages);
    if (isOver(deadline) && pagesread < pagecount) return store(ctx, claim, { isEnded: true });
  }
  if (!(await recognizePages(ctx, claim, { ...document, pictures }))) return store(ctx, claim, { isEnded: true });
  await store(ctx, claim, { state: 'Ready', pagecount, isEnded: true });
}

function newPage({ text, boxes, isPicture }: PageText, page: number, isPaged: boolean): NewPage {
  const source = isPaged ? 'Text' : 'Section';
  return { page, source: isPicture ? 'Picture' : source, text, ...(boxes === undefined ? {} : { boxes }) };
}

/** Recognizes the pages that are pictures, one by one. Returns whether all are done. */
async function recognizePages(
  ctx: Context,
  claim: TextClaim,
  document: OpenDocument & { readonly pictures: number },
): Promise<boolean> {
  let { recognized } = claim;
  if (recognized >= document.pictures) return true;
  for (const page of await picturePages(ctx.db, claim.id, document.pictures)) {
    if (isOver(document.deadline)) return false;
    const stored = await recognizedPage(ctx, document, page);
    recognized = Math.min(recognized + 1, document.pictures);
    await store(ctx, claim, { recognized }, [stored]);
  }
  return true;
}

async function recognizedPage(ctx: Context, { text, bytes }: OpenDocument, page: number): Promise<NewPage> {
  const recognizer = {
    command: ctx.settings.get(ocrCommand),
    languages: ctx.settings.get(ocrLanguages),
    milliseconds: ctx.settings.get(ocrPageSeconds) * 1_000,
  };
  const picture = await text.picture(page);
  try {
    const { text: found, boxes } = await recognizePage(
      recognizer,
      picture === undefined ? { bytes, page: text.pageCount > 1 ? page : undefined } : { bytes: picture },
    );
    return { page, source: 'Recognized', text: found, boxes };
  } catch (error) {
    if (!(error instanceof UnrecognizablePage)) throw error;
    return { page, source: 'Unreadable', text: '' };
  }
}

async function storeName(ctx: Context, claim: TextClaim, file: DocumentFile): Promise<void> {
  const text = await nameText(ctx, file.AttachmentID);
  await store(ctx, claim, { namedue: false }, [{ page: 0, source: 'Name', text }]);
}

/** Records why the text is not complete: for good, until the program is set up, or until the next attempt. */
async function storeFailure(ctx: Context, claim: TextClaim, error: unknown): Promise<void> {
  const reason = error instanceof Error ? error.message.slice(0, 500) : '';
  const isLast = claim.failures >= FAILURES_MAX;
  let progress: TextProgress = { retrySeconds: RETRY_SECONDS, isEnded: true };
  if (error instanceof RecognizerUnavailable) progress = { state: 'Unrecognized', reason, isEnded: true };
  else if (error instanceof UnreadableFile) progress = { state: 'Failed', reason, isEnded: true };
  else {
    ctx.log.warn('reading the text of a document failed', { attachmentId: claim.id, error: reason });
    if (isLast) progress = { state: 'Failed', reason: `Reading the file failed ${FAILURES_MAX} times.`, isEnded: true };
  }
  await store(ctx, claim, progress).catch((failed: unknown) => {
    if (!(failed instanceof LeaseLost)) throw failed;
  });
}

function store(ctx: Context, claim: TextClaim, progress: TextProgress, pages?: readonly NewPage[]): Promise<void> {
  return ctx.inTransaction((own) => storeText(own, claim, progress, pages));
}

async function documentRow(ctx: Context, id: number): Promise<DocumentFile | undefined> {
  const [row] = await ctx.db.query<DocumentFile>(
    `select attachmentid as "AttachmentID", attachment as "Attachment", filename as "FileName", mimetype as "MimeType",
       filesize as "FileSize", fileobject as "FileObject", filepath as "FilePath", sealed as "Sealed",
       scanstate as "ScanState"
     from attachment where attachmentid = $1::bigint`,
    [id],
  );
  return row;
}

function isOver(deadline: number): boolean {
  return performance.now() >= deadline;
}
