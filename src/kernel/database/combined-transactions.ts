/**
 * Combines calls that would wait for the same lock into one transaction. Calls with the same key that arrive while one
 * runs form the next group. They run concurrently up to their first set statement, which is sent once for all of them,
 * as are later set statements and the commit. ADR 101 has the measurements.
 *
 * No call fails because of another. A call that fails before it has sent a statement leaves its group. After any other
 * failure, including one of the commit, the transaction is rolled back and each call runs again alone. All calls get
 * the error only if the outcome of the commit is unknown.
 *
 * A call that has sent nothing also leaves its group, with an error, if it waits for longer than a statement may wait
 * for a lock, or if its caller has gone when its first statement would be sent. It is not carried out later.
 */
import { UnknownOutcome } from './database-error.ts';
import { isRolledBack } from './sql-state.ts';
import { CombinedCall, callerHasGone, waitedTooLong, type CombinableCall, type SetStatement } from './combined-call.ts';
import type { Actor, Transaction } from './store.ts';

/** Most calls in one transaction. Further calls form another group. */
const CALLS_MAX = 64;

/** After each failed group in a row, twice as many calls of its key run alone; this limits the doublings. */
const FAILURES_MAX = 6;

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
  private readonly waitMilliseconds: number;

  /** `waitMilliseconds`: how long a call may wait in its group before it has sent a statement. */
  constructor(transaction: RunTransaction, waitMilliseconds: number) {
    this.transaction = transaction;
    this.waitMilliseconds = waitMilliseconds;
  }

  /**
   * Runs `run` in a transaction that commits when it returns: in one of its own if no other call of the key is running,
   * else in the next group's. All calls of a key have the same actor, except for the call ID.
   *
   * @throws RunAlone if the group's transaction was rolled back for a reason other than this call's own failure
   * @throws CONCURRENT_CHANGE if the call waited too long, or was canceled while it waited; nothing was changed
   */
  async run<T>(key: string, call: CombinableCall<T>): Promise<T> {
    const { actor, run } = call;
    const queue = this.queues.get(key) ?? { calls: 0, running: 0, groups: [], failures: 0, alone: 0 };
    this.queues.set(key, queue);
    queue.calls++;
    try {
      if (queue.running > 0 && queue.alone === 0) return await this.groupOf(queue, actor).join(call);
      if (queue.alone > 0) queue.alone--;
      queue.running++;
      return await this.transaction(actor, run).finally(() => this.startNext(queue));
    } finally {
      if (--queue.calls === 0) this.queues.delete(key);
    }
  }

  /** Returns the group that a call joins: the next one that has room. */
  private groupOf(queue: KeyQueue, actor: Actor): Group {
    const joined = queue.groups.find(({ size }) => size < CALLS_MAX);
    if (joined) return joined;
    const open = (run: (transaction: Transaction) => Promise<undefined>): Promise<undefined> =>
      this.transaction(actor, run);
    const group = new Group(
      { open, waitMilliseconds: this.waitMilliseconds },
      {
        sealed: () => void queue.groups.splice(queue.groups.indexOf(group), 1),
        released: () => this.startNext(queue),
        failed: () => {
          queue.failures = Math.min(queue.failures + 1, FAILURES_MAX);
          queue.alone = group.size * 2 ** queue.failures;
        },
        committed: () => {
          queue.failures = 0;
        },
      },
    );
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
  readonly entries: BatchEntry[];
}

/** What one call puts into a set statement. */
interface BatchEntry {
  readonly call: CombinedCall;
  readonly input: unknown;
  readonly answer: PromiseWithResolvers<unknown>;
}

/** What a group depends on. */
interface GroupParts {
  readonly open: (run: (transaction: Transaction) => Promise<undefined>) => Promise<undefined>;
  readonly waitMilliseconds: number;
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
  private readonly parts: GroupParts;
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
  /** Runs when the call that has waited longest may wait no longer. */
  private timer: NodeJS.Timeout | undefined;

