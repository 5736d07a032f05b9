/**
 * Settles items one after the other, and returns the results. One that fails does not keep the others from being
 * settled: the first failure is thrown after all.
 */
export async function settleEach<I, T>(items: readonly I[], settle: (item: I) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  const failures: unknown[] = [];
  for (const item of items)
    try {
      results.push(await settle(item));
    } catch (error) {
      failures.push(error);
    }
  if (failures.length > 0) throw failures[0];
  return results;
}
