import { PlatformError } from '../door/errors.ts';
import type { SetStatement } from './combined-call.ts';
import type { DedicatedConnection } from './connection-pool.ts';
import { commitFailure } from './database-error.ts';
import { isPreparable, type PreparedTexts } from './prepared-texts.ts';
import { REACH_ROLE, REPORT_ROLES } from './roles.ts';
import { sqlState, withCallerStack } from './sql-state.ts';
import type { Actor, Db, Transaction } from './store.ts';

/** Returns the role of an actor's transaction, or null for the schema's owner. */
function roleOf(actor: Actor): string | null {
  if (actor.report) return actor.firm === null ? REPORT_ROLES.universal : REPORT_ROLES.reached;
  return actor.firm === null ? null : REACH_ROLE;
}

/** The settings that name the actor: the person, and the firm whose rows row security shows. */
type ActorSettings = Pick<Actor, 'personId' | 'firm'>;

function actorSettingsSql({ personId, firm }: ActorSettings): string {
  return `set local casewright.person = '${personId ?? ''}'; set local casewright.firm = '${firm ?? 0}'`;
}

/**
 * Settings of saved queries: where they find their tables, how much memory each sort or hash may take, and how much
 * they may write to temporary files where the server lets this role limit that.
 */
const REPORT_SETTINGS = [
  'set local search_path to report, pg_catalog',
  "set local work_mem to '16MB'",
  "select set_config('temp_file_limit', '2GB', true) where has_parameter_privilege('temp_file_limit', 'set')",
];

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
export class PooledTransaction implements Transaction {
  private readonly connection: DedicatedConnection;
  private readonly role: string | null;
  private savepoints = 0;
  statementCount = 0;
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
  /** The actor that the database has; undefined where a rollback to a savepoint may have restored another. */
  private sentActor: ActorSettings | undefined;

  constructor(connection: DedicatedConnection, actor: Actor, mode: 'write' | 'read', prepared: PreparedTexts) {
    this.connection = connection;
    this.prepared = prepared;
    this.role = roleOf(actor);
    this.actor = { personId: actor.personId, firm: actor.firm };
    this.sentActor = this.actor;
    // One message: sending it costs more than its content.
    this.send(
      [
        mode === 'read' ? 'begin read only' : 'begin',
        ...(actor.report ? REPORT_SETTINGS : []),
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
    this.statementCount++;
    try {
      return await this.connection.query<R>(text, params, isPreparable(this.prepared, text));
    } catch (error) {
      throw withCallerStack(error);
    }
  }

  async together<I, O>(statement: SetStatement<I, O>, input: I): Promise<O> {
    const [output] = await statement(this, [input]);
    return output as O;
  }

  later(text: string, params: readonly unknown[]): void {
    this.sentLater++;
    this.background(this.query(text, params));
  }

  /** Waits for the statements that {@link later} has sent since it had sent this many, and throws their failure. */
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
      this.sentActor = undefined;
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

  async report<T>(actor: Actor, run: (db: Db) => Promise<T>): Promise<T> {
    const name = `s${++this.savepoints}`;
    this.send(
      [
        `savepoint ${name}`,
        'set local transaction_read_only to on',
        ...REPORT_SETTINGS,
        ...(actor.statementMilliseconds === undefined
          ? []
          : [`set local statement_timeout to ${actor.statementMilliseconds}`]),
        actorSettingsSql(actor),
        `set local role ${String(roleOf({ ...actor, report: true }))}`,
      ].join('; '),
    );
    try {
      return await run(this);
    } catch (error) {
      throw await this.rootFailure(error);
    } finally {
      // It has changed nothing. The rollback restores the role and the settings.
      await this.connection.query(`rollback to savepoint ${name}; release savepoint ${name}`, [], false, true);
      this.sentActor = undefined;
    }
  }

  /** Makes another actor the author of all later statements. */
  private switchActor(acting: ActorSettings): void {
    this.actor = acting;
    this.pendingActor = acting;
  }

  private flushActor(): void {
    const { pendingActor: actor } = this;
    this.pendingActor = undefined;
    if (!actor || (actor.personId === this.sentActor?.personId && actor.firm === this.sentActor.firm)) return;
    this.sentActor = actor;
    this.background(this.connection.query(actorSettingsSql(actor), [], false, true));
  }

  async copyFrom(text: string, bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<number> {
    if (this.ended) throw new Error('the transaction has ended');
    this.flushActor();
    this.statementCount++;
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
    const answer = await this.end(how);
    // The commit of an aborted transaction returns ROLLBACK without an error; ignoring it would lose the caller's work.
    if (how === 'commit' && (answer as { command?: string }).command === 'ROLLBACK') {
      // The answers share a packet: the driver may know the failure before the promise of its statement rejects.
      await Promise.all(this.inFlight);
      throw this.failure ?? new Error('the transaction had failed and was rolled back at commit');
    }
  }

  /** Sends commit or rollback. If the connection was lost before, the transaction is certainly not committed. */
  private async end(how: 'commit' | 'rollback'): Promise<unknown> {
    const { isLost } = this.connection;
    try {
      return await this.connection.query(how, [], false, true);
    } catch (error) {
      throw how === 'commit' && !isLost ? commitFailure(error) : error;
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
