import { randomUUID } from 'node:crypto';
import type { Context } from '../../../../kernel/context.ts';
import { fromDatabaseError, isRetryable, loggableMessage } from '../../../../kernel/database-error.ts';
import { writeErrorEntry } from '../../../../kernel/error-entry.ts';
import { PlatformError } from '../../../../kernel/errors.ts';
import { maskNumbers } from '../../../../kernel/mask.ts';
import { isPolling, repeatability, type Plan, type PlannedStep } from '../template/plan.ts';
import { decisionProcessErrorThrow } from '../../settings.ts';
import { CaseValues, type OwnValues } from './case-values.ts';
import { endedBatches, waitsForBatch } from './ended-batches.ts';
import { estimateStep } from './estimate.ts';
import { nextLook, queueStep, startsFromQueue } from './queued-start.ts';
import { changesNothing, runStep, type StepOutcome, type StepRun } from './run-step.ts';
import { insertSteps, takeStepIds, updateStep, type NewStep, type OpenDecision, type StepChange, type StepState } from './stored-steps.ts';

/** The most steps that one pass inserts: a circle that never waits would go on for ever. */
const INSERTED_MAX = 2_000;
/** How many ids are taken at once. */
const IDS_AT_ONCE = 12;

/** What somebody wants of a workflow beside its next steps. */
export interface Wanted {
  /** Steps to be completed, the result that they complete with, and when each was complete where that is not now. */
  readonly complete?: { readonly ids: readonly number[]; readonly isTrue?: boolean | null; readonly at?: ReadonlyMap<number, string> };
  /** Steps to be started now. */
  readonly start?: readonly number[];
  /** Steps whose work somewhere else has failed. `isTold`: who says so knows it. */
  readonly fail?: { readonly ids: readonly number[]; readonly error: PlatformError; readonly isTold: boolean };
  /** A step whose work begins outside of the pass, and the queued message whose call does it; `take` is handed what it needs. */
  readonly begin?: { readonly id: number; readonly messageId: string | null; readonly take: (run: Omit<StepRun, 'ctx' | 'values'>) => void };
  /** What the work of such a step came to. */
  readonly settle?: { readonly id: number; readonly outcome: StepOutcome };
  /** Steps that are to be complete without doing what they are for: open ones as they stand, those that there are not inserted first. */
  readonly skip?: readonly SkippedStep[];
  /** The pass does what is wanted and ends: what has become ready waits for the next one. */
  readonly rest?: true;
}

/** A step that is skipped: its place in the plan, and the result that it completes with. */
export interface SkippedStep {
  readonly step: number;
  readonly isTrue: boolean | null;
}

/** How the steps of one template step last completed: the number of the completion, and when. */
interface Completions {
  sequence: number;
  at: string;
}

/** What a step's inserted rows are. */
interface Kept {
  readonly step: PlannedStep;
  readonly state: StepState;
  /** Of a step that is not written yet. */
  row: NewStep | undefined;
  /** What has changed of one that is. */
  change: StepChange | undefined;
}

/**
 * One pass over a workflow whose row is locked, in one transaction, as the built-in user Workflow. It starts what is ready, goes on with
 * what that makes ready, and completes the workflow when nothing is left. Steps are written as late as may be: those that change
 * nothing in one statement at the end, others before what they call could look at them.
 */
export class Pass {
  readonly decision: OpenDecision;
  readonly plan: Plan;
  private readonly ctx: Context;
  private readonly values: CaseValues;
  private readonly kept = new Map<number, Kept>();
  private readonly byPlace = new Map<number, Kept[]>();
  private readonly completed: { readonly true: Map<number, Completions>; readonly false: Map<number, Completions>; readonly any: Map<number, Completions> } = { true: new Map(), false: new Map(), any: new Map() };
  private readonly unwritten = new Set<Kept>();
  /** Steps whose batch this pass has looked at. */
  private readonly lookedAt = new Set<number>();
  /** Places whose readiness must be looked at. */
  private candidates: Set<number>;
  private inbox: Wanted[] = [];
  private ids: number[] = [];
  private inserted = 0;
  private rests = false;
  private sequence: number;
  private status: string | null;
  /** Steps that were inserted or changed, for who listens outside. */
  readonly touched = { inserted: new Set<number>(), updated: new Set<number>() };
  failure: PlatformError | undefined;
  completion: string | null = null;

