/**
 * Returns a function that runs calls in groups: the first call runs at once, and those that are made meanwhile form the
 * next group. So many callers share one statement, and a single caller waits for nobody. `run` returns the results in
 * the order of its items; if it throws, all calls of the group fail.
 */
export function groupCalls<T, R>(run: (items: readonly T[]) => Promise<readonly R[]>): (item: T) => Promise<R> {
  let waiting: { readonly item: T; readonly result: PromiseWithResolvers<R> }[] = [];
  let isRunning = false;
  const runAll = async (): Promise<void> => {
    isRunning = true;
    while (waiting.length > 0) {
      const group = waiting;
      waiting = [];
      try {
        const results = await run(group.map(({ item }) => item));
        for (const [n, { result }] of group.entries()) result.resolve(results[n] as R);
      } catch (error) {
        for (const { result } of group) result.reject(error);
      }
    }
    isRunning = false;
  };
  return (item) => {
    const result = Promise.withResolvers<R>();
    waiting.push({ item, result });
    // Callers that are about to call in the same turn belong to the first group.
    if (!isRunning) {
      isRunning = true;
      queueMicrotask(() => void runAll());
    }
    return result.promise;
  };
}

/** Runs work for each item, for at most `lanesMax` of them at once; returns the results as they ended. */
export async function inLanes<T, R>(
  items: AsyncIterator<T>,
  lanesMax: number,
  work: (item: T) => Promise<R>,
): Promise<PromiseSettledResult<R>[]> {
  const results: PromiseSettledResult<R>[] = [];
  const lane = async (): Promise<void> => {
    for (let next = await items.next(); next.done !== true; next = await items.next())
      results.push(...(await Promise.allSettled([work(next.value)])));
  };
  await Promise.all(Array.from({ length: lanesMax }, lane));
  return results;
}
