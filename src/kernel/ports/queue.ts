import type { Alert } from '../door/errors.ts';
import type { Parameters } from '../parameters/parameters.ts';
import type { Db } from '../database/store.ts';

/** A call to run later. */
export interface QueueRequest {
  /** The operation's route, `module/operation`. */
  readonly route: string;
  readonly parameters: Parameters;
  readonly queueName?: string;
  /** Earliest time to run it (ISO 8601). */
  readonly queuedDate?: string;
  /** Makes the call recurring; a schedule such as `Daily @ 3am`. */
  readonly scheduleName?: string;
  /** A word to find the message by. */
  readonly label?: string;
  readonly parent?: { readonly record: string; readonly id: number };
  /** The user to run it as, if not the caller: the platform's own work runs as a built-in user. */
  readonly personId?: number;
  /** It continues the calling operation's work, and takes that operation's place in the cause. */
  readonly continuation?: true;
  /**
   * Housekeeping queues it again while there is work for it. Once its attempts are used up it ends as `failed`, without
   * a dead letter: nobody needs to retry it.
   */
  readonly isRepeated?: true;
  /** Nobody waits for it: other jobs of its queue run first. */
  readonly lowPriority?: true;
}

/** A request with its user and cause, ready to be stored. */
export interface QueuedCall extends QueueRequest {
  readonly messageId: string;
  readonly personId: number;
  readonly correlationId: string;
  readonly cause: readonly string[];
  /** Of later runs of a recurring call: the id of its first message, which identifies them all. */
  readonly scheduleId?: string;
  /** An agent queued it for the user: it runs without the permissions that agents never have. */
  readonly agent?: true;
  /** A browser session queued it whose user had not confirmed their identity recently. */
  readonly unconfirmed?: true;
}

/** The state of a queued call. */
export interface QueueMessage {
  readonly QueueMessageID: string;
  readonly QueueName: string;
  /** created, retry, paused, active, completed, failed, cancelled, dead or discarded. */
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
  /** Warnings returned with a failure; those of a success are stored with its result. */
  readonly alerts: readonly Alert[];
  /** The call's parameters, which no answer shows; empty if their key is gone. */
  readonly parameters: Parameters;
  readonly parent?: { readonly record: string; readonly id: number };
  /** By which the call is found in logs. */
  readonly CorrelationID: string | null;
  /** A hash that failures of one cause share; null if the last attempt did not end with an error. */
  readonly Cause: string | null;
  /** The failed attempts since it was last put into its queue, oldest first. */
  readonly failures: readonly FailedAttempt[];
  /** Who discarded it and why; null unless it is discarded. */
  readonly discarded: DiscardNote | null;
}

/** One failed attempt of a queued call. */
export interface FailedAttempt {
  readonly at: string;
  readonly code: string;
}

/** What is stored with discarded dead letters. */
export interface DiscardNote {
  /** Names all messages that were discarded together. */
  readonly discardId: string;
  readonly personId: number;
  readonly reason: string;
}

/** Dead letters of one operation that failed for the same cause. */
export interface DeadLetterCause {
  readonly Operation: string;
  readonly ErrorCode: string | null;
  readonly Cause: string | null;
  readonly Count: number;
  /** When the first and the last of them became a dead letter. */
  readonly FirstDate: string;
  readonly LastDate: string;
  /** The queues that they came from, separated by commas. */
  readonly QueueNames: string;
  /** The latest of them, and the text of its failure. */
  readonly QueueMessageID: string;
  readonly ErrorMessage: string | null;
}

/** The state of a message that was put back into its queue. `gone`: it ended and was deleted since. */
export interface MessageOutcome {
  readonly id: string;
  readonly state: 'waiting' | 'failing' | 'completed' | 'dead' | 'ended' | 'gone';
}

/** Which messages to find. */
export interface QueueFilter {
  readonly ids?: readonly string[];
  readonly queueName?: string;
  readonly state?: string;
  readonly label?: string;
  readonly personId?: number;
  readonly operation?: string;
  readonly errorCode?: string;
  /** Only failures with this cause; an empty text selects those without one. */
  readonly cause?: string;
  /** Only dead letters that became one before this instant. */
  readonly deadBefore?: string;
  /** Only messages that were discarded together. */
  readonly discardId?: string;
  /** Only the next runs of recurring calls. */
  readonly scheduled?: boolean;
  readonly start: number;
  readonly size: number;
}

