import type { EstimatedDates } from '../../../lib/estimated-dates.ts';
import { always, both, either, never, type Condition } from './condition.ts';
import { isIfThen, isPolling, repeatability, type Dependency, type Plan, type PlannedStep } from '../template/plan.ts';

/** An existing step, as far as later steps depend on it. Instants are in milliseconds. */
export interface ExistingStep {
  /** Its place in the plan; -1 if the plan does not have it. */
  readonly place: number;
  /** When it completed or, if open, is expected to. Undefined if it is canceled and never will. */
  readonly completion: number | undefined;
  readonly isOpen: boolean;
  readonly isTrue: boolean | null;
  readonly insertedSequence: number;
  readonly completedSequence: number | null;
}

/** A step still to come. */
export interface ProjectedStep {
  readonly place: number;
  readonly estimatedStart: number;
  readonly estimatedCompletion: number;
  /** When it is expected to begin and end: never before now, or before its dependencies. */
  readonly start: number;
  readonly completion: number;
  /** The unknown results under which it comes. */
  readonly condition: Condition;
}

/** The input of a projection. */
export interface ProjectionInput {
  readonly plan: Plan;
  readonly steps: readonly ExistingStep[];
  /** When the workflow starts or started. */
  readonly begin: number;
  /** The earliest completion of anything that is still open. */
  readonly now: number;
  /** The ReferenceDate by place, where the case has one. */
  readonly referenceDates: ReadonlyMap<number, number>;
  /** Returns when a step should start and be complete: from its reference date, else from `from`. */
  readonly estimate: (step: PlannedStep, from: number, reference: number | undefined) => EstimatedDates;
}

/** A completion that satisfies a dependency: a past one, or an expected one. */
interface DependencyCompletion {
  readonly at: number;
  /** The sequence number of a past completion. */
  readonly sequence: number | undefined;
}

/**
 * Projects the rest of a workflow: each step at the earliest time a pass could start it, in order of time. Unknown
 * results count as both true and false, so that both branches come, each with its condition. A repeatable step comes
 * once more; manual steps do not come.
 */
export function project(outlook: ProjectionInput): readonly ProjectedStep[] {
  return new Projection(outlook).run();
}

class Projection {
  private readonly outlook: ProjectionInput;
  private readonly own: ReadonlyMap<number, readonly ExistingStep[]>;
  private readonly conditions: ReadonlyMap<number, Condition>;
  /** Expected completions, the earliest first. */
  private readonly events: { readonly place: number; readonly at: number }[] = [];
  private readonly met: Map<Dependency, DependencyCompletion>[];
  private readonly projected = new Map<number, ProjectedStep>();

  constructor(outlook: ProjectionInput) {
    this.outlook = outlook;
    this.own = Map.groupBy(outlook.steps, ({ place }) => place);
    this.conditions = conditionsOf(outlook, this.own);
    this.met = outlook.plan.steps.map(() => new Map<Dependency, DependencyCompletion>());
  }

  run(): readonly ProjectedStep[] {
    const { plan, steps } = this.outlook;
    for (const [place, { groups }] of plan.steps.entries())
      for (const need of groups.flat()) this.meetByComplete(place, need);
    for (const { isOpen, place, completion } of steps)
      if (isOpen && completion !== undefined && place >= 0) this.addEvent(place, completion);
    for (const place of plan.steps.keys()) this.projectIfReady(place);
    for (let event = this.events.shift(); event; event = this.events.shift()) {
      for (const place of plan.feeds[event.place] ?? []) {
        for (const need of plan.steps[place]?.groups.flat() ?? [])
          if (need.step === event.place) this.meet(place, need, { at: event.at, sequence: undefined });
        this.projectIfReady(place);
      }
    }
    return [...this.projected.values()].sort(
      (a, b) => a.start - b.start || a.estimatedStart - b.estimatedStart || a.place - b.place,
    );
  }

  /** Satisfies a dependency by the last past completion. */
  private meetByComplete(place: number, need: Dependency): void {
    for (const { isOpen, completion, completedSequence, isTrue } of this.own.get(need.step) ?? []) {
      if (isOpen || completion === undefined || !matches(this.outlook.plan, need, isTrue)) continue;
      const known = this.met[place]?.get(need);
      if (!known || (known.sequence ?? 0) <= (completedSequence ?? 0))
        this.met[place]?.set(need, { at: completion, sequence: completedSequence ?? 0 });
    }
  }

  /** Satisfies a dependency by an expected completion, unless another expected one already does. */
  private meet(place: number, need: Dependency, met: DependencyCompletion): void {
    const known = this.met[place]?.get(need);
    if (!known || known.sequence !== undefined) this.met[place]?.set(need, met);
  }

  /** Projects a step once every group is satisfied; a repeatable one that has run, once a group is satisfied anew. */
  private projectIfReady(place: number): void {
    const { plan } = this.outlook;
    const step = plan.steps[place];
    if (
      !step ||
      this.projected.has(place) ||
      !canBeInserted(step, this.own.get(place)) ||
      (this.conditions.get(place) ?? never).length === 0
    )
      return;
    const last = this.own.get(place)?.at(-1);
    let ready = step.groups.length === 0 ? this.outlook.begin : Number.NEGATIVE_INFINITY;
    let isAnew = last === undefined;
    for (const group of step.groups) {
      const met = group.flatMap((need) => this.met[place]?.get(need) ?? []);
      if (met.length === 0) return;
      isAnew ||= met.some(({ sequence }) => sequence === undefined || sequence > (last?.insertedSequence ?? 0));
      // Later completions are not known yet: events are handled in order of time.
      ready = Math.max(ready, ...met.map(({ at }) => at));
    }
    if (isAnew) this.projectStep(place, step, ready);
  }

