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
  const plain = watchPlainConnections();
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
    plain.stop();
  }
  return waits;
}

/** Notes the connections that reads outside transactions acquire from now on, until `stop` is called. */
export function watchPlainConnections(): { has(connection: DedicatedConnection): boolean; stop(): void } {
  const { acquireLeastUsed } = ConnectionPool.prototype;
  const plain = new WeakSet<DedicatedConnection>();
  ConnectionPool.prototype.acquireLeastUsed = function () {
    const taken = acquireLeastUsed.call(this);
    if (!(taken instanceof Promise)) plain.add(taken);
    return taken instanceof Promise ? taken.then((connection) => (plain.add(connection), connection)) : taken;
  };
  return {
    has: (connection) => plain.has(connection),
    stop: () => void (ConnectionPool.prototype.acquireLeastUsed = acquireLeastUsed),
  };
}

/** Returns the fewest waits of several runs: the first of them also fill caches. */
export async function fewestWaits(runs: number, run: (n: number) => Promise<unknown>): Promise<number> {
  const counts: number[] = [];
  for (let n = 0; n < runs; n++) counts.push(await countWaits(() => run(n)));
  return Math.min(...counts);
}
