/** One call of a combined transaction: see `combined-transactions.ts`. */
import { PlatformError } from '../door/errors.ts';
import type { Actor, Db, Transaction } from './store.ts';

/** A set statement: takes any number of inputs and returns an output for each, in their order. */
export type SetStatement<I, O> = (db: Db, inputs: readonly I[]) => Promise<readonly O[]>;

/** A call that may be combined with others. */
export interface CombinableCall<T> {
  readonly actor: Actor;
  readonly run: (transaction: Transaction) => Promise<T>;
  /** Whether nobody waits for the answer any more. The call then runs only if it has sent a statement. */
  readonly isCanceled?: (() => boolean) | undefined;
}

/** The group of a call, as far as the call uses it. */
interface CallGroup {
  query<R extends object>(call: CombinedCall, text: string, params: readonly unknown[]): Promise<R[]>;
  together<I, O>(call: CombinedCall, statement: SetStatement<I, O>, input: I): Promise<O>;
  fail(reason: unknown): Error;
}

/** The shared transaction, as seen by one of its calls. */
export class CombinedCall implements Transaction {
  statementCount = 0;
  /** Whether a statement was sent for it: the group is then rolled back if it fails. */
  hasSent = false;
  readonly callId: string;
  readonly isCanceled: (() => boolean) | undefined;
  /** Why it was withdrawn from its group. */
  withdrawal: Error | undefined;
  /** Since when it has been waiting, in milliseconds of the process's monotonic clock. */
  waitingSince: number | undefined;
  /** Never under row-level security: only calls with universal access are combined. */
  readonly elevation = 0;
  private readonly group: CallGroup;
  private waits = 0;
  private readonly withdrawn = Promise.withResolvers<never>();
  private readonly sentLater: Promise<unknown>[] = [];

  constructor(group: CallGroup, { callId, isCanceled }: Pick<CombinedCall, 'callId' | 'isCanceled'>) {
    this.group = group;
    this.callId = callId;
    this.isCanceled = isCanceled;
    this.withdrawn.promise.catch(() => undefined);
  }

  /** Ends its waits with an error; it sends nothing from now on. */
  withdraw(error: Error): void {
    this.withdrawal ??= error;
    this.withdrawn.reject(error);
  }

  /** Waits for a promise, or until the call is withdrawn. */
  async wait<T>(until: Promise<T>): Promise<T> {
    const before = this.waitingSince;
    this.waitingSince ??= performance.now();
    try {
      return await Promise.race([until, this.withdrawn.promise]);
    } finally {
      this.waitingSince = before;
    }
  }

  /** Whether it waits for the other calls. */
  get isWaiting(): boolean {
    return this.waits > 0;
  }

  query<R extends object = Record<string, unknown>>(text: string, params: readonly unknown[] = []): Promise<R[]> {
    this.statementCount++;
    return this.group.query<R>(this, text, params);
  }

  async together<I, O>(statement: SetStatement<I, O>, input: I): Promise<O> {
    this.statementCount++;
    this.waits++;
    try {
      const answer = this.group.together(this, statement, input);
      return await (this.hasSent ? answer : this.wait(answer));
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

/** Returns the error of a call that waited for others for too long. */
export function waitedTooLong(milliseconds: number): PlatformError {
  return new PlatformError('CONCURRENT_CHANGE', {
    message:
      `Other calls were changing the same records for more than ${milliseconds / 1_000} seconds. ` +
      'Nothing was changed; send the call again.',
  });
}

/** Returns the error of a call whose caller has gone while it waited. */
export function callerHasGone(): PlatformError {
  return new PlatformError('CONCURRENT_CHANGE', {
    message: 'The caller closed the connection while the call waited for others. Nothing was changed.',
  });
}