  private projectStep(place: number, step: PlannedStep, ready: number): void {
    const { plan, now, estimate, referenceDates } = this.outlook;
    const { start: estimatedStart, completion: estimatedCompletion } = estimate(step, ready, referenceDates.get(place));
    const start = Math.max(ready, now, plan.enforceStartDates ? estimatedStart : now);
    // Such a step completes at once, and does not wait for the record it creates.
    const completion = step.createOnCompletion ? start : Math.max(start, estimatedCompletion);
    this.projected.set(place, {
      place,
      estimatedStart,
      estimatedCompletion,
      start,
      completion,
      condition: this.conditions.get(place) ?? never,
    });
    this.addEvent(place, completion);
  }

  private addEvent(place: number, at: number): void {
    const index = this.events.findIndex((event) => event.at > at);
    this.events.splice(index < 0 ? this.events.length : index, 0, { place, at });
  }
}

/** Whether a pass could still insert a step. */
function canBeInserted(step: PlannedStep, own: readonly ExistingStep[] | undefined): boolean {
  if (step.repeatability === repeatability.adHoc) return false;
  return own === undefined || step.repeatability === repeatability.multiple;
}

function matches({ steps }: Plan, { step, isTrue }: Dependency, result: boolean | null): boolean {
  const other = steps[step];
  return isTrue === null || result === isTrue || (other !== undefined && isPolling(other));
}

/** Most recalculations of one step's condition while those before it become known. Cycles settle long before. */
const ROUNDS_MAX = 50;

/**
 * Returns the condition of each place still to come. Starts with steps without dependencies and continues until nothing
 * changes.
 */
function conditionsOf(
  { plan }: ProjectionInput,
  own: ReadonlyMap<number, readonly ExistingStep[]>,
): ReadonlyMap<number, Condition> {
  const known = new Map<number, Condition>();
  const rounds = new Map<number, number>();
  const waiting = new Set(plan.steps.keys());
  for (const place of waiting) {
    waiting.delete(place);
    const step = plan.steps[place];
    const round = (rounds.get(place) ?? 0) + 1;
    if (!step || !canBeInserted(step, own.get(place)) || round > ROUNDS_MAX) continue;
    rounds.set(place, round);
    const condition = conditionOf({ plan, own, known }, place, step);
    if (isSame(condition, known.get(place) ?? never)) continue;
    known.set(place, condition);
    // Iterating a set also visits elements added on the way.
    for (const next of plan.feeds[place] ?? []) waiting.add(next);
  }
  return known;
}

/** What a condition is calculated from. */
interface ConditionInput {
  readonly plan: Plan;
  readonly own: ReadonlyMap<number, readonly ExistingStep[]>;
  readonly known: ReadonlyMap<number, Condition>;
}

/** Every group is satisfied; for a step that has run before, one of them anew. */
function conditionOf(all: ConditionInput, place: number, step: PlannedStep): Condition {
  const isEither = eitherIn(all.plan);
  const last = all.own.get(place)?.at(-1);
  let met = always;
  let anew = last === undefined ? always : never;
  for (const group of step.groups) {
    const old = group.reduce((sum: Condition, need) => (isMet(all, need, 0) ? always : sum), never);
    const fresh = group.reduce(
      (sum: Condition, need) =>
        either(sum, last && isMet(all, need, last.insertedSequence) ? always : toBeMet(all, need), isEither),
      never,
    );
    met = both(met, either(old, fresh, isEither), isEither);
    if (last !== undefined) anew = either(anew, fresh, isEither);
  }
  return both(met, anew, isEither);
}

/** Whether a past completion after a sequence number satisfies a dependency. */
function isMet({ plan, own }: ConditionInput, need: Dependency, later: number): boolean {
  return (own.get(need.step) ?? []).some(
    ({ isOpen, completion, isTrue, completedSequence }) =>
      !isOpen &&
      completion !== undefined &&
      (later === 0 || (completedSequence ?? 0) > later) &&
      matches(plan, need, isTrue),
  );
}

/** Returns the condition under which an expected completion satisfies a dependency. */
function toBeMet({ plan, own, known }: ConditionInput, need: Dependency): Condition {
  const isOpen = (own.get(need.step) ?? []).some((step) => step.isOpen);
  const completes = isOpen ? always : (known.get(need.step) ?? never);
  return need.isTrue === null || matches(plan, need, null)
    ? completes
    : both(completes, [[{ step: need.step, isTrue: need.isTrue }]], eitherIn(plan));
}

/** An if/then step always ends with true or false; any other may complete without a result. */
function eitherIn({ steps }: Plan): (place: number) => boolean {
  return (place) => {
    const step = steps[place];
    return step !== undefined && isIfThen(step);
  };
}

function isSame(a: Condition, b: Condition): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
