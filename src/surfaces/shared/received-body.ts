import { Readable } from 'node:stream';
import { withoutDestroying, type ArrivingBytes } from '../../kernel/parameters/body-parameters.ts';
import { PlatformError } from '../../kernel/door/errors.ts';

/** How long a client may send nothing while its body is read. */
const SILENT_MILLISECONDS_MAX = 20_000;
/** Minimum average bytes per second that a client must send, not counting that time. */
const BYTES_PER_SECOND_MIN = 1024;
/** How often that is checked. */
const CHECK_MILLISECONDS = 1_000;
/** How long a client that was too slow may take to read the refusal before its connection is closed. */
const CLOSE_MILLISECONDS = 2_000;

/** The request that a body comes with. */
export interface BodySource {
  readonly complete: boolean;
  readonly destroyed: boolean;
  readonly headers?: { readonly 'content-length'?: string | undefined };
  destroy(): void;
}

/** Limits of {@link receivedBody}; the defaults are for tests to change. */
export interface BodyPace {
  readonly silentMillisecondsMax: number;
  readonly checkMilliseconds: number;
}

const PACE: BodyPace = { silentMillisecondsMax: SILENT_MILLISECONDS_MAX, checkMilliseconds: CHECK_MILLISECONDS };

/**
 * Returns a body whose client must keep sending: a slow or silent one would hold a connection, a call and its memory.
 * Only time in which somebody waits for bytes counts. `count` is called with the length of each piece.
 * @throws TOO_SLOW, and what `count` throws
 */
export function receivedBody(
  bytes: AsyncIterable<Uint8Array>,
  request: BodySource,
  count?: (bytes: number) => Promise<void> | undefined,
  pace: BodyPace = PACE,
): ArrivingBytes {
  return {
    [Symbol.asyncIterator]: () => new ReceivedBody(bytes, request, count, pace),
    takeArrived: () => takeArrived(bytes, request, count),
  };
}

/** Takes a body that has arrived as a whole, which needs neither a limit of time nor an iterator. */
function takeArrived(
  bytes: AsyncIterable<Uint8Array>,
  { destroyed, headers }: BodySource,
  count: ((bytes: number) => Promise<void> | undefined) | undefined,
): Promise<Buffer> | undefined {
  if (destroyed || !(bytes instanceof Readable) || bytes.readableDidRead) return undefined;
  if (bytes.readableLength === 0 || headers?.['content-length'] !== String(bytes.readableLength)) return undefined;
  const whole = bytes.read() as Buffer;
  return Promise.resolve(count?.(whole.length)).then(() => whole);
}

/** Returns a body whose pieces are counted. @throws what `count` throws */
export async function* countedBody(
  bytes: AsyncIterable<Uint8Array>,
  count: (bytes: number) => Promise<void> | undefined,
): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const piece of withoutDestroying(bytes)) {
    await count(piece.length);
    yield piece;
  }
}

class ReceivedBody implements AsyncIterator<Uint8Array> {
  private readonly source: AsyncIterator<Uint8Array>;
  private readonly request: BodySource;
  private readonly count: ((bytes: number) => Promise<void> | undefined) | undefined;
  private readonly pace: BodyPace;
  private readonly timer: NodeJS.Timeout;
  private received = 0;
  /** How long readers have waited in total, in milliseconds, until the present wait. */
  private waited = 0;
  /** The reader that waits for a piece, and since when. */
  private waiting: { readonly since: number; readonly refuse: (error: PlatformError) => void } | undefined;

  constructor(
    bytes: AsyncIterable<Uint8Array>,
    request: BodySource,
    count: ((bytes: number) => Promise<void> | undefined) | undefined,
    pace: BodyPace,
  ) {
    this.source = withoutDestroying(bytes)[Symbol.asyncIterator]();
    this.request = request;
    this.count = count;
    this.pace = pace;
    this.timer = setInterval(() => this.check(), pace.checkMilliseconds).unref();
  }

  async next(): Promise<IteratorResult<Uint8Array>> {
    const result = await this.piece();
    if (result.done === true) clearInterval(this.timer);
    else {
      this.received += result.value.length;
      await this.countPiece(result.value.length);
    }
    return result;
  }

  /** Who reads is not asked to release a body whose reading failed. */
  private async countPiece(bytes: number): Promise<void> {
    try {
      await this.count?.(bytes);
    } catch (error) {
      await this.return();
      throw error;
    }
  }

  async return(): Promise<IteratorResult<Uint8Array>> {
    clearInterval(this.timer);
    // A source that waits for its client would be released only then.
    if (!this.waiting) await this.source.return?.();
    return { done: true, value: undefined };
  }

  private piece(): Promise<IteratorResult<Uint8Array>> {
    return new Promise((resolve, reject) => {
      const since = performance.now();
      const arrived = (): void => {
        this.waited += performance.now() - since;
        this.waiting = undefined;
      };
      this.waiting = { since, refuse: reject };
      this.source.next().then(
        (result) => {
          arrived();
          resolve(result);
        },
        (error: unknown) => {
          arrived();
          clearInterval(this.timer);
          reject(error instanceof Error ? error : new Error(String(error)));
        },
      );
    });
  }

  private check(): void {
    const { waiting, request } = this;
    // A reader may have stopped without saying so.
    if (request.destroyed) clearInterval(this.timer);
    if (!waiting) return;
    const silent = performance.now() - waiting.since;
    const allowed = this.pace.silentMillisecondsMax + (this.received / BYTES_PER_SECOND_MIN) * 1_000;
    if (silent < this.pace.silentMillisecondsMax && this.waited + silent < allowed) return;
    clearInterval(this.timer);
    waiting.refuse(new PlatformError('TOO_SLOW'));
    setTimeout(() => {
      if (!request.complete) request.destroy();
    }, CLOSE_MILLISECONDS).unref();
  }
}
