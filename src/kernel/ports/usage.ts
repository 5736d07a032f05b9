/** Whose use is counted: a user, or the address of a caller who has not signed in (`personId` 0). */
export interface UsageSubject {
  readonly personId: number;
  readonly address: string;
}

/** An API key with a limit of its own, which replaces that of its user. */
export interface LimitedKey {
  readonly id: number;
  readonly callsPerMinuteMax: number;
}

/** Counts the body of one call, as it is received. */
export interface BodyMeter {
  /** Counts bytes. @throws TOO_MANY beyond a limit: bytes a day, large bodies at once, bytes held at once */
  receive(bytes: number): Promise<void> | undefined;
  /** Ends the call: its body no longer counts toward the concurrent ones. */
  end(): void;
}

/**
 * The port through which surfaces and sign-in count the calls and bytes of each user, or of each address of callers who
 * have not signed in. The first refusal by a limit in its window is written to the security log.
 */
export interface Usage {
  /** Counts a call. Returns undefined if nothing must be awaited. @throws TOO_MANY */
  countCall(subject: UsageSubject, key?: LimitedKey): Promise<void> | undefined;
  /** Counts bytes received otherwise than by a body. Returns undefined if nothing must be awaited. @throws TOO_MANY */
  receive(subject: UsageSubject, bytes: number): Promise<void> | undefined;
  /** Returns the meter of one body. `isHeld`: whether all of it is in memory until the call is finished. */
  meter(subject: UsageSubject, isHeld: boolean): BodyMeter;
}
