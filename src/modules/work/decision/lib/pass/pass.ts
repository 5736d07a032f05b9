import { randomUUID } from 'node:crypto';
import type { Row } from '../../../../../kernel/door/answer.ts';
import type { Context } from '../../../../../kernel/door/context.ts';
import { isRetryable, loggableMessage } from '../../../../../kernel/database/database-error.ts';
import { writeErrorEntry } from '../../../../../kernel/ports/error-entry.ts';
import { PlatformError } from '../../../../../kernel/door/errors.ts';
import { maskNumbers } from '../../../../../kernel/security/mask.ts';
import { describeConflict } from '../../../../../kernel/records/save/conflict.ts';
import { isSandboxBusy } from '../../../../../kernel/xml/sandbox/sandbox.ts';
import { isPolling, type Plan, type PlannedStep } from '../template/plan.ts';
import { decisionProcessErrorThrow } from '../../settings.ts';
import { isAskedAtOnce, sheetsAhead } from './ask-ahead.ts';
import { CaseValues, ownValues, type OwnValues } from './case-values.ts';
import { stepsOfCompletedTasks, waitsForTask } from './completed-tasks.ts';
import { endedBatches, waitsForBatch } from './ended-batches.ts';
import { estimateStep } from './estimate.ts';
import { nextLook, queueStep, startsFromQueue } from './queued-start.ts';
import { changesNothing, runStep, stepError, type StepOutcome, type StepRun } from './run-step.ts';
import { StepsInMemory, type Kept } from './steps-in-memory.ts';
import type { OpenDecision, Opened, StepChange } from './stored-steps.ts';
import { toldFailure } from './told-failure.ts';

/** After so long a step is started again for whose stylesheet or expressions no thread was free. */
const BUSY_SECONDS = 30;

/** What somebody wants of a workflow beside its next steps. */
export interface Wanted {
  /** Steps to be completed, the result that they complete with, and when each was complete where that is not now. */
  readonly complete?: {
    readonly ids: readonly number[];
    readonly isTrue?: boolean | null;
    readonly at?: ReadonlyMap<number, string>;
  };
  /** Steps to be started now. */
  readonly start?: readonly number[];
  /** Steps whose work somewhere else has failed. `isTold`: who says so knows it. */
  readonly fail?: { readonly ids: readonly number[]; readonly error: PlatformError; readonly isTold: boolean };
  /** A step whose work begins outside of the pass, and the queued message whose call does it; `take` is handed what it needs. */
  readonly begin?: {
    readonly id: number;
    readonly messageId: string | null;
    readonly take: (run: Omit<StepRun, 'ctx' | 'values'>) => void;
  };
  /** What the work of such a step came to. */
  readonly settle?: { readonly id: number; readonly outcome: StepOutcome };
  /** Steps that are to be complete without doing what they are for: open ones as they stand, those that there are not inserted first. */
  readonly skip?: readonly SkippedStep[];
  /** The steps whose task is complete are completed too. */
  readonly tasks?: true;
  /** The pass does what is wanted and ends: what has become ready waits for the next one. */
  readonly rest?: true;
}

/** A step that is skipped: its place in the plan, and the result that it completes with. */
export interface SkippedStep {
  readonly step: number;
  readonly isTrue: boolean | null;
}

/**
 * One pass over a workflow whose row is locked, in one transaction, as the built-in user Workflow. It starts what is ready, goes on with
 * what that makes ready, and completes the workflow when nothing is left. Steps are written as late as may be: those that change
 * nothing in one statement at the end, others before what they call could look at them (steps-in-memory.ts keeps them).
 */
export class Pass {
  readonly decision: OpenDecision;
  readonly plan: Plan;
  private readonly ctx: Context;
  private readonly values: CaseValues;
  private readonly steps: StepsInMemory;
  /** Steps whose batch this pass has looked at. */
  private readonly lookedAt = new Set<number>();
  private inbox: Wanted[] = [];
  private rests = false;
  private status: string | null;
  /** The first step that failed, where whoever calls is to be told. */
  failure: PlatformError | undefined;
  /** Nothing that this pass has called could have changed the workflow's row behind its back. */
  private isKnown = true;
  /** When its row was written, where it was. */
  private written: string | undefined;
  /** When the workflow came to its end, where it did. */
  completion: string | null = null;