  constructor(ctx: Context, decision: OpenDecision, plan: Plan, steps: readonly StepState[]) {
    this.ctx = ctx;
    this.decision = decision;
    this.plan = plan;
    this.sequence = decision.sequence;
    this.status = decision.status;
    this.values = new CaseValues(ctx, decision.object, decision.objectId);
    this.candidates = new Set(plan.steps.keys());
    for (const state of steps) {
      const place = plan.places.get(state.templateId);
      const step = place === undefined ? undefined : plan.steps[place];
      // A step that another version had: it is waited for, and nothing waits for it.
      this.keep(place ?? -1, { step: step ?? goneStep(state), state, row: undefined, change: undefined });
    }
  }

  private keep(place: number, kept: Kept): void {
    this.kept.set(kept.state.id, kept);
    const there = this.byPlace.get(place);
    if (there) there.push(kept);
    else this.byPlace.set(place, [kept]);
    if (kept.state.completion !== null && kept.state.status === 'Complete') this.noteCompletion(place, kept.state);
  }

  private noteCompletion(place: number, { completion, completedSequence, isTrue }: StepState): void {
    const note = { sequence: completedSequence ?? 0, at: completion ?? '' };
    for (const key of isTrue === null ? (['any'] as const) : (['any', isTrue ? 'true' : 'false'] as const)) {
      const before = this.completed[key].get(place);
      if (!before || before.sequence <= note.sequence) this.completed[key].set(place, note);
    }
  }

  /** Takes what somebody wants while the pass is running, from within one of its steps. */
  also(wanted: Wanted): void {
    this.inbox.push(wanted);
  }

  /** Whether a step of this pass has this id, also one that is not written yet. */
  has(stepId: number): boolean {
    return this.kept.has(stepId);
  }

  async run(wanted: Wanted): Promise<void> {
    await this.take(wanted);
    if (!this.rests) await this.goOn();
    this.write();
    this.writeDecision();
  }

  private async goOn(): Promise<void> {
    await this.queueAgain();
    for (;;) {
      const wishes = this.inbox.splice(0);
      for (const wish of wishes) await this.take(wish);
      if (this.rests) return;
      const ready = this.ready();
      if (ready.length === 0 && this.inbox.length === 0 && !(await this.takeBatches())) break;
      for (const place of ready) await this.insert(place);
      for (const kept of [...this.unwritten].filter(({ state, row }) => row !== undefined && state.status === null)) {
        if (this.inbox.some(({ rest }) => rest)) break;
        await this.start(kept);
      }
    }
    this.endWhenDone();
  }

  private async take({ complete, start, fail, begin, settle, skip, rest }: Wanted): Promise<void> {
    if (rest) this.rests = true;
    for (const one of skip ?? []) await this.skip(one);
    for (const id of complete?.ids ?? []) {
      const kept = this.kept.get(id);
      if (kept && kept.state.status !== 'Complete') await this.complete(kept, complete?.isTrue ?? kept.state.isTrue, complete?.at?.get(id));
    }
    for (const id of fail?.ids ?? []) {
      const kept = this.kept.get(id);
      if (kept && fail && kept.state.status !== 'Complete') await this.failed(kept, fail.error, fail.isTold);
    }
    const begun = begin && this.kept.get(begin.id);
    if (begun) {
      if (begun.step.onStartParentStatus !== null) await this.setParentStatus(begun.step.onStartParentStatus);
      this.set(begun, { status: 'Started', actualstart: this.ctx.clock.now(), errordate: null, errorguid: null, errormessage: null, queuemessageid: begin.messageId });
      begin.take({ step: begun.step, state: begun.state, own: this.ownOf(begun) });
    }
    const settled = settle && this.kept.get(settle.id);
    if (settled && settled.state.status !== 'Complete' && !settled.state.canceled) {
      if (settle.outcome.kind === 'complete' && settled.step.onCompleteParentStatus !== null) await this.setParentStatus(settled.step.onCompleteParentStatus);
      await this.settle(settled, settle.outcome);
    }
    for (const id of start ?? []) {
      const kept = this.kept.get(id);
      if (kept && kept.state.status !== 'Complete') await this.startNow(kept);
    }
  }

