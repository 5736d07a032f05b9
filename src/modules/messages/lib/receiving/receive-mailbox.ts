import { MAIL_INBOUND, type MailFilters, type MailHead, type MailInbound } from '../../../../contracts/mail-inbound.ts';
import { timeZone } from '../../../../kernel/declare/core-settings.ts';
import { discardStaged } from '../../../../kernel/documents/discard-staged.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { recordLook, type Mailbox } from './mailboxes.ts';
import { knownMail, receivedMails, type ReceiptStatus } from './receipt-rows.ts';
import { storeMail, type StoredMail } from './store-mail.ts';
import { plainSubject } from '../filing/subject-text.ts';
import { readTaken, stagedFiles, takeSource, type MailContent, type TakenMail } from './taken-mail.ts';

/** Which mails of a mailbox are received. */
export interface ReceiveRequest {
  readonly filters: MailFilters;
  /** Only mails after the last one that was received. */
  readonly isLatest: boolean;
}

/** What a look at a mailbox found. */
export interface ReceivedMails {
  readonly counts: Readonly<Record<ReceiptStatus, number>>;
  /** Mails that are left for the next look. */
  readonly behind: number;
  readonly messageIds: readonly number[];
}

/** Most mails that one call receives from a mailbox; the next one continues. */
const MAILS_MAX = 5_000;
/** Most mails of a folder that are listed. */
const HEADS_MAX = 200_000;
/** Mails that are fetched, read and stored at the same time. Other numbers were not measured. */
const AHEAD_MAX = 6;
/** Mails whose receipts are looked up in one query. */
const LOOKUP_MAX = 1_000;

/** A look at a mailbox. */
interface Look {
  readonly ctx: Context;
  readonly mailbox: Mailbox;
  readonly reader: MailInbound;
  /** Ends when the last call of the reader has: it takes one at a time. */
  turn: Promise<unknown>;
}

/**
 * Receives the mails of a mailbox that have not been received, oldest first, and stores how the look ended. A broken
 * mail is set aside and stops no other.
 * @throws UNAVAILABLE or STATE_REFUSES if the server cannot be read; what was received until then stays
 */
export async function receiveMailbox(ctx: Context, mailbox: Mailbox, request: ReceiveRequest): Promise<ReceivedMails> {
  const reader = ctx.providers.get(MAIL_INBOUND, mailbox.name);
  const look: Look = { ctx, mailbox, reader, turn: Promise.resolve() };
  const counts = { Received: 0, SetAside: 0, Duplicate: 0, OwnCopy: 0, Report: 0 };
  const messageIds: number[] = [];
  let behind: number | undefined;
  try {
    const { heads, isWhole } = await newHeads(look, request);
    behind = heads.length;
    let last: MailHead | undefined;
    for await (const { head, stored } of storeAll(look, heads.slice(0, MAILS_MAX))) {
      behind -= 1;
      last = head;
      if (!stored) continue;
      counts[stored.status] += 1;
      if (stored.messageId !== undefined) messageIds.push(stored.messageId);
    }
    await recordLook(ctx, mailbox, { state: 'Idle', error: null, behind, ...(isWhole ? { last } : {}) });
    return { counts, behind, messageIds };
  } catch (error) {
    await recordLook(ctx, mailbox, {
      state: isSignInRefused(error) ? 'SignInNeeded' : 'Failed',
      error: error instanceof PlatformError ? error.message : `Unexpected error (${ctx.correlationId}).`,
      ...(behind === undefined ? {} : { behind }),
    });
    throw error;
  }
}

/** Whether the server refuses the sign-in; it may also refuse a folder, which another password does not change. */
export function isSignInRefused(error: unknown): boolean {
  return error instanceof PlatformError && error.code === 'STATE_REFUSES' && error.field === 'Password';
}

/**
 * Returns the mails that are on the server and not received, oldest first. `isWhole`: no filter has left any out, so
 * that later looks may begin after the last of them.
 */
async function newHeads(
  { ctx, mailbox, reader }: Look,
  { filters, isLatest }: ReceiveRequest,
): Promise<{ readonly heads: readonly MailHead[]; readonly isWhole: boolean }> {
  const since = mailbox.since ?? mailbox.createdDate;
  const effective: MailFilters = {
    ...filters,
    ...(isLatest && mailbox.last ? { after: await knownMail(ctx.db, mailbox, mailbox.last) } : {}),
    since,
    timeZone: ctx.settings.get(timeZone),
  };
  const heads: MailHead[] = [];
  for await (const head of reader.look(effective)) {
    // Servers compare whole days, and some return the last mail for every range.
    if (Date.parse(head.receivedDate) < Date.parse(since)) continue;
    heads.push(head);
    if (heads.length >= HEADS_MAX) break;
  }
  const unknown: MailHead[] = [];
  for (let from = 0; from < heads.length; from += LOOKUP_MAX) {
    const piece = heads.slice(from, from + LOOKUP_MAX);
    const known = await receivedMails(ctx.db, mailbox, piece);
    unknown.push(...piece.filter((head) => isNew(head, known.get(head.uid))));
  }
  return { heads: unknown, isWhole: Object.keys(filters).length === 0 };
}