  constructor(ctx: Context, plan: Plan, opened: Opened) {
    const { decision } = opened;
    this.ctx = ctx;
    this.decision = decision;
    this.plan = plan;
    this.status = decision.status;
    this.values = new CaseValues(ctx, decision.object, decision.objectId);
    this.steps = new StepsInMemory(ctx, decision, plan, opened);
  }

  /** Steps that were inserted or changed, for who listens outside. */
  get touched(): StepsInMemory['touched'] {
    return this.steps.touched;
  }

  /** Takes what somebody wants while the pass is running, from within one of its steps. */
  also(wanted: Wanted): void {
    this.inbox.push(wanted);
  }

  /** Whether a step of this pass has this id, also one that is not written yet. */
  has(stepId: number): boolean {
    return this.steps.has(stepId);
  }

  /** Does what is wanted, goes on with what is ready, and sends what is to be written. */
  async run(wanted: Wanted): Promise<void> {
    await this.take(wanted);
    if (!this.rests) await this.goOn();
    if (this.changed) this.written = this.ctx.clock.now();
    this.steps.write(
      this.changed
        ? { id: this.decision.id, sequence: this.steps.lastNumber, status: this.status, completion: this.completion }
        : undefined,
      this.written,
    );
  }

  private async goOn(): Promise<void> {
    await this.queueAgain();
    for (;;) {
      const wishes = this.inbox.splice(0);
      for (const wish of wishes) await this.take(wish);
      if (this.rests) return;
      const ready = this.steps.ready();
      if (ready.length === 0 && this.inbox.length === 0 && !(await this.takeBatches())) break;
      // Sent along with what the steps need. It is there before anything goes on: what fails, or ends the work in this name, would meet it half read.
      const read = isAskedAtOnce(this.plan.steps[ready[0] ?? -1]) ? this.values.readAhead() : undefined;
      for (const place of ready) await this.steps.insert(place);
      await read;
      for (const kept of this.steps.inserted()) {
        if (this.inbox.some(({ rest }) => rest)) break;
        await this.start(kept);
      }
    }
    this.endWhenDone();
  }

  private async take({ complete, start, fail, begin, settle, skip, tasks, rest }: Wanted): Promise<void> {
    if (rest) this.rests = true;
    for (const one of skip ?? []) await this.skip(one);
    for (const id of complete?.ids ?? []) {
      const kept = this.steps.get(id);
      if (kept && kept.state.status !== 'Complete')
        await this.complete(kept, complete?.isTrue ?? kept.state.isTrue, complete?.at?.get(id));
    }
    if (tasks && this.steps.all().some(({ state }) => waitsForTask(state))) {
      for (const id of await stepsOfCompletedTasks(this.ctx.db, this.decision.id)) {
        const kept = this.steps.get(id);
        if (kept) await this.complete(kept, kept.state.isTrue);
      }
    }
    for (const id of fail?.ids ?? []) {
      const kept = this.steps.get(id);
      if (kept && fail && kept.state.status !== 'Complete' && !kept.state.canceled)
        await this.failed(kept, fail.error, fail.isTold);
    }
    const begun = begin && this.steps.get(begin.id);
    if (begun) {
      if (begun.step.onStartParentStatus !== null) await this.setParentStatus(begun.step.onStartParentStatus);
      this.steps.set(begun, {
        status: 'Started',
        actualstart: this.ctx.clock.now(),
        errordate: null,
        errorguid: null,
        errormessage: null,
        queuemessageid: begin.messageId,
      });
      begin.take({ step: begun.step, state: begun.state, own: this.ownOf(begun) });
    }
    const settled = settle && this.steps.get(settle.id);
    if (settled && settled.state.status !== 'Complete' && !settled.state.canceled) {
      if (completes(settled.step, settle.outcome) && settled.step.onCompleteParentStatus !== null)
        await this.setParentStatus(settled.step.onCompleteParentStatus);
      await this.settle(settled, settle.outcome);
    }
    for (const id of start ?? []) {
      const kept = this.steps.get(id);
      if (kept && mayStart(kept)) await this.startNow(kept);
    }
  }

