import type { Answer, ListAnswer, TreeAnswer } from './answer.ts';
import type { BusinessRules } from '../ports/business-rules.ts';
import type { RuleSets } from '../ports/rule-sets.ts';
import type { Cipher } from '../security/cipher.ts';
import type { Clock } from '../time/clock.ts';
import type { Configuration } from '../database/configuration.ts';
import type { Documents } from '../ports/documents.ts';
import type { FileWatch } from '../ports/file-watch.ts';
import type { Alert, PlatformError } from './errors.ts';
import type { BuiltinUser, EventLimit, Principal, Rights, SecurityEvent } from '../security/identity.ts';
import type { Log } from '../ports/log.ts';
import type { AnswerTo, MoreParametersFor, OnlyKnown, OperationName, ParametersFor } from '../declare/catalog.ts';
import type { Operation } from '../declare/operation.ts';
import type { Parameters } from '../parameters/parameters.ts';
import type { Providers } from '../ports/providers.ts';
import type { Queue, QueueRequest } from '../ports/queue.ts';
import type { RecordType } from '../declare/record.ts';
import type { RecordEvents } from '../ports/record-events.ts';
import type { SlowSearches } from '../records/search/slow-searches.ts';
import type { Registry } from '../declare/registry.ts';
import type { Settings } from '../declare/setting.ts';
import type { Db, Transaction } from '../database/store.ts';
import type { NamedRows } from './named-records.ts';
import type { Marks, ScratchToken } from './scratch.ts';
import type { Sandbox } from '../xml/sandbox/sandbox.ts';

/** The body of an operation that takes raw material instead of parameters. */
export interface Body {
  /** The content type without its parameters, in lower case. */
  readonly mime: string;
  /** The content type as it was sent; needed for the boundary of a multipart body. */
  readonly contentType?: string | undefined;
  readonly bytes: AsyncIterable<Uint8Array>;
}

/** Numbers of records that a transaction has inserted and updated so far; rolled-back savepoints are included. */
export interface WriteCounts {
  inserted: number;
  updated: number;
}

/** The records that a transaction has shown to be within the reach of its user. Always empty without a transaction. */
export interface Reach {
  /** Whether the transaction has read or written the record, which then need not be read only to check its reach. */
  has(record: Pick<RecordType, 'name'>, id: number): boolean;
  /** Whether this transaction has inserted the record as this user, so that no other transaction sees it yet. */
  hasCreated(record: Pick<RecordType, 'name'>, id: number): boolean;
}

/**
 * Everything that an operation may use, bound to one call. Nothing is reached through globals. `R` is the record type
 * of the operation's module: the run function of `contact/normalize` gets a `Context<typeof contact>`.
 */