/** Whether a mail has not been received: its number is new, or was that of another mail. */
function isNew({ headerHash }: MailHead, known: string | undefined): boolean {
  return known === undefined || (known !== '' && headerHash !== '' && known !== headerHash);
}

/** A mail that is being fetched, read and stored. */
interface MailInWork {
  readonly head: MailHead;
  readonly taken: Promise<TakenMail | undefined>;
  readonly stored: Promise<StoredMail | undefined>;
}

/**
 * Stores mails in their order, several at once: a mail waits for the earlier ones with which it may share a
 * conversation, so that an answer finds what it answers.
 */
async function* storeAll(
  look: Look,
  heads: readonly MailHead[],
): AsyncIterable<{ readonly head: MailHead; readonly stored: StoredMail | undefined }> {
  const ahead: MailInWork[] = [];
  // The first mail that failed because of the server or the database: those after it are left for later.
  const failure = { at: heads.length };
  try {
    for (let n = 0; n < heads.length || ahead.length > 0;) {
      while (ahead.length < AHEAD_MAX && n < heads.length)
        ahead.push(beginMail(look, { head: heads[n] as MailHead, position: n++ }, [...ahead], failure));
      const next = ahead.shift();
      if (next) yield { head: next.head, stored: await next.stored };
    }
  } finally {
    await Promise.allSettled(ahead.map(({ stored }) => stored));
    await look.turn.catch(() => undefined);
  }
}

/** Begins to fetch a mail, and stores it after those of `earlier` that it may belong to. */
function beginMail(
  look: Look,
  { head, position }: { readonly head: MailHead; readonly position: number },
  earlier: readonly MailInWork[],
  failure: { at: number },
): MailInWork {
  const taken = takeOne(look, head);
  const store = async (): Promise<StoredMail | undefined> => {
    const mail = await taken;
    if (!mail) return undefined;
    try {
      for (const other of earlier) {
        const before = await other.taken.catch(() => undefined);
        if (before && mayShareConversation(mail, before)) await other.stored.catch(() => undefined);
      }
      if (failure.at < position) return undefined;
      return await storeOne(look, mail);
    } finally {
      await discardStaged(look.ctx, stagedFiles(mail));
    }
  };
  const stored = store();
  // Reported where it is awaited.
  stored.catch(() => {
    failure.at = Math.min(failure.at, position);
  });
  return { head, taken, stored };
}

/** Whether where one mail is filed may depend on the other: by an ID, or by a subject that appears in the other's. */
function mayShareConversation(one: TakenMail, other: TakenMail): boolean {
  if (!one.content || !other.content) return false;
  const ids = idsOf(one.content);
  const [subject, otherSubject] = [one, other].map(({ content }) => plainSubject(content?.mail.subject ?? ''));
  return (
    idsOf(other.content).some((id) => ids.includes(id)) ||
    (subject ?? '').includes(otherSubject ?? '') ||
    (otherSubject ?? '').includes(subject ?? '')
  );
}

/** Returns the Message-IDs of a mail and of those that it refers to. */
function idsOf({ mail: { messageId, inReplyTo, references } }: MailContent): readonly string[] {
  return [messageId, inReplyTo, ...references].filter((id) => id !== null);
}

/** Fetches a mail when the reader is free, and then reads it. */
async function takeOne(look: Look, head: MailHead): Promise<TakenMail | undefined> {
  const source = await inTurn(look, () => takeSource(look.ctx, look.reader, head));
  return source && readTaken(look.ctx, source);
}

/** Runs a call of the reader after those before it have ended. */
function inTurn<T>(look: Look, run: () => Promise<T>): Promise<T> {
  const result = look.turn.then(run, run);
  look.turn = result.catch(() => undefined);
  return result;
}

/** Stores one mail and then moves it on the server. */
async function storeOne(look: Look, taken: TakenMail): Promise<StoredMail | undefined> {
  const { ctx, mailbox, reader } = look;
  const stored = await storeMail(ctx, mailbox, taken, isOlder(mailbox, taken));
  await inTurn(look, () => reader.settle(taken.head));
  return stored;
}

/** Whether a mail was received by the server before the mailbox was set up here. */
export function isOlder({ createdDate }: Mailbox, { head }: Pick<TakenMail, 'head'>): boolean {
  return Date.parse(head.receivedDate) < Date.parse(createdDate);
}
