import type { Writable } from 'node:stream';
import postgres from 'postgres';

type Client = postgres.Sql<Record<string, never>>;
type Session = postgres.ReservedSql<Record<string, never>>;
type Options = postgres.Options<Record<string, never>>;

/** A statement under way. The driver's own rejection is needed for statements that it forgets when a connection is lost. */
interface PendingStatement extends Promise<unknown> {
  resolve(answer: unknown): void;
  reject(error: unknown): void;
}

/**
 * One connection that is never replaced by another behind the back of its user: what was set on it, and the transaction that
 * is open on it, hold until it is lost, and from then on every statement fails. The driver's own reservations do not promise
 * that. After the loss of a connection they end the process at the next statement or leave it waiting for ever, and on a
 * connection that was not open yet they are never granted.
 */
export class DedicatedConnection {
  private readonly client: Client;
  private session: Session | undefined;
  private readonly pending = new Set<PendingStatement>();
  private lost: Error | undefined;
  /** A remark of the connection's user on the state of the session. */
  sessionFirm: number | undefined;

  private constructor(options: Options) {
    this.client = postgres({
      ...options,
      max: 1,
      max_lifetime: null,
      idle_timeout: null as never,
      onclose: () => this.lose(),
    }) as unknown as Client;
  }

  /** Connects. */
  static async open(options: Options): Promise<DedicatedConnection> {
    const connection = new DedicatedConnection(options);
    try {
      // Reserving waits for ever unless the connection is open already.
      await connection.client.unsafe('select 1');
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
   * Runs a statement after those that were sent before it; it need not be waited for before the next is sent. Only a `script`
   * may be several statements: of any other text the protocol itself takes one.
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
    } finally {
      this.pending.delete(query);
    }
  }

  /**
   * Runs `copy … from stdin` with the bytes given, read as fast as the server takes them and no faster. Answers how many rows it
   * took. What the source of the bytes throws ends the copy and is thrown on.
   */
  async copyFrom(text: string, bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<number> {
    const query = this.start(text, [], false, true);
    // The driver settles the statement twice: with the stream, and at its end with the result. Of a refusal that comes after the last byte it
    // tells the stream nothing, which would wait for ever.
    const begun = Promise.withResolvers<Writable>();
    const ended = Promise.withResolvers<{ readonly count: number }>();
    ended.promise.catch(() => undefined);
    begun.promise.catch(() => undefined);
    query.resolve = (first) => {
      query.resolve = (result) => ended.resolve(result as { count: number });
      begun.resolve(first as Writable);
    };
    query.reject = (error) => (begun.reject(error), ended.reject(error));
    try {
      // Statements that are awaited are sent a moment after they were made; at once, this one would overtake those before it.
      queueMicrotask(() => (query as unknown as { execute(): void }).execute());
      const stream = await begun.promise;
      // A driver's result here means that the statement was no copy.
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

/** Writes bytes into a copy, and waits for its end. */
async function writeCopyData(
  stream: Writable,
  bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  ended: Promise<{ readonly count: number }>,
): Promise<number> {
  const closed = new Promise<void>((resolve) => void stream.once('close', resolve));
  // What is wrong with the copy is told by `ended`; without a listener the stream's own word of it would end the process.
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
    // Where the copy still runs this ends it; the server's word that it did must have come before the connection is used again.
    stream.destroy(new Error('the source of the copy failed'));
    await ended.catch(() => undefined);
    throw error;
  }
}

/** How a pool stands, and how often and how long somebody had to wait for a connection since it was made. */
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

/** How long a taker waits for a connection while all are taken; longer means that takers wait for one another. */
const WAIT_MILLISECONDS_MAX = 15_000;

/** Connections that are lent to one user at a time, opened when they are needed. */
export class ConnectionPool {
  private readonly options: Options;
  private readonly max: number;
  private readonly free: DedicatedConnection[] = [];
  private readonly waiting: Waiter[] = [];
  private readonly all = new Set<DedicatedConnection>();
  private opening = 0;
  private waits = 0;
  private waitedMilliseconds = 0;
  private ended = false;

  constructor(options: Options, max: number) {
    this.options = options;
    this.max = max;
  }

  /** A free connection, best one that stands on the given firm. */
  acquire(firm?: number): DedicatedConnection | Promise<DedicatedConnection> {
    const at = firm === undefined ? -1 : this.free.findLastIndex((c) => c.sessionFirm === firm);
    for (let found = at < 0 ? this.free.pop() : this.free.splice(at, 1)[0]; found; found = this.free.pop()) {
      if (!found.isLost) return found;
      this.all.delete(found);
    }
    return this.all.size + this.opening < this.max ? this.open() : this.wait();
  }

  private async open(): Promise<DedicatedConnection> {
    if (this.ended) throw unavailable('the store is closed');
    this.opening++;
    try {
      const connection = await DedicatedConnection.open(this.options);
      this.all.add(connection);
      if (this.ended) await connection.close();
      return connection;
    } finally {
      this.opening--;
    }
  }

  /** How it stands now. */
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
        take: (connection) => (end(), resolve(connection)),
        refuse: (error) => (end(), reject(error instanceof Error ? error : new Error('no connection'))),
      };
      const timer = setTimeout(
        () => waiter.refuse(unavailable('no connection to the database became free in time')),
        WAIT_MILLISECONDS_MAX,
      );
      this.waiting.push(waiter);
    });
  }

  /** Gives a connection back; one that is lost, or in doubt, is replaced when another is needed. */
  release(connection: DedicatedConnection, inDoubt = false): void {
    if (inDoubt || connection.isLost || this.ended) this.discard(connection);
    else if (this.waiting.length > 0) this.waiting[0]?.take(connection);
    else this.free.push(connection);
  }

  private discard(connection: DedicatedConnection): void {
    this.all.delete(connection);
    void connection.close().catch(() => undefined);
    const [waiter] = this.waiting;
    if (waiter && !this.ended)
      this.open().then(
        (opened) => (this.waiting.includes(waiter) ? waiter.take(opened) : this.release(opened)),
        waiter.refuse,
      );
  }

  /** Closes all connections; those that are lent are lost to their users. */
  async end(): Promise<void> {
    this.ended = true;
    for (const waiter of [...this.waiting]) waiter.refuse(unavailable('the store is closed'));
    await Promise.all([...this.all].map((connection) => connection.close().catch(() => undefined)));
  }
}

function unavailable(message: string): Error {
  return Object.assign(new Error(message), { code: 'CONNECTION_UNAVAILABLE' });
}
