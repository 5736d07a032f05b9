import { createHash } from 'node:crypto';
import { withoutDestroying } from './body-parameters.ts';

/** A body whose bytes are hashed as they are read, so that a repeat of the request can be compared with it. */
export class HashedBody implements AsyncIterable<Uint8Array> {
  private readonly source: AsyncIterator<Uint8Array>;
  private readonly hash = createHash('sha256');
  private digest: Buffer | undefined;

  constructor(bytes: AsyncIterable<Uint8Array>) {
    this.source = withoutDestroying(bytes)[Symbol.asyncIterator]();
  }

  /** A reader that stops early leaves the rest to the next one. */
  [Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    return { next: () => this.next() };
  }

  /** Returns the SHA-256 of the whole body; reads what is left of it. */
  async sha256(): Promise<Buffer> {
    while (!this.digest) await this.next();
    return this.digest;
  }

  /** Releases the stream, whose rest may then be read by others. */
  async release(): Promise<void> {
    await this.source.return?.();
  }

  private async next(): Promise<IteratorResult<Uint8Array>> {
    const result = await this.source.next();
    if (result.done !== true) this.hash.update(result.value);
    else this.digest ??= this.hash.digest();
    return result;
  }
}
