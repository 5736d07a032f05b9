import type { Context } from '../../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../../kernel/door/errors.ts';
import { isPolling, repeatability, type Plan, type PlannedStep } from '../template/plan.ts';
import {
  allocateStepIds,
  IDS_PER_ALLOCATION_MAX,
  updateStep,
  writeSteps,
  type DecisionChange,
  type NewStep,
  type OpenDecision,
  type OpenedDecision,
  type StepChange,
  type StepState,
} from './stored-steps.ts';

/** Most steps that one pass inserts. A cycle that never waits would run forever. */
const INSERTED_MAX = 2_000;

/** The last completion of a template step: its sequence number and time. */
interface LastCompletion {
  sequence: number;
  at: string;
}

/** A step within a pass, with its unwritten changes. */
export interface TrackedStep {
  readonly step: PlannedStep;
  readonly state: StepState;
  /** The row of a step that is not written yet. */
  row: NewStep | undefined;
  /** The unwritten changes of a step. */
  change: StepChange | undefined;
}

/**
 * The steps of a workflow during a pass: their states, which are ready, and what is still to be written. What a step
 * does is up to the pass.
 */
export class StepsInMemory {
  private readonly ctx: Context;
  private readonly decision: OpenDecision;
  private readonly plan: Plan;
  private readonly tracked = new Map<number, TrackedStep>();
  private readonly byPlace = new Map<number, TrackedStep[]>();
  private readonly completed: Readonly<Record<'true' | 'false' | 'any', Map<number, LastCompletion>>> = {
    true: new Map(),
    false: new Map(),
    any: new Map(),
  };
  private readonly unwritten = new Set<TrackedStep>();
  /** Places whose readiness must be checked. */
  private candidates: Set<number>;
  private ids: number[];
  private insertions = 0;
  private sequence: number;
  /** Inserted and changed steps, for publishing. */
  readonly changedSteps = { inserted: new Set<number>(), updated: new Set<number>() };

  constructor(ctx: Context, decision: OpenDecision, plan: Plan, { steps, ids }: Pick<OpenedDecision, 'steps' | 'ids'>) {
    this.ctx = ctx;
    this.decision = decision;
    this.plan = plan;
    this.sequence = decision.sequence;
    this.ids = [...ids];
    this.candidates = new Set(plan.steps.keys());
    for (const state of steps) {
      const place = plan.places.get(state.templateId);
      const step = place === undefined ? undefined : plan.steps[place];
      // A step of another version: the workflow waits for it, but no step depends on it.
      this.track(place ?? -1, { step: step ?? placeholderStep(state), state, row: undefined, change: undefined });
    }
  }

  /** The last sequence number in use. */
  get lastNumber(): number {
    return this.sequence;
  }

  /** Returns the next sequence number. */
  nextNumber(): number {
    return ++this.sequence;
  }

  /** Whether there is a step of this ID, written or not. */
  has(id: number): boolean {
    return this.tracked.has(id);
  }

  /** Returns the step of an ID. */
  get(id: number): TrackedStep | undefined {
    return this.tracked.get(id);
  }

  /** Returns all steps, in order of insertion. */
  all(): readonly TrackedStep[] {
    return [...this.tracked.values()];
  }

  /** Returns the steps inserted for a place of the plan. */
  at(place: number): readonly TrackedStep[] {
    return this.byPlace.get(place) ?? [];
  }

  /** Returns the steps that this pass inserted and has not started. */
  inserted(): readonly TrackedStep[] {
    return [...this.unwritten].filter(({ state, row }) => row !== undefined && state.status === null);
  }

  /** Returns the places of steps that are ready to be inserted, or inserted again. */
  ready(): number[] {
    const ready: number[] = [];
    for (const place of this.candidates) {
      const step = this.plan.steps[place];
      if (!step || step.repeatability === repeatability.adHoc) continue;
      const last = this.byPlace.get(place)?.at(-1);
      if (last && step.repeatability !== repeatability.multiple) continue;
      const latest = this.latestDependencyCompletion(step);
      if (latest === undefined) continue;
      if (last && (latest === null || latest.sequence <= last.state.insertedSequence)) continue;
      ready.push(place);
    }
    this.candidates = new Set();
    return ready.sort((a, b) => a - b);
  }

  /** Whether a step of the plan has completed, with any result. */
  hasCompleted(place: number): boolean {
    return this.completed.any.has(place);
  }

  /** Returns the last completion a step waited for; null if it has no dependencies, undefined if it must still wait. */
  latestDependencyCompletion(step: PlannedStep): LastCompletion | null | undefined {
    let latest: LastCompletion | null = null;
    for (const group of step.groups) {
      let best: LastCompletion | undefined;
      for (const { step: on, isTrue } of group) {
        const found = this.completionsMatching(isTrue, this.plan.steps[on]).get(on);
        if (found && (!best || found.sequence > best.sequence)) best = found;
      }
      if (!best) return undefined;
      if (!latest || best.sequence > latest.sequence) latest = best;
    }
    return latest;
  }

  /** Returns the last completions by place that meet a dependency. A polling step meets any. */
  private completionsMatching(isTrue: boolean | null, step: PlannedStep | undefined): Map<number, LastCompletion> {
    if (isTrue === null || (step && isPolling(step))) return this.completed.any;
    return isTrue ? this.completed.true : this.completed.false;
  }

  /** Marks the dependents of a completed step for a readiness check. */
  noteCompletion(state: StepState): void {
    const place = this.plan.places.get(state.templateId);
    if (place === undefined) return;
    this.indexCompletion(place, state);
    for (const waiting of this.plan.feeds[place] ?? []) this.candidates.add(waiting);
  }

