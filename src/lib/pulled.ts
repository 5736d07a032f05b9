/** Stops a producer whose reader has gone. */
class ReaderGone extends Error {}

/**
 * Turns a producer that pushes pieces into an iterable. The producer starts with the first piece that is requested, and
 * waits while the reader works. If the reader stops early, the producer's next push throws. An error of the producer
 * reaches the reader.
 *
 * @example for await (const piece of pulled((take) => ctx.readNamed(route, parameters, take))) …
 */
export async function* pulled<T>(
  produce: (take: (piece: T) => Promise<void>) => Promise<void>,
): AsyncGenerator<T, undefined> {
  let pending = Promise.withResolvers<{ readonly piece: T } | undefined>();
  let consumed = Promise.withResolvers<undefined>();
  const produced = produce(async (piece) => {
    pending.resolve({ piece });
    await consumed.promise;
    consumed = Promise.withResolvers();
  }).then(
    () => pending.resolve(undefined),
    (error: unknown) => pending.reject(error),
  );
  try {
    for (;;) {
      const next = await pending.promise;
      if (!next) return undefined;
      pending = Promise.withResolvers();
      yield next.piece;
      consumed.resolve(undefined);
    }
  } finally {
    // A producer that has ended, or is stopped here, leaves these to nobody.
    pending.promise.catch(() => undefined);
    consumed.promise.catch(() => undefined);
    consumed.reject(new ReaderGone('the reader has disconnected'));
    await produced;
  }
}
