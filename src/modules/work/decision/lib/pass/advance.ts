import type { Row } from '../../../../../kernel/door/answer.ts';
import type { Context } from '../../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../../kernel/door/errors.ts';
import { firmOf } from '../../../../../kernel/security/identity.ts';
import type { Transaction } from '../../../../../kernel/database/store.ts';
import { planOfVersion } from '../template/plan.ts';
import { Pass, type Wanted } from './pass.ts';
import { newDecision, openDecision, type OpenDecision } from './stored-steps.ts';
import { tellDecisions, tellSteps } from './tell-outside.ts';

/** The passes that are running in a transaction, by workflow: what one of their steps wants of the same workflow is theirs to do. */
const running = new WeakMap<Transaction, Map<number, Pass>>();

/** What came of a pass. */
export interface Advanced {
  /** `ended`: the workflow was complete or canceled before; `held`: it is on hold; `within`: a pass that is running takes it along. */
  readonly result: 'passed' | 'ended' | 'held' | 'within';
  /** The first step that failed, where that is to be told. */
  readonly failure: PlatformError | undefined;
  /** Of a workflow that was just made its row as it now is, where that is known without reading it. */
  readonly row?: Row | undefined;
}

/**
 * Makes a pass over a workflow: completes or starts what is wanted, then whatever is ready. In the call's transaction, as the built-in
 * user Workflow; the workflow's row is locked until it ends. A failed step stays in Error and is told in the answer. `made`: the row of
 * the workflow where this transaction has just made it and it has no steps, so that nothing need be read.
 *
 * @throws STATE_REFUSES where a step is to complete while the workflow is on hold, or is canceled
 */
export async function advance(ctx: Context, decisionId: number, wanted: Wanted = {}, made?: Row): Promise<Advanced> {
  const transaction = ctx.transaction();
  let passes = running.get(transaction);
  if (!passes) running.set(transaction, (passes = new Map()));
  const within = passes.get(decisionId);
  if (within) {
    within.also(wanted);
    return { result: 'within', failure: undefined };
  }
  return ctx.actingAs('Workflow', async (own) => {
    const opened = made ? newDecision(made) : await openDecision(own.db, decisionId);
    const { decision } = opened;
    if (decision.completion !== null || decision.canceled !== null) return ended(decision, wanted);
    if (decision.versionId === null)
      throw new PlatformError('STATE_REFUSES', {
        field: 'DecisionTemplateID',
        message: `The Decision ${decisionId} has no template, so that it has no steps.`,
      });
    const plan = await planOfVersion(own.configuration, own.db, decision.versionId);
    if (decision.delayed && plan.enforceDelay) return held(decision, wanted);
    const pass = new Pass(own, plan, opened);
    passes.set(decisionId, pass);
    try {
      await pass.run(wanted);
    } finally {
      passes.delete(decisionId);
    }
    await tellOutside(own, pass);
    const completed = pass.completion !== null ? decision.parentStepId : null;
    if (completed !== null) await completeParent(own, completed);
    // What goes on in the parent may change the workflow once more.
    return { result: 'passed', failure: pass.failure, ...(made && completed === null && { row: pass.rowAfter(made) }) };
  });
}

/** The pass that is running over a workflow in the call's transaction: the call comes from one of its steps. */
export function runningPass(ctx: Context, decisionId: number): Pass | undefined {
  return running.get(ctx.transaction())?.get(decisionId);
}

/** The workflows over which passes are running in the call's transaction, the innermost last. */
export function runningDecisions(ctx: Context): readonly number[] {
  return [...(running.get(ctx.transaction())?.keys() ?? [])];
}

/** As {@link advance}, for calls that fail once they have committed where a step fails. */
export async function advanceAndTell(
  ctx: Context,
  decisionId: number,
  wanted: Wanted = {},
  made?: Row,
): Promise<Advanced> {
  const advanced = await advance(ctx, decisionId, wanted, made);
  if (advanced.failure) ctx.failAfterCommit(advanced.failure);
  return advanced;
}

function ended({ id, canceled }: OpenDecision, { complete, skip }: Wanted): Advanced {
  if (skip)
    throw new PlatformError('STATE_REFUSES', {
      field: 'ID',
      message: `The Decision ${id} is ${canceled === null ? 'complete' : 'canceled'}; none of its steps is skipped.`,
    });
  if (complete && canceled !== null)
    throw new PlatformError('STATE_REFUSES', {
      field: 'ID',
      message: `The Decision ${id} is canceled; its steps do not complete.`,
    });
  return { result: 'ended', failure: undefined };
}

function held({ id }: OpenDecision, { complete, start, begin, skip }: Wanted): Advanced {
  const what = complete || skip ? 'complete' : 'start';
  if (complete || start || begin || skip)
    throw new PlatformError('STATE_REFUSES', {
      field: 'ID',
      message: `The Decision ${id} is on hold; its steps do not ${what} until the hold ends.`,
      details: { DecisionID: id, Delayed: true },
    });
  return { result: 'held', failure: undefined };
}

/** A workflow that a step has started completes that step. */
async function completeParent(own: Context, stepId: number): Promise<void> {
  const [parent] = await own.db.query<{ decisionid: number; open: boolean; firm: number | null }>(
    'select decisionid, actualcompletion is null and canceleddate is null as open, reachorganizationid as firm from decisionstep where decisionstepid = $1::bigint',
    [stepId],
  );
  if (!parent?.open) return;
  try {
    await advanceAndTell(own, parent.decisionid, { complete: { ids: [stepId] } });
  } catch (error) {
    const firm = firmOf(own.caller);
    if (firm === null || firm === parent.firm || !(error instanceof PlatformError)) throw error;
    // The workflow above may be on a case of others: why it cannot go on is not for this caller.
    throw new PlatformError(error.code, { cause: error.cause ?? error });
  }
}

/** Who listens outside hears of steps and workflows as of any other record. */
async function tellOutside(own: Context, pass: Pass): Promise<void> {
  await tellSteps(own, 'insert', pass.touched.inserted);
  await tellSteps(own, 'update', pass.touched.updated);
  if (pass.changed)
    await tellDecisions(own, [pass.decision.id], ['Status', ...(pass.completion === null ? [] : ['ActualCompletion'])]);
}