  /** Inserts a step of the plan. It is started and written later. */
  async insert(place: number): Promise<void> {
    const step = this.plan.steps[place];
    if (!step) return;
    if (++this.insertions > INSERTED_MAX)
      throw new PlatformError('STATE_REFUSES', {
        field: 'DecisionTemplateID',
        message:
          `The workflow did not settle after ${INSERTED_MAX} steps: its steps form a cycle that waits ` +
          'for nothing.',
      });
    const state: StepState = {
      id: await this.nextId(),
      templateId: step.id,
      status: null,
      isTrue: null,
      completion: null,
      canceled: false,
      insertedSequence: this.nextNumber(),
      completedSequence: null,
      estimatedStart: null,
      estimatedCompletion: null,
      object: null,
      objectId: null,
      isUnqueued: true,
    };
    const { enforceDelay } = this.plan;
    const row: NewStep = {
      step: state,
      name: step.name,
      type: step.type,
      start: null,
      teamId: step.teamId,
      enforceDelay,
      delayed: this.decision.delayed,
      messageId: null,
    };
    const tracked: TrackedStep = { step, state, row, change: undefined };
    this.track(place, tracked);
    this.unwritten.add(tracked);
  }

  private async nextId(): Promise<number> {
    if (this.ids.length === 0)
      this.ids = await allocateStepIds(this.ctx.db, Math.min(IDS_PER_ALLOCATION_MAX, this.plan.steps.length));
    return this.ids.shift() ?? 0;
  }

  /** Records a change of a step, to be written later. */
  set(tracked: TrackedStep, change: StepChange): void {
    const { state } = tracked;
    if (change.status !== undefined) state.status = change.status;
    if (change.istrue !== undefined) state.isTrue = change.istrue;
    if (change.object !== undefined) state.object = change.object;
    if (change.objectid !== undefined) state.objectId = change.objectid;
    if (change.actualcompletion !== undefined) state.completion = change.actualcompletion;
    if (change.completedsequence !== undefined) state.completedSequence = change.completedsequence;
    tracked.change = { ...tracked.change, ...change };
    this.unwritten.add(tracked);
  }

  /** Sends unwritten steps, and the change of the workflow if given. It travels with the next awaited statement. */
  write(decision?: DecisionChange, now = this.ctx.clock.now()): void {
    const transaction = this.ctx.transaction();
    const { personId } = this.ctx.user;
    // A step without a status has not begun: its estimate is still missing.
    const begun = [...this.unwritten].filter(({ state }) => state.status !== null);
    const rows = begun.flatMap((tracked) => newRow(tracked) ?? []);
    for (const { step } of rows) this.changedSteps.inserted.add(step.id);
    writeSteps(transaction, { decisionId: this.decision.id, rows, decision, now, personId });
    for (const tracked of begun) {
      const change = changeAfterInsert(tracked);
      if (change) updateStep(transaction, { id: tracked.state.id, change, now, personId });
      if (change && !tracked.row) this.changedSteps.updated.add(tracked.state.id);
      tracked.row = undefined;
      tracked.change = undefined;
      this.unwritten.delete(tracked);
    }
  }

  private track(place: number, tracked: TrackedStep): void {
    this.tracked.set(tracked.state.id, tracked);
    const there = this.byPlace.get(place);
    if (there) there.push(tracked);
    else this.byPlace.set(place, [tracked]);
    if (tracked.state.completion !== null && tracked.state.status === 'Complete')
      this.indexCompletion(place, tracked.state);
  }

  private indexCompletion(place: number, { completion, completedSequence, isTrue }: StepState): void {
    const note = { sequence: completedSequence ?? 0, at: completion ?? '' };
    for (const key of isTrue === null ? (['any'] as const) : (['any', isTrue ? 'true' : 'false'] as const)) {
      const before = this.completed[key].get(place);
      if (!before || before.sequence <= note.sequence) this.completed[key].set(place, note);
    }
  }
}

/** Returns a placeholder for a step that the version does not have. */
function placeholderStep({ templateId }: StepState): PlannedStep {
  return {
    id: templateId,
    name: `step ${templateId}`,
    type: null,
    object: null,
    objectId: null,
    operation: null,
    parameters: null,
    method: null,
    batchLog: false,
    threads: null,
    xslt: null,
    durationScale: 0,
    duration: null,
    referenceDate: null,
    repeatability: repeatability.adHoc,
    async: false,
    queue: null,
    queueParameters: null,
    matrixId: null,
    scheduleId: null,
    createOnCompletion: false,
    teamId: null,
    onStartParentStatus: null,
    onStartDecisionStatus: null,
    onCompleteParentStatus: null,
    onCompleteDecisionStatus: null,
    groups: [],
  };
}

/** Returns the row to insert for a new step, with everything that has changed since; undefined for a stored one. */
function newRow({ row, change }: TrackedStep): NewStep | undefined {
  return row && { ...row, start: change?.actualstart ?? null, messageId: change?.queuemessageid ?? null };
}

/** Returns what an update writes: all changes of a stored step; of a new one only its error, which inserts omit. */
function changeAfterInsert({ row, change }: TrackedStep): StepChange | undefined {
  if (!change || !row) return change;
  const { errordate, errorguid, errormessage } = change;
  if (errorguid === undefined || errorguid === null) return undefined;
  return { errordate: errordate ?? null, errorguid, errormessage: errormessage ?? null };
}
