import { Readable } from 'node:stream';

/**
 * Watches how much of a mail a connection has taken, which decides what an attempt without an answer means: until the last byte
 * was handed over the mail cannot have been taken, since nothing has told the server that it is whole.
 */
export class MailTransmission {
  private readonly beforeData: () => Promise<void>;
  private stream: Readable | undefined;
  private begun: Promise<void> | undefined;
  /** What kept the mail's first byte from going out. */
  failure: { readonly error: unknown } | undefined;

  constructor(beforeData: () => Promise<void>) {
    this.beforeData = beforeData;
  }

  /** Whether all of the mail was handed over, so that the server may have taken it. */
  get isWhole(): boolean {
    return this.stream?.readableEnded === true;
  }

  /** The mail's bytes for a connection. `open` makes them, and is called when the connection asks for the first of them. */
  watch(open: () => AsyncIterable<Uint8Array>): Readable {
    // The library takes another connection where a kept one was gone before it read anything, and so it may. Never otherwise.
    if (this.stream?.readableDidRead) throw new Error('the mail was begun on another connection');
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
