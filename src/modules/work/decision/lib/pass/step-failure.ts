import type { Context } from '../../../../../kernel/door/context.ts';
import { isRetryable, loggableMessage } from '../../../../../kernel/database/database-error.ts';
import { PlatformError } from '../../../../../kernel/door/errors.ts';
import { writeErrorEntry } from '../../../../../kernel/door/error-log.ts';
import { describeConflict } from '../../../../../kernel/records/save/conflict.ts';
import type { FailedStep } from './failure-for-caller.ts';
import { stepError } from './run-step.ts';

/** Returns the error a step failed with. Rethrows errors that require the whole transaction to run again. */
export function toStepFailure(error: unknown): PlatformError {
  if (isRetryable(error) || (error instanceof PlatformError && isRetryable(error.cause))) throw error;
  const known = stepError(error);
  if (known.code === 'UNAVAILABLE' && !(error instanceof PlatformError)) throw error;
  return known;
}

/** Returns a failure, with the conflicting record if it is one of a unique value or a reference. */
export async function describeFailure(ctx: Context, failure: PlatformError): Promise<PlatformError> {
  if (failure.code !== 'IN_USE' && failure.code !== 'DUPLICATE_KEY') return failure;
  // A lookup that the database refuses must not fail the pass.
  return ctx.savepoint(() => describeConflict(ctx, failure)).catch(() => failure);
}

/** Writes the failure of a step to the error log, under its GUID. */
export async function logStepFailure(
  ctx: Context,
  { decisionId, stepId, step, error, guid }: Omit<FailedStep, 'message'>,
): Promise<void> {
  const cause = error.cause instanceof Error && error.code === 'INTERNAL' ? error.cause : error;
  await writeErrorEntry(ctx.db, ctx.clock, {
    correlationId: guid,
    operation: 'decisionstep/start',
    message: `Workflow ${decisionId}, step "${step.name}" (${stepId}): ${loggableMessage(cause)}`.slice(0, 2_000),
    cause: `${ctx.cause.join(' > ')}; call ${ctx.correlationId}`,
    stack:
      cause.stack
        ?.split('\n')
        .filter((line) => /^ {4}at /.test(line))
        .join('\n')
        .slice(0, 8_000) ?? null,
    personId: ctx.user.personId,
  });
}
