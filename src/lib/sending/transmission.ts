import { Readable } from 'node:stream';

/**
 * Tracks how much of a sending a connection has taken, which decides what an attempt without a reply means: until the
 * last byte is transmitted the server cannot have accepted the mail, since it does not know that it is complete.
 */
export class Transmission {
  private readonly beforeData: () => Promise<void>;
  private stream: Readable | undefined;
  private begun: Promise<void> | undefined;
  /** The error that prevented the first byte from being sent. */
  failure: { readonly error: unknown } | undefined;

  constructor(beforeData: () => Promise<void>) {
    this.beforeData = beforeData;
  }

  /** Whether everything was transmitted, so that the server may have accepted it. */
  get isWhole(): boolean {
    return this.stream?.readableEnded === true;
  }

  /** Returns the bytes for a connection. `open` creates them when the connection asks for the first one. */
  watch(open: () => AsyncIterable<Uint8Array>): Readable {
    // The library switches to another connection only if a pooled one was lost before it read anything. Any other retry
    // is refused.
    if (this.stream?.readableDidRead) throw new Error('the transmission began on another connection');
    this.stream = Readable.from(this.bytes(open), { objectMode: false });
    return this.stream;
  }

  private async *bytes(open: () => AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    try {
      await (this.begun ??= this.beforeData());
    } catch (error) {
      this.failure = { error };
      throw error;
    }
    yield* open();
  }
}
