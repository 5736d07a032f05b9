import type { Context } from '../../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../../kernel/door/errors.ts';
import { firmOf } from '../../../../../kernel/security/identity.ts';
import type { PlannedStep } from '../template/plan.ts';

/** A step that failed. */
export interface FailedStep {
  readonly decisionId: number;
  readonly stepId: number;
  readonly step: Pick<PlannedStep, 'name'>;
  readonly error: PlatformError;
  /** What it failed with, as staff is told. */
  readonly message: string;
  /** Finds the failure in the error log. */
  readonly guid: string;
}

/** What an error says, where the caller may hear it: what was looked at in the platform's name may be out of a firm's reach. */
export function messageForCaller(ctx: Pick<Context, 'caller'>, error: PlatformError): string {
  return firmOf(ctx.caller) === null ? error.message : `it fails with ${error.code}.`;
}

/**
 * What the caller is told of a step that failed. A step reaches everything, so that what it fails with may name records of others: a firm's
 * user is told which step it was and what to quote, and of a workflow out of its reach not even that. `ctx` is the built-in user Workflow's.
 */
export async function failureForCaller(
  ctx: Context,
  { decisionId, stepId, step, error, message, guid }: FailedStep,
): Promise<PlatformError> {
  const known = { ErrorGUID: guid, FailureCode: error.code };
  const ids = { DecisionID: decisionId, DecisionStepID: stepId };
  const firm = firmOf(ctx.caller);
  if (firm === null)
    return new PlatformError('STEP_FAILED', {
      message: `Step "${step.name}" failed: ${message}`,
      ...(error.field === undefined ? {} : { field: error.field }),
      details: { ...ids, ...known },
      cause: error,
    });
  const reached = await ctx.db.query(
    'select 1 from decision where decisionid = $1::bigint and reachorganizationid = $2::bigint',
    [decisionId, firm],
  );
  const what = reached.length > 0 ? `Step "${step.name}"` : 'A step of a workflow that is out of your reach';
  return new PlatformError('STEP_FAILED', {
    message: `${what} failed with ${error.code}. Quote the ErrorGUID ${guid} to staff, who see why.`,
    details: { ...(reached.length > 0 ? ids : {}), ...known },
    cause: error,
  });
}
