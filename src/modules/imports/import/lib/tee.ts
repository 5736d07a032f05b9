/** A stream for two consumers: the reader pulls, and the copy receives the same bytes. */
export interface Tee {
  /** The reader's side. Each piece is returned only after the copy has taken it, so at most one piece is held. */
  readonly bytes: AsyncIterable<Uint8Array>;
  readonly copy: AsyncIterable<Uint8Array>;
  /** Reads the rest of the source, so that the copy is complete although the reader stopped. */
  drain(): Promise<void>;
  /** Lets the reader continue alone, after the copy failed; also if the copy was never begun. */
  endCopy(): void;
  /** Ends the copy with an error and closes the source, after the reader failed. */
  abandon(): void;
}

/** Copies a stream while it is read, holding at most one piece. */
export function tee(source: AsyncIterable<Uint8Array>): Tee {
  const iterator = source[Symbol.asyncIterator]();
  let waiting: { piece: Uint8Array | undefined; taken: () => void } | undefined;
  let wake: (() => void) | undefined;
  let abandoned = false;
  let ended = false;
  let copyEnded = false;

  const offer = (piece: Uint8Array | undefined): Promise<void> => {
    if (copyEnded) return Promise.resolve();
    return new Promise((taken) => {
      waiting = { piece, taken };
      wake?.();
    });
  };
  const next = async (): Promise<Uint8Array | undefined> => {
    if (ended) return undefined;
    const step = await iterator.next();
    const piece = step.done === true ? undefined : step.value;
    if (step.done === true) ended = true;
    await offer(piece);
    return piece;
  };

  const endCopy = (): void => {
    copyEnded = true;
    waiting?.taken();
  };

  async function* copy(): AsyncIterable<Uint8Array> {
    let given: typeof waiting;
    try {
      for (;;) {
        if (!waiting && !abandoned) await new Promise<void>((resolve) => (wake = resolve));
        wake = undefined;
        if (abandoned) throw new Error('the document could not be read to its end');
        given = waiting;
        waiting = undefined;
        if (!given) continue;
        if (given.piece) yield given.piece;
        given.taken();
        if (!given.piece) return;
      }
    } finally {
      // It may have stopped while it worked on a piece.
      given?.taken();
      endCopy();
    }
  }

  async function* bytes(): AsyncIterable<Uint8Array> {
    for (let piece = await next(); piece; piece = await next()) yield piece;
  }

  return {
    bytes: bytes(),
    copy: copy(),
    async drain() {
      while (await next());
    },
    endCopy,
    abandon() {
      abandoned = true;
      wake?.();
      // Closing the source releases the connection it reads, so that the rest of the body can be discarded.
      void iterator.return?.(undefined).catch(() => undefined);
    },
  };
}
