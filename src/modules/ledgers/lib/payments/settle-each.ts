/**
 * Settles items one after the other and returns the results. A failure does not keep the others from being settled; the
 * first one is thrown at the end.
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
