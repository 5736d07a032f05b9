import { isOpenStep, isOpenWorkflow } from '../../../lib/open.ts';
import type { Context } from '../../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../../kernel/door/errors.ts';
import type { ColumnName } from '../../../../../kernel/declare/columns.ts';
import type { Values } from '../../../../../kernel/declare/values.ts';
import { readRecord } from '../../../../../kernel/records/search/read.ts';
import { insertRow } from '../../../../../kernel/records/save/insert-row.ts';
import { arrayLiteral } from '../../../../../kernel/database/store.ts';
import { cancelLocked, lockTree } from './cancel-decision.ts';
import { assertOneActive, lockOneActive } from './one-active.ts';
import { processNew } from './process-new.ts';
import { RESTARTED } from './reactivate-decision.ts';
import { lockDecision, readSteps, allocateStepIds, type OpenDecision, type StepState } from '../pass/stored-steps.ts';
import { publishSteps } from '../pass/publish-changes.ts';
import { moveTasks } from './step-tasks.ts';
import { planOfVersion, type Plan } from '../template/plan.ts';
import type { decision, Workflow } from '../../decision.record.ts';

/** Where and when a workflow restarts. */
export interface RestartOptions {
  readonly stepId: number;
  /** ISO 8601; now if undefined. */
  readonly start: string | undefined;
  readonly queueName: string | undefined;
}

/** The new workflow and the name of the step. */
export interface RestartResult {
  readonly row: Workflow;
  readonly step: string;
}

/** Columns that the new workflow does not take over from the one it replaces. */
const columnsNotCopied: ReadonlySet<string> = new Set<ColumnName<typeof decision>>([
  'DecisionID',
  'Status',
  'ProjectedStart',
  'ProjectedCompletion',
  'ActualStart',
  'ActualCompletion',
  'CanceledDate',
  'Delayed',
  'DelayCount',
  'DelayDuration',
  'CreatedDate',
  'CreatedPersonID',
  'UpdatedDate',
  'UpdatedPersonID',
  'Version',
]);

/**
 * Cancels a workflow with the Status Restart and replaces it by a new one on the same template version. Complete steps
 * are copied, except those that follow the given step.
 * @throws STATE_REFUSES if it cannot be restarted
 */
export async function restartDecision(
  ctx: Context<typeof decision>,
  id: number,
  { stepId, start, queueName }: RestartOptions,
): Promise<RestartResult> {
  const restarted = await ctx.transaction().elevated(async (db) => {
    await lockOneActive(ctx, id);
    await lockTree(ctx, id);
    const decision = await lockDecision(db, id);
    const steps = await readSteps(db, id);
    const named = assertRestartable(decision, steps, stepId);
    // An active workflow makes room for the new one.
    if (decision.completion !== null) await assertOneActive(ctx, [id]);
    const plan = await planOfVersion(ctx.configuration, db, Number(decision.versionId));
    const copied = stepsToCopy(plan, steps, named);
    const row = await insertSuccessor(ctx, decision, start);
    const made = row.DecisionID;
    await copySteps(ctx, made, copied);
    const tree = await lockTree(ctx, id);
    await cancelLocked(ctx, id, tree, {
      status: RESTARTED,
      childStatus: 'Canceled',
      keepTasks: false,
      reason: 'The workflow was restarted.',
      at: ctx.clock.now(),
    });
    if (decision.parentStepId !== null) await repointParentStep(ctx, decision.parentStepId, id, made);
    return { row, step: plan.steps[plan.places.get(named.templateId) ?? -1]?.name ?? `step ${named.id}` };
  });
  await processNew(ctx, restarted.row, { queueName });
  return restarted;
}

/** Returns the step to restart after. @throws STATE_REFUSES if the workflow cannot restart there */
export function assertRestartable(
  { id, canceled, status, delayed, versionId }: OpenDecision,
  steps: readonly StepState[],
  stepId: number,
): StepState {
  const refuse = (field: string, message: string): PlatformError =>
    new PlatformError('STATE_REFUSES', { field, message });
  if (canceled !== null)
    throw refuse(
      'ID',
      `Workflow ${id} ${status === RESTARTED ? 'was already restarted' : 'is canceled; reactivate it first'}.`,
    );
  if (delayed) throw refuse('ID', `Workflow ${id} is on hold; restart it when the hold has ended.`);
  if (versionId === null) throw refuse('ID', `Workflow ${id} has no template and so no steps.`);
  const named = steps.find((step) => step.id === stepId);
  if (!named)
    throw refuse(
      'DecisionStepID',
      `DecisionStepID: expected a complete step of workflow ${id}; it has no step ${stepId}.`,
    );
  if (named.status !== 'Complete' || named.completion === null || named.canceled)
    throw refuse('DecisionStepID', `DecisionStepID: the step ${stepId} is not complete.`);
  return named;
}

