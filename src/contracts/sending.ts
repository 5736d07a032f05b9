/**
 * What all contracts share by which something leaves the platform for a recipient: mails, letters, messages. One
 * decision is recorded per sending, before anything leaves, and one outcome per recipient afterwards.
 */

/**
 * Status of a sending for one recipient. `accepted`: the service took it over. `refused`: it never will. `later`: it
 * did not, or it recognizes another attempt as the same sending; that attempt may succeed. `unknown`: everything was
 * transferred but no answer came, so it may have been accepted.
 */
export type SendingStatus = 'accepted' | 'refused' | 'later' | 'unknown';

/** The outcome of a sending for one recipient. */
export interface SendingOutcome {
  readonly status: SendingStatus;
  /**
   * The service's reply, or what prevented sending; null if accepted. Without control characters, at most 300
   * characters.
   */
  readonly detail: string | null;
  /** The service's own ID of what was sent, if it returns one: one line of at most 200 characters. */
  readonly reference?: string;
  /** With `later`: how long the service asks us to wait. */
  readonly retryAfterSeconds?: number;
}

/** Options of sending. */
export interface SendOptions {
  /** Aborts the attempt; its outcome is returned like any other. */
  readonly signal?: AbortSignal;
  /**
   * Called once, before the first byte is sent: until then it is certain that nobody has anything of it. If it throws,
   * nothing is sent and the error is rethrown.
   */
  readonly beforeData?: () => Promise<void>;
}
