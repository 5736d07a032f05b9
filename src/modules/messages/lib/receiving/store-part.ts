import type { MailHead, MailInbound, MailPlace } from '../../../../contracts/mail-inbound.ts';
import { discardStaged } from '../../../../kernel/documents/discard-staged.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { runsOf } from './mail-order.ts';
import { isReport } from './mail-reports.ts';
import type { Mailbox } from './mailboxes.ts';
import { noteSenderChecks, type SenderChecks } from './sender-checks.ts';
import { fetchSmall, readSmall, SMALL_BYTES_MAX, type FetchedMails, type SmallMail } from './small-mails.ts';
import { storeMail, type StoredMail } from './store-mail.ts';
import { storeMails, type OrdinaryMail } from './store-mails.ts';
import { readTaken, stagedFiles, stageSmall, takeSource, type TakenMail } from './taken-mail.ts';

/** A look at a mailbox. */
export interface Look {
  readonly ctx: Context;
  readonly mailbox: Mailbox;
  readonly reader: MailInbound;
  /** Whether small mails are taken and stored in groups. */
  readonly isGrouping: boolean;
  /** What is known of how the server of the mailbox checks senders. */
  readonly senderChecks: SenderChecks;
  /** Ends when the last call of the reader has: it takes one at a time. */
  turn: Promise<unknown>;
}

/** A mail that was fetched and read: staged, or in memory. */
export type TakenOrSmall = TakenMail | SmallMail;

/** What became of one mail; `stored` is undefined if it is gone or another receiver has stored it. */
export interface MailOutcome {
  readonly head: MailHead;
  readonly stored: StoredMail | undefined;
}

/** What became of mails, and the failure of the server or the database after them. */
export type StoredPart =
  | { readonly mails: readonly MailOutcome[] }
  | { readonly mails: readonly MailOutcome[]; readonly error: unknown };

/** Mails that were taken, and the failure of the server after them. */
export interface TakenPart {
  /** Those that were taken, or are gone. */
  readonly heads: readonly MailHead[];
  readonly mails: readonly TakenOrSmall[];
  readonly error?: unknown;
}

/** Fetches mails and reads them: small ones together, a large one by itself. Nothing is thrown. */
export async function takePart(look: Look, heads: readonly MailHead[]): Promise<TakenPart> {
  const small = look.isGrouping ? heads.filter(({ size }) => size <= SMALL_BYTES_MAX) : [];
  const taken: { readonly heads: MailHead[]; readonly mails: TakenOrSmall[] } = { heads: [], mails: [] };
  try {
    const read = await takeSmall(look, small);
    for (const head of heads) {
      if (head.uid === read.failedUid) throw read.error;
      const mail = read.mails.get(head.uid) ?? (await takeOne(look, head));
      taken.heads.push(head);
      if (mail) taken.mails.push(mail);
    }
    return taken;
  } catch (error) {
    return { ...taken, error };
  }
}

/** Fetches small mails together and reads those that arrived, by UID. */
async function takeSmall(
  look: Look,
  heads: readonly MailHead[],
): Promise<Omit<FetchedMails, 'sources'> & { readonly mails: ReadonlyMap<string, SmallMail> }> {
  if (heads.length === 0) return { mails: new Map() };
  const { sources, ...failed } = await inTurn(look, () => fetchSmall(look.reader, heads));
  const fetched = heads.flatMap((head) => {
    const source = sources.get(head.uid);
    return source ? [{ head, source }] : [];
  });
  const read = fetched.length === 0 ? [] : await readSmall(fetched);
  return { mails: new Map(read.map((mail) => [mail.head.uid, mail])), ...failed };
}

/** Fetches a mail when the reader is free, and then reads it. */
async function takeOne(look: Look, head: MailHead): Promise<TakenMail | undefined> {
  const source = await inTurn(look, () => takeSource(look.ctx, look.reader, head));
  return source && readTaken(look.ctx, source);
}

/** Discards what is staged of mails. */
export async function discardTaken(ctx: Context, mails: readonly TakenOrSmall[]): Promise<void> {
  for (const mail of mails) if ('raw' in mail) await discardStaged(ctx, stagedFiles(mail));
}

/** Stores mails in their order and moves them on the server, as many as can be at once. */
export async function storePart(look: Look, { heads, mails }: Omit<TakenPart, 'error'>): Promise<StoredPart> {
  const stored = new Map<string, StoredMail | undefined>();
  const outcomes = (): readonly MailOutcome[] => heads.map((head) => ({ head, stored: stored.get(head.uid) }));
  try {
    await noteSenderChecks(
      look,
      mails.flatMap(({ content }) => (content ? [content.mail] : [])),
    );
    for (const run of runsOf(mails, (mail) => !isOrdinary(look.ctx, mail))) await storeRun(look, run, stored);
    return { mails: outcomes() };
  } catch (error) {
    return { mails: outcomes().filter(({ head }) => stored.has(head.uid)), error };
  } finally {
    await discardTaken(look.ctx, mails);
  }
}

/** Whether a mail can be stored together with others. */
function isOrdinary(ctx: Context, mail: TakenOrSmall): mail is OrdinaryMail {
  if ('raw' in mail || !mail.content || mail.content.mail.messageId === null) return false;
  return !isReport(ctx, mail.content);
}

/** Stores mails of a run together, or one by one where that fails. */
async function storeRun(
  look: Look,
  run: readonly TakenOrSmall[],
  stored: Map<string, StoredMail | undefined>,
): Promise<void> {
  const { ctx, mailbox } = look;
  const ordinary = run.filter((mail) => isOrdinary(ctx, mail));
  const together =
    run.length > 1 && ordinary.length === run.length ? await storeMails(ctx, mailbox, ordinary) : undefined;
  if (together) {
    for (const [n, { head }] of run.entries()) stored.set(head.uid, together[n]);
    await settle(
      look,
      run.map(({ head }) => head),
    );
    return;
  }
  for (const mail of run) {
    stored.set(mail.head.uid, await storeOne(look, mail));
    await settle(look, [mail.head]);
  }
}

async function storeOne({ ctx, mailbox }: Look, mail: TakenOrSmall): Promise<StoredMail | undefined> {
  if ('raw' in mail) return storeMail(ctx, mailbox, mail, isOlder(mailbox, mail.head));
  const staged = await stageSmall(ctx, mail);
  try {
    return await storeMail(ctx, mailbox, staged, isOlder(mailbox, mail.head));
  } finally {
    await discardTaken(ctx, [staged]);
  }
}

/** Whether a mail was received by the server before the mailbox was set up here. */
export function isOlder({ createdDate }: Mailbox, { receivedDate }: MailHead): boolean {
  return Date.parse(receivedDate) < Date.parse(createdDate);
}

/** Moves stored mails on the server. */
export async function settle(look: Look, places: readonly MailPlace[]): Promise<void> {
  const { reader } = look;
  await inTurn(look, async () => {
    if (reader.settleMany) return reader.settleMany(places);
    for (const place of places) await reader.settle(place);
  });
}

/** Runs a call of the reader after those before it have ended. */
function inTurn<T>(look: Look, run: () => Promise<T>): Promise<T> {
  const result = look.turn.then(run, run);
  look.turn = result.catch(() => undefined);
  return result;
}
