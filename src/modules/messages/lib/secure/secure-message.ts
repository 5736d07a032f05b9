import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { readRecord } from '../../../../kernel/records/search/read.ts';
import { message } from '../../message/message.record.ts';
import { messageFiles, type MessageFile } from '../reading/message-files.ts';
import { messageFrame } from '../reading/message-frame.ts';
import { redeemCode } from './one-time-code.ts';
import { linkOfTicket, newTicket } from './reading-ticket.ts';
import { findLink, openLink, recordUse, type OpenLink } from './secure-links.ts';
import { assertFewFailures, countWrongCode } from './secure-limits.ts';

/** What a reader sends to prove that the message is for them. */
export interface ReadingProof {
  readonly token?: string | null | undefined;
  readonly code?: string | null | undefined;
  readonly ticket?: string | null | undefined;
}

/** A reader who may read the message of a link. */
export interface Reading {
  readonly link: OpenLink;
  /** The user who is signed in and reaches the message; undefined for somebody who entered a code. */
  readonly personId: number | undefined;
  readonly ticket: string;
}

/**
 * Returns who reads: a ticket from before, a user who reaches the message, or a one-time code. Otherwise throws the
 * same error whether or not there is such a link. Needs a call with transactions of its own.
 */
export async function requireReading(ctx: Context, proof: ReadingProof): Promise<Reading> {
  const known = proof.ticket ? await readingByTicket(ctx, proof.ticket) : undefined;
  if (known) return known;
  await assertFewFailures(ctx);
  const link = proof.token ? await asSystem(ctx, (own) => findLink(own, own.db, proof.token ?? '')) : undefined;
  if (link && (await isReader(ctx, link))) return { link, personId: ctx.user.personId, ticket: '' };
  if (link && proof.code && (await entersCode(ctx, link, proof.code)))
    return { link, personId: undefined, ticket: newTicket(ctx, link.id) };
  if (!link || proof.code) await countWrongCode(ctx);
  throw new PlatformError('NO_PERMISSION', {
    message: 'The code is wrong or has expired, or the link is no longer valid. Request a new code.',
  });
}

async function readingByTicket(ctx: Context, ticket: string): Promise<Reading | undefined> {
  const id = linkOfTicket(ctx, ticket);
  const link = id === undefined ? undefined : await asSystem(ctx, (own) => openLink(own, own.db, id));
  return link && { link, personId: undefined, ticket };
}

/** Whether the caller is signed in and reaches the message. */
async function isReader(ctx: Context, { messageId }: OpenLink): Promise<boolean> {
  if (ctx.user.personId === 0) return false;
  return ctx
    .inTransaction((own) => own.callNamed('message/select', { ID: messageId }))
    .then(
      () => true,
      (error: unknown) => {
        if (error instanceof PlatformError && ['NOT_FOUND', 'NO_PERMISSION'].includes(error.code)) return false;
        throw error;
      },
    );
}

async function entersCode(ctx: Context, link: OpenLink, code: string): Promise<boolean> {
  return asSystem(ctx, async (own) => {
    const isRight = await redeemCode(own, link, code);
    if (!isRight) await recordUse(own, link, { what: 'Refused' });
    return isRight;
  });
}

/** Runs a part in its own transaction as System: the reader reaches nothing. */
export function asSystem<T>(ctx: Context, run: (own: Context) => Promise<T>): Promise<T> {
  return ctx.actingAs('System', (system) => system.inTransaction(run));
}

/** A document as it was when the link was sent. */
interface SentFile extends MessageFile {
  /** The version of its content. */
  readonly version: number;
}

/**
 * Returns the documents that the message had when the link was sent, with the contents of that time. The reader gets
 * neither documents that were added since nor contents that replaced the sent ones.
 */
async function filesOfLink(own: Context, { id, messageId }: OpenLink): Promise<readonly SentFile[]> {
  const rows = await own.db.query<{
    id: number;
    version: number;
    isReplaced: boolean;
    name: string | null;
    mime: string | null;
    size: number | null;
  }>(
    `select f.attachmentid as id, f.fileversion as version, v.number is not null as "isReplaced", v.filename as name,
       v.mimetype as mime, v.filesize as size
     from securelinkfile f
     join attachment a on a.attachmentid = f.attachmentid
     left join documentversion v on v.attachmentid = f.attachmentid and v.number = f.fileversion
     where f.securelinkid = $1::bigint and (v.number is not null or a.fileversion = f.fileversion)`,
    [id],
  );
  const sent = new Map(rows.map((row) => [row.id, row]));
  return (await messageFiles(own.db, [messageId])).flatMap((file) => {
    const row = sent.get(file.id);
    if (!row) return [];
    const { version, isReplaced, name, mime, size } = row;
    return [isReplaced ? { ...file, version, name: name ?? file.name, mime, size } : { ...file, version }];
  });
}

/** Returns the message of a link for its reader, and records that it was read. */
export async function readSecureMessage(ctx: Context, { link, personId }: Reading, remoteImages: boolean) {
  return asSystem(ctx, async (own) => {
    const row = await readRecord(own.db, message, link.messageId);
    const frame = await messageFrame(own, row, { remoteImages });
    const files = await filesOfLink(own, link);
    await recordUse(own, link, { what: 'Message', personId });
    return { row, frame, files };
  });
}

/**
 * Returns the version of a document of a link's message that its reader gets, and records that it was read. Throws
 * NOT_FOUND.
 */
export async function requireSecureFile(ctx: Context, { link, personId }: Reading, fileId: number): Promise<number> {
  return asSystem(ctx, async (own) => {
    const file = (await filesOfLink(own, link)).find(({ id }) => id === fileId);
    if (!file) throw new PlatformError('NOT_FOUND', { field: 'ID', message: 'ID: the message has no such document.' });
    await recordUse(own, link, { what: 'File', detail: file.name, personId });
    return file.version;
  });
}
