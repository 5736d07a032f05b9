import postgres from 'postgres';
import { ConnectionPool, type DedicatedConnection, type PoolUsage } from './connection-pool.ts';
import { PlatformError } from '../door/errors.ts';
import type { Log } from '../ports/log.ts';

/** Runs SQL. Values are passed as parameters, never as text; each distinct text is prepared once per connection. */
export interface Db {
  query<R extends object = Record<string, unknown>>(text: string, params?: readonly unknown[]): Promise<R[]>;
}

/** How to reach the database: the same form for the embedded server and for one of the operator's own. */
export interface Connection {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly database: string;
  readonly password?: string;
  /** `require` encrypts; `verify-full` also checks the server's certificate. */
  readonly ssl?: 'require' | 'verify-full';
}

/** For whom a transaction runs. `firm` null: universal access, as the schema's owner. A number: under row security as that firm. */
export interface Actor {
  readonly personId: number | null;
  readonly firm: number | null;
  readonly callId: string;
  /** Runs saved queries under the role that may only read, and only what reports show; see {@link REPORT_ROLES}. */
  readonly report?: boolean;
  /** How long a statement may take where it is not the pool's limit: queued calls are the ones that take long. */
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
  /** Sends a statement whose answer nobody waits for, so that it travels with the next one. Where it fails the transaction cannot commit. */
  later(text: string, params: readonly unknown[]): void;
  /** Runs part of the work so that it can fail alone: on an error what it did is undone and the error is thrown on. */
  savepoint<T>(run: () => Promise<T>): Promise<T>;
  /**
   * Runs part of the work without row security, for the few things that look across firms by design (binding a loan by its
   * number, putting jobs into the queue). Everything inside must check for itself what the actor may learn or change.
   */
  elevated<T>(run: (db: Db) => Promise<T>): Promise<T>;
  /** Runs part of the work, without row security, in the name of another person: what it changes is that person's in history and reach. */
  actingAs<T>(personId: number, run: () => Promise<T>): Promise<T>;
  /**
   * Runs `copy … from stdin` with the bytes given, which are read no faster than the database takes them; it runs no other
   * statement meanwhile. Answers how many rows were loaded. Row security and a statement's time limit hold as for others.
   * @throws BAD_PARAMETER for a value that its column does not take; `details` has `line`, counted from the first byte, and `column`
   */
  copyFrom(text: string, bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<number>;
}

type Sql = postgres.Sql<Record<string, never>>;

/** How many distinct texts each connection keeps prepared. Callers choose filters freely, so there is no end to texts. */
const PREPARED_TEXTS_MAX = 2_000;

type PreparedTexts = Set<string>;

/**
 * The driver never forgets what it prepared; texts beyond the limit are planned anew each time. A FETCH is never prepared: its columns
 * are its cursor's, and the driver would read them as those of the first cursor that the connection had.
 */
function isPreparable(texts: PreparedTexts, text: string): boolean {
  if (text.startsWith('fetch ')) return false;
  if (texts.has(text)) return true;
  if (texts.size >= PREPARED_TEXTS_MAX) return false;
  texts.add(text);
  return true;
}

const isoOf = (text: string): string => {
  const plain = text.replace(' ', 'T').replace(/\+00(:00)?$/, '');
  const [head = plain, fraction = ''] = plain.split('.');
  return `${head}.${fraction.padEnd(3, '0').slice(0, 3)}Z`;
};

const asIs = (value: unknown): unknown => value;

/** postgres.js turns bigint into text and dates into JavaScript dates; both would lose what we keep. */
const types = {
  bigint: { to: 20, from: [20], serialize: String, parse: Number },
  date: { to: 1082, from: [1082], serialize: asIs, parse: asIs },
  timestamp: { to: 1184, from: [1114, 1184], serialize: asIs, parse: isoOf },
  // Columns of money have four decimals; what is told has as many as it needs.
  numeric: {
    to: 1700,
    from: [1700],
    serialize: asIs,
    parse: (text: string) => (text.includes('.') ? text.replace(/\.?0+$/, '') : text),
  },
  json: { to: 114, from: [114, 3802], serialize: asIs, parse: (text: string) => JSON.parse(text) as unknown },
};

/** Reserved role that row security applies to. */
export const REACH_ROLE = 'casewright_reach';

/** Roles of saved queries: the first under row security, the second sees every firm's rows. Neither can write. */
export const REPORT_ROLES = { reached: 'casewright_report', universal: 'casewright_report_all' } as const;

/** Role of the statements of bulk imports: it changes rows of staging tables, and has no rights outside of their schema. */
export const STAGING_ROLE = 'casewright_staging';

/** The role that an actor's transaction takes, or null for the schema's owner. */
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

/** The most connections of each of the three kinds that one process opens. */
const CONNECTIONS_MAX = 12;

const defaultLimits: TimeLimits = { statement: 30_000, lock: 10_000, idle: 60_000 };

/**
 * The database: reads without ceremony, transactions under an actor, and reads under row security. Each has connections of
 * its own. Plain reads share theirs, one behind the other; a transaction has its connection for itself; those of reads under
 * row security can do nothing else, because they sign in as the role that row security applies to.
 */
export class Store implements Db {
  readonly sql: Sql;
  readonly limits: TimeLimits;
  private readonly prepared: PreparedTexts = new Set();
  private readonly dedicated: ConnectionPool;
  private readonly reached: ConnectionPool;

