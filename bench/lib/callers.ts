/**
 * Result of a slice with concurrent callers. `times` are the milliseconds of the compared part, one per draw.
 */
export interface Slice {
  readonly calls: number;
  readonly seconds: number;
  readonly times: Float64Array;
}

/** One draw of a caller; returns the time of the selection, or undefined if there was no item. */
export type Draw = (caller: number) => Promise<number | undefined>;

/** Runs a number of callers, each drawing sequentially, for a time or a number of draws. */
export async function slice(
  callers: number,
  milliseconds: number,
  draw: Draw,
  drawsMax = Number.POSITIVE_INFINITY,
): Promise<Slice> {
  const began = performance.now();
  const times: number[] = [];
  const work = async (caller: number): Promise<void> => {
    while (performance.now() - began < milliseconds && times.length < drawsMax) {
      const took = await draw(caller);
      if (took === undefined) return;
      times.push(took);
    }
  };
  await Promise.all(Array.from({ length: callers }, (_, caller) => work(caller)));
  return { calls: times.length, seconds: (performance.now() - began) / 1_000, times: Float64Array.from(times).sort() };
}

/** Returns the 99th percentile; `times` are sorted. */
export function p99(times: Float64Array): number {
  return times[Math.floor(times.length * 0.99)] ?? Number.NaN;
}
