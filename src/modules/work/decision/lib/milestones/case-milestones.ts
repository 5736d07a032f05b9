import { columnList, fromOf, idOf } from '../../../../../kernel/database/sql.ts';
import { arrayLiteral } from '../../../../../kernel/database/store.ts';
import type { RecordType } from '../../../../../kernel/declare/record.ts';
import type { Row } from '../../../../../kernel/door/answer.ts';
import type { Context } from '../../../../../kernel/door/context.ts';
import { businessCalendar } from '../../../lib/business-calendar.ts';
import { planOfVersion, type Plan, type PlannedStep } from '../template/plan.ts';
import type { StepDates } from '../forecast/existing-step.ts';
import { caseProgress, type CaseProgress } from './milestone-dates.ts';

/** The workflow whose milestones a case shows, and how far the case is. */
export interface CaseMilestones extends CaseProgress {
  readonly caseId: number;
  readonly decisionId: number;
  readonly decision: string | null;
  /** Whether the workflow is on hold. */
  readonly delayed: boolean;
}

interface WorkflowRow {
  readonly caseId: number;
  readonly id: number;
  readonly name: string | null;
  readonly versionId: number;
  readonly start: string;
  readonly completion: string | null;
  readonly delayed: boolean;
  readonly holdEnd: string | null;
}

/** The open workflow with milestones that started last; without an open one, the last that was completed. */
const WORKFLOWS = `select k.id as "caseId", d.decisionid as id, d.decision as name,
    d.decisiontemplateversionid as "versionId", coalesce(d.actualstart, d.createddate) as start,
    d.actualcompletion as completion, coalesce(d.delayed, false) as delayed,
    case when d.delayed then (
      select max(h.projectedcompletion)
      from decisiondelay h
      where h.actualcompletion is null and h.decisiondelayid in (select casewright_holds(d.decisionid))
    ) end as "holdEnd"
  from unnest($2::bigint[]) k (id)
  cross join lateral (
    select *
    from decision w
    where w.objectid = k.id
      and w.object = $1::text
      and w.canceleddate is null
      and w.decisiontemplateid = any($3::bigint[])
      and w.decisiontemplateversionid is not null
    order by w.actualcompletion is not null, w.decisionid desc
    limit 1
  ) d`;

const STEPS = `select decisionid as "decisionId", decisionsteptemplateid as "DecisionStepTemplateID",
    istrue as "IsTrue", estimatedstart as "EstimatedStart", estimatedcompletion as "EstimatedCompletion",
    projectedstart as "ProjectedStart", projectedcompletion as "ProjectedCompletion", actualstart as "ActualStart",
    actualcompletion as "ActualCompletion", canceleddate as "CanceledDate", insertedsequence as inserted,
    completedsequence as completed
  from decisionstep
  where decisionid = any($1::bigint[])
  order by decisionid, insertedsequence nulls last, decisionstepid`;

type StepRow = StepDates & { readonly decisionId: number };

/**
 * Returns how far cases of one type are, in three statements however many they are; a case without a workflow with
 * milestones is left out. Reads as the caller, who has checked that the cases are visible. A reference date of a step
 * counts if it is a field of the case; an XPath is not evaluated.
 */
export async function caseMilestones(
  ctx: Context,
  record: RecordType,
  ids: readonly number[],
): Promise<readonly CaseMilestones[]> {
  const known = await milestoneNames(ctx);
  if (known.templates.length === 0 || ids.length === 0) return [];
  const workflows = await ctx.db.query<WorkflowRow>(WORKFLOWS, [
    record.name,
    arrayLiteral(ids),
    arrayLiteral(known.templates),
  ]);
  if (workflows.length === 0) return [];
  const plans = await plansOf(ctx, workflows);
  const stored = await ctx.db.query<StepRow>(STEPS, [arrayLiteral(workflows.map(({ id }) => id))]);
  const steps = Map.groupBy(stored, ({ decisionId }) => decisionId);
  const dates = await referenceDates(ctx, record, [...plans.values()], workflows);
  const calendar = await businessCalendar(ctx);
  const now = ctx.clock.milliseconds();
  return workflows.flatMap((workflow): CaseMilestones[] => {
    const plan = plans.get(workflow.versionId);
    if (!plan) return [];
    const progress = caseProgress({
      plan,
      names: plan.steps.map((step) => nameOf(known, step)),
      steps: steps.get(workflow.id) ?? [],
      begin: Date.parse(workflow.start),
      completion: workflow.completion === null ? undefined : Date.parse(workflow.completion),
      now,
      holdEnd:
        workflow.delayed && plan.enforceDelay && workflow.holdEnd !== null ? Date.parse(workflow.holdEnd) : undefined,
      referenceDates: placesOf(plan, dates.get(workflow.caseId)),
      calendar,
    });
    const { caseId, id, name, delayed } = workflow;
    return [{ caseId, decisionId: id, decision: name, delayed, ...progress }];
  });
}