  /** Steps whose queued call came while the workflow was on hold get another. */
  private async queueAgain(): Promise<void> {
    for (const kept of this.steps.all()) {
      const { step, state } = kept;
      if (
        !state.isUnqueued ||
        (state.status !== 'Queued' &&
          state.status !== 'Reprocessing' &&
          !(state.status === 'Pending' && isPolling(step)))
      )
        continue;
      state.isUnqueued = false;
      this.steps.set(kept, {
        queuemessageid: await queueStep(this.ctx, { step, id: state.id, values: this.values, own: this.ownOf(kept) }),
      });
    }
  }

  /** Settles the steps whose batch has ended, each looked at once; answers whether one has completed. A batch says only that it has ended: the pass may come late, after a hold. */
  private async takeBatches(): Promise<boolean> {
    const waiting = this.steps
      .all()
      .filter(({ step, state }) => !this.lookedAt.has(state.id) && waitsForBatch(step, state));
    if (waiting.length === 0) return false;
    for (const { state } of waiting) this.lookedAt.add(state.id);
    let hasCompleted = false;
    for (const { stepId, error } of await endedBatches(
      this.ctx.db,
      waiting.map(({ state }) => state),
    )) {
      const kept = this.steps.get(stepId);
      if (!kept) continue;
      if (error) await this.failed(kept, error, true);
      else await this.complete(kept, null);
      hasCompleted ||= error === undefined;
    }
    return hasCompleted;
  }

  /** Starts a step that was just inserted: from a queue, later, or now. */
  private async start(kept: Kept): Promise<void> {
    const { step, state } = kept;
    try {
      const begins = await this.estimate(kept, step);
      const waitsUntil = this.plan.enforceStartDates && begins > this.ctx.clock.now() ? begins : undefined;
      if (waitsUntil !== undefined || (await startsFromQueue(this.ctx, step))) {
        const messageId = await queueStep(this.ctx, {
          step,
          id: state.id,
          values: this.values,
          own: this.ownOf(kept),
          notBefore: waitsUntil,
        });
        this.steps.set(kept, { status: 'Queued', queuemessageid: messageId });
        return;
      }
    } catch (error) {
      return this.failed(kept, this.foreseen(error));
    }
    await this.startNow(kept);
  }

  /** Estimates a new step from the last completion that it waited for; answers when it should begin. */
  private async estimate({ state }: Kept, step: PlannedStep): Promise<string> {
    const from = this.steps.latestNeeded(step)?.at ?? this.decision.start ?? this.ctx.clock.now();
    const { start, completion } = await estimateStep(this.ctx, step, this.values, from);
    state.estimatedStart = start;
    state.estimatedCompletion = completion;
    return start;
  }

  /** Does what a step is for, in a part of the transaction that is undone alone where it fails. */
  private async startNow(kept: Kept): Promise<void> {
    const { step, state } = kept;
    const now = this.ctx.clock.now();
    this.steps.set(kept, {
      status: 'Started',
      actualstart: now,
      errordate: null,
      errorguid: null,
      errormessage: null,
      queuemessageid: null,
    });
    const run: StepRun = {
      ctx: this.ctx,
      step,
      state,
      values: this.values,
      own: this.ownOf(kept),
      ahead: () => sheetsAhead(this.plan, this.steps, step),
    };
    const before = this.inbox.length;
    try {
      const plain = changesNothing(step) && step.onStartParentStatus === null && step.onCompleteParentStatus === null;
      // What is called may look at the steps, and what it makes points to its own.
      if (!plain) {
        this.steps.write();
        this.isKnown = false;
      }
      const outcome = plain ? await runStep(run) : await this.ctx.savepoint(() => this.runWhole(run));
      if (!plain) this.values.changed();
      await this.settle(kept, outcome);
    } catch (error) {
      // What its work wished for was undone with it, and what it has changed of the case.
      this.inbox.length = before;
      this.values.changed();
      if (isSandboxBusy(error)) await this.startLater(kept);
      else await this.failed(kept, this.foreseen(error));
    }
  }

  /** That others keep the threads of stylesheets busy is no failure of a step: it is started from the queue soon. */
  private async startLater(kept: Kept): Promise<void> {
    const { step, state } = kept;
    state.isUnqueued = false;
    const notBefore = new Date(this.ctx.clock.milliseconds() + BUSY_SECONDS * 1_000).toISOString();
    this.steps.set(kept, {
      status: 'Queued',
      queuemessageid: await queueStep(this.ctx, {
        step,
        id: state.id,
        values: this.values,
        own: this.ownOf(kept),
        notBefore,
      }),
    });
  }

