/**
 * Combines calls that would wait for the same lock into one transaction. Calls with the same key that arrive while one
 * runs form the next group. They run concurrently up to their first set statement, which is sent once for all of them,
 * as are later set statements and the commit. ADR 101 has the measurements.
 *
 * No call fails because of another. A call that fails before it has sent a statement leaves its group. After any other
 * failure, including one of the commit, the transaction is rolled back and each call runs again alone. All calls get
 * the error only if the outcome of the commit is unknown.
 */
import { UnknownOutcome } from './database-error.ts';
import { isRolledBack } from './sql-state.ts';
import type { Actor, Db, Transaction } from './store.ts';

/** Most calls in one transaction. Further calls form another group. */
const CALLS_MAX = 64;

/** After each failed group in a row, twice as many calls of its key run alone; this limits the doublings. */
const FAILURES_MAX = 6;

/** A set statement: takes any number of inputs and returns an output for each, in their order. */
export type SetStatement<I, O> = (db: Db, inputs: readonly I[]) => Promise<readonly O[]>;

/** Thrown when a call's combined transaction was rolled back. The call must run again in its own transaction. */
export class RunAlone extends Error {
  constructor(reason: unknown) {
    super('a combined transaction was rolled back', { cause: reason });
  }
}

/** Runs a function in a transaction that commits when it returns. */
type RunTransaction = <T>(actor: Actor, run: (transaction: Transaction) => Promise<T>) => Promise<T>;

/** The calls of one key. */
interface KeyQueue {
  /** Calls that have not ended. */
  calls: number;
  /** Transactions that run now. */
  running: number;
  /** The groups that accept calls, in the order in which they run. */
  readonly groups: Group[];
  /** Number of groups that failed in a row. */
  failures: number;
  /** Number of calls that still run alone, beside the waiting groups, before another group is formed. */
  alone: number;
}

/** All calls of a process that may be combined, by key. */
export class CombinedTransactions {
  private readonly queues = new Map<string, KeyQueue>();
  private readonly transaction: RunTransaction;

  constructor(transaction: RunTransaction) {
    this.transaction = transaction;
  }

  /**
   * Runs `run` in a transaction that commits when it returns: in one of its own if no other call of the key is running,
   * else in the next group's. All calls of a key have the same actor, except for the call ID.
   *
   * @throws RunAlone if the group's transaction was rolled back for a reason other than this call's own failure
   */
  async run<T>(key: string, actor: Actor, run: (transaction: Transaction) => Promise<T>): Promise<T> {
    const queue = this.queues.get(key) ?? { calls: 0, running: 0, groups: [], failures: 0, alone: 0 };
    this.queues.set(key, queue);
    queue.calls++;
    try {
      if (queue.running > 0 && queue.alone === 0) return await this.groupOf(queue, actor).join(actor.callId, run);
      if (queue.alone > 0) queue.alone--;
      queue.running++;
      return await this.transaction(actor, run).finally(() => this.startNext(queue));
    } finally {
      if (--queue.calls === 0) this.queues.delete(key);
    }
  }

  /** Returns the group that a call joins: the next one that has room. */
  private groupOf(queue: KeyQueue, actor: Actor): Group {
    const open = queue.groups.find(({ size }) => size < CALLS_MAX);
    if (open) return open;
    const group = new Group((run) => this.transaction(actor, run), {
      sealed: () => void queue.groups.splice(queue.groups.indexOf(group), 1),
      released: () => this.startNext(queue),
      failed: () => {
        queue.failures = Math.min(queue.failures + 1, FAILURES_MAX);
        queue.alone = group.size * 2 ** queue.failures;
      },
      committed: () => {
        queue.failures = 0;
      },
    });
    queue.groups.push(group);
    return group;
  }

  private startNext(queue: KeyQueue): void {
    queue.running--;
    const next = queue.groups.find(({ isStarted }) => !isStarted);
    // Calls that run alone may overlap indefinitely, so a group does not wait until none is running.
    if (!next || (queue.running > 0 && queue.alone === 0)) return;
    queue.running++;
    next.start();
  }
}