/**
 * Returns the steps to copy into the restarted workflow: complete ones and individually canceled ones that do not
 * follow the given step. Passes insert the others anew. On a cycle only the given step is copied.
 */
export function stepsToCopy(plan: Plan, steps: readonly StepState[], named: StepState): readonly StepState[] {
  const after = new Set<number>();
  const waiting = [plan.places.get(named.templateId) ?? -1];
  for (const at of waiting) {
    for (const next of plan.feeds[at] ?? []) {
      if (after.has(next)) continue;
      after.add(next);
      waiting.push(next);
    }
  }
  return steps.filter(
    (step) =>
      step === named ||
      ((step.completion !== null || step.canceled) && !after.has(plan.places.get(step.templateId) ?? -1)),
  );
}

async function insertSuccessor(ctx: Context, { id }: OpenDecision, start: string | undefined): Promise<Workflow> {
  const record = ctx.registry.recordType('Decision');
  const old = await readRecord(ctx.db, record, id);
  const copied = Object.entries(old).filter(([name, value]) => value !== null && !columnsNotCopied.has(name));
  return insertRow(ctx, record, {
    ...(Object.fromEntries(copied) as Values<typeof decision>),
    Status: 'In Progress',
    ActualStart: start ?? ctx.clock.now(),
  });
}

/** Copies steps with their sequence numbers, and moves their open tasks and child workflows to the copies. */
async function copySteps(ctx: Context, decisionId: number, steps: readonly StepState[]): Promise<void> {
  const { db, user, clock } = ctx;
  const old = steps.map((step) => step.id);
  const ids = await allocateStepIds(db, old.length);
  await db.query(
    `insert into decisionstep (
       decisionstepid, decisionid, decisionstep, status, decisionsteptype, decisionsteptemplateid, object, objectid,
       istrue, estimatedstart, estimatedcompletion, projectedstart, projectedcompletion, actualstart,
       actualcompletion, canceleddate, teamid, delaycount, delayduration, enforcedelay, insertedsequence,
       completedsequence, custom, createddate, createdpersonid, updateddate, updatedpersonid
     ) overriding system value
     select n.id, $3::bigint, s.decisionstep, s.status, s.decisionsteptype, s.decisionsteptemplateid, s.object,
       s.objectid, s.istrue, s.estimatedstart, s.estimatedcompletion, s.projectedstart, s.projectedcompletion,
       s.actualstart, s.actualcompletion, s.canceleddate, s.teamid, s.delaycount, s.delayduration, s.enforcedelay,
       s.insertedsequence, s.completedsequence, s.custom, $4::timestamptz, $5::bigint, $4::timestamptz, $5::bigint
     from unnest($1::bigint[], $2::bigint[]) as n (old, id)
     join decisionstep s on s.decisionstepid = n.old`,
    [arrayLiteral(old), arrayLiteral(ids), decisionId, clock.now(), user.personId],
  );
  await ctx.actingAs('Workflow', async (own) => {
    await moveTasks(own, new Map(old.map((one, at) => [one, ids[at]])));
    await publishSteps(own, 'insert', ids);
  });
  await db.query(
    `update decision d
     set parentdecisionstepid = n.id, updateddate = $3::timestamptz, updatedpersonid = $4::bigint,
       version = version + 1
     from unnest($1::bigint[], $2::bigint[]) as n (old, id)
     where d.parentdecisionstepid = n.old and ${isOpenWorkflow('d')}`,
    [arrayLiteral(old), arrayLiteral(ids), clock.now(), user.personId],
  );
}

/** Makes the parent step that waits for a workflow wait for the one that replaces it. */
async function repointParentStep(ctx: Context, parentStepId: number, old: number, made: number): Promise<void> {
  const { db, user, clock } = ctx;
  await db.query(
    `select 1
     from decision
     where decisionid = (select decisionid from decisionstep where decisionstepid = $1::bigint)
     for update`,
    [parentStepId],
  );
  const changed = await db.query(
    `update decisionstep
     set objectid = $3::bigint, updateddate = $4::timestamptz, updatedpersonid = $5::bigint, version = version + 1
     where decisionstepid = $1::bigint
       and object = 'Decision'
       and objectid = $2::bigint
       and ${isOpenStep()}
     returning decisionstepid`,
    [parentStepId, old, made, clock.now(), user.personId],
  );
  if (changed.length > 0) await ctx.actingAs('Workflow', async (own) => publishSteps(own, 'update', [parentStepId]));
}
