import { ConnectionPool, DedicatedConnection } from '../../src/kernel/database/connection-pool.ts';

/**
 * Returns how often transactions wait for the database while `run` runs, the commits included: statements sent before
 * the answer to an earlier one count with it. Reads outside transactions do not count: those of other work of the
 * process may run at any time.
 */
export async function countWaits(run: () => Promise<unknown>): Promise<number> {
  let waits = 0;
  let unanswered = 0;
  const { query } = DedicatedConnection.prototype;
  const { acquireLeastUsed } = ConnectionPool.prototype;
  const plain = new WeakSet<DedicatedConnection>();
  ConnectionPool.prototype.acquireLeastUsed = function () {
    const taken = acquireLeastUsed.call(this);
    if (!(taken instanceof Promise)) plain.add(taken);
    return taken instanceof Promise ? taken.then((connection) => (plain.add(connection), connection)) : taken;
  };
  DedicatedConnection.prototype.query = async function (text, params, prepare, script) {
    if (plain.has(this)) return (await query.call(this, text, params, prepare, script)) as never;
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
    ConnectionPool.prototype.acquireLeastUsed = acquireLeastUsed;
  }
  return waits;
}

/** Returns the fewest waits of several runs: the first of them also fill caches. */
export async function fewestWaits(runs: number, run: (n: number) => Promise<unknown>): Promise<number> {
  const counts: number[] = [];
  for (let n = 0; n < runs; n++) counts.push(await countWaits(() => run(n)));
  return Math.min(...counts);
}
