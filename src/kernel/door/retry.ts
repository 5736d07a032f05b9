import { randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { callerHasGone } from '../database/combined-call.ts';
import { RunAlone } from '../database/combined-transactions.ts';
import { isRetryable } from '../database/database-error.ts';
import type { CallState } from './call-state.ts';

/** Most attempts of a transaction that PostgreSQL asks to run again. */
const ATTEMPTS_MAX = 4;

/**
 * Runs a whole transaction again after a serialization failure or a deadlock, which undo it completely, or if it was
 * combined with other calls and must run alone. `attempt` counts from 1. A call with a raw body is not retried: its
 * bytes can be read only once.
 */
export async function retryTransaction<T>(state: CallState, run: (attempt: number) => Promise<T>): Promise<T> {
  const alerts = state.alerts.length;
  for (let attempt = 1; ; attempt++) {
    try {
      return await run(attempt);
    } catch (error) {
      const isCombined = error instanceof RunAlone;
      if (attempt >= ATTEMPTS_MAX || state.body || !(isCombined || isRetryable(error))) throw error;
      state.alerts.length = alerts;
      if (isCombined && state.isCanceled?.() === true) throw callerHasGone();
      if (isCombined) continue;
      state.platform.metrics.retried();
      state.platform.log.info('transaction run again', { correlationId: state.correlationId, attempt });
      // An immediate retry often collides with the same transaction, which has only just been woken.
      await delay(randomInt(10, 30) * 2 ** attempt);
    }
  }
}