/** Result of canceling a message: `running` and `ended` are not changed. */
export type CancelOutcome = 'canceled' | 'running' | 'ended';

/** The state of a queue. */
export interface QueueState {
  readonly QueueName: string;
  /** `running`; `stopped`: no jobs are claimed; `abandoned`: no longer in the settings, so nobody works on it. */
  readonly State: 'running' | 'stopped' | 'abandoned';
  /** Most messages claimed per minute; 0 for no limit. */
  readonly MessagesPerMinute: number;
  /** Messages that are due and wait for a worker. */
  readonly Waiting: number;
  /** Seconds since the oldest of them became due. */
  readonly OldestSeconds: number;
  /** Messages queued for a later time, including retries. */
  readonly Deferred: number;
  /** Messages that workers are running. */
  readonly Running: number;
  /** Messages of paused operations. */
  readonly Paused: number;
  /** Dead letters. */
  readonly Dead: number;
  /** When it was last stopped, started or throttled. */
  readonly ChangedDate: string | null;
  readonly ChangedPersonID: number | null;
  /** Why it was stopped or throttled. */
  readonly Reason: string | null;
}

/** An operation whose calls wait in a queue while its other calls run. */
export interface QueuePause {
  readonly QueueName: string;
  /** The operation's route, `module/operation`. */
  readonly Operation: string;
  /** How many of its calls are due and wait for its end. */
  readonly Waiting: number;
  readonly ChangedDate: string;
  readonly ChangedPersonID: number | null;
  readonly Reason: string | null;
}

/** The calls of one operation in a queue. */
export interface QueueCalls {
  readonly queueName: string;
  readonly operation: string;
}

/** Changes to a queue; absent properties stay as they are. */
export interface QueueControl {
  readonly stopped?: boolean;
  readonly messagesPerMinute?: number;
  /** The reason; null removes it. */
  readonly reason?: string | null;
}

/** The port to the queue. Methods with a `db` take part in its transaction. */
export interface Queue {
  send(db: Db, calls: readonly QueuedCall[]): Promise<void>;
  /**
   * Returns the queue's declared spelling; without a name, the default queue.
   * @throws BAD_PARAMETER listing the known queues
   */
  queueOf(name: string | undefined): string;
  find(db: Db, filter: QueueFilter): Promise<readonly QueueMessage[]>;
  /** Returns the causes of dead letters, the most recent first, with the number of dead letters examined. */
  causes(db: Db, size: number): Promise<{ readonly causes: readonly DeadLetterCause[]; readonly looked: number }>;
  /** Returns how many dead letters match a filter, at most its size. */
  countDead(db: Db, filter: QueueFilter): Promise<number>;
  /** Puts dead letters back into their queues, oldest first. Returns the ids of their messages. */
  requeue(db: Db, filter: QueueFilter): Promise<readonly string[]>;
  /** Ends dead letters without running them again. Returns the ids of their messages, which can still be looked up. */
  discard(db: Db, filter: QueueFilter, note: DiscardNote): Promise<readonly string[]>;
  /** Makes discarded messages dead letters again. Returns the ids of their messages. */
  restore(db: Db, filter: QueueFilter): Promise<readonly string[]>;
  /** Returns the states of messages that were put back. */
  outcomes(db: Db, ids: readonly string[]): Promise<readonly MessageOutcome[]>;
  /** Cancels a waiting message. Canceling any message of a recurring call ends the recurrence. */
  cancel(db: Db, id: string): Promise<CancelOutcome>;
  /** Returns every queue of the installation, in the order of the settings. */
  states(db: Db): Promise<readonly QueueState[]>;
  /** Returns the paused operations, the longest paused first. */
  pauses(db: Db): Promise<readonly QueuePause[]>;
  /** Keeps every worker of the installation from running an operation's calls of a queue, until they are resumed. */
  pause(db: Db, calls: QueueCalls, by: { readonly personId: number; readonly reason: string | null }): Promise<void>;
  /** Lets the calls of a paused operation run again. Returns false if it was not paused. */
  resume(db: Db, calls: QueueCalls): Promise<boolean>;
  /** Stops, starts or throttles a queue for every worker of the installation, until changed again. */
  control(db: Db, name: string, change: QueueControl, personId: number): Promise<void>;
}
