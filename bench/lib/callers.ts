/**
 * What callers that work at the same time did in a slice. `times` are milliseconds of the part that is compared, one of
 * each draw.
 */
export interface Slice {
  readonly calls: number;
  readonly seconds: number;
  readonly times: Float64Array;
}

/** One draw of a caller: answers how long the choosing took, or undefined where there was nothing. */
export type Draw = (caller: number) => Promise<number | undefined>;

/** Lets so many callers draw, each one after the other, for so long or so many draws. */
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

/** The time that 99 of 100 draws stay below; `times` are sorted. */
export function p99(times: Float64Array): number {
  return times[Math.floor(times.length * 0.99)] ?? Number.NaN;
}
