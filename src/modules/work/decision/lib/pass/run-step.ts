import type { Context } from '../../../../../kernel/door/context.ts';
import { fromDatabaseError } from '../../../../../kernel/database/database-error.ts';
import { PlatformError } from '../../../../../kernel/door/errors.ts';
import { sandboxScope } from '../../../../../kernel/security/identity.ts';
import { parseSignature, fillSignature } from '../../../../../kernel/door/signature.ts';
import { isPolling, type PlannedStep } from '../template/plan.ts';
import { callOperation, methodValues } from './call-operation.ts';
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
  /** What `{…}` knows of the step and its workflow. */
  readonly own: OwnValues;
  /** Stylesheets that are likely to be asked next, about the same case. */
  readonly speculative?: () => readonly string[];
  /** It runs outside of the pass, from a queue: what it calls commits by itself. */
  readonly isOutsidePass?: true;
}

/** What starting a step came to. `again`: a polling step that is to be asked once more. `failed`: what it did stays, and it is an error. */
export type StepOutcome =
  | {
      readonly kind: 'complete' | 'waits';
      readonly isTrue?: boolean;
      readonly object?: string;
      readonly objectId?: number;
    }
  | { readonly kind: 'again' }
  | { readonly kind: 'failed'; readonly error: PlatformError };

/** Does what a step is for. */
export async function runStep(run: StepRun): Promise<StepOutcome> {
  const { step } = run;
  if (step.xslt !== null) {
    const isTrue = await evaluateCondition(run, step.xslt);
    if (isPolling(step)) return isTrue ? { kind: 'complete', isTrue: true } : { kind: 'again' };
    return { kind: 'complete', isTrue };
  }
  if (step.operation !== null) return callOperation(run);
  if (step.object !== null) return makeInstance(run);
  // Nothing is to be made or called: somebody completes it by hand.
  return step.createOnCompletion ? { kind: 'complete' } : { kind: 'waits' };
}

/** What the work of a step failed with, in the words in which the step keeps it. */
export function stepError(error: unknown): PlatformError {
  if (error instanceof PlatformError) return error;
  return (
    fromDatabaseError(error) ??
    new PlatformError('INTERNAL', { message: 'It failed for a reason that was not foreseen.', cause: error })
  );
}

/** Whether a step changes nothing in the database: it asks a stylesheet about the case, or waits for somebody. */
export function isReadOnlyStep(step: PlannedStep): boolean {
  return step.method === null && (step.xslt !== null || (step.operation === null && step.object === null));
}

/** Whether a stylesheet makes 1 of the case's summary, or of what Method answers. */
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
  return methodValues(answer).xml ?? '<Nothing/>';
}
