import { createHash } from 'node:crypto';
import type { MailHead, MailInbound } from '../../../../contracts/mail-inbound.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { parseMails } from '../../../../lib/mail/parse-mail.ts';
import { MailParseError, type ParsedMail } from '../../../../lib/mail/parsed-mail.ts';
import { contentHash, type ContainedFile, type MailContent } from './taken-mail.ts';

/** Largest mail that is held in memory with others, in bytes. */
export const SMALL_BYTES_MAX = 512 * 1024;

/** A file of a mail, in memory. */
export interface FileInMemory extends ContainedFile {
  readonly bytes: Uint8Array;
  /** SHA-256, hexadecimal. */
  readonly hash: string;
}

/** The content of a mail whose files are in memory. */
export interface ContentInMemory extends MailContent {
  readonly files: readonly FileInMemory[];
}

/** A mail in memory, of which nothing is stored yet: it is still on the server. */
export interface SmallMail {
  readonly head: MailHead;
  readonly source: Uint8Array;
  /** Undefined if the mail cannot be read. */
  readonly content: ContentInMemory | undefined;
  /** Why the mail cannot be read. */
  readonly problem: string | undefined;
}

/** Mails that were fetched together. */
export interface FetchedMails {
  /** Their sources by UID. Those that are gone, or larger than announced, are missing. */
  readonly sources: ReadonlyMap<string, Uint8Array>;
  /** The mail at which the server failed, if it did, and the failure. */
  readonly failedUid?: string;
  readonly error?: unknown;
}

/** Fetches small mails. If the server fails while it sends several, all are missing: each is then fetched by itself. */
export async function fetchSmall(reader: MailInbound, heads: readonly MailHead[]): Promise<FetchedMails> {
  if (reader.fetchMany)
    return { sources: await reader.fetchMany(heads, SMALL_BYTES_MAX).catch(() => new Map<string, Uint8Array>()) };
  const sources = new Map<string, Uint8Array>();
  for (const head of heads) {
    try {
      const source = await fetchOne(reader, head);
      if (source) sources.set(head.uid, source);
    } catch (error) {
      return { sources, failedUid: head.uid, error };
    }
  }
  return { sources };
}

async function fetchOne(reader: MailInbound, head: MailHead): Promise<Uint8Array | undefined> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const piece of reader.fetch(head)) {
      bytes += piece.length;
      if (bytes > SMALL_BYTES_MAX) return undefined;
      pieces.push(piece);
    }
  } catch (error) {
    if (error instanceof PlatformError && error.code === 'NOT_FOUND') return undefined;
    throw error;
  }
  return Buffer.concat(pieces);
}

/** Reads mails whose sources are in memory. */
export async function readSmall(
  fetched: readonly { readonly head: MailHead; readonly source: Uint8Array }[],
): Promise<readonly SmallMail[]> {
  const parsed = await parseMails(fetched.map(({ source }) => source));
  return fetched.map(({ head, source }, n) => {
    const mail = parsed[n] ?? new MailParseError('Unreadable', 'Parsing the mail failed.');
    const small = { head: { ...head, size: source.length }, source };
    if (mail instanceof MailParseError) return { ...small, content: undefined, problem: mail.message };
    return { ...small, content: contentOf(mail), problem: undefined };
  });
}

function contentOf({ attachments, ...mail }: ParsedMail): ContentInMemory {
  const files = attachments.map(({ bytes, ...file }) => ({
    file,
    bytes,
    hash: createHash('sha256').update(bytes).digest('hex'),
  }));
  const hashes = files.map(({ hash }) => hash);
  return { mail, files, hash: contentHash(mail, hashes) };
}
