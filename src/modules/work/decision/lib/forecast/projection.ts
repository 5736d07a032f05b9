import { always, both, either, never, type Condition } from './condition.ts';
import { isIfThen, isPolling, repeatability, type Dependency, type Plan, type PlannedStep } from '../template/plan.ts';

/** A step that there is, as far as what comes after it is concerned. Instants are milliseconds. */
export interface ExistingStep {
  /** Its place in the plan; -1 of a step that the plan does not have. */
  readonly place: number;
  /** When it was complete; of an open one when it is expected to be. Undefined where it never will be: it is canceled. */
  readonly completion: number | undefined;
  readonly isOpen: boolean;
  readonly isTrue: boolean | null;
  readonly insertedSequence: number;
  readonly completedSequence: number | null;
}

/** A step that is still to come. */
export interface ProjectedStep {
  readonly place: number;
  readonly estimatedStart: number;
  readonly estimatedCompletion: number;
  /** When it is expected to begin and end: never before now, or before what it waits for. */
  readonly start: number;
  readonly completion: number;
  /** Under which results, not known yet, it comes. */
  readonly condition: Condition;
}

/** What a projection goes by. */
export interface ProjectionInput {
  readonly plan: Plan;
  readonly steps: readonly ExistingStep[];
  /** When the workflow starts or started. */
  readonly begin: number;
  /** Nothing that is not done is done before. */
  readonly now: number;
  /** The ReferenceDate of steps whose case has one, by place. */
  readonly referenceDates: ReadonlyMap<number, number>;
  /** When a step that begins then is complete. */
  readonly completionAfter: (step: PlannedStep, start: number) => number;
}

/** How a dependency is met: by what is complete, or by what is still to complete, on a condition. */
interface DependencyCompletion {
  readonly at: number;
  /** Of a completion that there is: its number. */
  readonly sequence: number | undefined;
}

/**
 * Projects what is still to come of a workflow: each step at the earliest moment at which a pass could start it, in the order of time.
 * Results that are not known yet are taken as either, so that both branches come, each on its condition. A step that comes again and
 * again comes once more; those that are inserted by hand do not come.
 */
export function project(outlook: ProjectionInput): readonly ProjectedStep[] {
  return new Projection(outlook).run();
}

class Projection {
  private readonly outlook: ProjectionInput;
  private readonly own: ReadonlyMap<number, readonly ExistingStep[]>;
  private readonly conditions: ReadonlyMap<number, Condition>;
  /** What completes when, the earliest first. */
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

  /** What is complete meets a dependency at once; of several completions the last. */
  private meetByComplete(place: number, need: Dependency): void {
    for (const { isOpen, completion, completedSequence, isTrue } of this.own.get(need.step) ?? []) {
      if (isOpen || completion === undefined || !matches(this.outlook.plan, need, isTrue)) continue;
      const known = this.met[place]?.get(need);
      if (!known || (known.sequence ?? 0) <= (completedSequence ?? 0))
        this.met[place]?.set(need, { at: completion, sequence: completedSequence ?? 0 });
    }
  }

  /** What is to complete meets a dependency that nothing met, or once more. */
  private meet(place: number, need: Dependency, met: DependencyCompletion): void {
    const known = this.met[place]?.get(need);
    if (!known || known.sequence !== undefined) this.met[place]?.set(need, met);
  }

  /** Lets a step come once every group is met; one that comes again and again, once something has met a group anew. */
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
      // What meets it later is not known yet at this moment: it is come to in the order of time.
      ready = Math.max(ready, ...met.map(({ at }) => at));
    }
    if (isAnew) this.projectStep(place, step, ready);
  }

  private projectStep(place: number, step: PlannedStep, ready: number): void {
    const { plan, now, completionAfter: after, referenceDates } = this.outlook;
    const estimatedStart = referenceDates.get(place) ?? ready;
    const estimatedCompletion = after(step, estimatedStart);
    const start = Math.max(ready, now, plan.enforceStartDates ? estimatedStart : now);
    // What is made on completion is not waited for.
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

/** How often the conditions of one step are made anew while those before it become known; a circle comes to rest long before. */
const ROUNDS_MAX = 50;

/** For each place that is still to come, under which results it does: from those that wait for nothing on, until nothing new is learned. */
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
    // A set is gone through to what was added last.
    for (const next of plan.feeds[place] ?? []) waiting.add(next);
  }
  return known;
}

/** What is known of a workflow while its conditions are made. */
interface ConditionInput {
  readonly plan: Plan;
  readonly own: ReadonlyMap<number, readonly ExistingStep[]>;
  readonly known: ReadonlyMap<number, Condition>;
}

/** Every group is met; of a step that has come before, one of them anew. */
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

/** Whether what is complete meets a dependency, with a completion later than a number. */
function isMet({ plan, own }: ConditionInput, need: Dependency, later: number): boolean {
  return (own.get(need.step) ?? []).some(
    ({ isOpen, completion, isTrue, completedSequence }) =>
      !isOpen &&
      completion !== undefined &&
      (later === 0 || (completedSequence ?? 0) > later) &&
      matches(plan, need, isTrue),
  );
}

/** Under which results something that is not complete yet meets a dependency. */
function toBeMet({ plan, own, known }: ConditionInput, need: Dependency): Condition {
  const isOpen = (own.get(need.step) ?? []).some((step) => step.isOpen);
  const completes = isOpen ? always : (known.get(need.step) ?? never);
  return need.isTrue === null || matches(plan, need, null)
    ? completes
    : both(completes, [[{ step: need.step, isTrue: need.isTrue }]], eitherIn(plan));
}

/** An if/then step says yes or no; any other may be completed without a result. */
function eitherIn({ steps }: Plan): (place: number) => boolean {
  return (place) => {
    const step = steps[place];
    return step !== undefined && isIfThen(step);
  };
}

function isSame(a: Condition, b: Condition): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
