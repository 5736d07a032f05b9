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
  /** The error message, as shown to staff. */
  readonly message: string;
  /** The GUID of the error log entry. */
  readonly guid: string;
}

/**
 * Returns an error's message, or only its code for a firm: the platform may have read records that the firm cannot
 * access.
 */
export function messageForCaller(ctx: Pick<Context, 'caller'>, error: PlatformError): string {
  return firmOf(ctx.caller) === null ? error.message : `it fails with ${error.code}.`;
}

/**
 * Returns a step failure as the caller may see it. Steps can access all records, so their errors may name other firms'
 * data. A firm's user learns which step failed and the GUID to quote, and not even the step for a workflow out of
 * reach. `ctx` belongs to the built-in user Workflow.
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
  const what = reached.length > 0 ? `Step "${step.name}"` : 'A step of a workflow that you cannot access';
  return new PlatformError('STEP_FAILED', {
    message: `${what} failed with ${error.code}. Quote the ErrorGUID ${guid} to staff, who can see the details.`,
    details: { ...(reached.length > 0 ? ids : {}), ...known },
    cause: error,
  });
}
