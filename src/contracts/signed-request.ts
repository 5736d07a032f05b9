/** A webhook as it was received; header names in lower case. */
export interface SignedRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Uint8Array;
  /** The present time, ISO 8601. */
  readonly now: string;
}