  constructor(parts: GroupParts, events: GroupEvents) {
    this.parts = parts;
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

  async join<T>({ actor, run, isCanceled }: CombinableCall<T>): Promise<T> {
    this.size++;
    const call = new CombinedCall(this, { callId: actor.callId, isCanceled });
    this.active.add(call);
    this.timer ??= this.startTimer(this.parts.waitMilliseconds);
    try {
      const result = await run(call);
      await call.settle();
      this.leave(call);
      await this.outcome.promise;
      return result;
    } catch (error) {
      if (this.active.has(call)) {
        const isWithdrawn = call.withdrawal !== undefined;
        if (call.hasSent) this.fail(error);
        else this.withdraw(call, error instanceof Error ? error : new Error('the call failed', { cause: error }));
        this.leave(call);
        if (isWithdrawn || this.failure === undefined) throw error;
      }
      await this.outcome.promise;
      throw error;
    }
  }

  private startTimer(milliseconds: number): NodeJS.Timeout {
    return setTimeout(() => this.withdrawLate(), milliseconds);
  }

  /** Withdraws the calls that have waited too long. */
  private withdrawLate(): void {
    const now = performance.now();
    let next = Infinity;
    for (const call of this.active) {
      if (call.hasSent || call.withdrawal !== undefined) continue;
      const left = (call.waitingSince ?? now) + this.parts.waitMilliseconds - now;
      if (left > 0) next = Math.min(next, left);
      else this.withdraw(call, waitedTooLong(this.parts.waitMilliseconds));
    }
    // While no call can wait, the next one to join starts it again.
    this.timer = next === Infinity ? undefined : this.startTimer(Math.ceil(next));
  }

  /** Takes a call that has sent nothing out of the group: what it waits for fails, and it sends nothing any more. */
  private withdraw(call: CombinedCall, error: Error): void {
    call.withdraw(error);
    for (const [statement, { entries }] of this.waiting) {
      for (const { answer } of entries.filter((entry) => entry.call === call)) answer.reject(error);
      const left = entries.filter((entry) => entry.call !== call);
      entries.splice(0, entries.length, ...left);
      if (left.length === 0) this.waiting.delete(statement);
    }
  }

  /** Withdraws the calls whose callers have gone before anything was sent for them. Returns whether there are any. */
  private withdrawCanceled(): boolean {
    const canceled = [...this.active].filter((call) => !call.hasSent && call.isCanceled?.() === true);
    for (const call of canceled) this.withdraw(call, callerHasGone());
    return canceled.length > 0;
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
    for (const { entries } of this.waiting.values()) for (const { answer } of entries) answer.reject(this.failure);
    this.waiting.clear();
    this.turn.reject(this.failure);
    this.seal();
    this.check();
    return this.failure;
  }

  /** Sends a statement of a call, which history names as the author of what it changes. */
  async query<R extends object>(call: CombinedCall, text: string, params: readonly unknown[]): Promise<R[]> {
    // Before its turn the group must not hold locks that the calls before it could need.
    await (call.hasSent ? this.turn.promise : call.wait(this.turn.promise));
    if (!call.hasSent && call.isCanceled?.() === true) this.withdraw(call, callerHasGone());
    if (call.withdrawal !== undefined) throw call.withdrawal;
    call.hasSent = true;
    const { callId } = call;
    try {
      const transaction = await this.begin();
      if (callId !== this.callId) transaction.later("select set_config('casewright.call', $1::text, true)", [callId]);
      this.callId = callId;
      return await transaction.query<R>(text, params);
    } catch (error) {
      throw this.fail(error);
    }
  }

  together<I, O>(call: CombinedCall, statement: SetStatement<I, O>, input: I): Promise<O> {
    if (this.failure !== undefined) return Promise.reject(this.failure);
    if (call.withdrawal !== undefined) return Promise.reject(call.withdrawal);
    const answer = Promise.withResolvers<unknown>();
    let batch = this.waiting.get(statement as never);
    if (!batch) this.waiting.set(statement as never, (batch = { statement: statement as never, entries: [] }));
    batch.entries.push({ call, input, answer });
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
    this.parts
      .open((transaction) => {
        opened.resolve(transaction);
        return this.work.promise;
      })
      .then(
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
    clearTimeout(this.timer);
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
    // Those that are withdrawn leave first.
    if (this.withdrawCanceled()) return;
    this.seal();
    const batches = [...this.waiting.values()];
    this.waiting.clear();
    for (const batch of batches) void this.send(batch);
  }

  private async send({ statement, entries }: Batch): Promise<void> {
    for (const { call } of entries) call.hasSent = true;
    try {
      const outputs = await statement(
        await this.begin(),
        entries.map(({ input }) => input),
      );
      for (const [n, { answer }] of entries.entries()) answer.resolve(outputs[n]);
      this.release();
    } catch (error) {
      const failure = this.fail(error);
      for (const { answer } of entries) answer.reject(failure);
    }
  }
}
