import type { Writable } from 'node:stream';
import postgres from 'postgres';
import { isDirect, POOLER_PROBLEM, SESSION_COLUMNS, type SessionRow } from './direct-session.ts';

type Client = postgres.Sql<Record<string, never>>;
type Session = postgres.ReservedSql<Record<string, never>>;
type Options = postgres.Options<Record<string, never>>;

/**
 * A statement in progress. Exposes the driver's own rejection, because the driver forgets statements when a connection
 * is lost.
 */
interface PendingStatement extends Promise<unknown> {
  resolve(answer: unknown): void;
  reject(error: unknown): void;
}

/** Errors after which the server closes the connection: terminated, crashed, idle for too long. */
const ENDED_SESSION: ReadonlySet<unknown> = new Set(['57P01', '57P02', '57P05']);

/**
 * One connection that is never silently replaced: its settings and its open transaction last until it is lost, and then
 * every statement fails. The driver's own reservations do not guarantee that. After a lost connection they end the
 * process at the next statement or wait forever, and on a connection that was not open yet they are never granted.
 * Its pools open a lost connection again. If a statement was being sent, the new connection sends nothing and ends
 * after 30 seconds, several times in a row; else its first statement may get the error of the lost one.
 */
export class DedicatedConnection {
  private readonly client: Client;
  private session: Session | undefined;
  private readonly pending = new Set<PendingStatement>();
  private lost: Error | undefined;
  /** Session tag: the firm that row security is set to on this connection, where known. */
  sessionFirm: number | undefined;
  /** Number of callers using it now; more than one only if they share it. */
  users = 0;
  /** When a caller last started or stopped using it, in milliseconds of the process's monotonic clock. */
  progressAt = 0;

  private constructor(options: Options) {
    this.client = postgres({
      ...options,
      max: 1,
      max_lifetime: null,
      idle_timeout: null as never,
      onclose: () => this.lose(),
    }) as unknown as Client;
  }

  /** Connects. Refuses a session that does not have the requested role and settings, or that others may share. */
  static async open(options: Options): Promise<DedicatedConnection> {
    const connection = new DedicatedConnection(options);
    try {
      // Reserving waits forever unless the connection is already open.
      assertOwnSession(await connection.client.unsafe<OpenedSession[]>(OPENED_SESSION), options);
      connection.session = await connection.client.reserve();
      return connection;
    } catch (error) {
      await connection.close();
      throw error;
    }
  }

  get isLost(): boolean {
    return this.lost !== undefined;
  }

  /**
   * Runs a statement after those sent before it. The next may be sent before it is answered (pipelining). Only a
   * `script` may have several statements; the protocol allows one otherwise.
   */
  async query<R extends object>(
    text: string,
    params: readonly unknown[],
    prepare: boolean,
    script = false,
  ): Promise<R[]> {
    const query = this.start(text, params, prepare, script);
    try {
      return (await query) as R[];
    } catch (error) {
      // The server has ended the session; its socket may close only after the next statement was sent.
      if (ENDED_SESSION.has((error as { code?: unknown }).code)) this.lose();
      throw error;
    } finally {
      this.pending.delete(query);
    }
  }

