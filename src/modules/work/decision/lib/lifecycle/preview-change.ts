import { isOpenStep, isOpenTask, isOpenWorkflow } from '../../../lib/open.ts';
import type { Context } from '../../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../../kernel/door/errors.ts';
import { arrayLiteral, type Db } from '../../../../../kernel/database/store.ts';
import { CHILD_DEPTH_MAX, decisionTree } from './cancel-decision.ts';
import { assertOneActive } from './one-active.ts';
import { readDecision, readSteps, type OpenDecision, type StepState } from '../pass/stored-steps.ts';
import { assertReactivatable, RESTARTED } from './reactivate-decision.ts';
import { assertRestartable, stepsToCopy } from './restart-decision.ts';
import { placeOfTarget } from './skip-forward.ts';
import { stepsUpTo } from './steps-up-to.ts';
import { planOfVersion } from '../template/plan.ts';

/** The changes that can be previewed. */
export const changes = ['Cancel', 'Restart', 'SkipForward', 'Reactivate'] as const;
/** What can happen to a step. */
export const effects = ['Canceled', 'Repeated', 'Completed', 'Reopened', 'TasksCanceled'] as const;

type Effect = (typeof effects)[number];

/** A step that a change affects. */
export interface PreviewRow {
  readonly DecisionID: number;
  readonly Decision: string | null;
  readonly DecisionStepID: number | null;
  readonly DecisionStepTemplateID: number | null;
  readonly DecisionStep: string | null;
  readonly Status: string | null;
  readonly Effect: Effect;
  readonly TaskCount: number;
}

/**
 * Returns what a change would do, step by step: first the steps of the workflow, then those of its descendants. Applies
 * the same rules as the change itself, without locks. Leaves out workflows that the caller cannot access.
 */
export async function previewChange(
  ctx: Context,
  id: number,
  change: (typeof changes)[number],
  stepId: number,
): Promise<readonly PreviewRow[]> {
  const rows = await ctx.actingAs('Workflow', async (own) => {
    const { db } = own;
    const decision = await readDecision(db, id);
    if (change === 'Reactivate') return previewReactivate(own, decision);
    if (decision.canceled !== null && change === 'Cancel') throw stateRefused(`Workflow ${id} is already canceled.`);
    if (decision.completion !== null && change === 'Cancel')
      throw stateRefused(`Workflow ${id} is complete; there is nothing to cancel.`);
    if (change === 'Cancel') return affectedSteps(db, await decisionTree(own, id), () => 'Canceled');
    const steps = await readSteps(db, id);
    return change === 'Restart'
      ? previewRestart(own, decision, steps, stepId)
      : previewSkipForward(own, decision, steps, stepId);
  });
  const reached = await ctx.db.query<{ id: number }>(
    'select decisionid as id from decision where decisionid = any($1::bigint[])',
    [arrayLiteral([...new Set(rows.map((row) => row.DecisionID))])],
  );
  const within = new Set(reached.map((row) => row.id));
  return [
    ...rows.filter((row) => row.DecisionID === id),
    ...rows.filter((row) => row.DecisionID !== id && within.has(row.DecisionID)),
  ];
}

function stateRefused(message: string): PlatformError {
  return new PlatformError('STATE_REFUSES', { field: 'ID', message });
}

async function previewRestart(
  own: Context,
  decision: OpenDecision,
  steps: readonly StepState[],
  stepId: number,
): Promise<PreviewRow[]> {
  const { db } = own;
  const named = assertRestartable(decision, steps, stepId);
  if (decision.completion !== null) await assertOneActive(own, [decision.id]);
  const copied = new Set(
    stepsToCopy(await planOfVersion(own.configuration, db, Number(decision.versionId)), steps, named).map(
      (step) => step.id,
    ),
  );
  const leaving = steps.filter((step) => !copied.has(step.id) && !step.canceled);
  const below = await treesBelow(
    own,
    leaving.map((step) => step.id),
  );
  const again = new Set(leaving.filter(({ completion }) => completion !== null).map((step) => step.id));
  return affectedSteps(db, [...below, decision.id], (step) => {
    if (copied.has(step)) return undefined;
    return again.has(step) ? 'Repeated' : 'Canceled';
  });
}

async function previewSkipForward(
  own: Context,
  decision: OpenDecision,
  steps: readonly StepState[],
  templateId: number,
): Promise<PreviewRow[]> {
  const { db } = own;
  const over = endedState(decision);
  if (over !== undefined) throw stateRefused(`Workflow ${decision.id} is ${over}; its steps cannot be skipped.`);
  const plan = decision.versionId === null ? undefined : await planOfVersion(own.configuration, db, decision.versionId);
  const place = placeOfTarget(decision.id, templateId, plan);
  if (!plan) return [];
  if (decision.delayed && plan.enforceDelay)
    throw stateRefused(`Workflow ${decision.id} is on hold; its steps cannot be completed until the hold ends.`);
  const there = Map.groupBy(
    steps.filter(({ canceled }) => !canceled),
    ({ templateId: of }) => of,
  );
  const chosen = stepsUpTo(plan, place).flatMap(({ step }) => plan.steps[step] ?? []);
  const open = new Set(
    chosen
      .flatMap(({ id }) => there.get(id) ?? [])
      .filter(({ completion }) => completion === null)
      .map((step) => step.id),
  );
  const waitedFor = steps.flatMap(({ id, object, objectId }) =>
    open.has(id) && object === 'Decision' && objectId !== null ? [objectId] : [],
  );
  const trees: number[] = [];
  for (const child of waitedFor) trees.push(...(await decisionTree(own, child)));
  const standing = await affectedSteps(db, [...trees, decision.id], (step, of) => {
    if (of !== decision.id) return 'Canceled';
    return open.has(step) ? 'Completed' : undefined;
  });
  const [name] = await db.query<{ name: string | null }>(
    'select decision as name from decision where decisionid = $1::bigint',
    [decision.id],
  );
  const inserted = chosen
    .filter(({ id }) => !there.has(id))
    .map((step): PreviewRow => ({
      DecisionID: decision.id,
      Decision: name?.name ?? null,
      DecisionStepID: null,
      DecisionStepTemplateID: step.id,
      DecisionStep: step.name,
      Status: null,
      Effect: 'Completed',
      TaskCount: 0,
    }));
  return [...standing, ...inserted];
}