  /** The statuses that the case gets are part of the step: where they are refused the step has failed. */
  private async runWhole(run: StepRun): Promise<StepOutcome> {
    const { step } = run;
    if (step.onStartParentStatus !== null) await this.setParentStatus(step.onStartParentStatus);
    const outcome = await runStep(run);
    if (completes(step, outcome) && step.onCompleteParentStatus !== null)
      await this.setParentStatus(step.onCompleteParentStatus);
    await this.assertNotHeld();
    return outcome;
  }

  /** What a step does may put a hold on its own workflow. It could not complete then, nor could the pass go on: the step fails, and the hold is undone with it. */
  private async assertNotHeld(): Promise<void> {
    if (!this.plan.enforceDelay) return;
    const [row] = await this.ctx.db.query<{ delayed: boolean | null }>(
      'select delayed from decision where decisionid = $1::bigint',
      [this.decision.id],
    );
    if (row?.delayed)
      throw new PlatformError('STATE_REFUSES', {
        field: 'Delayed',
        message:
          'It puts its own workflow on hold, where no step completes; expected a hold that is put on from outside, or a template with EnforceDelay off.',
      });
  }

  private async settle(kept: Kept, outcome: StepOutcome): Promise<void> {
    const { step } = kept;
    if (step.onStartDecisionStatus !== null) this.status = step.onStartDecisionStatus;
    if (outcome.kind === 'failed') return this.failed(kept, outcome.error);
    if (outcome.kind === 'again') {
      const messageId = await nextLook(this.ctx, {
        step,
        id: kept.state.id,
        values: this.values,
        own: this.ownOf(kept),
      });
      this.steps.set(kept, { status: 'Pending', queuemessageid: messageId });
      return;
    }
    const made = outcome.objectId === undefined ? {} : { object: outcome.object ?? null, objectid: outcome.objectId };
    if (completes(step, outcome)) {
      this.completeNow(kept, outcome.isTrue ?? null, made);
      return;
    }
    this.steps.set(kept, { status: 'Pending', ...made });
  }

  /** Completes a step because somebody says so. */
  private async complete(kept: Kept, isTrue: boolean | null, at?: string): Promise<void> {
    const { step, state } = kept;
    if (state.canceled)
      throw new PlatformError('STATE_REFUSES', {
        field: 'ID',
        message: `The step "${step.name}" (${state.id}) is canceled.`,
      });
    if (step.onCompleteParentStatus !== null) {
      this.steps.write();
      await this.setParentStatus(step.onCompleteParentStatus);
      this.values.changed();
    }
    this.completeNow(kept, isTrue, {}, at);
  }

  /** Completes a step that somebody passes over. One of which every instance is canceled gets another. */
  private async skip({ step: place, isTrue }: SkippedStep): Promise<void> {
    const there = (): readonly Kept[] => this.steps.at(place).filter(({ state }) => !state.canceled);
    if (there().length === 0) {
      await this.steps.insert(place);
      for (const kept of there()) {
        // A step may be skipped because the case has no good ReferenceDate, so that is not asked.
        await this.estimate(kept, { ...kept.step, referenceDate: null });
        this.steps.set(kept, { actualstart: this.ctx.clock.now() });
      }
    }
    for (const kept of there())
      if (kept.state.completion === null) await this.complete(kept, kept.state.isTrue ?? isTrue);
  }

  private completeNow(kept: Kept, isTrue: boolean | null, made: StepChange, at = this.ctx.clock.now()): void {
    const { step, state } = kept;
    this.steps.set(kept, {
      ...made,
      status: 'Complete',
      istrue: isTrue,
      actualcompletion: at,
      completedsequence: this.steps.nextNumber(),
      errordate: null,
      errorguid: null,
      errormessage: null,
      queuemessageid: null,
    });
    if (step.onCompleteDecisionStatus !== null) this.status = step.onCompleteDecisionStatus;
    this.steps.noteCompletion(state);
  }

