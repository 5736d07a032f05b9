import type { Context } from '../../../../kernel/door/context.ts';
import type { ContentAnswer } from '../../../../kernel/door/answer.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { readAll } from '../../../../kernel/parameters/body-parameters.ts';
import { htmlOfText, type FrameContent } from '../../../../lib/html-sanitizer/frame-document.ts';
import { decodeContentId, sanitizeHtml } from '../../../../lib/html-sanitizer/sanitize-html.ts';
import { messageFiles, type MessageFile } from './message-files.ts';
import { foldQuotedText } from '../../../../lib/mail/quoted-text.ts';

/** Largest picture of a mail that is shown within its text, and all of them together, in bytes. */
const PICTURE_BYTES_MAX = 1024 * 1024;
const PICTURES_BYTES_MAX = 8 * 1024 * 1024;

/** Types of pictures that are shown within a text. */
const PICTURE = /^image\/(?:png|jpeg|gif|webp|avif)$/;

/** The bodies of a message. */
export interface MessageBodies {
  readonly MessageID: number;
  readonly Message: string | null;
  readonly BodyText: string | null;
  readonly BodyHTML: string | null;
}

/** The body of a message, cleaned for a frame. */
export interface MessageFrame extends FrameContent {
  /** Pictures of other servers that were left out. */
  readonly blockedImages: number;
  /** Whether the end of the body is missing because it is too long. */
  readonly isCut: boolean;
}

/** Returns the body of a message for a sandboxed frame: its HTML, cleaned, or its text. */
export async function messageFrame(
  ctx: Context,
  row: MessageBodies,
  { remoteImages }: { readonly remoteImages: boolean },
): Promise<MessageFrame> {
  const title = row.Message ?? 'Message';
  const sent = row.BodyHTML?.trim() ?? '';
  if (sent === '') {
    const html = htmlOfText(foldQuotedText(row.BodyText ?? ''));
    return { html, title, kind: 'text', remoteImages: false, blockedImages: 0, isCut: false };
  }
  const pictures = /\bcid:/i.test(sent) ? await embeddedPictures(ctx, row.MessageID, sent) : undefined;
  const clean = sanitizeHtml(sent, {
    remoteImages,
    ...(pictures && { embeddedImage: (id) => pictures.get(id.toLowerCase()) }),
  });
  return { ...clean, title, kind: 'html', remoteImages };
}

/** Returns the pictures that HTML refers to, as `data:` addresses by content ID. */
async function embeddedPictures(ctx: Context, messageId: number, html: string): Promise<ReadonlyMap<string, string>> {
  const pictures = new Map<string, string>();
  const files = await messageFiles(ctx.db, [messageId]);
  let left = PICTURES_BYTES_MAX;
  for (const id of contentIdsIn(html)) {
    const file = files.find((each) => isNamed(each, id));
    const mime = file?.mime ?? '';
    const bytes = file && PICTURE.test(mime) && (await pictureBytes(ctx, file, Math.min(left, PICTURE_BYTES_MAX)));
    if (!bytes) continue;
    left -= bytes.length;
    pictures.set(id, `data:${mime};base64,${bytes.toString('base64')}`);
  }
  return pictures;
}

/** Most content IDs that are looked up. */
const CONTENT_IDS_MAX = 50;

function contentIdsIn(html: string): readonly string[] {
  const ids = new Set<string>();
  for (const [, id = ''] of html.matchAll(/\bcid:([^\s"'<>&]{1,250})/gi)) {
    if (ids.size >= CONTENT_IDS_MAX) break;
    ids.add(decodeContentId(id).toLowerCase());
  }
  return [...ids];
}

function isNamed({ contentId, name }: MessageFile, id: string): boolean {
  // Mail programs name content after the file: `image001.png@01DB…`.
  return contentId === null ? id.replace(/@.*$/s, '') === name.toLowerCase() : contentId.toLowerCase() === id;
}

/** Returns the bytes of a picture; undefined if it is too large, quarantined or missing. */
async function pictureBytes(ctx: Context, { id, size }: MessageFile, bytesMax: number): Promise<Buffer | undefined> {
  if (size === null || size > bytesMax) return undefined;
  try {
    const file: ContentAnswer = await ctx.call('attachment/download', { ID: id });
    return typeof file.bytes === 'string' ? Buffer.from(file.bytes) : await bytesOf(file.bytes, bytesMax);
  } catch (error) {
    if (error instanceof PlatformError) return undefined;
    throw error;
  }
}

async function bytesOf(bytes: Uint8Array | AsyncIterable<Uint8Array>, bytesMax: number): Promise<Buffer> {
  return Buffer.from(bytes instanceof Uint8Array ? bytes : await readAll(bytes, bytesMax));
}