  /**
   * Runs `copy … from stdin`, reading the bytes no faster than the server accepts them, and returns the number of rows.
   * An error of the source aborts the copy and is rethrown.
   */
  async copyFrom(text: string, bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<number> {
    const query = this.start(text, [], false, true);
    // The driver settles the statement twice: with the stream, and at the end with the result. A refusal after the last
    // byte is not reported on the stream, which would wait forever.
    const begun = Promise.withResolvers<Writable>();
    const ended = Promise.withResolvers<{ readonly count: number }>();
    ended.promise.catch(() => undefined);
    begun.promise.catch(() => undefined);
    query.resolve = (first) => {
      query.resolve = (result) => ended.resolve(result as { count: number });
      begun.resolve(first as Writable);
    };
    query.reject = (error) => {
      begun.reject(error);
      ended.reject(error);
    };
    try {
      // Awaited statements are sent one microtask after they are created; sent at once, this one would overtake them.
      queueMicrotask(() => (query as unknown as { execute(): void }).execute());
      const stream = await begun.promise;
      // A result instead of a stream means that the statement was not a copy.
      if (typeof stream.write !== 'function') throw new Error('expected a copy from stdin');
      return await writeCopyData(stream, bytes, ended.promise);
    } finally {
      this.pending.delete(query);
    }
  }

  private start(text: string, params: readonly unknown[], prepare: boolean, script: boolean): PendingStatement {
    if (!this.session || this.lost) throw this.lost ?? new Error('the connection is not open');
    const query = this.session.unsafe(
      text,
      params as never[],
      { prepare, simple: script } as never,
    ) as unknown as PendingStatement;
    this.pending.add(query);
    return query;
  }

  private lose(): void {
    this.lost ??= Object.assign(new Error('the connection to the database was lost'), { code: 'CONNECTION_LOST' });
    for (const query of this.pending) query.reject(this.lost);
  }

  /** Ends the connection, whatever runs on it. */
  async close(): Promise<void> {
    this.lose();
    await this.client.end({ timeout: 0 });
  }
}

/** Reads the properties of a new session that must match the request. */
interface OpenedSession extends SessionRow {
  readonly role: string;
  readonly firm: string | null;
}

const OPENED_SESSION = `select ${SESSION_COLUMNS}, current_setting('role') as role,
  current_setting('casewright.firm', true) as firm`;

/**
 * Throws unless the session is this connection's own, with the role and the firm that it was opened with. A pooler that
 * ignores them would otherwise show all rows to a firm.
 */
function assertOwnSession(result: postgres.RowList<OpenedSession[]>, { connection }: Options): void {
  const requested = (connection ?? {}) as Readonly<Record<string, unknown>>;
  const { role = 'none', 'casewright.firm': firm = null } = requested;
  const isAsRequested = result.every((session) => session.role === role && session.firm === firm);
  if (!isDirect(result) || !isAsRequested) throw unavailable(`the database cannot be used: ${POOLER_PROBLEM}`);
}

/** Writes bytes into a copy, waits for its end, and returns the number of rows. */
async function writeCopyData(
  stream: Writable,
  bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  ended: Promise<{ readonly count: number }>,
): Promise<number> {
  const closed = new Promise<void>((resolve) => void stream.once('close', resolve));
  // `ended` reports errors of the copy; without a listener the stream's own error event would end the process.
  stream.on('error', () => undefined);
  try {
    for await (const piece of bytes) {
      if (stream.destroyed) break;
      if (piece.byteLength > 0 && !stream.write(piece))
        await Promise.race([new Promise((resolve) => void stream.once('drain', resolve)), closed, ended]);
    }
    stream.end();
    const { count } = await ended;
    await closed;
    return count;
  } catch (error) {
    // Aborts a copy that is still running; the server must confirm it before the connection is used again.
    stream.destroy(new Error('the source of the copy failed'));
    await ended.catch(() => undefined);
    throw error;
  }
}

/**
 * The present usage of a pool, and how often and how long callers have waited for a connection since it was created.
 */
export interface PoolUsage {
  readonly open: number;
  readonly inUse: number;
  readonly max: number;
  readonly waiting: number;
  readonly waits: number;
  readonly waitedMilliseconds: number;
}

interface Waiter {
  readonly take: (connection: DedicatedConnection) => void;
  readonly refuse: (error: Error) => void;
}

/**
 * How long a caller waits for a connection while all are in use. A longer wait means that callers wait for one another.
 */
const WAIT_MILLISECONDS_MAX = 15_000;

/** Most callers that share a connection at a time. */
const SHARERS_MAX = 32;
/** How long a shared connection may return nothing before no more callers join it. */
const SHARED_SILENCE_MILLISECONDS_MAX = 20;

/**
 * Connections, opened on demand. Each is acquired by one caller at a time, or by several for reads of single rows:
 * statements that are sent together cost one message to the server and one back.
 */
export class ConnectionPool {
  private readonly options: Options;
  private readonly max: number;
  private readonly free: DedicatedConnection[] = [];
  private readonly waiting: Waiter[] = [];
  private readonly all = new Set<DedicatedConnection>();
  private readonly shared = new Set<DedicatedConnection>();
  private readonly opening = new Set<Promise<DedicatedConnection>>();
  private waits = 0;
  private waitedMilliseconds = 0;
  private ended = false;
  /** Called when no connection is in use any more, once the pool is ending. */
  private onIdle: (() => void) | undefined;

  constructor(options: Options, max: number) {
    this.options = options;
    this.max = max;
  }

  /** Acquires a connection for one caller, preferably one whose session is set to this firm. */
  acquire(firm?: number): DedicatedConnection | Promise<DedicatedConnection> {
    return this.takeFree(firm) ?? (this.hasRoom ? this.open() : this.wait());
  }

  /**
   * Acquires a connection that other callers may join, for statements that take no longer than a network message. Joins
   * one whose session is set to this firm, unless it has returned nothing for some time and so may be blocked.
   */
  acquireShared(firm?: number): DedicatedConnection | Promise<DedicatedConnection> {
    const joined = this.join(firm);
    if (joined) return joined;
    const taken = this.acquire(firm);
    return taken instanceof Promise ? taken.then((connection) => this.share(connection)) : this.share(taken);
  }

  /**
   * Acquires the connection with the fewest callers: a free or a new one, or else one that others use, whose statements
   * then precede the caller's. It does not wait until one is released.
   */
  acquireLeastUsed(): DedicatedConnection | Promise<DedicatedConnection> {
    const free = this.takeFree(undefined);
    if (free) return this.share(free);
    if (this.hasRoom) return this.open().then((connection) => this.share(connection));
    let least: DedicatedConnection | undefined;
    for (const connection of this.shared)
      if (!connection.isLost && (!least || connection.users < least.users)) least = connection;
    if (least) {
      least.users++;
      return least;
    }
    const [opening] = this.opening;
    return opening ? opening.then(() => this.acquireLeastUsed()) : this.wait().then((each) => this.share(each));
  }

