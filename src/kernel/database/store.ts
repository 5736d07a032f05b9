import postgres from 'postgres';
import { ConnectionPool, type DedicatedConnection, type PoolUsage } from './connection-pool.ts';
import { driverTypes } from './driver-types.ts';
import { isPreparable, type PreparedTexts } from './prepared-texts.ts';
import { PlatformError } from '../door/errors.ts';
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
 * `point`: a select of rows by their primary keys, which takes no longer than a message. Outside a transaction it shares
 * a connection with others of its kind. Default: any statement.
 */
export type QueryKind = 'point' | undefined;

/** How to connect to the database, embedded or the operator's own. */
export interface Connection {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly database: string;
  readonly password?: string;
  /** `require` encrypts; `verify-full` also checks the server's certificate. */
  readonly ssl?: 'require' | 'verify-full';
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
   * Runs `copy … from stdin` and returns the number of rows loaded. Reads the bytes no faster than the database accepts
   * them, and runs no other statement meanwhile. Row security and the statement time limit apply.
   *
   * @throws BAD_PARAMETER for a value that its column does not take; `details` has `line`, counted from the first byte,
   * and `column`
   */
  copyFrom(text: string, bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<number>;
}

type Sql = postgres.Sql<Record<string, never>>;

/** Reserved role under row security. */
export const REACH_ROLE = 'casewright_reach';

/** Roles of saved queries: `reached` is under row security, `universal` sees every firm's rows. Neither can write. */
export const REPORT_ROLES = { reached: 'casewright_report', universal: 'casewright_report_all' } as const;

/** Role of bulk import statements. It changes rows of staging tables and has no rights outside their schema. */
export const STAGING_ROLE = 'casewright_staging';

/** Returns the role of an actor's transaction, or null for the schema's owner. */
function roleOf(actor: Actor): string | null {
  if (actor.report) return actor.firm === null ? REPORT_ROLES.universal : REPORT_ROLES.reached;
  return actor.firm === null ? null : REACH_ROLE;
}

/** Options of {@link Store}. */
export interface StoreOptions {
  readonly connection: Connection;
  readonly log: Log;
  readonly connectionsMax?: number;
  readonly limits?: TimeLimits;
  readonly applicationName?: string;
}

/** Most connections of each of the three kinds per process. */
const CONNECTIONS_MAX = 12;

const defaultLimits: TimeLimits = { statement: 30_000, lock: 10_000, idle: 60_000 };

/**
 * The database: plain reads, transactions with an actor, and reads under row security, each with its own connections.
 * Plain reads share theirs and are pipelined; a transaction has its connection to itself; reads under row security sign
 * in as the role that row security applies to, so those connections can do nothing else.
 */
export class Store implements Db {
  readonly sql: Sql;
  readonly limits: TimeLimits;
  private readonly prepared: PreparedTexts = new Set();
  private readonly dedicated: ConnectionPool;
  private readonly reached: ConnectionPool;
  /** One connection that plain reads of single rows share. */
  private readonly points: ConnectionPool;

  constructor(options: StoreOptions) {
    this.limits = options.limits ?? defaultLimits;
    const driver = driverOptions(options, this.limits);
    const max = options.connectionsMax ?? CONNECTIONS_MAX;
    this.sql = postgres({ ...driver, max }) as unknown as Sql;
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
    const prepare = isPreparable(this.prepared, text);
    try {
      return shared
        ? await shared.query<R>(text, params, prepare)
        : ((await this.sql.unsafe(text, params as never[], { prepare, simple: false } as never)) as unknown as R[]);
    } catch (error) {
      throw withCallerStack(error);
    } finally {
      if (shared) this.points.release(shared);
    }
  }

  /** Runs several statements without parameters in one simple-protocol message: migrations. */
  async script(text: string): Promise<void> {
    await this.sql.unsafe(text).simple();
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
   * one, such as creating an index concurrently. Locks may be waited for as long: for those of transactions that began
   * before.
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
    await Promise.all([this.sql.end({ timeout: 5 }), this.dedicated.end(), this.reached.end(), this.points.end()]);
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
    ssl: connection.ssl ?? false,
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
    },
  };
}

/** The settings that name the actor: the person, and the firm whose rows row security shows. */
type ActorSettings = Pick<Actor, 'personId' | 'firm'>;