  /** Steps whose queued call came while the workflow was on hold get another. */
  private async queueAgain(): Promise<void> {
    for (const kept of this.kept.values()) {
      const { step, state } = kept;
      if (!state.isUnqueued || (state.status !== 'Queued' && state.status !== 'Reprocessing' && !(state.status === 'Pending' && isPolling(step)))) continue;
      state.isUnqueued = false;
      this.set(kept, { queuemessageid: await queueStep(this.ctx, { step, id: state.id, values: this.values, own: this.ownOf(kept) }) });
    }
  }

  /** Settles the steps whose batch has ended, each looked at once; answers whether one has completed. A batch says only that it has ended: the pass may come late, after a hold. */
  private async takeBatches(): Promise<boolean> {
    const waiting = [...this.kept.values()].filter(({ step, state }) => !this.lookedAt.has(state.id) && waitsForBatch(step, state));
    if (waiting.length === 0) return false;
    for (const { state } of waiting) this.lookedAt.add(state.id);
    let hasCompleted = false;
    for (const { stepId, error } of await endedBatches(this.ctx.db, waiting.map(({ state }) => state))) {
      const kept = this.kept.get(stepId);
      if (!kept) continue;
      if (error) await this.failed(kept, error, true);
      else await this.complete(kept, null);
      hasCompleted ||= error === undefined;
    }
    return hasCompleted;
  }

  /** The places of steps that are ready and not inserted, or to be inserted again. */
  private ready(): number[] {
    const ready: number[] = [];
    for (const place of this.candidates) {
      const step = this.plan.steps[place];
      if (!step || step.repeatability === repeatability.adHoc) continue;
      const last = this.byPlace.get(place)?.at(-1);
      if (last && step.repeatability !== repeatability.multiple) continue;
      const latest = this.latestNeeded(step);
      if (latest === undefined) continue;
      if (last && (latest === null || latest.sequence <= last.state.insertedSequence)) continue;
      ready.push(place);
    }
    this.candidates = new Set();
    return ready.sort((a, b) => a - b);
  }

  /** The last completion that a step waited for; null where it waits for none, undefined where it must wait. */
  private latestNeeded(step: PlannedStep): Completions | null | undefined {
    let latest: Completions | null = null;
    for (const group of step.groups) {
      let best: Completions | undefined;
      for (const { step: on, isTrue } of group) {
        const other = this.plan.steps[on];
        const which = isTrue === null || (other && isPolling(other)) ? this.completed.any : isTrue ? this.completed.true : this.completed.false;
        const found = which.get(on);
        if (found && (!best || found.sequence > best.sequence)) best = found;
      }
      if (!best) return undefined;
      if (!latest || best.sequence > latest.sequence) latest = best;
    }
    return latest;
  }

  private async insert(place: number): Promise<void> {
    const step = this.plan.steps[place];
    if (!step) return;
    if (++this.inserted > INSERTED_MAX) throw new PlatformError('STATE_REFUSES', { field: 'DecisionTemplateID', message: `The workflow did not come to rest after ${INSERTED_MAX} steps; its steps go round in a circle that waits for nothing.` });
    const state: StepState = {
      id: await this.nextId(), templateId: step.id, status: null, isTrue: null, completion: null, canceled: false, insertedSequence: ++this.sequence, completedSequence: null, estimatedStart: null, estimatedCompletion: null, object: null, objectId: null, isUnqueued: true,
    };
    const { enforceDelay } = this.plan;
    const row: NewStep = { step: state, decisionId: this.decision.id, name: step.name, type: step.type, start: null, teamId: step.teamId, enforceDelay, delayed: this.decision.delayed, messageId: null };
    const kept: Kept = { step, state, row, change: undefined };
    this.keep(place, kept);
    this.unwritten.add(kept);
  }