/** The milestones of all workflow templates. */
interface MilestoneNames {
  /** The templates that have any. */
  readonly templates: readonly number[];
  /** The milestone of each of their steps. */
  readonly names: ReadonlyMap<number, string | null>;
}

/** Reads the milestones as they are configured now: a name that is added or corrected applies to running workflows. */
function milestoneNames({ configuration }: Context): Promise<MilestoneNames> {
  return configuration.get('milestones of workflows', async () => {
    const rows = await configuration.db.query<{ id: number; templateId: number; milestone: string | null }>(
      `select s.decisionsteptemplateid as id, s.decisiontemplateid as "templateId",
         nullif(trim(s.milestone), '') as milestone
       from decisionsteptemplate s
       where s.decisiontemplateid in (
         select m.decisiontemplateid from decisionsteptemplate m where nullif(trim(m.milestone), '') is not null
       )`,
    );
    return {
      templates: [...new Set(rows.map(({ templateId }) => templateId))],
      names: new Map(rows.map(({ id, milestone }) => [id, milestone])),
    };
  });
}

/** Returns the milestone of a step; that of its version if the step was deleted since. */
function nameOf({ names }: MilestoneNames, { id, milestone }: PlannedStep): string | undefined {
  const name = names.get(id);
  return (name === undefined ? milestone : name) ?? undefined;
}

async function plansOf(ctx: Context, workflows: readonly WorkflowRow[]): Promise<ReadonlyMap<number, Plan>> {
  const plans = new Map<number, Plan>();
  // Firms cannot read template versions. Whoever can see the workflow may know its steps.
  for (const versionId of new Set(workflows.map((workflow) => workflow.versionId)))
    plans.set(versionId, await planOfVersion(ctx.configuration, ctx.configuration.db, versionId));
  return plans;
}

/** Reads the fields of the cases that are reference dates of steps, by case. */
async function referenceDates(
  ctx: Context,
  record: RecordType,
  plans: readonly Plan[],
  workflows: readonly WorkflowRow[],
): Promise<ReadonlyMap<number, Row>> {
  const names = new Set(plans.flatMap(({ steps }) => steps.flatMap((step) => step.referenceDate?.toLowerCase() ?? [])));
  const columns = [...names].flatMap((name) => {
    const column = record.columns.get(name);
    return column && (column.field.kind === 'date' || column.field.kind === 'timestamp') ? [column] : [];
  });
  if (columns.length === 0) return new Map();
  const rows = await ctx.db.query<Row & { readonly caseId: number }>(
    `select ${idOf(record)} as "caseId", ${columnList(columns)}
     from ${fromOf(record)}
     where ${idOf(record)} = any($1::bigint[])`,
    [arrayLiteral(workflows.map(({ caseId }) => caseId))],
  );
  return new Map(rows.map((row) => [row.caseId, row]));
}

function placesOf({ steps }: Plan, row: Row | undefined): ReadonlyMap<number, number> {
  const dates = new Map<number, number>();
  if (!row) return dates;
  const byName = new Map(Object.entries(row).map(([name, value]) => [name.toLowerCase(), value]));
  for (const [place, { referenceDate }] of steps.entries()) {
    const value = referenceDate === null ? undefined : byName.get(referenceDate.toLowerCase());
    if (typeof value === 'string') dates.set(place, Date.parse(value));
  }
  return dates;
}
