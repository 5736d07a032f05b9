import type postgres from 'postgres';
import type { CombinableCall, SetStatement } from './combined-call.ts';
import { CombinedTransactions } from './combined-transactions.ts';
import { ConnectionPool, type DedicatedConnection, type PoolUsage } from './connection-pool.ts';
import { DiskSpace } from './disk-space.ts';
import { driverTls, type SslMode } from './tls.ts';
import { driverTypes } from './driver-types.ts';
import { PooledTransaction } from './pooled-transaction.ts';
import { isPreparable, type PreparedTexts } from './prepared-texts.ts';
import { REACH_ROLE } from './roles.ts';
import { withCallerStack } from './sql-state.ts';
import type { Log } from '../ports/log.ts';

/** Runs SQL. Values are passed as parameters, never as text; each distinct text is prepared once per connection. */
export interface Db {
  query<R extends object = Record<string, unknown>>(
    text: string,
    params?: readonly unknown[],
    kind?: QueryKind,
  ): Promise<R[]>;
}

/**
 * `point`: a select of rows by their primary keys, which takes no longer than a message. Outside a transaction it
 * shares a connection with others of its kind. Default: any statement.
 */
export type QueryKind = 'point' | undefined;

/** How to connect to the database, embedded or the operator's own. */
export interface Connection {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly database: string;
  readonly password?: string;
  /** Default: not encrypted. */
  readonly ssl?: SslMode;
  /** File of the authorities that the verify modes trust, in PEM; default: those that Node trusts. */
  readonly sslRootCertificate?: string;
  /** False: commits do not wait for the disk. Only for what is loaded again after a crash. Default: they wait. */
  readonly synchronousCommit?: false;
}

/** The actor of a transaction. `firm` null: universal access, as the schema's owner; else under row security. */
export interface Actor {
  readonly personId: number | null;
  readonly firm: number | null;
  readonly callId: string;
  /** Runs saved queries under the role that may only read, and only what reports show; see {@link REPORT_ROLES}. */
  readonly report?: boolean;
  /** Time limit of a statement instead of the pool's; queued calls have a longer one. */
  readonly statementMilliseconds?: number;
}

/** Time limits of a surface, in milliseconds. */
export interface TimeLimits {
  readonly statement: number;
  readonly lock: number;
  readonly idle: number;
}

/** An open transaction. */
export interface Transaction extends Db {
  /**
   * Sends a statement without waiting: it travels with the next one. If it fails, the savepoint in which it was sent
   * fails, or else the commit.
   */
  later(text: string, params: readonly unknown[]): void;
  /** Number of statements sent so far. While it is unchanged, reading again would return the same. */
  readonly statementCount: number;
  /**
   * Runs a set statement with this input and returns its output. Calls of a combined transaction
   * ({@link Store.combined}) send it once for all of them; then no statement may depend on an earlier one that has not
   * been answered yet.
   */
  together<I, O>(statement: SetStatement<I, O>, input: I): Promise<O>;
  /** Runs `run` in a savepoint: on an error its changes are rolled back and the error is rethrown. */
  savepoint<T>(run: () => Promise<T>): Promise<T>;
  /**
   * Runs `run` without row security, for the few things that cross firms by design (binding a loan by its number,
   * queueing jobs). Code inside must itself check what the actor may see or change.
   */
  elevated<T>(run: (db: Db) => Promise<T>): Promise<T>;
  /** Depth of nested {@link elevated} calls; 0 where row security applies, and for users with universal access. */
  readonly elevation: number;
  /** Runs `run` without row security as another person, who becomes the actor in history and reach. */
  actingAs<T>(personId: number, run: () => Promise<T>): Promise<T>;
  /**
   * Runs saved queries as a transaction of its own with `report` does, but sees what this one has changed. No other
   * statement may run meanwhile.
   */
  report<T>(actor: Actor, run: (db: Db) => Promise<T>): Promise<T>;
  /**
   * Runs `copy … from stdin` and returns the number of rows loaded. Reads the bytes no faster than the database accepts
   * them, and runs no other statement meanwhile. Row security and the statement time limit apply.
   *
   * @throws BAD_PARAMETER for a value that its column does not take; `details` has `line`, counted from the first byte,
   * and `column`
   */
  copyFrom(text: string, bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<number>;
}

/** Options of {@link Store}. */
export interface StoreOptions {
  readonly connection: Connection;
  readonly log: Log;
  readonly connectionsMax?: number;
  readonly limits?: TimeLimits;
  readonly applicationName?: string;
}

/** Most connections of each of the three kinds per process; plain reads of single rows share one more. */
const CONNECTIONS_MAX = 12;

/** How long plain statements in progress may run when the store is closed. */
const GRACE_MILLISECONDS = 5_000;

const defaultLimits: TimeLimits = { statement: 30_000, lock: 10_000, idle: 60_000 };

/**
 * The database: plain reads, transactions with an actor, and reads under row security, each with its own connections.
 * Plain reads share theirs and are pipelined once all are in use; a transaction has its connection to itself; reads
 * under row security sign in as the role that row security applies to, so those connections can do nothing else. Reads
 * of single rows that run at the same time, of staff or of one firm, share a connection.
 */
export class Store implements Db {
  readonly limits: TimeLimits;
  private readonly prepared: PreparedTexts = new Set();
  /** Connections of statements outside transactions. */
  private readonly plain: ConnectionPool;
  private readonly dedicated: ConnectionPool;
  private readonly combinations: CombinedTransactions;
  private readonly reached: ConnectionPool;
  /** Whether the database's disk is full. */
  readonly diskSpace: DiskSpace;
  /** One connection that plain reads of single rows share. */
  private readonly points: ConnectionPool;