function actorSettingsSql({ personId, firm }: ActorSettings): string {
  return `set local casewright.person = '${personId ?? ''}'; set local casewright.firm = '${firm ?? 0}'`;
}

/** SQLSTATEs of statements refused because of an earlier failure, and of a rollback to a refused savepoint. */
const abortedStates: ReadonlySet<string | undefined> = new Set(['25P02', '3B001']);

function sqlLiteral(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/**
 * A transaction on its own connection. Statements that need no answer (begin, the actor's settings, savepoints) are
 * sent without waiting and travel with the first one that does: a read under row security costs two round trips instead
 * of five.
 */
class PooledTransaction implements Transaction {
  private readonly connection: DedicatedConnection;
  private readonly role: string | null;
  private savepoints = 0;
  /** The number of statements sent by {@link later}. */
  private sentLater = 0;
  /** The first failure of a background statement. */
  private failure: Error | undefined;
  /** Background statements not answered yet. */
  private readonly inFlight = new Set<Promise<void>>();
  private ended = false;
  /** Depth of nested {@link elevated} calls. */
  elevation = 0;
  private readonly prepared: PreparedTexts;
  /** The present actor. */
  private actor: ActorSettings;
  /** Actor for the next statement, not yet sent to the database; cleared once sent. */
  private pendingActor: ActorSettings | undefined;

  constructor(connection: DedicatedConnection, actor: Actor, mode: 'write' | 'read', prepared: PreparedTexts) {
    this.connection = connection;
    this.prepared = prepared;
    this.role = roleOf(actor);
    this.actor = { personId: actor.personId, firm: actor.firm };
    // One message: a message costs more than what it contains.
    this.send(
      [
        mode === 'read' ? 'begin read only' : 'begin',
        ...(actor.report ? ['set local search_path to report, pg_catalog'] : []),
        ...(actor.statementMilliseconds === undefined
          ? []
          : [`set local statement_timeout to ${actor.statementMilliseconds}`]),
        actorSettingsSql(this.actor),
        `set local casewright.call = ${sqlLiteral(actor.callId)}`,
        ...(this.role === null ? [] : [`set local role ${this.role}`]),
      ].join('; '),
    );
  }

  async query<R extends object = Record<string, unknown>>(text: string, params: readonly unknown[] = []): Promise<R[]> {
    // A late statement must not run in the transaction of the connection's next user.
    if (this.ended) throw new Error('the transaction has ended');
    this.flushActor();
    try {
      return await this.connection.query<R>(text, params, isPreparable(this.prepared, text));
    } catch (error) {
      throw withCallerStack(error);
    }
  }

  later(text: string, params: readonly unknown[]): void {
    this.sentLater++;
    this.background(this.query(text, params));
  }

  /** Waits for the statements sent by {@link later} since a count of them, and throws their failure. */
  private async settleLater(before: number): Promise<void> {
    if (this.sentLater === before) return;
    await Promise.all(this.inFlight);
    if (this.failure !== undefined) throw this.failure;
  }

  async savepoint<T>(run: () => Promise<T>): Promise<T> {
    const name = `s${++this.savepoints}`;
    const elevation = this.elevation;
    const before = this.sentLater;
    this.send(`savepoint ${name}`);
    try {
      const result = await run();
      await this.settleLater(before);
      this.send(`release savepoint ${name}`);
      return result;
    } catch (error) {
      const cause = await this.rootFailure(error);
      await this.connection.query(`rollback to savepoint ${name}; release savepoint ${name}`, [], false, true);
      // Rolling back to the savepoint also undoes what was sent without waiting and failed, and restores the role that
      // was set then.
      await Promise.all(this.inFlight);
      this.failure = undefined;
      this.elevation = elevation;
      throw cause;
    }
  }

  async elevated<T>(run: (db: Db) => Promise<T>): Promise<T> {
    if (this.role === null) return run(this);
    if (this.elevation++ === 0) this.send(`set local role none`);
    try {
      const result = await run(this);
      this.leaveElevation();
      return result;
    } catch (error) {
      // The caller may handle the error and continue, and must not do so elevated. In an aborted transaction the role
      // cannot be set; the rollback that must follow restores it.
      if (--this.elevation === 0)
        await this.connection.query(`set local role ${this.role}`, [], false, true).catch(() => undefined);
      throw error;
    }
  }

  actingAs<T>(personId: number, run: () => Promise<T>): Promise<T> {
    return this.elevated(async () => {
      const before = this.actor;
      this.switchActor({ personId, firm: null });
      try {
        return await run();
      } finally {
        this.switchActor(before);
      }
    });
  }

  /** Makes another actor the author of all later statements. */
  private switchActor(acting: ActorSettings): void {
    this.actor = acting;
    this.pendingActor = acting;
  }

  private flushActor(): void {
    const { pendingActor: actor } = this;
    this.pendingActor = undefined;
    if (actor) this.background(this.connection.query(actorSettingsSql(actor), [], false, true));
  }

  async copyFrom(text: string, bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<number> {
    if (this.ended) throw new Error('the transaction has ended');
    this.flushActor();
    try {
      return await this.connection.copyFrom(text, bytes);
    } catch (error) {
      throw copyError(withCallerStack(error));
    }
  }

  private leaveElevation(): void {
    if (--this.elevation === 0) this.send(`set local role ${String(this.role)}`);
  }

  async finish(how: 'commit' | 'rollback'): Promise<void> {
    if (how === 'commit' && this.failure !== undefined) throw this.failure;
    this.ended = true;
    const answer = await this.connection.query(how, [], false, true);
    // The commit of an aborted transaction returns ROLLBACK without an error; ignoring it would lose the caller's work.
    if (how === 'commit' && (answer as unknown as { command?: string }).command === 'ROLLBACK') {
      // The answers share a packet: the driver may know the failure before the promise of its statement rejects.
      await Promise.all(this.inFlight);
      throw this.failure ?? new Error('the transaction had failed and was rolled back at commit');
    }
  }

  /**
   * Returns the failure behind an error. For a statement refused because an earlier background statement failed, that
   * is the earlier failure, which decides whether the work may be retried.
   */
  async rootFailure(error: unknown): Promise<unknown> {
    if (!abortedStates.has(sqlState(error))) return error;
    await Promise.all(this.inFlight);
    return this.failure ?? error;
  }

  private send(text: string): void {
    this.flushActor();
    this.background(this.connection.query(text, [], false, true));
  }

  private background(query: PromiseLike<unknown>): void {
    const settled: Promise<void> = Promise.resolve(query).then(
      () => void this.inFlight.delete(settled),
      (error: unknown) => {
        // A refusal that follows from another failure may arrive before that failure: the answers share a packet.
        if (this.failure === undefined || abortedStates.has(sqlState(this.failure)))
          this.failure = error instanceof Error ? error : new Error('a statement failed', { cause: error });
        this.inFlight.delete(settled);
      },
    );
    this.inFlight.add(settled);
  }
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

/** Gives a database error the caller's stack; the driver creates its errors where it reads the socket. */
function withCallerStack(error: unknown): unknown {
  if (sqlState(error) === undefined) return error;
  // Defined, not assigned: the driver makes the property read-only.
  Reflect.defineProperty(error as Error, 'stack', {
    value: `PostgresError\n${(new Error().stack ?? '').split('\n').slice(2).join('\n')}`,
    configurable: true,
  });
  return error;
}

/** Returns a copy's refusal of a value with its line, without the database's text: it repeats the value. */
function copyError(error: unknown): unknown {
  if (sqlState(error)?.startsWith('22') !== true) return error;
  const [, line, column] =
    /\bline (\d+)(?:, column ([^:\n]{1,63}))?/.exec((error as { where?: string }).where ?? '') ?? [];
  if (line === undefined) return error;
  const named = column === undefined ? '' : `, column ${column}`;
  return new PlatformError('BAD_PARAMETER', {
    message: `Line ${line}${named}: the row cannot be stored.`,
    details: { line: Number(line), ...(column === undefined ? {} : { column }) },
    cause: error,
  });
}

/** Returns the SQLSTATE of a database error, or undefined for any other error. */
export function sqlState(error: unknown): string | undefined {
  return error instanceof Error && error.name === 'PostgresError'
    ? (error as Error & { code?: string }).code
    : undefined;
}
