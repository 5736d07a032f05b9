import { isOpenStep, isOpenWorkflow } from '../../../lib/open.ts';
import { businessCalendar } from '../../../lib/business-calendar.ts';
import type { Context } from '../../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../../kernel/door/errors.ts';
import { isCertain, type Condition } from './condition.ts';
import { estimatesOf, existingStep, toIso, type StepDates } from './existing-step.ts';
import { CaseValues } from '../pass/case-values.ts';
import { referenceDate } from '../pass/estimate-step.ts';
import { messageForCaller } from '../pass/failure-for-caller.ts';
import { project, type ExistingStep, type ProjectedStep } from './projection.ts';
import { planOfVersion, type Plan, type PlannedStep } from '../template/plan.ts';

/** Longest text of DependsOn, in characters. */
const DEPENDS_ON_MAX = 1_000;

/**
 * Greatest depth of child workflows that are projected, and most of them per projection. Others count with the
 * estimates of their steps.
 */
const CHILD_PROJECTION_DEPTH_MAX = 5;
const CHILD_PROJECTIONS_MAX = 50;

/** A step of the answer: an existing one, or one still to come. */
export interface ProjectionRow {
  readonly DecisionStepID: number | null;
  readonly DecisionStepTemplateID: number | null;
  readonly DecisionStep: string | null;
  readonly Status: string | null;
  readonly IsProjected: boolean;
  readonly DependsOn: string | null;
  readonly IsTrue: boolean | null;
  readonly EstimatedStart: string | null;
  readonly EstimatedCompletion: string | null;
  readonly ProjectedStart: string | null;
  readonly ProjectedCompletion: string | null;
  readonly ActualStart: string | null;
  readonly ActualCompletion: string | null;
  readonly CanceledDate: string | null;
  readonly ExpectedStart: string | null;
  readonly ExpectedCompletion: string | null;
  readonly WorkflowCompletion: string | null;
}

type StoredStep = Omit<
  ProjectionRow,
  'IsProjected' | 'DependsOn' | 'ExpectedStart' | 'ExpectedCompletion' | 'WorkflowCompletion'
> &
  StepDates & {
    readonly child: number | null;
    readonly childExpected: string | null;
  };

interface DecisionRow {
  readonly object: string | null;
  readonly objectId: number | null;
  readonly versionId: number | null;
  readonly start: string | null;
  readonly completion: string | null;
  readonly canceled: string | null;
  readonly delayed: boolean;
  readonly holdEnd: string | null;
}

const DECISION = `select d.object, d.objectid as "objectId", d.decisiontemplateversionid as "versionId",
    coalesce(d.actualstart, d.createddate) as start, d.actualcompletion as completion, d.canceleddate as canceled,
    coalesce(d.delayed, false) as delayed,
    case when d.delayed then (
      select max(h.projectedcompletion)
      from decisiondelay h
      where h.actualcompletion is null and h.decisiondelayid in (select casewright_holds(d.decisionid))
    ) end as "holdEnd"
  from decision d
  where d.decisionid = $1::bigint`;

/** An open step comes with the newest open workflow it started, and the due date a user entered for that. */
const STEPS = `select decisionstepid as "DecisionStepID", decisionsteptemplateid as "DecisionStepTemplateID",
    decisionstep as "DecisionStep", status as "Status", istrue as "IsTrue", estimatedstart as "EstimatedStart",
    estimatedcompletion as "EstimatedCompletion", projectedstart as "ProjectedStart",
    projectedcompletion as "ProjectedCompletion", actualstart as "ActualStart",
    actualcompletion as "ActualCompletion", canceleddate as "CanceledDate", insertedsequence as inserted,
    completedsequence as completed, c.id as child, c.expected as "childExpected"
  from decisionstep s
  left join lateral (
    select d.decisionid as id, d.projectedcompletion as expected
    from decision d
    where d.parentdecisionstepid = s.decisionstepid
      and ${isOpenStep('s')}
      and ${isOpenWorkflow('d')}
    order by d.decisionid desc
    limit 1
  ) c on true
  where s.decisionid = $1::bigint
  order by insertedsequence nulls last, decisionstepid`;

/** How far a projection has descended into child workflows. */
interface ChildProjections {
  readonly depth: number;
  /** How many more may be projected; shared by the whole projection. */
  readonly left: { count: number };
}

/**
 * Returns the steps of a workflow, existing and still to come. Runs as the built-in user Workflow, as estimates do.
 * Writes nothing.
 */
export function projectDecision(own: Context, id: number): Promise<readonly ProjectionRow[]> {
  return projectSteps(own, id, { depth: 0, left: { count: CHILD_PROJECTIONS_MAX } });
}