  constructor(options: StoreOptions) {
    this.limits = options.limits ?? defaultLimits;
    this.combinations = new CombinedTransactions((actor, run) => this.transaction(actor, run), this.limits.lock);
    const driver = driverOptions(options, this.limits);
    const max = options.connectionsMax ?? CONNECTIONS_MAX;
    this.plain = new ConnectionPool(driver, max);
    this.diskSpace = new DiskSpace((text) => this.dedicatedScript(text), options.log);
    this.dedicated = new ConnectionPool(driver, max);
    this.points = new ConnectionPool(driver, 1);
    this.reached = new ConnectionPool(
      {
        ...driver,
        connection: { ...driver.connection, role: REACH_ROLE, default_transaction_read_only: 'on' } as never,
      },
      max,
    );
  }

  async query<R extends object = Record<string, unknown>>(
    text: string,
    params: readonly unknown[] = [],
    kind?: QueryKind,
  ): Promise<R[]> {
    const shared = kind === 'point' ? this.points.acquireSharedNow() : undefined;
    if (shared) return this.run(this.points, shared, text, params);
    const taken = this.plain.acquireLeastUsed();
    return this.run(this.plain, taken instanceof Promise ? await taken : taken, text, params);
  }

  /** Runs a statement on a connection, and releases that. */
  private async run<R extends object>(
    pool: ConnectionPool,
    connection: DedicatedConnection,
    text: string,
    params: readonly unknown[],
  ): Promise<R[]> {
    try {
      return await connection.query<R>(text, params, isPreparable(this.prepared, text));
    } catch (error) {
      this.diskSpace.note(error);
      throw withCallerStack(error);
    } finally {
      pool.release(connection);
    }
  }

  /** Runs several statements without parameters in one simple-protocol message: migrations. */
  async script(text: string): Promise<void> {
    const connection = await this.plain.acquireLeastUsed();
    try {
      await connection.query(text, [], false, true);
    } finally {
      this.plain.release(connection);
    }
  }

  /** Runs several statements on a connection that nobody else uses. One that fails is closed. */
  private async dedicatedScript(text: string): Promise<void> {
    const connection = await this.dedicated.acquire();
    let inDoubt = true;
    try {
      await connection.query(text, [], false, true);
      inDoubt = false;
    } finally {
      this.dedicated.release(connection, inDoubt);
    }
  }

  /** Runs `run` in a transaction that commits when it returns and rolls back when it throws. */
  async transaction<T>(
    actor: Actor,
    run: (transaction: Transaction) => Promise<T>,
    mode: 'write' | 'read' = 'write',
  ): Promise<T> {
    const taken = this.dedicated.acquire();
    const connection = taken instanceof Promise ? await taken : taken;
    const transaction = new PooledTransaction(connection, actor, mode, this.prepared);
    let inDoubt = true;
    try {
      const result = await run(transaction);
      await transaction.finish('commit');
      inDoubt = false;
      return result;
    } catch (error) {
      this.diskSpace.note(error);
      inDoubt = !(await transaction.finish('rollback').then(
        () => true,
        () => false,
      ));
      throw await transaction.rootFailure(error);
    } finally {
      this.dedicated.release(connection, inDoubt);
    }
  }

