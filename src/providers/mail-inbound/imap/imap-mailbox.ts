import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import type { FetchMessageObject, MailboxObject } from 'imapflow';
import type { KnownMail, MailFilters, MailHead, MailInbound, MailPlace } from '../../../contracts/mail-inbound.ts';
import { HEADER_BYTES_MAX, headerHash, matchesFilters } from '../head-filters.ts';
import { folderRefused, mailGone, unavailable } from '../mailbox-errors.ts';
import { reconnectMilliseconds } from '../reconnect-delay.ts';
import { searchQuery } from './imap-search.ts';
import { ImapSession, type ImapParts } from './imap-session.ts';

/** Heads that are read with one command. */
const HEADS_PER_COMMAND = 100;
/** Bytes of a mail that are read with one command. */
const PIECE_BYTES = 1024 * 1024;

/** A mailbox, and the folders of it that are used. */
export interface ImapMailboxParts extends ImapParts {
  readonly folder: string;
  readonly receivedFolder: string | undefined;
}

/** Reads a mailbox by IMAP. */
export class ImapMailbox implements MailInbound {
  private readonly parts: ImapMailboxParts;
  private session: ImapSession | undefined;
  /** Failures since the server last did what it should. */
  private failures = 0;
  private isClosed = false;

  constructor(parts: ImapMailboxParts) {
    this.parts = parts;
  }

  async *look(filters: MailFilters, signal?: AbortSignal): AsyncIterable<MailHead> {
    const { session, uidValidity } = await this.selected(signal);
    const release = closeOnAbort(session, signal);
    try {
      yield* this.newHeads(session, { folder: this.parts.folder, uidValidity }, { filters, signal });
    } finally {
      release();
    }
  }

  async *fetch(place: MailPlace, signal?: AbortSignal): AsyncIterable<Uint8Array> {
    const session = await this.opened(place, signal);
    const release = closeOnAbort(session, signal);
    try {
      yield* this.pieces(session, place, signal);
    } finally {
      release();
    }
  }

  async fetchMany(
    heads: readonly MailHead[],
    bytesMax: number,
    signal?: AbortSignal,
  ): Promise<ReadonlyMap<string, Uint8Array>> {
    const sources = new Map<string, Uint8Array>();
    const [first] = heads;
    if (!first) return sources;
    const session = await this.opened(first, signal).catch(undefinedIfGone);
    if (!session) return sources;
    const release = closeOnAbort(session, signal);
    try {
      for (const batch of batchesOf(heads)) {
        signal?.throwIfAborted();
        const uids = batch.map(({ uid }) => uid).join(',');
        const query = { uid: true, source: { start: 0, maxLength: bytesMax + 1 } };
        for (const { uid, source } of await session.command(session.client.fetchAll(uids, query, { uid: true })))
          if (source && source.length <= bytesMax) sources.set(String(uid), source);
      }
      return sources;
    } finally {
      release();
    }
  }

  private async *newHeads(
    session: ImapSession,
    at: Pick<MailPlace, 'folder' | 'uidValidity'>,
    { filters, signal }: { readonly filters: MailFilters; readonly signal: AbortSignal | undefined },
  ): AsyncIterable<MailHead> {
    const afterUid = await this.knownUid(session, at.uidValidity, filters.after);
    const found = await session.command(session.client.search(searchQuery(filters, afterUid), { uid: true }));
    if (!Array.isArray(found)) throw unavailable('the server refuses the search');
    // A search beyond the last mail returns the last one again.
    const uids = found.filter((uid) => uid > afterUid).sort((a, b) => a - b);
    for (let from = 0; from < uids.length; from += HEADS_PER_COMMAND) {
      signal?.throwIfAborted();
      const batch = uids.slice(from, from + HEADS_PER_COMMAND);
      // All heads are read before the first is returned: no other command may be sent while a fetch is running.
      yield* await this.heads(session, batch, { at, filters });
    }
  }

  private async *pieces(session: ImapSession, place: MailPlace, signal?: AbortSignal): AsyncIterable<Uint8Array> {
    for (let start = 0; ; start += PIECE_BYTES) {
      signal?.throwIfAborted();
      const piece = await session.command(
        session.client.fetchOne(place.uid, { source: { start, maxLength: PIECE_BYTES } }, { uid: true }),
      );
      if (!piece || piece.source === undefined) {
        if (start === 0) throw mailGone();
        throw unavailable('the email was removed while it was read');
      }
      yield piece.source;
      // A server that ignores the limit has sent all of the mail.
      if (piece.source.length !== PIECE_BYTES) return;
    }
  }

  async settle(place: MailPlace): Promise<void> {
    await this.settleMany([place]);
  }

