import { Store } from '../../src/kernel/database/store.ts';
import { silentLog } from '../../src/kernel/ports/log.ts';
import { answerParent, type CpuUsage } from './child.ts';
import type { BenchConnection } from './database.ts';

/** A statement that runs repeatedly on one connection. */
export interface StatementSlice {
  readonly connection: BenchConnection;
  readonly text: string;
  readonly values: readonly unknown[];
  /** The firm under whose row security it runs; null runs it as the schema's owner. */
  readonly firm: number | null;
  readonly milliseconds: number;
}

/** The requests that the process handles. */
export type StatementHandlers = typeof handlers;

let store: Store | undefined;

/**
 * Groups the statements of a slice into transactions of fifty, so that begin and commit hardly affect the time.
 */
const STATEMENTS_PER_TRANSACTION = 50;

async function slice({
  connection,
  text,
  values,
  firm,
  milliseconds,
}: StatementSlice): Promise<{ calls: number; seconds: number; rows: number }> {
  store ??= new Store({ connection, log: silentLog, connectionsMax: 1 });
  const began = performance.now();
  let calls = 0;
  let rows = 0;
  while (performance.now() - began < milliseconds) {
    await store.transaction(
      { personId: 1, firm, callId: 'bench' },
      async (transaction) => {
        for (let n = 0; n < STATEMENTS_PER_TRANSACTION && performance.now() - began < milliseconds; n++, calls++)
          rows = (await transaction.query(text, values)).length;
      },
      'read',
    );
  }
  return { calls, seconds: (performance.now() - began) / 1000, rows };
}

const handlers = { slice, cpu: (_: undefined): CpuUsage => process.cpuUsage() };

answerParent(handlers, () => store?.end());