function endedState({ canceled, completion }: OpenDecision): 'canceled' | 'complete' | undefined {
  if (canceled !== null) return 'canceled';
  return completion === null ? undefined : 'complete';
}

/** Returns the open workflows that steps started, with their descendants. */
async function treesBelow(own: Context, stepIds: readonly number[]): Promise<number[]> {
  const children = await own.db.query<{ id: number }>(
    `select decisionid as id
     from decision
     where parentdecisionstepid = any($1::bigint[]) and ${isOpenWorkflow()}
     order by 1`,
    [arrayLiteral(stepIds)],
  );
  const trees: number[] = [];
  for (const { id } of children) trees.push(...(await decisionTree(own, id)));
  return trees;
}

interface StoredStep extends PreviewRow {
  readonly DecisionStepID: number;
  readonly open: boolean;
}

/** Counts open tasks unless a step of another workflow waits for them too, as canceling does. */
const STEPS = `select d.decisionid as "DecisionID", d.decision as "Decision", s.decisionstepid as "DecisionStepID",
    s.decisionsteptemplateid as "DecisionStepTemplateID", s.decisionstep as "DecisionStep", s.status as "Status",
    ${isOpenStep('s')} as open,
    (
      select count(*)::integer
      from importform f
      where f.decisionstepid = s.decisionstepid
        and ${isOpenTask('f')}
        and not exists (
          select 1
          from decisionstep o
          where o.objectid = f.importformid
            and o.object = 'ImportForm'
            and ${isOpenStep('o')}
            and o.decisionid <> all($1::bigint[])
        )
    ) as "TaskCount"
  from decisionstep s
  join decision d using (decisionid)
  where d.decisionid = any($1::bigint[])
  order by d.decisionid, s.insertedsequence nulls last, s.decisionstepid`;

/**
 * Returns the affected steps of workflows. `effect` returns what happens to an open step, or to one that must be
 * repeated. Other steps are listed only if they have open tasks.
 */
async function affectedSteps(
  db: Db,
  ids: readonly number[],
  effect: (stepId: number, decisionId: number) => Effect | undefined,
): Promise<PreviewRow[]> {
  const steps = await db.query<StoredStep>(STEPS, [arrayLiteral(ids)]);
  return steps.flatMap(({ open, ...step }): PreviewRow[] => {
    const becomes = effect(step.DecisionStepID, step.DecisionID);
    if (becomes === undefined) return [];
    if (open || becomes === 'Repeated') return [{ ...step, Effect: becomes }];
    return step.TaskCount > 0 ? [{ ...step, Effect: 'TasksCanceled' }] : [];
  });
}

/** Returns what was canceled with a workflow and its descendants. */
async function previewReactivate(own: Context, decision: OpenDecision): Promise<PreviewRow[]> {
  assertReactivatable(decision);
  if (decision.completion === null && decision.canceled === null)
    throw stateRefused(`Workflow ${decision.id} is active; there is nothing to reactivate.`);
  await assertOneActive(own, [decision.id]);
  if (decision.canceled === null) return [];
  const rows = await own.db.query<PreviewRow>(
    `with recursive tree as (
       select $1::bigint as decisionid, 0 as depth
       union
       select d.decisionid, t.depth + 1
       from tree t
       join decisionstep s on s.decisionid = t.decisionid
         and s.canceleddate = $2::timestamptz
         and s.actualcompletion is null
       join decision d on d.parentdecisionstepid = s.decisionstepid
         and d.canceleddate = $2::timestamptz
         and d.actualcompletion is null
         and d.status is distinct from $3::text
       where t.depth < ${CHILD_DEPTH_MAX}
     )
     select d.decisionid as "DecisionID", d.decision as "Decision", s.decisionstepid as "DecisionStepID",
       s.decisionsteptemplateid as "DecisionStepTemplateID", s.decisionstep as "DecisionStep", s.status as "Status",
       'Reopened' as "Effect",
       (
         select count(*)::integer
         from importform f
         where f.decisionstepid = s.decisionstepid and f.canceleddate = $2::timestamptz and f.actualcompletion is null
       ) as "TaskCount"
     from decisionstep s
     join decision d using (decisionid)
     where d.decisionid in (select decisionid from tree)
       and s.canceleddate = $2::timestamptz
       and s.actualcompletion is null
     order by d.decisionid, s.insertedsequence nulls last, s.decisionstepid`,
    [decision.id, decision.canceled, RESTARTED],
  );
  await assertOneActive(
    own,
    rows.map((row) => row.DecisionID),
  );
  return rows;
}
