import { arrayLiteral } from '../../database/store.ts';
import type { Db } from '../../database/store.ts';

/** A call and the time at which the history is to say that it was made. */
export interface DatedCall {
  /** The call's correlation ID. */
  readonly callId: string;
  /** ISO 8601. */
  readonly at: string;
}

/**
 * Sets the times of calls in the history, which otherwise are the database's. Only for the demo, whose calls are made
 * with a clock in the past: its records have the times of that clock, and their history must agree with them.
 */
export async function redateHistory(db: Db, calls: readonly DatedCall[]): Promise<void> {
  await db.query(
    `update history set at = dated.at
     from unnest($1::text[], $2::timestamptz[]) as dated (callid, at)
     where history.callid = dated.callid`,
    [arrayLiteral(calls.map(({ callId }) => callId)), arrayLiteral(calls.map(({ at }) => at))],
  );
}
