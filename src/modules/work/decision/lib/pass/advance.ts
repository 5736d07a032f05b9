import { isOpenStep } from '../../../lib/open.ts';
import type { Context } from '../../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../../kernel/door/errors.ts';
import { scratch } from '../../../../../kernel/door/scratch.ts';
import { planOfVersion } from '../template/plan.ts';
import { Pass } from './pass.ts';
import type { PassCommand } from './pass-command.ts';
import { newDecision, openDecision, type OpenDecision } from './stored-steps.ts';
import { takeReadAhead } from './read-ahead.ts';
import { publishDecisions, publishSteps } from './publish-changes.ts';
import { toStepFailure } from './step-failure.ts';
import type { Workflow } from '../../decision.record.ts';

/** The running passes of a transaction, by workflow. A step's own requests to its workflow go to its pass. */
const runningPasses = scratch('running passes', () => new Map<number, Pass>());

/** The result of a pass. */
export interface PassResult {
  /** `ended`: the workflow had already ended. `held`: it is on hold. `within`: a running pass takes the commands. */
  readonly result: 'passed' | 'ended' | 'held' | 'within';
  /** The first step failure to report to the caller. */
  readonly failure: PlatformError | undefined;
  /** The row of a new workflow after the pass, where it is known without reading it. */
  readonly row?: Workflow | undefined;
}

/**
 * Runs a pass over a workflow in the call's transaction, as the built-in user Workflow: applies commands, then starts
 * all ready steps. The workflow's row stays locked until the transaction ends. A failed step stays in Error and is
 * reported in the answer.
 * `made`: the row of a workflow that this transaction has just created, without steps, so that nothing need be read.
 * @throws STATE_REFUSES if a step is to complete while the workflow is on hold or canceled
 */
export async function advance(
  ctx: Context,
  decisionId: number,
  commands: readonly PassCommand[] = [],
  made?: Workflow,
): Promise<PassResult> {
  const passes = ctx.scratch(runningPasses);
  const within = passes.get(decisionId);
  if (within) {
    for (const command of commands) within.enqueue(command);
    return { result: 'within', failure: undefined };
  }
  return ctx.actingAs('Workflow', async (own) => {
    const opened = made
      ? { ...newDecision(made), ...takeReadAhead(ctx, made) }
      : await openDecision(own.db, decisionId);
    const { decision } = opened;
    if (decision.completion !== null || decision.canceled !== null) return endedResult(decision, commands);
    if (decision.versionId === null)
      throw new PlatformError('STATE_REFUSES', {
        field: 'DecisionTemplateID',
        message: `Workflow ${decisionId} has no template and so no steps.`,
      });
    const plan = await planOfVersion(own.configuration, own.db, decision.versionId);
    if (decision.delayed && plan.enforceDelay) return heldResult(decision, commands);
    const pass = new Pass(own, plan, opened);
    passes.set(decisionId, pass);
    try {
      await pass.run(commands);
    } finally {
      passes.delete(decisionId);
    }
    await publishChanges(own, pass);
    const completed = pass.completion !== null ? decision.parentStepId : null;
    if (completed !== null) await completeParent(own, completed);
    // The parent's pass may change the workflow again.
    return { result: 'passed', failure: pass.failure, ...(made && completed === null && { row: pass.rowAfter(made) }) };
  });
}

/**
 * Returns the running pass over a workflow in this transaction. If there is one, the call comes from one of its steps.
 */
export function runningPass(ctx: Context, decisionId: number): Pass | undefined {
  return ctx.scratch(runningPasses).get(decisionId);
}

/** Returns the workflows with running passes in this transaction, the innermost last. */
export function runningDecisions(ctx: Context): readonly number[] {
  return [...ctx.scratch(runningPasses).keys()];
}

/** Like {@link advance}, but a step failure makes the call fail after it has committed. */
export async function advanceAndReport(
  ctx: Context,
  decisionId: number,
  commands: readonly PassCommand[] = [],
  made?: Workflow,
): Promise<PassResult> {
  const advanced = await advance(ctx, decisionId, commands, made);
  if (advanced.failure) ctx.failAfterCommit(advanced.failure);
  return advanced;
}

function endedResult({ id, canceled }: OpenDecision, commands: readonly PassCommand[]): PassResult {
  if (hasAny(commands, ['skip']))
    throw new PlatformError('STATE_REFUSES', {
      field: 'ID',
      message: `Workflow ${id} is ${canceled === null ? 'complete' : 'canceled'}; its steps cannot be skipped.`,
    });
  if (commands.some(isCompletionRequest) && canceled !== null)
    throw new PlatformError('STATE_REFUSES', {
      field: 'ID',
      message: `Workflow ${id} is canceled; its steps cannot be completed.`,
    });
  return { result: 'ended', failure: undefined };
}

/** Whether a command asks to complete steps, and its caller must learn if they cannot. */
function isCompletionRequest(command: PassCommand): boolean {
  return command.kind === 'complete' && command.isNotice !== true;
}

/** Whether a command is of one of the kinds. */
function hasAny(commands: readonly PassCommand[], kinds: readonly PassCommand['kind'][]): boolean {
  return commands.some(({ kind }) => kinds.includes(kind));
}

function heldResult({ id }: OpenDecision, commands: readonly PassCommand[]): PassResult {
  const completes = commands.some(isCompletionRequest) || hasAny(commands, ['skip']);
  const what = completes ? 'completed' : 'started';
  if (completes || hasAny(commands, ['start', 'begin']))
    throw new PlatformError('STATE_REFUSES', {
      field: 'ID',
      message: `Workflow ${id} is on hold; its steps cannot be ${what} until the hold ends.`,
      details: { DecisionID: id, Delayed: true },
    });
  return { result: 'held', failure: undefined };
}

/**
 * Completes the step that started a workflow. The workflow ends whatever happens to that step: on hold, the step is
 * completed when the hold ends; if it cannot complete, it is in Error.
 */
async function completeParent(own: Context, stepId: number): Promise<void> {
  const [parent] = await own.db.query<{ decisionid: number; open: boolean }>(
    `select decisionid, ${isOpenStep()} as open from decisionstep where decisionstepid = $1::bigint`,
    [stepId],
  );
  if (!parent?.open) return;
  const ids = [stepId];
  try {
    await own.savepoint(() => advanceAndReport(own, parent.decisionid, [{ kind: 'complete', ids, isNotice: true }]));
  } catch (error) {
    const failure = toStepFailure(error);
    await advanceAndReport(own, parent.decisionid, [
      { kind: 'fail', ids, error: failure, suppressNotification: false },
    ]);
  }
}

/** Publishes the changes of steps and workflows, like those of any other record. */
async function publishChanges(own: Context, pass: Pass): Promise<void> {
  await publishSteps(own, 'insert', pass.changedSteps.inserted);
  await publishSteps(own, 'update', pass.changedSteps.updated);
  if (pass.changed)
    await publishDecisions(
      own,
      [pass.decision.id],
      ['Status', ...(pass.completion === null ? [] : (['ActualCompletion'] as const))],
    );
}
