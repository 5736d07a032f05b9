import type { Answer, ListAnswer, TreeAnswer } from './answer.ts';
import type { BusinessRules } from '../ports/business-rules.ts';
import type { Cipher } from '../security/cipher.ts';
import type { Clock } from '../time/clock.ts';
import type { Configuration } from '../database/configuration.ts';
import type { Documents } from '../ports/documents.ts';
import type { FileWatch } from '../ports/file-watch.ts';
import type { Alert, PlatformError } from './errors.ts';
import type { Principal, SecurityEvent } from '../security/identity.ts';
import type { Log } from '../ports/log.ts';
import type { Operation, OperationCatalog } from '../declare/operation.ts';
import type { Parameters } from '../parameters/parameters.ts';
import type { Providers } from '../ports/providers.ts';
import type { Queue, QueueRequest } from '../ports/queue.ts';
import type { RecordType } from '../declare/record.ts';
import type { RecordEvents } from '../ports/record-events.ts';
import type { Registry } from '../declare/registry.ts';
import type { Settings } from '../declare/setting.ts';
import type { Db, Transaction } from '../database/store.ts';
import type { BuiltinUser } from '../security/system-user.ts';
import type { Sandbox } from '../xml/sandbox/sandbox.ts';

/** The material of an operation whose body is not parameters. */
export interface Body {
  readonly mime: string;
  readonly bytes: AsyncIterable<Uint8Array>;
}

/** How many records a transaction has inserted and updated so far; what a part wrote that was undone again is counted too. */
export interface WriteCounts {
  inserted: number;
  updated: number;
}

/** Everything that an operation may use, bound to one call: nothing is reached through globals. */
export interface Context {
  readonly user: Principal;
  /** Who made the call and is told what came of it, also in a part that runs as a built-in user. */
  readonly caller: Principal;
  /** The call's transaction, or the plain pool where a read needs none. Under row security for users without universal access. */
  readonly db: Db;
  readonly clock: Clock;
  readonly settings: Settings;
  readonly registry: Registry;
  /** What is remembered of configuration: of what is committed, and where this transaction has changed some, of what it sees itself. */
  readonly configuration: Configuration;
  readonly cipher: Cipher;
  readonly log: Log;
  readonly providers: Providers;
  readonly queue: Queue;
  readonly documents: Documents;
  /** Files that arrive in storage locations. */
  readonly fileWatch: FileWatch;
  /** Where user-written stylesheets and XPath run. */
  readonly sandbox: Sandbox;
  /** What the installation has laid down about its records. Saves and calls ask by themselves. */
  readonly businessRules: BusinessRules;
  /** Who outside is told of changes of records. */
  readonly recordEvents: RecordEvents;
  /** Records that this transaction has shown to be within reach, as `Class:id`: they are not looked up again. `new Class:id`: it made them. */
  readonly reached: Set<string>;
  /** What saves have written in this transaction, whatever operation called them. */
  readonly writeCounts: WriteCounts;
  /** Finds every trace of the call: in the answer's header, the logs, history and error log. */
  readonly correlationId: string;
  /** The network address that the call came from; `queue` of a queued call. */
  readonly address: string;
  /** Of a queued call its message, the same however often it is delivered. */
  readonly messageId: string | undefined;
  readonly operation: Operation;
  /** What the operation was called with, as it was sent. */
  readonly rawParameters: Parameters;
  /** The record type that the operation works on; throws where it has none. */
  readonly record: RecordType;
  /** The parent named by the route `/api/{parent}/{id}/…`. */
  readonly parent: { readonly record: RecordType; readonly id: number } | undefined;
  readonly body: Body | undefined;
  /** Who called whom, outermost first: `Import/Template > Message/Save`. */
  readonly cause: readonly string[];
  /** Calls another operation on this call's authority and transaction. */
  call<N extends keyof OperationCatalog>(
    name: N,
    params: OperationCatalog[N] extends { params: infer P } ? P : never,
  ): Promise<OperationCatalog[N] extends { answer: infer A } ? A : Answer>;
  /** Calls an operation that configuration names; the permission is checked anew as the calling user. */
  callNamed(route: string, params: Parameters): Promise<Answer>;
  /**
   * Reads all that an operation which configuration names answers, in pieces and as it stood at one moment; permission and reach
   * are checked anew as the calling user. In a transaction. @throws BAD_PARAMETER where it answers no list or tree, or only pages
   */
  readNamed(route: string, params: Parameters, take: (piece: ListAnswer | TreeAnswer) => Promise<void>): Promise<void>;
  /** `checked`: the caller sent the parameters, and permission and reach are checked against them. `granted`: code calls on the authority of the door. */
  readonly authority: 'checked' | 'granted';
  /** The operation at a path below a module, saved statements included. */
  findOperation(module: string, path: string): Promise<Operation | undefined>;
  /** Who a stored person is when it calls, to see what may be configured to run as it; refused where it is no longer active. */
  principalOf(personId: number): Promise<Principal>;
  /**
   * Runs a part of the call, and of its transaction where there is one, as a built-in user: with its permissions, without row security,
   * and in its name. What configuration names is checked against that user. @throws STATE_REFUSES where the installation has removed the user
   */
  actingAs<T>(user: BuiltinUser, run: (ctx: Context) => Promise<T>): Promise<T>;
  /**
   * Lets the call fail after it has committed: what was called for is done, and something that followed from it is not. The first one
   * is what the caller is told. In a part with a transaction of its own it becomes a remark, since the others go on.
   */
  failAfterCommit(error: PlatformError): void;
  /** Adds a remark to the answer. */
  alert(alert: Alert): void;
  /** Takes the remarks of one code back out of the answer: for who tells of them in another place, such as a row's result. */
  takeAlerts(code: string): readonly Alert[];
  /** Notes that this transaction has changed configuration, which is then read anew. Saves note it by themselves; who writes it by SQL of his own says it. */
  configurationChanged(): void;
  /** Puts a call into the queue; it is there when this call's transaction commits, and not otherwise. Answers the message's id. */
  enqueue(request: QueueRequest): Promise<string>;
  /** Registers what must be undone outside of the database when the transaction does not commit, such as a stored file. */
  onUndo(undo: () => Promise<void>): void;
  /** Registers what is done last in the transaction, once all that the call changes is changed. It does not happen where the call fails. */
  beforeCommit(run: () => Promise<void>): void;
  /** Writes to the security log, in a transaction of its own: the entry stays whatever becomes of the call. */
  security(event: SecurityEvent): Promise<void>;
  /** Runs a part that can fail alone: what it wrote, queued, registered and remarked is then undone, and the transaction goes on. */
  savepoint<T>(run: () => Promise<T>): Promise<T>;
  /** The open transaction; throws in a read that has none. */
  transaction(): Transaction;
  /** Runs a saved query: read-only, under a role that sees only what reports show, within the user's reach. */
  report<T>(run: (db: Db) => Promise<T>): Promise<T>;
  /** For operations that commit item by item: runs a part in a transaction of its own, with this context bound to it. */
  inTransaction<T>(run: (ctx: Context) => Promise<T>): Promise<T>;
}