async function projectSteps(own: Context, id: number, looks: ChildProjections): Promise<readonly ProjectionRow[]> {
  const [decision] = await own.db.query<DecisionRow>(DECISION, [id]);
  const stored = await own.db.query<StoredStep>(STEPS, [id]);
  if (!decision) throw new Error(`Workflow ${id} was found but not read`);
  const plan =
    decision.versionId === null ? undefined : await planOfVersion(own.configuration, own.db, decision.versionId);
  const isOver = decision.completion !== null || decision.canceled !== null || !plan;
  const estimate = estimatesOf(await businessCalendar(own), plan, (step, error) =>
    own.alert({ code: error.code, text: `Step "${step.name}": ${error.message}` }),
  );
  // On hold nothing completes before the expected end of the hold.
  const held =
    decision.delayed && plan?.enforceDelay !== false && decision.holdEnd !== null ? Date.parse(decision.holdEnd) : 0;
  const now = Math.max(own.clock.milliseconds(), held);
  const children = isOver ? new Map<number, string>() : await childCompletions(own, stored, looks);
  const existing = stored.map((step) =>
    existingStep(step, { childCompletion: children.get(step.DecisionStepID ?? 0), plan, now, estimate }),
  );
  const projected = isOver
    ? []
    : project({
        plan,
        steps: existing.map(({ step }) => step),
        begin: Date.parse(decision.start ?? own.clock.now()),
        now,
        referenceDates: await referenceDates(
          own,
          plan,
          decision,
          existing.map(({ step }) => step),
        ),
        estimate,
      });
  const ends = [
    ...existing.flatMap(({ step }) => (step.completion === undefined ? [] : [step.completion])),
    ...projected.map((step) => step.completion),
  ];
  const WorkflowCompletion =
    decision.canceled !== null
      ? null
      : (decision.completion ?? (ends.length === 0 ? null : toIso(Math.max(now, ...ends))));
  return [
    ...stored.map(
      (
        { inserted: _inserted, completed: _completed, child: _child, childExpected: _childExpected, ...row },
        at,
      ): ProjectionRow => ({
        ...row,
        IsProjected: false,
        DependsOn: null,
        ExpectedStart: existing[at]?.start ?? null,
        ExpectedCompletion: isoOrNull(existing[at]?.step.completion),
        WorkflowCompletion,
      }),
    ),
    ...projected.flatMap((step) => (plan ? [projectedRow(plan, step, WorkflowCompletion)] : [])),
  ];
}

/**
 * Returns by step when the child workflows that open steps wait for will be complete: by the due date a user entered,
 * else by the projection of their own steps.
 */
async function childCompletions(
  own: Context,
  stored: readonly StoredStep[],
  { depth, left }: ChildProjections,
): Promise<ReadonlyMap<number, string>> {
  const found = new Map<number, string>();
  for (const { DecisionStepID: step, ProjectedCompletion, child, childExpected } of stored) {
    if (step === null || child === null || ProjectedCompletion !== null) continue;
    if (childExpected === null && (depth === CHILD_PROJECTION_DEPTH_MAX || left.count-- <= 0)) continue;
    const completion =
      childExpected ?? (await projectSteps(own, child, { depth: depth + 1, left }))[0]?.WorkflowCompletion;
    if (completion !== undefined && completion !== null) found.set(step, completion);
  }
  return found;
}

/**
 * Returns the reference dates of steps still to come, by place, as far as the case has them. Evaluates each expression
 * once.
 */
async function referenceDates(
  own: Context,
  plan: Plan,
  { object, objectId }: DecisionRow,
  steps: readonly ExistingStep[],
): Promise<ReadonlyMap<number, number>> {
  const values = new CaseValues(own, object, objectId);
  const there = new Set(steps.map(({ place }) => place));
  const found = new Map<string, number | undefined>();
  const dates = new Map<number, number>();
  for (const [place, step] of plan.steps.entries()) {
    if (step.referenceDate === null || (there.has(place) && step.repeatability !== 2)) continue;
    if (!found.has(step.referenceDate))
      found.set(step.referenceDate, await dateOf(own, step, step.referenceDate, values));
    const date = found.get(step.referenceDate);
    if (date !== undefined) dates.set(place, date);
  }
  return dates;
}

async function dateOf(
  own: Context,
  step: PlannedStep,
  expression: string,
  values: CaseValues,
): Promise<number | undefined> {
  try {
    const date = await referenceDate(own, expression, values);
    return date === undefined ? undefined : Date.parse(date);
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    own.alert({ code: error.code, text: `Step "${step.name}": ${messageForCaller(own, error)}` });
    return undefined;
  }
}

function projectedRow(
  plan: Plan,
  { place, estimatedStart, estimatedCompletion, start, completion, condition }: ProjectedStep,
  WorkflowCompletion: string | null,
): ProjectionRow {
  const step = plan.steps[place];
  return {
    DecisionStepID: null,
    DecisionStepTemplateID: step?.id ?? null,
    DecisionStep: step?.name ?? null,
    Status: null,
    IsProjected: true,
    DependsOn: dependsOn(plan, condition),
    IsTrue: null,
    EstimatedStart: toIso(estimatedStart),
    EstimatedCompletion: toIso(estimatedCompletion),
    ProjectedStart: null,
    ProjectedCompletion: null,
    ActualStart: null,
    ActualCompletion: null,
    CanceledDate: null,
    ExpectedStart: toIso(start),
    ExpectedCompletion: toIso(completion),
    WorkflowCompletion,
  };
}

/** Returns a condition as text: `Is in Texas = 1 and Is vacant = 0 or Is sold = 1`; null if it always holds. */
function dependsOn({ steps }: Plan, condition: Condition): string | null {
  if (isCertain(condition)) return null;
  const text = condition
    .map((term) => term.map((fact) => `${steps[fact.step]?.name ?? ''} = ${fact.isTrue ? 1 : 0}`).join(' and '))
    .join(' or ');
  return text.length > DEPENDS_ON_MAX ? `${text.slice(0, DEPENDS_ON_MAX - 1)}…` : text;
}

function isoOrNull(instant: number | undefined): string | null {
  return instant === undefined ? null : toIso(instant);
}
