import { createHash } from 'node:crypto';
import type { MailHead, MailInbound } from '../../../../contracts/mail-inbound.ts';
import { discardStaged } from '../../../../kernel/documents/discard-staged.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import type { StagedDocument } from '../../../../kernel/ports/documents.ts';
import { MailParseError, type MailFile, type ParsedMail } from '../../../../lib/mail/parsed-mail.ts';
import { parseMail } from '../../../../lib/mail/parse-mail.ts';
import { receivedMailMegabytesMax } from '../../mailreceipt/settings.ts';

/** A file of a mail, staged or not: one with malware in it is not stored. */
export interface StagedFile {
  readonly file: Pick<MailFile, 'fileName' | 'contentId' | 'isInline'>;
  readonly staged: StagedDocument;
}

/** A mail whose source is stored, before its records are. */
export interface TakenMail {
  readonly head: MailHead;
  readonly raw: StagedDocument;
  /** Undefined if the mail cannot be read. */
  readonly content: MailContent | undefined;
  /** Why the mail cannot be read. */
  readonly problem: string | undefined;
}

/** What a readable mail contains. */
export interface MailContent {
  readonly mail: Omit<ParsedMail, 'attachments'>;
  readonly files: readonly StagedFile[];
  /** SHA-256 of its texts and files: two mails with one Message-ID are the same only if this is equal. */
  readonly hash: string;
}

/** The stored source of a mail, which is not read yet. */
export interface MailSource {
  readonly head: MailHead;
  readonly raw: StagedDocument;
  /** The source, unless it is too large to be read. */
  readonly pieces: readonly Uint8Array[] | undefined;
}

/** Fetches a mail and stores its source. Undefined if it is gone by now. */
export async function takeSource(ctx: Context, reader: MailInbound, head: MailHead): Promise<MailSource | undefined> {
  try {
    return await stageSource(ctx, head, reader.fetch(head));
  } catch (error) {
    if (error instanceof PlatformError && error.code === 'NOT_FOUND') return undefined;
    throw error;
  }
}

/** Stores the source of a mail. */
async function stageSource(ctx: Context, head: MailHead, source: AsyncIterable<Uint8Array>): Promise<MailSource> {
  const limit = bytesMax(ctx);
  const collected = { pieces: new Array<Uint8Array>(), size: { bytes: 0 }, limit };
  const raw = await ctx.documents.stage(collecting(source, collected), { fileName: 'mail.eml', sealed: true });
  const { bytes } = collected.size;
  return { head: { ...head, size: bytes }, raw, pieces: bytes > limit ? undefined : collected.pieces };
}

function bytesMax(ctx: Context): number {
  return ctx.settings.get(receivedMailMegabytesMax) * 1_048_576;
}

/** Reads a mail and stores its files. Where that fails, its source is discarded. */
export async function readTaken(ctx: Context, { head, raw, pieces }: MailSource): Promise<TakenMail> {
  try {
    return { head, raw, ...(await readSource(ctx, pieces)) };
  } catch (error) {
    await discardStaged(ctx, [raw]);
    throw error;
  }
}

/** Stages the source of a mail again that was set aside, and reads it. */
export async function takeAgain(ctx: Context, head: MailHead, source: AsyncIterable<Uint8Array>): Promise<TakenMail> {
  return readTaken(ctx, await stageSource(ctx, head, source));
}

/** Passes pieces on and collects them, until there are more bytes than are read: of a larger mail none is. */
async function* collecting(
  source: AsyncIterable<Uint8Array>,
  collected: { readonly pieces: Uint8Array[]; readonly size: { bytes: number }; readonly limit: number },
): AsyncIterable<Uint8Array> {
  for await (const piece of source) {
    collected.size.bytes += piece.length;
    if (collected.size.bytes <= collected.limit) collected.pieces.push(piece);
    else collected.pieces.length = 0;
    yield piece;
  }
}

async function readSource(
  ctx: Context,
  pieces: readonly Uint8Array[] | undefined,
): Promise<Pick<TakenMail, 'content' | 'problem'>> {
  const megabytes = ctx.settings.get(receivedMailMegabytesMax);
  if (pieces === undefined)
    return {
      content: undefined,
      problem: `The mail is larger than ${megabytes} megabytes (setting ReceivedMailMegabytesMax).`,
    };
  const files: StagedFile[] = [];
  try {
    const { attachments, ...mail } = await parseMail(Buffer.concat(pieces), { sourceBytesMax: bytesMax(ctx) });
    for (const { bytes, ...file } of attachments) files.push({ file, staged: await stageBytes(ctx, file, bytes) });
    return { content: { mail, files, hash: contentHash(mail, files) }, problem: undefined };
  } catch (error) {
    if (!(error instanceof MailParseError)) {
      await discardStaged(
        ctx,
        files.map(({ staged }) => staged),
      );
      throw error;
    }
    return { content: undefined, problem: error.message };
  }
}

function stageBytes(ctx: Context, { fileName }: { readonly fileName: string }, bytes: Uint8Array) {
  const whole = async function* (): AsyncIterable<Uint8Array> {
    yield bytes;
  };
  return ctx.documents.stage(whole(), { fileName });
}

function contentHash({ text, html }: MailContent['mail'], files: readonly StagedFile[]): string {
  const hash = createHash('sha256');
  for (const part of [text ?? '', html ?? '', ...files.map(({ staged }) => staged.hash)])
    hash.update(`${part.length} `).update(part);
  return hash.digest('hex');
}

/** Returns the staged files of a mail, to be discarded once its records are stored. */
export function stagedFiles({ raw, content }: TakenMail): readonly StagedDocument[] {
  return [raw, ...(content?.files.map(({ staged }) => staged) ?? [])];
}
