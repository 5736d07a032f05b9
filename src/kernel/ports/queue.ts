import type { Alert } from '../door/errors.ts';
import type { Parameters } from '../parameters/parameters.ts';
import type { Db } from '../database/store.ts';

/** A call to be made later: by whom, what, and when. */
export interface QueueRequest {
  /** `module/operation`, as a route names it. */
  readonly route: string;
  readonly parameters: Parameters;
  readonly queueName?: string;
  /** Not before this instant (ISO 8601). */
  readonly queuedDate?: string;
  /** Makes the call recurring, by the schedule grammar. */
  readonly scheduleName?: string;
  /** A word by which the message can be found again. */
  readonly label?: string;
  readonly parent?: { readonly record: string; readonly id: number };
  /** Whom it runs as where that is not the caller: the platform's own work is the built-in user's. */
  readonly personId?: number;
  /** It goes on with the work of the call that queues it, in whose place it stands among who called whom. */
  readonly continuation?: true;
  /** Nobody waits for it: what else its queue has to do is done first. */
  readonly lowPriority?: true;
}

/** A request with who asked and why, ready to be kept. */
export interface QueuedCall extends QueueRequest {
  readonly messageId: string;
  readonly personId: number;
  readonly correlationId: string;
  readonly cause: readonly string[];
  /** Of a recurring call's later runs: the id of its first message, by which all of them are known. */
  readonly scheduleId?: string;
  /** An agent queued it for the user: it runs without the permissions that agents never have. */
  readonly agent?: true;
}

/** What is known of a queued call. */
export interface QueueMessage {
  readonly QueueMessageID: string;
  readonly QueueName: string;
  /** created, retry, active, completed, cancelled or dead. */
  readonly State: string;
  readonly Operation: string;
  readonly PersonID: number;
  readonly QueueLabel: string | null;
  readonly ScheduleName: string | null;
  /** The first message of the recurring call that it belongs to. */
  readonly ScheduleID: string | null;
  readonly Attempts: number;
  readonly QueuedDate: string;
  readonly StartAfter: string | null;
  readonly CompletedDate: string | null;
  readonly ErrorCode: string | null;
  readonly ErrorMessage: string | null;
  /** Remarks that travelled with the failure; those of a success are kept with its result. */
  readonly alerts: readonly Alert[];
}

/** Which messages are asked for. */
export interface QueueFilter {
  readonly ids?: readonly string[];
  readonly queueName?: string;
  readonly state?: string;
  readonly label?: string;
  readonly personId?: number;
  readonly operation?: string;
  readonly errorCode?: string;
  /** Only the next runs of recurring calls. */
  readonly scheduled?: boolean;
  readonly start: number;
  readonly size: number;
}

/** What canceling a message came to: `running` and `ended` are left as they are. */
export type CancelOutcome = 'canceled' | 'running' | 'ended';

/** A queue as it stands. */
export interface QueueState {
  readonly QueueName: string;
  /** `running`; `stopped`: nothing is taken from it; `abandoned`: the settings do not name it any more, so nobody works on it. */
  readonly State: 'running' | 'stopped' | 'abandoned';
  /** Messages that may be taken in a minute; 0 is as many as there are. */
  readonly MessagesPerMinute: number;
  /** Due and waiting for a worker. */
  readonly Waiting: number;
  /** For how many seconds the oldest of them has been due. */
  readonly OldestSeconds: number;
  /** Queued for a later time, tries of failed ones among them. */
  readonly Deferred: number;
  /** In the hands of workers. */
  readonly Running: number;
  /** Among the dead letters. */
  readonly Dead: number;
  /** When it was last stopped, started or throttled, and by whom. */
  readonly ChangedDate: string | null;
  readonly ChangedPersonID: number | null;
}

/** What an administrator says of a queue; what is left out stays as it is. */
export interface QueueControl {
  readonly stopped?: boolean;
  readonly messagesPerMinute?: number;
}

/** The port to the queue. What takes a `db` is part of the transaction that it belongs to. */
export interface Queue {
  send(db: Db, calls: readonly QueuedCall[]): Promise<void>;
  /** The queue's declared spelling, or an error that lists the known queues. Without a name, the default queue. */
  queueOf(name: string | undefined): string;
  find(db: Db, filter: QueueFilter): Promise<readonly QueueMessage[]>;
  /** Puts dead letters back into their queues, the oldest first; answers how many. */
  requeue(db: Db, filter: QueueFilter): Promise<number>;
  /** Takes a waiting message out of its queue; a recurring call's, that or any later one, ends the recurrence. */
  cancel(db: Db, id: string): Promise<CancelOutcome>;
  /** Every queue of the installation, in the order of the settings. */
  states(db: Db): Promise<readonly QueueState[]>;
  /** Stops, starts or throttles a queue for every worker of the installation, until it is said otherwise. */
  control(db: Db, name: string, change: QueueControl, personId: number): Promise<void>;
}