/** Set statements that wait for the other calls. */
interface Batch {
  readonly statement: SetStatement<unknown, unknown>;
  readonly inputs: unknown[];
  readonly answers: PromiseWithResolvers<unknown>[];
}

/** What a group reports. */
interface GroupEvents {
  /** The group accepts no more calls. */
  readonly sealed: () => void;
  /** The group holds its locks, or has ended: statements of the next one wait in the database. */
  readonly released: () => void;
  readonly failed: () => void;
  readonly committed: () => void;
}

/** Calls that share a transaction. */
class Group {
  size = 0;
  /** Calls that have not ended. */
  private readonly active = new Set<CombinedCall>();
  private readonly waiting = new Map<SetStatement<never, never>, Batch>();
  private readonly open: (run: (transaction: Transaction) => Promise<undefined>) => Promise<undefined>;
  private readonly events: GroupEvents;
  private transaction: Promise<Transaction> | undefined;
  /** Settles when all calls have ended; the transaction then commits. */
  private readonly work = Promise.withResolvers<undefined>();
  /** Settles when the transaction has ended. */
  private readonly outcome = Promise.withResolvers<undefined>();
  private failure: RunAlone | undefined;
  /** The call that history names, if a statement has set it. */
  private callId: string | undefined;
  /** Settles when the group may send statements, or has failed. */
  private readonly turn = Promise.withResolvers<undefined>();
  isStarted = false;
  private isSealed = false;
  private isReleased = false;
  private isEnded = false;
  private isChecking = false;

  constructor(open: Group['open'], events: GroupEvents) {
    this.open = open;
    this.events = events;
    this.outcome.promise.then(events.committed, events.failed);
    this.work.promise.catch(() => undefined);
    this.turn.promise.catch(() => undefined);
  }

  /** Lets the group send statements. */
  start(): void {
    this.isStarted = true;
    this.turn.resolve(undefined);
    this.check();
  }

  async join<T>(callId: string, run: (transaction: Transaction) => Promise<T>): Promise<T> {
    this.size++;
    const call = new CombinedCall(this, callId);
    this.active.add(call);
    try {
      const result = await run(call);
      await call.settle();
      this.leave(call);
      await this.outcome.promise;
      return result;
    } catch (error) {
      if (this.active.has(call)) {
        if (call.statementCount > 0) this.fail(error);
        this.leave(call);
        if (this.failure === undefined) throw error;
      }
      await this.outcome.promise;
      throw error;
    }
  }

  private seal(): void {
    if (this.isSealed) return;
    this.isSealed = true;
    this.events.sealed();
  }

  private leave(call: CombinedCall): void {
    this.active.delete(call);
    this.check();
  }

  /** Rolls the transaction back when all calls have ended; they get {@link RunAlone}. */
  fail(reason: unknown): RunAlone {
    this.failure ??= new RunAlone(reason);
    for (const { answers } of this.waiting.values()) for (const answer of answers) answer.reject(this.failure);
    this.waiting.clear();
    this.turn.reject(this.failure);
    this.seal();
    this.check();
    return this.failure;
  }

  /** Sends a statement of a call, which history names as the author of what it changes. */
  async query<R extends object>(callId: string, text: string, params: readonly unknown[]): Promise<R[]> {
    // Before its turn the group must not hold locks that the calls before it could need.
    await this.turn.promise;
    try {
      const transaction = await this.begin();
      if (callId !== this.callId) transaction.later("select set_config('casewright.call', $1::text, true)", [callId]);
      this.callId = callId;
      return await transaction.query<R>(text, params);
    } catch (error) {
      throw this.fail(error);
    }
  }

  together<I, O>(statement: SetStatement<I, O>, input: I): Promise<O> {
    if (this.failure !== undefined) return Promise.reject(this.failure);
    const answer = Promise.withResolvers<unknown>();
    let batch = this.waiting.get(statement as never);
    if (!batch)
      this.waiting.set(statement as never, (batch = { statement: statement as never, inputs: [], answers: [] }));
    batch.inputs.push(input);
    batch.answers.push(answer);
    this.check();
    return answer.promise as Promise<O>;
  }

