import type { Context } from '../../../../../kernel/door/context.ts';
import { scratch } from '../../../../../kernel/door/scratch.ts';
import type { Values } from '../../../../../kernel/declare/values.ts';
import type { decision, Workflow } from '../../decision.record.ts';
import { cachedPlan, type Plan } from '../template/plan.ts';
import { CaseValues } from './case-values.ts';
import { isBatchable } from './speculative-evaluation.ts';
import { allocateStepIds, IDS_PER_ALLOCATION_MAX } from './stored-steps.ts';

/** What the first pass over a new workflow needs. */
export interface ReadAhead {
  /** The summary of the case as XML. */
  readonly summary: string;
  /** Allocated IDs for steps. */
  readonly ids: readonly number[];
}

/** What was read right after the insert of the newest workflow. */
interface StoredReadAhead extends ReadAhead {
  readonly object: string | null;
  readonly objectId: number | null;
  /** The number of statements sent when it was read. */
  readonly statements: number;
}

const newest = scratch('reads of the first pass', (): { read: StoredReadAhead | undefined } => ({ read: undefined }));

/**
 * Reads what the first pass over a new workflow needs if its first step is an if/then step: the summary of the case,
 * and IDs for steps. The statements travel with the insert of the workflow.
 */
export async function readAheadOfPass(ctx: Context, values: Readonly<Values<typeof decision>>): Promise<void> {
  const { DecisionTemplateVersionID: versionId } = values;
  const own = ctx.scratch(newest);
  own.read = undefined;
  const plan = typeof versionId === 'number' ? cachedPlan(ctx.configuration, versionId) : undefined;
  if (!plan || !beginsWithCondition(plan)) return;
  const [object, objectId] = [values.Object ?? null, values.ObjectID ?? null];
  await ctx.actingAs('Workflow', async (workflow) => {
    const [summary, ids] = await Promise.all([
      new CaseValues(workflow, object, objectId).summary(),
      allocateStepIds(workflow.db, Math.min(IDS_PER_ALLOCATION_MAX, plan.steps.length)),
    ]);
    own.read = { object, objectId, summary, ids, statements: ctx.transaction().statementCount };
  });
}

/** Whether the first pass begins with an if/then step. */
function beginsWithCondition({ steps }: Plan): boolean {
  return isBatchable(steps.find(({ groups }) => groups.length === 0));
}

/**
 * Returns what was read right after the insert of a workflow, unless a statement has been sent since: a reaction may
 * have changed the case.
 */
export function takeReadAhead(ctx: Context, { Object: object, ObjectID: objectId }: Workflow): ReadAhead | undefined {
  const own = ctx.scratch(newest);
  const { read } = own;
  own.read = undefined;
  const isCurrent =
    read?.object === object && read.objectId === objectId && read.statements === ctx.transaction().statementCount;
  return isCurrent ? read : undefined;
}
