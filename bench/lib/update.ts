import { Store } from '../../src/kernel/database/store.ts';
import { silentLog } from '../../src/kernel/ports/log.ts';
import { answerParent, type CpuUsage } from './child.ts';
import type { BenchConnection } from './database.ts';

/** One kind of change: a prepared statement, and the values of its parameters. */
export interface Update {
  readonly text: string;
  /**
   * A constant, an id between 1 and `ids`, or a text or date that differs from that of the previous call on the same
   * row.
   */
  readonly values: readonly (
    | { readonly same: unknown }
    | { readonly id: true }
    | { readonly another: 'text' | 'day' }
  )[];
}

/** Changes made in turn, each in a separate transaction, by several concurrent callers. */
export interface UpdateSlice {
  readonly connection: BenchConnection;
  readonly updates: readonly Update[];
  readonly ids: number;
  readonly callers: number;
  readonly milliseconds: number;
}

/** The requests that the process handles. */
export type UpdateHandlers = typeof handlers;

let store: Store | undefined;
let sent = 0;

/**
 * Ids advance by a step coprime to their number, so that neighboring rows are not changed in succession.
 */
const ID_STEP = 7_919;

const DAY_MILLISECONDS = 86_400_000;
/** A prime, so that a row does not get the same date again. */
const DAYS = 10_007;

async function slice({
  connection,
  updates,
  ids,
  callers,
  milliseconds,
}: UpdateSlice): Promise<{ calls: number; seconds: number }> {
  store ??= new Store({ connection, log: silentLog, connectionsMax: callers });
  const open = store;
  const began = performance.now();
  let calls = 0;
  const caller = async (): Promise<void> => {
    while (performance.now() - began < milliseconds) {
      const at = sent++;
      const update = updates[at % updates.length];
      if (!update) throw new Error('no updates');
      const values = update.values.map((value) => {
        if ('same' in value) return value.same;
        if ('id' in value) return 1 + ((at * ID_STEP) % ids);
        if (value.another === 'text') return `v${at}`;
        return new Date(DAY_MILLISECONDS * (at % DAYS)).toISOString().slice(0, 10);
      });
      const rows = await open.transaction(
        { personId: 1, firm: null, callId: 'a-call-of-the-benchmark' },
        (transaction) => transaction.query(update.text, values),
      );
      if (rows.length !== 1) throw new Error(`expected one changed row, there were ${rows.length}`);
      calls++;
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  return { calls, seconds: (performance.now() - began) / 1000 };
}

const handlers = { slice, cpu: (_: undefined): CpuUsage => process.cpuUsage() };

answerParent(handlers, () => store?.end());
