/** Why the embedded server could not be started. */
export type EmbeddedPostgresReason = 'owned' | 'version' | 'unsupported' | 'folder' | 'setting' | 'initdb' | 'start';

/** A refused or failed start of the embedded server; the message says what was expected and what to do. */
export class EmbeddedPostgresError extends Error {
  override readonly name = 'EmbeddedPostgresError';
  readonly reason: EmbeddedPostgresReason;

  constructor(reason: EmbeddedPostgresReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}