  constructor(options: StoreOptions) {
    this.limits = options.limits ?? defaultLimits;
    const driver = driverOptions(options, this.limits);
    const max = options.connectionsMax ?? CONNECTIONS_MAX;
    this.sql = postgres({ ...driver, max }) as unknown as Sql;
    this.dedicated = new ConnectionPool(driver, max);
    this.reached = new ConnectionPool(
      {
        ...driver,
        connection: { ...driver.connection, role: REACH_ROLE, default_transaction_read_only: 'on' } as never,
      },
      max,
    );
  }

  async query<R extends object = Record<string, unknown>>(text: string, params: readonly unknown[] = []): Promise<R[]> {
    try {
      return (await this.sql.unsafe(
        text,
        params as never[],
        { prepare: isPreparable(this.prepared, text), simple: false } as never,
      )) as unknown as R[];
    } catch (error) {
      throw withCallerStack(error);
    }
  }

  /** Several statements in one simple-protocol message, without parameters: migrations. */
  async script(text: string): Promise<void> {
    await this.sql.unsafe(text).simple();
  }

  /** Runs `run` in a transaction that commits when it answers and is undone when it throws. */
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
   * One read under row security as a firm, in a transaction of its own. Where the connection last served another firm it is
   * told so in the same message: one round trip, one or two statements, where a transaction takes two and four.
   */
  async readAs<R extends object = Record<string, unknown>>(
    firm: number,
    text: string,
    params: readonly unknown[] = [],
  ): Promise<R[]> {
    if (!Number.isSafeInteger(firm)) throw new Error('a firm is named by its id');
    const taken = this.reached.acquire(firm);
    const connection = taken instanceof Promise ? await taken : taken;
    try {
      if (connection.sessionFirm === firm)
        return await connection.query<R>(text, params, isPreparable(this.prepared, text));
      connection.sessionFirm = undefined;
      // Only when both have succeeded are the rows this firm's.
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
   * Runs one statement outside of any transaction, under a time limit of its own: for what PostgreSQL does not do inside of one,
   * such as making an index while everybody goes on writing.
   */
  async outsideTransaction(text: string, milliseconds: number): Promise<void> {
    const taken = this.dedicated.acquire();
    const connection = taken instanceof Promise ? await taken : taken;
    let inDoubt = true;
    try {
      await connection.query(`set statement_timeout to ${milliseconds}`, [], false, true);
      await connection.query(text, [], false, true);
      await connection.query('reset statement_timeout', [], false, true);
      inDoubt = false;
    } catch (error) {
      throw withCallerStack(error);
    } finally {
      this.dedicated.release(connection, inDoubt);
    }
  }

  /** How the pools stand whose connections are lent: those of transactions, and those of reads under row security. */
  usage(): Readonly<Record<'transactions' | 'reached', PoolUsage>> {
    return { transactions: this.dedicated.usage(), reached: this.reached.usage() };
  }

  async end(): Promise<void> {
    await Promise.all([this.sql.end({ timeout: 5 }), this.dedicated.end(), this.reached.end()]);
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
    types: types as never,
    onnotice: (notice) => log.debug('database notice', { notice: notice['message'] }),
    connection: {
      application_name: applicationName ?? 'casewright',
      TimeZone: 'UTC',
      DateStyle: 'ISO',
      statement_timeout: limits.statement,
      lock_timeout: limits.lock,
      idle_in_transaction_session_timeout: limits.idle,
      // The firm that row security compares with: none, until a transaction says otherwise.
      'casewright.firm': '0',
    },
  };
}

/** In whose name work is done: a person, and the firm whose rows row security lets be seen. */
type ActorSettings = Pick<Actor, 'personId' | 'firm'>;

function actorSettingsSql({ personId, firm }: ActorSettings): string {
  return `set local casewright.person = '${personId ?? ''}'; set local casewright.firm = '${firm ?? 0}'`;
}

/** The states of statements that come after one that failed: those that are refused, and the undoing to a savepoint that was refused. */
const abortedStates: ReadonlySet<string | undefined> = new Set(['25P02', '3B001']);

function sqlLiteral(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/**
 * A transaction on a connection that it has for itself. What needs no answer (begin, the actor's settings, savepoints) is sent without
 * waiting, so that it travels with the first statement that does: a read under row security costs two round trips, not five.
 */
class PooledTransaction implements Transaction {
  private readonly connection: DedicatedConnection;
  private readonly role: string | null;
  private savepoints = 0;
  private failure: unknown;
  /** What was sent in the background and is not answered yet. */
  private readonly inFlight = new Set<Promise<void>>();
  private ended = false;
  /** How many elevated parts are running inside one another. */
  private elevation = 0;
  private readonly prepared: PreparedTexts;
  /** In whose name the work is done now. */
  private actor: ActorSettings;
  /** In whose name what is sent next is to be done, where the database has not been told yet: nothing may follow. */
  private pendingActor: ActorSettings | undefined;

  constructor(connection: DedicatedConnection, actor: Actor, mode: 'write' | 'read', prepared: PreparedTexts) {
    this.connection = connection;
    this.prepared = prepared;
    this.role = roleOf(actor);
    this.actor = { personId: actor.personId, firm: actor.firm };
    // One message: each costs the database and this process more than what it asks for.
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
    // What nobody waited for must not run in the transaction of the connection's next user.
    if (this.ended) throw new Error('the transaction has ended');
    this.flushActor();
    try {
      return await this.connection.query<R>(text, params, isPreparable(this.prepared, text));
    } catch (error) {
      throw withCallerStack(error);
    }
  }

  later(text: string, params: readonly unknown[]): void {
    this.background(this.query(text, params));
  }

  async savepoint<T>(run: () => Promise<T>): Promise<T> {
    const name = `s${++this.savepoints}`;
    const elevation = this.elevation;
    this.send(`savepoint ${name}`);
    try {
      const result = await run();
      this.send(`release savepoint ${name}`);
      return result;
    } catch (error) {
      await this.connection.query(`rollback to savepoint ${name}; release savepoint ${name}`, [], false, true);
      // Undoing to the savepoint also restores the role that was set when it was made.
      this.elevation = elevation;
      throw error;
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
      // The caller may handle the error and go on, and must not do so elevated. In an aborted transaction the role cannot be
      // set; the undo that must follow restores it.
      if (--this.elevation === 0)
        await this.connection.query(`set local role ${String(this.role)}`, [], false, true).catch(() => undefined);
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

  /** What is sent from now on is done in the name of another. */
  private switchActor(acting: ActorSettings): void {
    this.actor = acting;
    this.pendingActor = acting;
  }

  private flushActor(): void {
    const { pendingActor: untold } = this;
    this.pendingActor = undefined;
    if (untold) this.background(this.connection.query(actorSettingsSql(untold), [], false, true));
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
    // A commit of an aborted transaction is answered as ROLLBACK without an error; silence would lose the caller's work.
    if (how === 'commit' && (answer as unknown as { command?: string }).command === 'ROLLBACK') {
      // The answers come in one packet: what failed may be known to the driver but not yet to who sent it.
      await Promise.all(this.inFlight);
      throw this.failure ?? new Error('the transaction had failed and was rolled back at commit');
    }
  }

  /** Why work was given up: of a statement that was refused because one before it had failed, for which nobody waited, that one's failure. It says whether the work may be run again. */
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
    const told: Promise<void> = Promise.resolve(query).then(
      () => void this.inFlight.delete(told),
      (error: unknown) => {
        // What was refused for another's failure may be known before that failure is: their answers come in one packet.
        if (this.failure === undefined || abortedStates.has(sqlState(this.failure))) this.failure = error;
        this.inFlight.delete(told);
      },
    );
    this.inFlight.add(told);
  }
}

/** A PostgreSQL array literal for a parameter with an array cast. */
export function arrayLiteral(values: readonly (string | number | null)[]): string {
  return `{${values.map((v) => (v === null ? 'NULL' : typeof v === 'number' ? v : `"${/["\\]/.test(v) ? v.replaceAll('\\', '\\\\').replaceAll('"', '\\"') : v}"`)).join(',')}}`;
}

/** The driver makes its errors where it reads the socket; the stack that the error log keeps must say who asked. */
function withCallerStack(error: unknown): unknown {
  if (sqlState(error) === undefined) return error;
  // Defined rather than assigned: the driver has made the property read-only.
  Reflect.defineProperty(error as Error, 'stack', {
    value: `PostgresError\n${(new Error().stack ?? '').split('\n').slice(2).join('\n')}`,
    configurable: true,
  });
  return error;
}

/** A copy's refusal of a value, with the line that the database names; its own text repeats the value, which may be personal. */
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

/** The SQLSTATE of a database error, or undefined where the error is of another kind. */
export function sqlState(error: unknown): string | undefined {
  return error instanceof Error && error.name === 'PostgresError'
    ? (error as Error & { code?: string }).code
    : undefined;
}
