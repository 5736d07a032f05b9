import { createHash } from 'node:crypto';
import type { MailHead, MailInbound } from '../../../../contracts/mail-inbound.ts';
import { discardStaged } from '../../../../kernel/documents/discard-staged.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import type { StagedDocument } from '../../../../kernel/ports/documents.ts';
import { MailParseError, type MailFile, type ParsedMail } from '../../../../lib/mail/parsed-mail.ts';
import { parseMail, parseMails } from '../../../../lib/mail/parse-mail.ts';
import { receivedMailMegabytesMax } from '../../mailreceipt/settings.ts';
import type { SmallMail } from './small-mails.ts';

/** A file of a mail, wherever its content is. */
export interface ContainedFile {
  readonly file: Pick<MailFile, 'fileName' | 'contentId' | 'isInline'>;
}

/** A file of a mail that is staged; one with malware in it is not stored. */
export interface StagedFile extends ContainedFile {
  readonly staged: StagedDocument;
}

/** A mail whose source is stored, before its records are. */
export interface TakenMail {
  readonly head: MailHead;
  readonly raw: StagedDocument;
  /** Undefined if the mail cannot be read. */
  readonly content: StagedContent | undefined;
  /** Why the mail cannot be read. */
  readonly problem: string | undefined;
  /** Subject and sender of a mail that cannot be read, if its headers can. */
  readonly heading?: MailHeading | undefined;
}

/** The headers that lists show. */
export type MailHeading = Pick<ParsedMail, 'subject' | 'from'>;

/** What a readable mail contains. */
export interface MailContent {
  readonly mail: Omit<ParsedMail, 'attachments'>;
  readonly files: readonly ContainedFile[];
  /** SHA-256 of its texts and files: two mails with one Message-ID are the same only if this is equal. */
  readonly hash: string;
}

/** The content of a mail whose files are staged. */
export interface StagedContent extends MailContent {
  readonly files: readonly StagedFile[];
}

/** The stored source of a mail, which is not read yet. */
export interface MailSource {
  readonly head: MailHead;
  readonly raw: StagedDocument;
  /** The source, unless it is too large to be read. */
  readonly pieces: readonly Uint8Array[] | undefined;
  /** Its first bytes. */
  readonly start: Uint8Array;
}

/** Bytes that are searched for the headers of a mail that cannot be read as a whole. */
const HEADING_BYTES_MAX = 64 * 1024;

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
  const collected = { pieces: new Array<Uint8Array>(), start: Buffer.alloc(0), size: { bytes: 0 }, limit };
  const raw = await ctx.documents.stage(collecting(source, collected), { fileName: 'mail.eml', sealed: true });
  const { bytes } = collected.size;
  return {
    head: { ...head, size: bytes },
    raw,
    pieces: bytes > limit ? undefined : collected.pieces,
    start: collected.start,
  };
}

function bytesMax(ctx: Context): number {
  return ctx.settings.get(receivedMailMegabytesMax) * 1_048_576;
}

/** Reads a mail and stores its files. Where that fails, its source is discarded. */
export async function readTaken(ctx: Context, { head, raw, pieces, start }: MailSource): Promise<TakenMail> {
  try {
    const read = await readSource(ctx, pieces);
    return { head, raw, ...read, ...(read.content ? {} : { heading: await readHeading(start) }) };
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
  collected: {
    readonly pieces: Uint8Array[];
    start: Buffer;
    readonly size: { bytes: number };
    readonly limit: number;
  },
): AsyncIterable<Uint8Array> {
  for await (const piece of source) {
    if (collected.start.length < HEADING_BYTES_MAX)
      collected.start = Buffer.concat([collected.start, piece]).subarray(0, HEADING_BYTES_MAX);
    collected.size.bytes += piece.length;
    if (collected.size.bytes <= collected.limit) collected.pieces.push(piece);
    else collected.pieces.length = 0;
    yield piece;
  }
}

/** Reads the headers of a mail that cannot be read as a whole; undefined if they cannot be read either. */
async function readHeading(start: Uint8Array): Promise<MailHeading | undefined> {
  const text = Buffer.from(start).subarray(0, HEADING_BYTES_MAX);
  const end = text.toString('latin1').search(/\r?\n\r?\n/);
  const [mail] = await parseMails([end < 0 ? text : text.subarray(0, end)]);
  return mail === undefined || mail instanceof MailParseError ? undefined : { subject: mail.subject, from: mail.from };
}

async function readSource(
  ctx: Context,
  pieces: readonly Uint8Array[] | undefined,
): Promise<Pick<TakenMail, 'content' | 'problem'>> {
  const megabytes = ctx.settings.get(receivedMailMegabytesMax);
  if (pieces === undefined)
    return {
      content: undefined,
      problem: `The email is larger than ${megabytes} megabytes (setting ReceivedMailMegabytesMax).`,
    };
  try {
    const { attachments, ...mail } = await parseMail(Buffer.concat(pieces), { sourceBytesMax: bytesMax(ctx) });
    const files = await stageFiles(
      ctx,
      attachments.map(({ bytes, ...file }) => ({ file, bytes })),
    );
    const hashes = files.map(({ staged }) => staged.hash);
    return { content: { mail, files, hash: contentHash(mail, hashes) }, problem: undefined };
  } catch (error) {
    if (!(error instanceof MailParseError)) throw error;
    return { content: undefined, problem: error.message };
  }
}

/** Stages the files of a mail. */
async function stageFiles(
  ctx: Context,
  files: readonly (ContainedFile & { readonly bytes: Uint8Array })[],
): Promise<readonly StagedFile[]> {
  const staged: StagedFile[] = [];
  try {
    for (const { file, bytes } of files)
      staged.push({ file, staged: await ctx.documents.stage(streamOf(bytes), { fileName: file.fileName }) });
    return staged;
  } catch (error) {
    await discardStaged(
      ctx,
      staged.map((one) => one.staged),
    );
    throw error;
  }
}

async function* streamOf(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes;
}

/** Returns the hash of a mail's texts and files. */
export function contentHash({ text, html }: MailContent['mail'], fileHashes: readonly string[]): string {
  const hash = createHash('sha256');
  for (const part of [text ?? '', html ?? '', ...fileHashes]) hash.update(`${part.length} `).update(part);
  return hash.digest('hex');
}

/** Stages the source and the files of a mail that is in memory. */
export async function stageSmall(ctx: Context, { head, source, content, problem }: SmallMail): Promise<TakenMail> {
  const raw = await ctx.documents.stage(streamOf(source), { fileName: 'mail.eml', sealed: true });
  try {
    const staged = content && { ...content, files: await stageFiles(ctx, content.files) };
    return { head, raw, content: staged, problem, ...(staged ? {} : { heading: await readHeading(source) }) };
  } catch (error) {
    await discardStaged(ctx, [raw]);
    throw error;
  }
}

/** Returns the staged files of a mail, to be discarded once its records are stored. */
export function stagedFiles({ raw, content }: TakenMail): readonly StagedDocument[] {
  return [raw, ...(content?.files.map(({ staged }) => staged) ?? [])];
}