  private async nextId(): Promise<number> {
    if (this.ids.length === 0) this.ids = await takeStepIds(this.ctx.db, IDS_AT_ONCE);
    return this.ids.shift() ?? 0;
  }

  /** Starts a step that was just inserted: from a queue, later, or now. */
  private async start(kept: Kept): Promise<void> {
    const { step, state } = kept;
    try {
      const from = this.latestNeeded(step)?.at ?? this.decision.start ?? this.ctx.clock.now();
      const estimate = await estimateStep(this.ctx, step, this.values, from);
      state.estimatedStart = estimate.start;
      state.estimatedCompletion = estimate.completion;
      const waitsUntil = this.plan.enforceStartDates && estimate.start > this.ctx.clock.now() ? estimate.start : undefined;
      if (waitsUntil !== undefined || (await startsFromQueue(this.ctx, step))) {
        const messageId = await queueStep(this.ctx, { step, id: state.id, values: this.values, own: this.ownOf(kept), notBefore: waitsUntil });
        this.set(kept, { status: 'Queued', queuemessageid: messageId });
        return;
      }
    } catch (error) {
      return this.failed(kept, this.foreseen(error));
    }
    await this.startNow(kept);
  }

  /** Does what a step is for, in a part of the transaction that is undone alone where it fails. */
  private async startNow(kept: Kept): Promise<void> {
    const { step, state } = kept;
    const now = this.ctx.clock.now();
    this.set(kept, { status: 'Started', actualstart: now, errordate: null, errorguid: null, errormessage: null, queuemessageid: null });
    const run: StepRun = { ctx: this.ctx, step, state, values: this.values, own: this.ownOf(kept) };
    const before = this.inbox.length;
    try {
      const plain = changesNothing(step) && step.onStartParentStatus === null && step.onCompleteParentStatus === null;
      // What is called may look at the steps, and what it makes points to its own.
      if (!plain) this.write();
      const outcome = plain ? await runStep(run) : await this.ctx.savepoint(() => this.runWhole(run));
      if (!plain) this.values.changed();
      await this.settle(kept, outcome);
    } catch (error) {
      // What its work wished for was undone with it, and what it has changed of the case.
      this.inbox.length = before;
      this.values.changed();
      await this.failed(kept, this.foreseen(error));
    }
  }

  /** The statuses that the case gets are part of the step: where they are refused the step has failed. */
  private async runWhole(run: StepRun): Promise<StepOutcome> {
    const { step } = run;
    if (step.onStartParentStatus !== null) await this.setParentStatus(step.onStartParentStatus);
    const outcome = await runStep(run);
    if (outcome.kind === 'complete' && step.onCompleteParentStatus !== null) await this.setParentStatus(step.onCompleteParentStatus);
    return outcome;
  }

  private async settle(kept: Kept, outcome: StepOutcome): Promise<void> {
    const { step } = kept;
    if (step.onStartDecisionStatus !== null) this.status = step.onStartDecisionStatus;
    if (outcome.kind === 'failed') return this.failed(kept, outcome.error);
    if (outcome.kind === 'again') {
      const messageId = await nextLook(this.ctx, { step, id: kept.state.id, values: this.values, own: this.ownOf(kept) });
      return this.set(kept, { status: 'Pending', queuemessageid: messageId });
    }
    const made = outcome.objectId === undefined ? {} : { object: outcome.object ?? null, objectid: outcome.objectId };
    if (outcome.kind === 'complete' || step.createOnCompletion) return this.completeNow(kept, outcome.isTrue ?? null, made);
    this.set(kept, { status: 'Pending', ...made });
  }

  /** Completes a step because somebody says so. */
  private async complete(kept: Kept, isTrue: boolean | null, at?: string): Promise<void> {
    const { step, state } = kept;
    if (state.canceled) throw new PlatformError('STATE_REFUSES', { field: 'ID', message: `The step "${step.name}" (${state.id}) is canceled.` });
    if (step.onCompleteParentStatus !== null) {
      this.write();
      await this.setParentStatus(step.onCompleteParentStatus);
      this.values.changed();
    }
    this.completeNow(kept, isTrue, {}, at);
  }

