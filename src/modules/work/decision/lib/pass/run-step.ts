import type { Context } from '../../../../../kernel/door/context.ts';
import { fromDatabaseError } from '../../../../../kernel/database/database-error.ts';
import { PlatformError } from '../../../../../kernel/door/errors.ts';
import { sandboxScope } from '../../../../../kernel/security/identity.ts';
import { parseSignature, fillSignature } from '../../../../../kernel/door/signature.ts';
import { answerValues } from '../../../../../lib/merge/merge-data.ts';
import { isPolling, type PlannedStep } from '../template/plan.ts';
import { callOperation } from './call-operation.ts';
import type { CaseValues, OwnValues } from './case-values.ts';
import { makeInstance } from './make-instance.ts';
import type { StepState } from './stored-steps.ts';

/** A step that is started. */
export interface StepRun {
  /** As the built-in user Workflow. */
  readonly ctx: Context;
  readonly step: PlannedStep;
  readonly state: StepState;
  readonly values: CaseValues;
  /** The merge fields of the step and its workflow. */
  readonly own: OwnValues;
  /** Returns stylesheets to evaluate speculatively, on the same case. */
  readonly speculative?: () => readonly string[];
}

/** The outcome of starting a step. `again`: poll once more. `failed`: its changes stay, but it is an error. */
export type StepOutcome =
  | {
      readonly kind: 'complete' | 'waits';
      readonly isTrue?: boolean;
      readonly object?: string;
      readonly objectId?: number;
    }
  | { readonly kind: 'again' }
  | { readonly kind: 'failed'; readonly error: PlatformError };

/** Runs a step. */
export async function runStep(run: StepRun): Promise<StepOutcome> {
  const { step } = run;
  if (step.xslt !== null) {
    const isTrue = await evaluateCondition(run, step.xslt);
    if (isPolling(step)) return isTrue ? { kind: 'complete', isTrue: true } : { kind: 'again' };
    return { kind: 'complete', isTrue };
  }
  if (step.operation !== null) return callOperation(run);
  if (step.object !== null) return makeInstance(run);
  // Nothing to create or call: a person completes it.
  return step.createOnCompletion ? { kind: 'complete' } : { kind: 'waits' };
}

/** Returns the error of a step as it is stored. */
export function stepError(error: unknown): PlatformError {
  if (error instanceof PlatformError) return error;
  return fromDatabaseError(error) ?? new PlatformError('INTERNAL', { message: 'Unexpected error.', cause: error });
}

/**
 * Whether a step changes nothing in the database: it only evaluates a stylesheet on the case, or waits for a person.
 */
export function isReadOnlyStep(step: PlannedStep): boolean {
  return step.method === null && (step.xslt !== null || (step.operation === null && step.object === null));
}

/** Whether a stylesheet returns 1 or true for the case's summary, or for the answer of Method. */
async function evaluateCondition(
  { ctx, step, values, own, speculative: ahead }: StepRun,
  stylesheet: string,
): Promise<boolean> {
  const output =
    step.method === null
      ? await values.evaluateStylesheet(stylesheet, ahead)
      : await ctx.sandbox.transform({
          stylesheet,
          xml: await methodXml(ctx, step.method, values, own),
          scope: sandboxScope(ctx.user),
          wellFormed: false,
        });
  const text = output
    .replace(/^\uFEFF?\s*<\?xml[^>]*\?>/, '')
    .replace(/<[^>]*>/g, '')
    .trim();
  return text === '1' || text.toLowerCase() === 'true';
}

async function methodXml(ctx: Context, method: string, values: CaseValues, own: OwnValues): Promise<string> {
  const signature = parseSignature(method, { field: 'Method' });
  const answer = await ctx.callNamed(signature.route, await fillSignature(signature, values.resolver(own)));
  return answerValues(answer).xml ?? '<Nothing/>';
}