export interface Context<R extends RecordType = RecordType> {
  readonly user: Principal;
  /** Who made the call and receives its result, also while part of it runs as a built-in user. */
  readonly caller: Principal;
  /**
   * The call's transaction, or the pool for a read that needs none. Under row-level security unless the user has
   * universal access.
   */
  readonly db: Db;
  readonly clock: Clock;
  readonly settings: Settings;
  readonly registry: Registry;
  /** Cached configuration: the committed state, or the transaction's own view once it has changed some. */
  readonly configuration: Configuration;
  readonly cipher: Cipher;
  readonly log: Log;
  readonly providers: Providers;
  readonly queue: Queue;
  readonly documents: Documents;
  /** Files arriving in storage locations. */
  readonly fileWatch: FileWatch;
  /** Where user-written stylesheets and XPath expressions run. */
  readonly sandbox: Sandbox;
  /** The installation's business rules. Saves and calls enforce them without being asked. */
  readonly businessRules: BusinessRules;
  /** Rule sets that apply themselves to changes of records. Saves apply them without being asked. */
  readonly ruleSets: RuleSets;
  /** Subscribers outside the platform to changes of records. */
  readonly recordEvents: RecordEvents;
  /** Records slow searches. */
  readonly slowSearches: SlowSearches;
  /** The records that this transaction has shown to be within the user's reach. Only the kernel adds to it. */
  readonly reach: Reach;
  /** Numbers of records that saves have written in this transaction, through any operation. */
  readonly writeCounts: WriteCounts;
  /** Identifies the call in the response header, the logs, history and the error log. */
  readonly correlationId: string;
  /** The caller's network address; `queue` for a queued call. */
  readonly address: string;
  /** The message of a queued call, the same for each delivery. */
  readonly messageId: string | undefined;
  /**
   * The same for each repetition of the call: with its Idempotency-Key and parameters, or as another delivery of its
   * message. Undefined without either, and in calls by other operations.
   */
  readonly requestKey: string | undefined;
  readonly operation: Operation;
  /** The parameters as they were sent, before parsing. */
  readonly rawParameters: Parameters;
  /** The record type that the operation works on. Throws if it has none. */
  readonly record: R;
  /** The rows that the door has read for the operation, by parameter. Use `namedRow`, which types them. */
  readonly named: ReadonlyMap<string, NamedRows>;
  /** The parent named by a route `/api/{parent}/{id}/…`. */
  readonly parent: { readonly record: RecordType; readonly id: number } | undefined;
  readonly body: Body | undefined;
  /** Names of the calling operations, outermost first: `Import/Template > Message/Save`. */
  readonly cause: readonly string[];
  /**
   * Calls another operation in this call's transaction, without checking permission again. `more`: parameters whose
   * names are known only at run time, for operations that accept such; `params` override them.
   */
  call<N extends OperationName, const P extends ParametersFor<N>>(
    name: N,
    params: P & OnlyKnown<P, ParametersFor<N>>,
    more?: MoreParametersFor<N>,
  ): Promise<AnswerTo<N, P>>;
  /** Calls an operation of a record type that is known only at run time, without checking permission again. */
  callOf(record: RecordType, operation: string, params: Parameters): Promise<Answer>;
  /** Calls an operation named by configuration. Checks its permission for the calling user. */
  callNamed(route: string, params: Parameters): Promise<Answer>;
  /**
   * Reads everything that an operation named by configuration returns, piece by piece, in one snapshot. Checks
   * permission and reach for the calling user. Needs a transaction.
   * @throws BAD_PARAMETER if it returns no list or tree, or only single pages
   */
  readNamed(route: string, params: Parameters, take: (piece: ListAnswer | TreeAnswer) => Promise<void>): Promise<void>;
  /** Throws as {@link readNamed} would for an operation or parameters that it refuses. Reads nothing. */
  checkReadNamed(route: string, params: Parameters): Promise<void>;
  /**
   * `checked`: the caller sent the parameters; permission and reach are checked. `granted`: code calls on the door's
   * authority.
   */
  readonly authority: 'checked' | 'granted';
  /** Returns the operation at a path below a module, saved statements included. */
  findOperation(module: string, path: string): Promise<Operation | undefined>;
  /**
   * Returns the principal of a stored person, to check what may be configured to run as it. Refused if it is not
   * active.
   */
  principalOf(personId: number): Promise<Principal>;
  /** Returns what roles grant together, by name, including changes of this transaction. Needs a transaction. */
  rightsOfRoles(names: readonly string[]): Promise<Rights>;
  /** Returns the id of a built-in user; undefined if the installation has removed it. */
  builtinPersonId(name: BuiltinUser): Promise<number | undefined>;
  /**
   * Runs part of the call, in its transaction if there is one, as a built-in user: with that user's permissions,
   * without row-level security, and with that user as the actor. Operations named by configuration are checked against
   * that user.
   * @throws STATE_REFUSES if the installation has removed the user
   */
  actingAs<T>(user: BuiltinUser, run: (ctx: Context<R>) => Promise<T>): Promise<T>;
  /**
   * Fails the call after its commit: the requested change is made, but something that followed from it failed. The
   * first such error is returned to the caller. In a part with its own transaction it becomes a warning, since the rest
   * continues.
   */
  failAfterCommit(error: PlatformError): void;
  /** Returns what the transaction remembers under a token; see `scratch.ts`. */
  scratch<T>(token: ScratchToken<T>): T;
  /**
   * Runs a function once per key and transaction, and returns its result; undefined if it has run before. Runs it again
   * after a save point in which it ran is rolled back.
   */
  once<K extends string | number, T>(token: ScratchToken<Marks<K>>, key: K, run: () => T): T | undefined;
  /** Adds a warning to the answer. */
  alert(alert: Alert): void;
  /** Removes and returns the warnings of some codes, or all, to report them elsewhere, such as in a row's result. */
  takeAlerts(...codes: readonly string[]): readonly Alert[];
  /**
   * Notes that this transaction has changed configuration, which is then read again. Saves do this themselves; code
   * that changes configuration by its own SQL must call it.
   */
  configurationChanged(): void;
  /**
   * Notes that the transaction changes users, keys or sessions: this process reads them anew once it has committed.
   * Called for every change of a record of access control.
   */
  accessChanged(): void;
  /** Returns whether the database's disk is full now; see `disk-space.ts`. */
  isDatabaseDiskFull(): Promise<boolean>;
  /** Queues a call; it is sent when this call's transaction commits, and only then. Returns the message id. */
  enqueue(request: QueueRequest): Promise<string>;
  /**
   * Registers a function that undoes work outside the database, such as a stored file, if the transaction does not
   * commit. Skipped if the connection is lost during the commit: what was stored may then be in use.
   */
  onUndo(undo: () => Promise<void>): void;
  /** Registers a function that runs last in the transaction, after all other changes. Skipped if the call fails. */
  beforeCommit(run: () => Promise<void>): void;
  /** Writes to the security log in its own transaction: the entry stays even if the call fails. */
  security(event: SecurityEvent): Promise<void>;
  /**
   * Writes an event to the security log, of which the caller may cause only so many. Returns 0, or the seconds after
   * which the next is admitted. The entry and the count stay even if the call fails.
   */
  limitedSecurity(event: SecurityEvent, limit: EventLimit): Promise<number>;
  /**
   * Runs a part that may fail alone. On failure, undoes what it wrote, queued, registered and warned of; the
   * transaction continues.
   */
  savepoint<T>(run: () => Promise<T>): Promise<T>;
  /** Whether a transaction is open: false in a read, and between those of an operation that opens its own. */
  readonly isInTransaction: boolean;
  /** Returns the open transaction. Throws in a read, which has none. */
  transaction(): Transaction;
  /**
   * Runs a saved query: read-only, under a role that sees only reportable columns, within the user's reach. No
   * statement may take longer than `milliseconds`, or than the call allows.
   */
  report<T>(run: (db: Db) => Promise<T>, milliseconds?: number): Promise<T>;
  /** Runs a part in its own transaction, with a context bound to it, for operations that commit item by item. */
  inTransaction<T>(run: (ctx: Context<R>) => Promise<T>): Promise<T>;
}