  async settleMany(places: readonly MailPlace[]): Promise<void> {
    const { receivedFolder } = this.parts;
    const [first] = places;
    if (!first || receivedFolder === undefined || receivedFolder === first.folder) return;
    const session = await this.opened(first).catch(undefinedIfGone);
    if (!session) return;
    const { client } = session;
    if (!client.capabilities.has('MOVE') && !client.capabilities.has('UIDPLUS'))
      // Without them, moving would remove every mail that another program has marked as deleted.
      throw folderRefused('ReceivedFolder', receivedFolder, 'cannot be used: the server cannot move emails');
    const uids = places.map(({ uid }) => uid).join(',');
    const move = (): Promise<unknown> => session.command(client.messageMove(uids, receivedFolder, { uid: true }));
    if ((await move()) || !(await isAnyThere(session, uids))) return;
    await session.command(client.mailboxCreate(receivedFolder)).catch(() => undefined);
    if (!(await move()) && (await isAnyThere(session, uids)))
      throw folderRefused(
        'ReceivedFolder',
        receivedFolder,
        'cannot be used: the server refuses to move an email there',
      );
  }

  async idle(milliseconds: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted || this.isClosed) return;
    const session = this.failures > 0 && !this.session?.isUsable ? undefined : await this.idleSession(signal);
    if (!session) return this.pause(milliseconds, signal);
    if (session.hasNews) return;
    const isAlive = await idleIn(session, milliseconds, signal);
    if (isAlive) {
      this.failures = 0;
      return;
    }
    this.failures++;
    await this.pause(milliseconds, signal);
  }

  async check(): Promise<number> {
    return this.separately(async (session) => {
      const { exists } = await session.select(this.parts.folder, { isReadOnly: true });
      return exists;
    });
  }

  async newestHeaders(count: number): Promise<readonly Uint8Array[]> {
    const { folder, receivedFolder } = this.parts;
    return this.separately(async (session) => {
      const newest = await newestIn(session, folder, count);
      if (newest.length > 0 || receivedFolder === undefined) return newest;
      // It is created when the first mail is moved there.
      return newestIn(session, receivedFolder, count).catch(() => []);
    });
  }

  async folders(): Promise<readonly string[]> {
    return this.separately(async (session) => {
      const all = await session.command(session.client.list());
      const isReadable = ({ flags }: { readonly flags: Set<string> }): boolean =>
        !['\\noselect', '\\nonexistent'].some((flag) => [...flags].some((each) => each.toLowerCase() === flag));
      return all
        .filter(isReadable)
        .map(({ path }) => path)
        .sort();
    });
  }

  async close(): Promise<void> {
    this.isClosed = true;
    await this.session?.leave();
    this.session = undefined;
  }

  /** Mails are only moved, so that the folder needs to be writable only for this. */
  private get isReadOnly(): boolean {
    return this.parts.receivedFolder === undefined;
  }

  private async connected(signal?: AbortSignal): Promise<ImapSession> {
    signal?.throwIfAborted();
    if (this.session?.isUsable) return this.session;
    this.session?.close();
    this.session = undefined;
    try {
      const session = await ImapSession.open(this.parts, signal);
      if (this.isClosed) {
        session.close();
        throw unavailable('the mailbox is being closed');
      }
      this.session = session;
      return session;
    } catch (error) {
      signal?.throwIfAborted();
      this.failures++;
      throw error;
    }
  }

  /** Opens the folder. A connection that was used before may have ended, or show what is no longer there. */
  private async selected(
    signal: AbortSignal | undefined,
  ): Promise<{ readonly session: ImapSession; readonly uidValidity: string }> {
    const { folder } = this.parts;
    const open = async (session: ImapSession): Promise<string> =>
      String((await session.select(folder, { isReadOnly: this.isReadOnly })).uidValidity);
    const known = this.session?.isUsable ? this.session : undefined;
    if (known)
      try {
        return { session: known, uidValidity: await open(known) };
      } catch {
        signal?.throwIfAborted();
        known.close();
      }
    const session = await this.connected(signal);
    return { session, uidValidity: await open(session) };
  }

  /** Returns the session with the folder of a place open. @throws NOT_FOUND if the folder was renumbered */
  private async opened(place: MailPlace, signal?: AbortSignal): Promise<ImapSession> {
    const session = await this.connected(signal);
    const open = session.client.mailbox;
    const isOpen = open !== false && open.path === place.folder && this.isReadOnly === (open.readOnly ?? false);
    const mailbox: MailboxObject = isOpen ? open : await session.select(place.folder, { isReadOnly: this.isReadOnly });
    if (String(mailbox.uidValidity) !== place.uidValidity) throw mailGone();
    return session;
  }

  /** Returns the UID after which mails are new; 0 if the known mail says nothing about the present numbering. */
  private async knownUid(session: ImapSession, uidValidity: string, after: KnownMail | undefined): Promise<number> {
    if (after?.folder !== this.parts.folder || after.uidValidity !== uidValidity) return 0;
    const uid = Number(after.uid);
    if (!Number.isSafeInteger(uid) || uid < 1) return 0;
    if (after.headerHash === undefined) return uid;
    const known = await session.command(session.client.fetchOne(after.uid, headQuery, { uid: true }));
    // A mail that was moved away cannot be compared.
    return !known || headerHash(headerOf(known)) === after.headerHash ? uid : 0;
  }

  private async heads(
    session: ImapSession,
    uids: readonly number[],
    { at, filters }: { readonly at: Pick<MailPlace, 'folder' | 'uidValidity'>; readonly filters: MailFilters },
  ): Promise<readonly MailHead[]> {
    const query = session.client.capabilities.has('X-GM-EXT-1') ? { ...headQuery, labels: true } : headQuery;
    const rows = await session.command(session.client.fetchAll(uids.join(','), query, { uid: true }));
    const heads: MailHead[] = [];
    for (const row of rows.sort((a, b) => a.uid - b.uid)) {
      const header = headerOf(row);
      const receivedDate = new Date(row.internalDate ?? 0).toISOString();
      const labels = [...(row.flags ?? []), ...(row.labels ?? [])];
      if (await matchesFilters(filters, { receivedDate, header, labels }))
        heads.push({
          ...at,
          uid: String(row.uid),
          receivedDate,
          size: row.size ?? 0,
          headerHash: headerHash(header),
        });
    }
    return heads;
  }

  /** Returns a session with the folder open; undefined if there is none. */
  private async idleSession(signal: AbortSignal): Promise<ImapSession | undefined> {
    try {
      const session = await this.connected(signal);
      const { mailbox } = session.client;
      if (mailbox === false || mailbox.path !== this.parts.folder) {
        await session.select(this.parts.folder, { isReadOnly: this.isReadOnly });
        // Mail may have come since the last look.
        session.hasNews = true;
      }
      return session;
    } catch {
      return undefined;
    }
  }

  private async pause(milliseconds: number, signal: AbortSignal): Promise<void> {
    await wait(Math.min(reconnectMilliseconds(this.failures), milliseconds), undefined, { signal, ref: false }).catch(
      () => undefined,
    );
  }

  /** Works in a session of its own. */
  private async separately<T>(work: (session: ImapSession) => Promise<T>): Promise<T> {
    const session = await ImapSession.open(this.parts);
    try {
      return await work(session);
    } finally {
      await session.leave();
    }
  }
}