  /** A step that failed stands in Error, with what finds the failure in the error log; the others go on. */
  private async failed(kept: Kept, failure: PlatformError, isTold = false): Promise<void> {
    const { ctx, decision } = this;
    // A look-up that the database refuses must not take the pass with it.
    const error =
      failure.code === 'IN_USE' || failure.code === 'DUPLICATE_KEY'
        ? await ctx.savepoint(() => describeConflict(ctx, failure)).catch(() => failure)
        : failure;
    const { step, state } = kept;
    const guid = randomUUID();
    const message = maskNumbers(error.message);
    const cause = error.cause instanceof Error && error.code === 'INTERNAL' ? error.cause : error;
    await writeErrorEntry(ctx.db, ctx.clock, {
      correlationId: guid,
      operation: 'decisionstep/start',
      message: `Decision ${decision.id}, step "${step.name}" (${state.id}): ${loggableMessage(cause)}`.slice(0, 2_000),
      cause: `${ctx.cause.join(' > ')}; call ${ctx.correlationId}`,
      stack:
        cause.stack
          ?.split('\n')
          .filter((line) => /^ {4}at /.test(line))
          .join('\n')
          .slice(0, 8_000) ?? null,
      personId: ctx.user.personId,
    });
    this.steps.set(kept, {
      status: 'Error',
      errordate: ctx.clock.now(),
      errorguid: guid,
      errormessage: message,
      queuemessageid: null,
    });
    if (isTold) return;
    const told = await toldFailure(ctx, { decisionId: decision.id, stepId: state.id, step, error, message, guid });
    if (ctx.settings.get(decisionProcessErrorThrow)) this.failure ??= told;
    else
      ctx.alert({
        code: 'STEP_FAILED',
        text: told.message,
        ...(told.details?.['DecisionStepID'] === undefined ? {} : { id: state.id }),
      });
  }

  /** What a step failed with; what asks for the whole transaction to be run again is no failure of the step. */
  private foreseen(error: unknown): PlatformError {
    if (isRetryable(error) || (error instanceof PlatformError && isRetryable(error.cause))) throw error;
    const known = stepError(error);
    if (known.code === 'UNAVAILABLE' && !(error instanceof PlatformError)) throw error;
    return known;
  }

  private async setParentStatus(status: string): Promise<void> {
    const { record, id } = this.values;
    if (!record || id === undefined) return;
    this.isKnown = false;
    await this.ctx.callNamed(`${record.module}/save`, { ID: id, Status: status });
    this.values.changed();
  }

  private ownOf({ state }: Kept): OwnValues {
    return ownValues(state, this.decision);
  }

  /** A workflow is complete when nothing is left that is in progress, waits, or failed. */
  private endWhenDone(): void {
    for (const { state } of this.steps.all())
      if (state.completion === null && !state.canceled && state.status !== 'Canceled') return;
    this.completion = this.ctx.clock.now();
    const last = this.decision.status;
    if (this.status === last && (last === null || ['In Progress', 'Reactivated'].includes(last)))
      this.status = 'Complete';
  }

  /** The workflow's row as it is after the pass, from what it was before; undefined where something else may have changed it too. */
  rowAfter(row: Row): Row | undefined {
    if (!this.isKnown) return undefined;
    if (this.written === undefined) return row;
    return {
      ...row,
      StepSequence: this.steps.lastNumber,
      Status: this.status,
      ActualCompletion: this.completion ?? row['ActualCompletion'] ?? null,
      UpdatedDate: this.written,
      UpdatedPersonID: this.ctx.user.personId,
      Version: Number(row['Version']) + 1,
    };
  }

  /** Whether the workflow's own row was changed. */
  get changed(): boolean {
    return (
      this.steps.lastNumber !== this.decision.sequence ||
      this.status !== this.decision.status ||
      this.completion !== null
    );
  }
}

/** Whether a start finds anything to do: not where the step waits for what it has made, which would be made twice. */
function mayStart({ step, state }: Kept): boolean {
  return !state.canceled && state.status !== 'Complete' && (state.status !== 'Pending' || isPolling(step));
}

/** Whether a step is complete with what its start came to: what it waits for is not waited for where it says so. */
function completes(step: PlannedStep, { kind }: StepOutcome): boolean {
  return kind === 'complete' || (kind === 'waits' && step.createOnCompletion);
}
