import type { Parameters } from './parameters.ts';
import type { Db } from './store.ts';

/** A call to be made later: by whom, what, and when. */
export interface QueueRequest {
  /** `Module/Operation`, as a signature names it. */
  readonly route: string;
  readonly parameters: Parameters;
  readonly queueName?: string;
  /** Not before this instant (ISO 8601). */
  readonly queuedDate?: string;
  /** Makes the call recurring, by the schedule grammar. */
  readonly scheduleName?: string;
  /** A word by which the message can be found again. */
  readonly label?: string;
  readonly id?: number;
  readonly parent?: { readonly record: string; readonly id: number };
}

/** A request with who asked and why, ready to be kept. */
export interface QueuedCall extends QueueRequest {
  readonly messageId: string;
  readonly personId: number;
  readonly correlationId: string;
  readonly cause: readonly string[];
}

/** The port to the queue. `send` is part of the transaction that `db` belongs to. */
export interface Queue {
  send(db: Db, calls: readonly QueuedCall[]): Promise<void>;
  /** The queue's declared spelling, or an error that lists the known queues. */
  queueOf(name: string | undefined): string;
}
