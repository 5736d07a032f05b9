import type { Configuration } from '../../../../../kernel/database/configuration.ts';
import { PlatformError } from '../../../../../kernel/door/errors.ts';
import type { Db } from '../../../../../kernel/database/store.ts';
import { Cache } from '../../../../../kernel/time/cache.ts';

/** How often a pass inserts a step: never (manual only), once, or whenever one of its dependencies completes again. */
export const repeatability = { adHoc: 0, one: 1, multiple: 2 } as const;

/** A dependency: the place of the other step in the plan, and the required result; null for any. */
export interface Dependency {
  readonly step: number;
  readonly isTrue: boolean | null;
}

/** A step in a template version. Empty texts are null. */
export interface PlannedStep {
  /** The DecisionStepTemplate. */
  readonly id: number;
  readonly name: string;
  readonly type: string | null;
  readonly object: string | null;
  readonly objectId: number | null;
  readonly operation: string | null;
  readonly parameters: string | null;
  readonly method: string | null;
  readonly batchLog: boolean;
  readonly threads: number | null;
  readonly xslt: string | null;
  readonly durationScale: number;
  /** Exact decimal text. */
  readonly duration: string | null;
  readonly referenceDate: string | null;
  readonly repeatability: number;
  readonly async: boolean;
  readonly queue: string | null;
  readonly queueParameters: string | null;
  readonly matrixId: number | null;
  readonly scheduleId: number | null;
  readonly createOnCompletion: boolean;
  readonly teamId: number | null;
  readonly onStartParentStatus: string | null;
  readonly onStartDecisionStatus: string | null;
  readonly onCompleteParentStatus: string | null;
  readonly onCompleteDecisionStatus: string | null;
  /** The milestone that completing it reaches. Versions from before milestones existed have none. */
  readonly milestone?: string | null;
  /** Each group needs one of its dependencies. */
  readonly groups: readonly (readonly Dependency[])[];
}

/** The content of a template version. */
export interface PlanContent {
  readonly templateId: number;
  readonly name: string;
  readonly appliesTo: string | null;
  readonly enforceStartDates: boolean;
  readonly enforceDelay: boolean;
  readonly steps: readonly PlannedStep[];
}

/** A template version, prepared for passes. */
export interface Plan extends PlanContent {
  readonly versionId: number;
  /** The place of each step, by DecisionStepTemplate. */
  readonly places: ReadonlyMap<number, number>;
  /** For each step, the places of its dependents. */
  readonly feeds: readonly (readonly number[])[];
}

/** Makes a plan from a version's content. */
export function planOf(versionId: number, content: PlanContent): Plan {
  const feeds: number[][] = content.steps.map(() => []);
  for (const [at, { groups }] of content.steps.entries())
    for (const { step } of groups.flat()) if (!feeds[step]?.includes(at)) feeds[step]?.push(at);
  return { ...content, versionId, places: new Map(content.steps.map(({ id }, at) => [id, at])), feeds };
}

/** Whether a step polls: it evaluates a stylesheet until the result is true. */
export function isPolling(step: PlannedStep): boolean {
  return step.type?.toLowerCase() === 'polling';
}

/** Whether a step evaluates a stylesheet once. */
export function isIfThen(step: PlannedStep): boolean {
  return !isPolling(step) && step.xslt !== null;
}

/** Most plans cached per process. */
const CACHED_PLANS_MAX = 500;

/** Versions never change, so plans stay valid. */
const plansByConfiguration = new WeakMap<Configuration, Cache<number, Plan>>();

/** Returns the plan of a version if it is cached. */
export function cachedPlan(configuration: Configuration, versionId: number): Plan | undefined {
  return plansByConfiguration.get(configuration)?.get(versionId);
}

/** Returns the plan of a version, from the cache if possible. `db` also sees versions that its transaction created. */
export async function planOfVersion(configuration: Configuration, db: Db, versionId: number): Promise<Plan> {
  let cache = plansByConfiguration.get(configuration);
  if (!cache) plansByConfiguration.set(configuration, (cache = new Cache({ max: CACHED_PLANS_MAX })));
  const known = cache.get(versionId);
  if (known) return known;
  const [row] = await db.query<{ content: PlanContent }>(
    'select content from decisiontemplatecontent where decisiontemplateversionid = $1::bigint',
    [versionId],
  );
  if (!row)
    throw new PlatformError('STATE_REFUSES', {
      field: 'DecisionTemplateID',
      message: `The content of version ${versionId} of the workflow's template is missing.`,
    });
  const plan = planOf(versionId, row.content);
  // An uncommitted version may still be rolled back and its number reused.
  const [committed] = await configuration.db.query(
    'select 1 from decisiontemplatecontent where decisiontemplateversionid = $1::bigint',
    [versionId],
  );
  if (committed) cache.set(versionId, plan);
  return plan;
}