  /** Opens the transaction. It ends when all calls have ended. */
  private begin(): Promise<Transaction> {
    if (this.failure) return Promise.reject(this.failure);
    if (this.transaction) return this.transaction;
    const opened = Promise.withResolvers<Transaction>();
    opened.promise.catch(() => undefined);
    this.transaction = opened.promise;
    this.open((transaction) => {
      opened.resolve(transaction);
      return this.work.promise;
    }).then(
      () => this.outcome.resolve(undefined),
      (error: unknown) => {
        opened.reject(error);
        const refusal = this.failure ?? (isRolledBack(error) ? new RunAlone(error) : error);
        // Calls that may have been committed must not run again.
        this.outcome.reject(error instanceof UnknownOutcome ? error : refusal);
      },
    );
    return opened.promise;
  }

  /** Resolves when the calls that can run now have run as far as they can. */
  private check(): void {
    if (this.isChecking) return;
    this.isChecking = true;
    setImmediate(() => {
      this.isChecking = false;
      this.continue();
    });
  }

  private continue(): void {
    // A failed group does not wait for its turn.
    if (this.isEnded || !(this.isStarted || this.failure)) return;
    if (this.active.size === 0) this.end();
    else if (this.failure === undefined && [...this.active].every(({ isWaiting }) => isWaiting)) this.flush();
  }

  private end(): void {
    this.isEnded = true;
    this.seal();
    if (this.failure) this.work.reject(this.failure);
    else this.work.resolve(undefined);
    if (!this.transaction && this.failure) this.outcome.reject(this.failure);
    else if (!this.transaction) this.outcome.resolve(undefined);
    this.release();
  }

  private release(): void {
    if (!this.isStarted || this.isReleased) return;
    this.isReleased = true;
    this.events.released();
  }

  /** Sends the statements that the calls wait for. No more calls join. */
  private flush(): void {
    this.seal();
    const batches = [...this.waiting.values()];
    this.waiting.clear();
    for (const batch of batches) void this.send(batch);
  }

  private async send({ statement, inputs, answers }: Batch): Promise<void> {
    try {
      const outputs = await statement(await this.begin(), inputs);
      for (const [n, answer] of answers.entries()) answer.resolve(outputs[n]);
      this.release();
    } catch (error) {
      const failure = this.fail(error);
      for (const answer of answers) answer.reject(failure);
    }
  }
}

/** The shared transaction, as seen by one of its calls. */
class CombinedCall implements Transaction {
  statementCount = 0;
  /** Never under row-level security: only calls with universal access are combined. */
  readonly elevation = 0;
  private readonly group: Group;
  private readonly callId: string;
  private waits = 0;
  private readonly sentLater: Promise<unknown>[] = [];

  constructor(group: Group, callId: string) {
    this.group = group;
    this.callId = callId;
  }

  /** Whether it waits for the other calls. */
  get isWaiting(): boolean {
    return this.waits > 0;
  }

  query<R extends object = Record<string, unknown>>(text: string, params: readonly unknown[] = []): Promise<R[]> {
    this.statementCount++;
    return this.group.query<R>(this.callId, text, params);
  }

  async together<I, O>(statement: SetStatement<I, O>, input: I): Promise<O> {
    this.statementCount++;
    this.waits++;
    try {
      return await this.group.together(statement, input);
    } finally {
      this.waits--;
    }
  }

  later(text: string, params: readonly unknown[]): void {
    const sent = this.query(text, params);
    sent.catch(() => undefined);
    this.sentLater.push(sent);
  }

  /** Waits for the statements sent by {@link later}. */
  async settle(): Promise<void> {
    await Promise.all(this.sentLater);
  }

  elevated<T>(run: (db: Db) => Promise<T>): Promise<T> {
    return run(this);
  }

  savepoint<T>(): Promise<T> {
    return this.refuse('a savepoint');
  }

  actingAs<T>(): Promise<T> {
    return this.refuse('another actor');
  }

  report<T>(): Promise<T> {
    return this.refuse('a report');
  }

  copyFrom(): Promise<number> {
    return this.refuse('a copy');
  }

  /** Nothing may run beside these in one transaction. */
  private refuse(what: string): Promise<never> {
    return Promise.reject(this.group.fail(new Error(`${what} in a combined transaction`)));
  }
}
