import { MAIL_INBOUND, type MailFilters, type MailHead } from '../../../../contracts/mail-inbound.ts';
import { timeZone } from '../../../../kernel/declare/core-settings.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { canSaveDocuments } from '../../../documents/public/save-documents.ts';
import { processorsOf } from '../processors/mail-processors.ts';
import { mayShareConversation, partsOf } from './mail-order.ts';
import { recordLook, type Mailbox } from './mailboxes.ts';
import { knownMail, receivedMails, type ReceiptStatus } from './receipt-rows.ts';
import { knownSenderChecks } from './sender-checks.ts';
import {
  discardTaken,
  settle,
  storePart,
  takePart,
  type Look,
  type MailOutcome,
  type StoredPart,
  type TakenPart,
} from './store-part.ts';

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
/** Mails that are fetched, read and stored at the same time, if each is stored by itself. */
const AHEAD_MAX = 6;
/** Groups of mails that are fetched, read and stored at the same time. */
const PARTS_AHEAD_MAX = 3;
/** Mails whose receipts are looked up in one query. */
const LOOKUP_MAX = 1_000;

/**
 * Receives the mails of a mailbox that have not been received, oldest first, and stores how the look ended. A broken
 * mail is set aside and stops no other.
 * @throws UNAVAILABLE or STATE_REFUSES if the server cannot be read; what was received until then stays
 */
export async function receiveMailbox(ctx: Context, mailbox: Mailbox, request: ReceiveRequest): Promise<ReceivedMails> {
  const reader = ctx.providers.get(MAIL_INBOUND, mailbox.name);
  const look: Look = {
    ctx,
    mailbox,
    reader,
    isGrouping: await canGroup(ctx, mailbox),
    senderChecks: knownSenderChecks(mailbox),
    turn: Promise.resolve(),
  };
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

/**
 * Whether mails can be stored in groups: rules run operations, and one that fails would undo what those of other mails
 * did; and a malware scanner sees each file before its document is stored.
 */
async function canGroup(ctx: Context, { id }: Mailbox): Promise<boolean> {
  if (!canSaveDocuments(ctx.settings)) return false;
  return (await processorsOf(ctx.db, id)).every(({ processor }) => processor === 'Evidence');
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
  look: Look,
  { filters, isLatest }: ReceiveRequest,
): Promise<{ readonly heads: readonly MailHead[]; readonly isWhole: boolean }> {
  const { ctx, mailbox, reader } = look;
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
    const isUnknown = (head: MailHead): boolean => isNew(head, known.get(head.uid));
    unknown.push(...piece.filter(isUnknown));
    // A process may have ended between the commit and the move on the server.
    await settle(
      look,
      piece.filter((head) => !isUnknown(head)),
    );
  }
  return { heads: unknown, isWhole: Object.keys(filters).length === 0 };
}

/** Whether a mail has not been received: its number is new, or was that of another mail. */
function isNew({ headerHash }: MailHead, known: string | undefined): boolean {
  return known === undefined || (known !== '' && headerHash !== '' && known !== headerHash);
}

/** Mails that are being fetched, read and stored. */
interface MailsInWork {
  readonly taken: Promise<TakenPart>;
  readonly stored: Promise<StoredPart>;
}

/**
 * Stores mails in their order, several parts at once: a part waits for the earlier ones with which one of its mails may
 * share a conversation, so that an answer finds what it answers.
 */
async function* storeAll(look: Look, heads: readonly MailHead[]): AsyncIterable<MailOutcome> {
  const parts = partsOf(heads, look.isGrouping);
  const ahead: MailsInWork[] = [];
  // The first part in which a mail failed because of the server or the database: those after it are left for later.
  const failure = { at: parts.length };
  try {
    for (let n = 0; n < parts.length || ahead.length > 0;) {
      while (ahead.length < (look.isGrouping ? PARTS_AHEAD_MAX : AHEAD_MAX) && n < parts.length)
        ahead.push(beginPart(look, { heads: parts[n] ?? [], position: n++ }, [...ahead], failure));
      const next = await ahead.shift()?.stored;
      if (!next) continue;
      yield* next.mails;
      if ('error' in next) throw next.error;
    }
  } finally {
    await Promise.allSettled(ahead.map(({ stored }) => stored));
    await look.turn.catch(() => undefined);
  }
}

/** Begins to fetch mails, and stores them after those of `earlier` that they may belong to. */
function beginPart(
  look: Look,
  { heads, position }: { readonly heads: readonly MailHead[]; readonly position: number },
  earlier: readonly MailsInWork[],
  failure: { at: number },
): MailsInWork {
  const taken = takePart(look, heads);
  const store = async (): Promise<StoredPart> => {
    const { heads: done, mails, ...failed } = await taken;
    if ('error' in failed) failure.at = Math.min(failure.at, position);
    for (const other of earlier)
      if (mayShareConversation(mails, (await other.taken).mails, !look.isGrouping)) await other.stored;
    if (failure.at < position) {
      await discardTaken(look.ctx, mails);
      return { mails: [] };
    }
    const part = await storePart(look, { heads: done, mails });
    if ('error' in part) failure.at = Math.min(failure.at, position);
    return { ...part, ...failed };
  };
  return { taken, stored: store() };
}
