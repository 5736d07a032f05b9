import type { Context } from '../../../../../kernel/door/context.ts';
import { PlatformError, type ErrorCode } from '../../../../../kernel/door/errors.ts';
import { arrayLiteral, type Db } from '../../../../../kernel/database/store.ts';
import { maskNumbers } from '../../../../../kernel/security/mask.ts';
import type { StepOutcome } from './run-step.ts';

/**
 * A start of a step whose operation runs outside the pass. The operation's transaction stores the outcome here, so that
 * both commit or neither. The pass that records the outcome in the step may come later: in another process, if this one
 * is killed, or after a hold.
 */
export interface StepAttempt {
  /** Proves that no other attempt has replaced this one. */
  readonly token: string;
  /** The outcome, if the operation of this or an earlier attempt has committed and a pass has yet to record it. */
  readonly outcome: StepOutcome | undefined;
}

/** Another attempt has replaced this one, for example because this process did not run for a while. */
export class AttemptReplacedError extends Error {}

type StoredOutcome =
  | Exclude<StepOutcome, { readonly kind: 'failed' }>
  | {
      readonly kind: 'failed';
      readonly error: { readonly code: ErrorCode; readonly message: string; readonly field?: string };
    };

/** Begins an attempt, which replaces an earlier one whose operation has not committed. The workflow is locked. */
export async function beginAttempt(db: Db, stepId: number): Promise<StepAttempt> {
  const [row] = await db.query<{ token: string; outcome: StoredOutcome | null }>(
    `insert into decisionstepattempt as a (decisionstepid, token)
     values ($1::bigint, gen_random_uuid())
     on conflict (decisionstepid) do update
       set token = case when a.outcome is null then excluded.token else a.token end
     returning token, outcome`,
    [stepId],
  );
  if (!row) throw new Error('The attempt was not stored.');
  return { token: row.token, outcome: row.outcome === null ? undefined : restoreOutcome(row.outcome) };
}

/**
 * Stores the outcome of an attempt, last in the transaction of its operation.
 * @throws AttemptReplacedError, so that the operation is rolled back
 */
export async function storeOutcome(db: Db, stepId: number, token: string, outcome: StepOutcome): Promise<void> {
  const stored = await db.query(
    `update decisionstepattempt
     set outcome = $3::jsonb
     where decisionstepid = $1::bigint and token = $2::uuid and outcome is null
     returning 1`,
    [stepId, token, JSON.stringify(storableOutcome(outcome))],
  );
  if (stored.length === 0) throw new AttemptReplacedError(`Another attempt of step ${stepId} has replaced this one.`);
}

/** Forgets the attempts of steps, in the transaction that records their outcome. Returns without waiting for it. */
export function endAttempts(own: Context, stepIds: readonly number[]): void {
  own
    .transaction()
    .later('delete from decisionstepattempt where decisionstepid = any($1::bigint[])', [arrayLiteral(stepIds)]);
}

function storableOutcome(outcome: StepOutcome): StoredOutcome {
  if (outcome.kind !== 'failed') return outcome;
  const { code, message, field } = outcome.error;
  return {
    kind: 'failed',
    error: { code, message: maskNumbers(message), ...(field === undefined ? {} : { field }) },
  };
}

function restoreOutcome(stored: StoredOutcome): StepOutcome {
  if (stored.kind !== 'failed') return stored;
  const { code, ...facts } = stored.error;
  return { kind: 'failed', error: new PlatformError(code, facts) };
}