  /** Completes a step that somebody passes over. One of which every instance is canceled gets another. */
  private async skip({ step: place, isTrue }: SkippedStep): Promise<void> {
    const there = (): readonly Kept[] => (this.byPlace.get(place) ?? []).filter(({ state }) => !state.canceled);
    if (there().length === 0) {
      await this.insert(place);
      for (const kept of there()) {
        const from = this.latestNeeded(kept.step)?.at ?? this.decision.start ?? this.ctx.clock.now();
        // A step may be skipped because the case has no good ReferenceDate, so that is not asked.
        const estimate = await estimateStep(this.ctx, { ...kept.step, referenceDate: null }, this.values, from);
        kept.state.estimatedStart = estimate.start;
        kept.state.estimatedCompletion = estimate.completion;
        this.set(kept, { actualstart: this.ctx.clock.now() });
      }
    }
    for (const kept of there()) if (kept.state.completion === null) await this.complete(kept, kept.state.isTrue ?? isTrue);
  }

  private completeNow(kept: Kept, isTrue: boolean | null, made: StepChange, at = this.ctx.clock.now()): void {
    const { step, state } = kept;
    this.set(kept, { ...made, status: 'Complete', istrue: isTrue, actualcompletion: at, completedsequence: ++this.sequence, errordate: null, errorguid: null, errormessage: null, queuemessageid: null });
    if (step.onCompleteDecisionStatus !== null) this.status = step.onCompleteDecisionStatus;
    const place = this.plan.places.get(state.templateId);
    if (place === undefined) return;
    this.noteCompletion(place, state);
    for (const waiting of this.plan.feeds[place] ?? []) this.candidates.add(waiting);
  }

  /** A step that failed stands in Error, with what finds the failure in the error log; the others go on. */
  private async failed(kept: Kept, error: PlatformError, isTold = false): Promise<void> {
    const { ctx, decision } = this;
    const { step, state } = kept;
    const guid = randomUUID();
    const message = maskNumbers(error.message);
    const cause = error.cause instanceof Error && error.code === 'INTERNAL' ? error.cause : error;
    await writeErrorEntry(ctx.db, ctx.clock, { correlationId: guid, operation: 'decisionstep/start', message: `Decision ${decision.id}, step "${step.name}" (${state.id}): ${loggableMessage(cause)}`.slice(0, 2_000), cause: `${ctx.cause.join(' > ')}; call ${ctx.correlationId}`, stack: cause.stack?.split('\n').filter((line) => /^ {4}at /.test(line)).join('\n').slice(0, 8_000) ?? null, personId: ctx.user.personId });
    this.set(kept, { status: 'Error', errordate: ctx.clock.now(), errorguid: guid, errormessage: message, queuemessageid: null });
    const told = new PlatformError('STEP_FAILED', {
      message: `Step "${step.name}" failed: ${message}`,
      ...(error.field === undefined ? {} : { field: error.field }),
      details: { DecisionID: decision.id, DecisionStepID: state.id, ErrorGUID: guid, FailureCode: error.code },
      cause: error,
    });
    if (isTold) return;
    if (ctx.settings.get(decisionProcessErrorThrow)) this.failure ??= told;
    else ctx.alert({ code: 'STEP_FAILED', text: told.message, id: state.id });
  }

  /** What a step failed with; what asks for the whole transaction to be run again is no failure of the step. */
  private foreseen(error: unknown): PlatformError {
    if (isRetryable(error) || (error instanceof PlatformError && isRetryable(error.cause))) throw error;
    if (error instanceof PlatformError) return error;
    const known = fromDatabaseError(error);
    if (known?.code === 'UNAVAILABLE') throw error;
    return known ?? new PlatformError('INTERNAL', { message: 'It failed for a reason that was not foreseen.', cause: error });
  }

  private async setParentStatus(status: string): Promise<void> {
    const { record, id } = this.values;
    if (!record || id === undefined) return;
    await this.ctx.callNamed(`${record.module}/save`, { ID: id, Status: status });
    this.values.changed();
  }