/** Returns the header blocks of the newest mails of a folder, the newest last. */
async function newestIn(session: ImapSession, folder: string, count: number): Promise<readonly Uint8Array[]> {
  const { exists } = await session.select(folder, { isReadOnly: true });
  if (exists === 0) return [];
  const rows = await session.command(session.client.fetchAll(`${Math.max(1, exists - count + 1)}:*`, headQuery));
  return rows.sort((a, b) => a.seq - b.seq).map(headerOf);
}

/** Returns undefined for the error of a folder that was renumbered. */
function undefinedIfGone(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'NOT_FOUND') return undefined;
  throw error;
}

/** Divides mails into those that are read with one command: slow lines must send each response in time. */
function batchesOf(heads: readonly MailHead[]): readonly (readonly MailHead[])[] {
  const batches: MailHead[][] = [];
  let bytes = Infinity;
  for (const head of heads) {
    bytes += head.size;
    if (bytes > PIECE_BYTES) {
      batches.push([]);
      bytes = head.size;
    }
    batches.at(-1)?.push(head);
  }
  return batches;
}

async function isAnyThere(session: ImapSession, uids: string): Promise<boolean> {
  return (await session.command(session.client.fetchAll(uids, { uid: true }, { uid: true }))).length > 0;
}

const headQuery = {
  uid: true,
  internalDate: true,
  size: true,
  flags: true,
  bodyParts: [{ key: 'header', start: 0, maxLength: HEADER_BYTES_MAX }],
};

function headerOf({ bodyParts, headers }: FetchMessageObject): Buffer {
  return bodyParts?.get('header') ?? headers ?? Buffer.alloc(0);
}

/** Ends the session if the call is canceled; returns a function that ends this. */
function closeOnAbort(session: ImapSession, signal: AbortSignal | undefined): () => void {
  const close = (): void => session.close();
  signal?.addEventListener('abort', close);
  return () => signal?.removeEventListener('abort', close);
}

/** Waits in IDLE until there is news, the time is over or the call is canceled; returns whether the line is alive. */
async function idleIn(session: ImapSession, milliseconds: number, signal: AbortSignal): Promise<boolean> {
  const { client } = session;
  const ended = new AbortController();
  const end = (): void => ended.abort();
  const timer = setTimeout(end, milliseconds).unref();
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted) end();
  client.on('exists', end);
  client.on('close', end);
  try {
    const idling = client.idle();
    await Promise.race([untilAborted(ended.signal), idling]);
    if (!client.usable) return false;
    // Any command ends IDLE.
    await session.command(client.noop());
    await session.command(idling);
    return client.usable;
  } catch {
    return false;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', end);
    client.off('exists', end);
    client.off('close', end);
  }
}

async function untilAborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
}