  /**
   * Like {@link transaction}, for writes that wait for others with the same key: those are combined into one
   * transaction. They have the same actor except for the call ID, with universal access.
   *
   * @throws RunAlone if that was rolled back
   * @throws CONCURRENT_CHANGE if it waited for the others as long as a statement may wait for a lock, or was canceled
   * meanwhile; nothing was changed
   */
  combined<T>(key: string, call: CombinableCall<T>): Promise<T> {
    return this.combinations.run(key, call);
  }

  /**
   * Runs one read under row security as a firm. Where the connection last served another firm, the setting travels in
   * the same message: one round trip and one or two statements, where a transaction takes two and four.
   */
  async readAs<R extends object = Record<string, unknown>>(
    firm: number,
    text: string,
    params: readonly unknown[] = [],
    kind?: QueryKind,
  ): Promise<R[]> {
    if (!Number.isSafeInteger(firm)) throw new Error('expected the id of a firm');
    const taken = kind === 'point' ? this.reached.acquireShared(firm) : this.reached.acquire(firm);
    const connection = taken instanceof Promise ? await taken : taken;
    try {
      if (connection.sessionFirm === firm)
        return await connection.query<R>(text, params, isPreparable(this.prepared, text));
      connection.sessionFirm = undefined;
      // The rows are this firm's only if both statements succeed.
      const [, rows] = await Promise.all([
        connection.query(`set casewright.firm = '${firm}'`, [], false, true),
        connection.query<R>(text, params, isPreparable(this.prepared, text)),
      ]);
      connection.sessionFirm = firm;
      return rows;
    } catch (error) {
      throw withCallerStack(error);
    } finally {
      this.reached.release(connection);
    }
  }

  /**
   * Runs one statement outside any transaction, with its own time limit: for statements that PostgreSQL refuses inside
   * one, such as creating an index concurrently. The timeout also covers waiting for locks of earlier transactions.
   */
  async outsideTransaction(text: string, milliseconds: number): Promise<void> {
    const taken = this.dedicated.acquire();
    const connection = taken instanceof Promise ? await taken : taken;
    let inDoubt = true;
    try {
      const limits = `set statement_timeout to ${milliseconds}; set lock_timeout to ${milliseconds}`;
      await connection.query(limits, [], false, true);
      await connection.query(text, [], false, true);
      await connection.query('reset statement_timeout; reset lock_timeout', [], false, true);
      inDoubt = false;
    } catch (error) {
      throw withCallerStack(error);
    } finally {
      this.dedicated.release(connection, inDoubt);
    }
  }

  /** Returns the usage of the pools: of transactions, and of reads under row security. */
  usage(): Readonly<Record<'transactions' | 'reached', PoolUsage>> {
    return { transactions: this.dedicated.usage(), reached: this.reached.usage() };
  }

  async end(): Promise<void> {
    await Promise.all([
      this.plain.end(GRACE_MILLISECONDS),
      this.dedicated.end(),
      this.reached.end(),
      this.points.end(),
    ]);
  }
}

function driverOptions(
  { connection, log, applicationName }: StoreOptions,
  limits: TimeLimits,
): postgres.Options<Record<string, never>> {
  return {
    host: connection.host,
    port: connection.port,
    user: connection.user,
    database: connection.database,
    ...(connection.password === undefined ? {} : { password: connection.password }),
    ...(connection.host.startsWith('/') ? { path: `${connection.host}/.s.PGSQL.${connection.port}` } : {}),
    ssl: driverTls(connection),
    fetch_types: false,
    types: driverTypes as never,
    onnotice: (notice) => log.debug('database notice', { notice: notice['message'] }),
    connection: {
      application_name: applicationName ?? 'casewright',
      TimeZone: 'UTC',
      DateStyle: 'ISO',
      statement_timeout: limits.statement,
      lock_timeout: limits.lock,
      idle_in_transaction_session_timeout: limits.idle,
      // The firm that row security compares with: none, until a transaction sets one.
      'casewright.firm': '0',
      // Shown in the health report.
      'casewright.sslmode': connection.ssl ?? 'disable',
      ...(connection.synchronousCommit === false && { synchronous_commit: 'off' }),
    },
  };
}

/** Returns a PostgreSQL array literal, for a parameter with an array cast. */
export function arrayLiteral(values: readonly (string | number | null)[]): string {
  return `{${values.map(arrayElement).join(',')}}`;
}

function arrayElement(value: string | number | null): string {
  if (value === null) return 'NULL';
  if (typeof value === 'number') return String(value);
  const escaped = /["\\]/.test(value) ? value.replaceAll('\\', '\\\\').replaceAll('"', '\\"') : value;
  return `"${escaped}"`;
}
