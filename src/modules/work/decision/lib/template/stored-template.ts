import type { Db } from '../../../../../kernel/database/store.ts';
import type { Dependency, PlanContent, PlannedStep } from './plan.ts';

/** Most steps and dependencies of a workflow template. */
export const STEPS_MAX = 1_000;
export const DEPENDENCIES_MAX = 10_000;

const STEPS = `select decisionsteptemplateid as id, coalesce(decisionsteptemplate, '') as name,
    decisionsteptemplatetype as type, object, objectid as "objectId", operation, parameters, method,
    coalesce(batchlog, false) as "batchLog",
    batchsteptheadcount as threads, nullif(stepxslt, '') as xslt, coalesce(durationscale, 0) as "durationScale",
    estimatedduration::text as duration, referencedate as "referenceDate",
    coalesce(repeatability, 1) as repeatability, coalesce(async, false) as async, queue,
    queueparameters as "queueParameters", objectmatrixid as "matrixId", monitorscheduleid as "scheduleId",
    coalesce(createoncompletion, false) as "createOnCompletion", teamid as "teamId",
    onstartparentstatus as "onStartParentStatus", onstartdecisionstatus as "onStartDecisionStatus",
    oncompleteparentstatus as "onCompleteParentStatus", oncompletedecisionstatus as "onCompleteDecisionStatus",
    milestone
  from decisionsteptemplate
  where decisiontemplateid = $1::bigint
  order by sequence nulls last, decisionsteptemplateid
  limit ${STEPS_MAX + 1}`;

type StepRow = Omit<PlannedStep, 'groups'>;

interface DependencyRow {
  readonly step: number;
  readonly on: number;
  readonly isTrue: boolean | null;
  readonly group: number;
}

/** Reads a template from its records; undefined if it is deleted. */
export async function readTemplate(db: Db, templateId: number): Promise<PlanContent | undefined> {
  const [template] = await db.query<{
    name: string;
    appliesTo: string | null;
    enforceStartDates: boolean;
    enforceDelay: boolean;
  }>(
    `select coalesce(decisiontemplate, '') as name, appliesto as "appliesTo",
       coalesce(enforcestartdates, false) as "enforceStartDates", coalesce(enforcedelay, true) as "enforceDelay"
     from decisiontemplate
     where decisiontemplateid = $1::bigint`,
    [templateId],
  );
  if (!template) return undefined;
  const rows = await db.query<StepRow>(STEPS, [templateId]);
  const dependencies = await db.query<DependencyRow>(
    `select decisionsteptemplateid as step, dependencysteptemplateid as on, istrue as "isTrue",
       coalesce(groupnumber, 0) as group
     from decisiondependency
     where decisiontemplateid = $1::bigint
     order by 1, 4, decisiondependencyid
     limit ${DEPENDENCIES_MAX + 1}`,
    [templateId],
  );
  const places = new Map(rows.map(({ id }, at) => [id, at]));
  const steps = rows.map((row): PlannedStep => {
    const own = Map.groupBy(
      dependencies.filter(({ step }) => step === row.id),
      ({ group }) => group,
    );
    return {
      ...withoutEmptyTexts(row),
      groups: [...own.values()].map((group) =>
        group.flatMap(({ on, isTrue }): Dependency[] => {
          const step = places.get(on);
          return step === undefined ? [] : [{ step, isTrue }];
        }),
      ),
    };
  });
  return { templateId, ...template, steps };
}

/** Turns empty texts into null. */
function withoutEmptyTexts(row: StepRow): StepRow {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      typeof value === 'string' && value.trim() === '' && name !== 'name' ? null : value,
    ]),
  ) as StepRow;
}
