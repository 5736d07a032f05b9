import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { checkSignature, type Signature } from '../../../../kernel/door/signature.ts';
import { bad } from '../../../../kernel/parameters/parse-value.ts';

/** Rows of a workflow step's batch that run concurrently by default. */
export const STEP_LANES = 4;
/** Most rows that can run concurrently. */
export const LANES_MAX = 64;

/** The parameters of a batch besides those of its query. */
export interface BatchParameters {
  readonly ClassName: string;
  readonly Operation: string;
  readonly Signature: string;
  readonly DecisionStepID?: number | null;
  readonly BatchStepTheadCount?: number | null;
  readonly BatchQueue?: string | null;
}

/** A batch whose parameters have been checked. */
interface BatchRequest {
  /** The route of the query: `Contact/Search`. */
  readonly query: string;
  readonly signature: Signature;
  readonly queue: string | undefined;
  /** How many rows run concurrently; undefined for as many as there are workers. */
  readonly lanes: number | undefined;
}

/**
 * Returns a batch as its parameters describe it. Throws BAD_PARAMETER or BAD_SIGNATURE for one that cannot be made.
 */
export async function checkBatch(ctx: Context, params: BatchParameters): Promise<BatchRequest> {
  const { ClassName, Operation, Signature: text, BatchQueue } = params;
  if (!ctx.registry.hasModule(ClassName)) throw bad('ClassName', 'the name of a module, such as Contact');
  return {
    query: `${ClassName}/${Operation}`,
    signature: await checkSignature(ctx, text, { field: 'Signature' }),
    queue: BatchQueue ? ctx.queue.queueOf(BatchQueue) : undefined,
    lanes: lanesOf(params.BatchStepTheadCount, params.DecisionStepID),
  };
}

function lanesOf(sent: number | null | undefined, stepId: number | null | undefined): number | undefined {
  if (sent === undefined || sent === null) return stepId ? STEP_LANES : undefined;
  if (sent < 1 || sent > LANES_MAX) throw bad('BatchStepTheadCount', `1 to ${LANES_MAX}`);
  return sent;
}

/** Names the parameter in the error of a query that does not exist. */
export async function namingOperation<T>(reading: Promise<T>): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    throw error instanceof PlatformError && error.code === 'UNKNOWN_OPERATION'
      ? new PlatformError('UNKNOWN_OPERATION', { field: 'Operation', message: `Operation: ${error.message}` })
      : error;
  }
}
