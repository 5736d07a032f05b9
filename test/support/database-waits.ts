import { DedicatedConnection } from '../../src/kernel/database/connection-pool.ts';

/**
 * Returns how often transactions wait for the database while `run` runs, the commits included: statements sent before
 * the answer to an earlier one count with it.
 */
export async function countWaits(run: () => Promise<unknown>): Promise<number> {
  let waits = 0;
  let unanswered = 0;
  const { query } = DedicatedConnection.prototype;
  DedicatedConnection.prototype.query = async function (text, params, prepare, script) {
    if (unanswered++ === 0) waits++;
    try {
      return (await query.call(this, text, params, prepare, script)) as never;
    } finally {
      unanswered--;
    }
  };
  try {
    await run();
  } finally {
    DedicatedConnection.prototype.query = query;
  }
  return waits;
}

/** Returns the fewest waits of several runs: the first of them also fill caches. */
export async function fewestWaits(runs: number, run: (n: number) => Promise<unknown>): Promise<number> {
  const counts: number[] = [];
  for (let n = 0; n < runs; n++) counts.push(await countWaits(() => run(n)));
  return Math.min(...counts);
}