  private ownOf({ step, state }: Kept): OwnValues {
    const { decision } = this;
    return new Map<string, number | string | null>([
      ['decisionid', decision.id], ['decisiontemplateid', decision.templateId], ['decisionstepid', state.id], ['decisionsteptemplateid', step.id], ['object', decision.object], ['objectid', decision.objectId],
    ]);
  }

  /** Notes what changes of a step, to be written with the rest. */
  private set(kept: Kept, change: StepChange): void {
    const { state } = kept;
    if (change.status !== undefined) state.status = change.status;
    if (change.istrue !== undefined) state.isTrue = change.istrue;
    if (change.object !== undefined) state.object = change.object;
    if (change.objectid !== undefined) state.objectId = change.objectid;
    if (change.actualcompletion !== undefined) state.completion = change.actualcompletion;
    if (change.completedsequence !== undefined) state.completedSequence = change.completedsequence;
    kept.change = { ...kept.change, ...change };
    this.unwritten.add(kept);
  }

  /** Sends what is not written yet; it goes with the next statement that somebody waits for. */
  private write(): void {
    const { ctx } = this;
    const now = ctx.clock.now();
    const rows: NewStep[] = [];
    const transaction = ctx.transaction();
    // One that is not begun yet is still to be estimated.
    const begun = [...this.unwritten].filter(({ state }) => state.status !== null);
    for (const kept of begun) {
      const { row, change, state } = kept;
      // A new one takes all that has changed since along; what an insert has no place for follows it.
      if (row) {
        rows.push({ ...row, start: change?.actualstart ?? null, messageId: change?.queuemessageid ?? null });
        this.touched.inserted.add(state.id);
      }
    }
    if (rows.length > 0) insertSteps(transaction, rows, now, ctx.user.personId);
    for (const kept of begun) {
      const { row, change, state } = kept;
      const error = change && change.errorguid !== undefined && change.errorguid !== null;
      if (change && (!row || error)) {
        updateStep(transaction, state.id, row ? { errordate: change.errordate ?? null, errorguid: change.errorguid ?? null, errormessage: change.errormessage ?? null } : change, now, ctx.user.personId);
        if (!row) this.touched.updated.add(state.id);
      }
      kept.row = undefined;
      kept.change = undefined;
      this.unwritten.delete(kept);
    }
  }

  /** A workflow is complete when nothing is left that is in progress, waits, or failed. */
  private endWhenDone(): void {
    for (const { state } of this.kept.values()) if (state.completion === null && !state.canceled && state.status !== 'Canceled') return;
    this.completion = this.ctx.clock.now();
    const last = this.decision.status;
    if (this.status === last && (last === null || ['In Progress', 'Reactivated'].includes(last))) this.status = 'Complete';
  }

  private writeDecision(): void {
    const { ctx, decision } = this;
    if (this.sequence === decision.sequence && this.status === decision.status && this.completion === null) return;
    ctx.transaction().later(
      `update decision set stepsequence = $2::integer, status = $3::text, actualcompletion = coalesce($4::timestamptz, actualcompletion), updateddate = $5::timestamptz, updatedpersonid = $6::bigint, version = version + 1 where decisionid = $1::bigint`,
      [decision.id, this.sequence, this.status, this.completion, ctx.clock.now(), ctx.user.personId],
    );
  }

  /** Whether the workflow's own row was changed. */
  get changed(): boolean {
    return this.sequence !== this.decision.sequence || this.status !== this.decision.status || this.completion !== null;
  }
}

/** What stands in for a step that the version does not have. */
function goneStep({ templateId }: StepState): PlannedStep {
  return {
    id: templateId, name: `step ${templateId}`, type: null, object: null, objectId: null, operation: null, parameters: null, method: null, batchLog: false, threads: null, xslt: null, durationScale: 0, duration: null, referenceDate: null,
    repeatability: repeatability.adHoc, async: false, queue: null, queueParameters: null, matrixId: null, scheduleId: null, createOnCompletion: false, teamId: null, onStartParentStatus: null, onStartDecisionStatus: null,
    onCompleteParentStatus: null, onCompleteDecisionStatus: null, groups: [],
  };
}