  /**
   * As {@link acquireShared}, without waiting: returns undefined if no connection is ready, and opens one for later
   * callers.
   */
  acquireSharedNow(): DedicatedConnection | undefined {
    const joined = this.join(undefined);
    if (joined) return joined;
    const free = this.takeFree(undefined);
    if (free) return this.share(free);
    if (this.hasRoom && !this.ended)
      this.open().then(
        (connection) => this.release(connection),
        () => undefined,
      );
    return undefined;
  }

  private takeFree(firm: number | undefined): DedicatedConnection | undefined {
    const at = firm === undefined ? -1 : this.free.findLastIndex((c) => c.sessionFirm === firm);
    for (let found = at < 0 ? this.free.pop() : this.free.splice(at, 1)[0]; found; found = this.free.pop()) {
      if (!found.isLost) return found;
      this.all.delete(found);
    }
    return undefined;
  }

  private join(firm: number | undefined): DedicatedConnection | undefined {
    // Callers waiting for an exclusive connection come first.
    if (this.waiting.length > 0) return undefined;
    const now = performance.now();
    for (const connection of this.shared) {
      const isStuck = now - connection.progressAt > SHARED_SILENCE_MILLISECONDS_MAX;
      if (connection.sessionFirm !== firm || connection.isLost || isStuck || connection.users >= SHARERS_MAX) continue;
      connection.users++;
      return connection;
    }
    return undefined;
  }

  private share(connection: DedicatedConnection): DedicatedConnection {
    connection.users = 1;
    connection.progressAt = performance.now();
    this.shared.add(connection);
    return connection;
  }

  private get hasRoom(): boolean {
    return this.all.size + this.opening.size < this.max;
  }

  private async open(): Promise<DedicatedConnection> {
    if (this.ended) throw unavailable('the store is closed');
    const { promise, resolve, reject } = Promise.withResolvers<DedicatedConnection>();
    this.opening.add(promise);
    DedicatedConnection.open(this.options)
      .finally(() => this.opening.delete(promise))
      .then(async (connection) => {
        this.all.add(connection);
        if (this.ended) await connection.close();
        resolve(connection);
      })
      .catch(reject);
    return promise;
  }

  /** Returns the present usage. */
  usage(): PoolUsage {
    const { all, free, max, waiting, waits, waitedMilliseconds } = this;
    return { open: all.size, inUse: all.size - free.length, max, waiting: waiting.length, waits, waitedMilliseconds };
  }

  private wait(): Promise<DedicatedConnection> {
    const began = performance.now();
    this.waits++;
    return new Promise((resolve, reject) => {
      const end = (): void => {
        clearTimeout(timer);
        this.waitedMilliseconds += performance.now() - began;
        const at = this.waiting.indexOf(waiter);
        if (at >= 0) this.waiting.splice(at, 1);
      };
      const waiter: Waiter = {
        take: (connection) => {
          end();
          resolve(connection);
        },
        refuse: (error) => {
          end();
          reject(error instanceof Error ? error : new Error('no connection'));
        },
      };
      const timer = setTimeout(
        () => waiter.refuse(unavailable('no connection to the database became free in time')),
        WAIT_MILLISECONDS_MAX,
      );
      this.waiting.push(waiter);
    });
  }

  /** Releases a connection. One that is lost or in doubt is closed, and replaced on demand. */
  release(connection: DedicatedConnection, inDoubt = false): void {
    if (this.shared.has(connection)) {
      connection.progressAt = performance.now();
      if (--connection.users > 0) return;
      this.shared.delete(connection);
    }
    if (inDoubt || connection.isLost || this.ended) this.discard(connection);
    else if (this.waiting.length > 0) this.waiting[0]?.take(connection);
    else this.free.push(connection);
  }

  private discard(connection: DedicatedConnection): void {
    this.all.delete(connection);
    void connection.close().catch(() => undefined);
    if (this.usage().inUse === 0) this.onIdle?.();
    const [waiter] = this.waiting;
    if (waiter && !this.ended)
      this.open().then(
        (opened) => (this.waiting.includes(waiter) ? waiter.take(opened) : this.release(opened)),
        waiter.refuse,
      );
  }

  /** Closes all connections, those in use after at most this time. */
  async end(graceMilliseconds = 0): Promise<void> {
    this.ended = true;
    for (const waiter of [...this.waiting]) waiter.refuse(unavailable('the store is closed'));
    if (graceMilliseconds > 0 && this.usage().inUse > 0) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, graceMilliseconds);
        this.onIdle = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    await Promise.all([...this.all].map((connection) => connection.close().catch(() => undefined)));
  }
}

function unavailable(message: string): Error {
  return Object.assign(new Error(message), { code: 'CONNECTION_UNAVAILABLE' });
}
