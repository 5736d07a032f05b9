import { randomUUID } from 'node:crypto';
import type { Context } from '../../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../../kernel/door/errors.ts';
import { maskNumbers } from '../../../../../kernel/security/mask.ts';
import { isSandboxBusy } from '../../../../../kernel/xml/sandbox/sandbox.ts';
import { isPolling, type Plan, type PlannedStep } from '../template/plan.ts';
import { decisionProcessErrorThrow } from '../../settings.ts';
import { isBatchable, speculativeStylesheets } from './speculative-evaluation.ts';
import { CaseValues, ownValues, type OwnValues } from './case-values.ts';
import { endedBatches, waitsForBatch } from './ended-batches.ts';
import { stepsOfEndedRecords, waitsForRecord } from './ended-records.ts';
import { requireAnswers } from '../step/follow-up-task.ts';
import { estimateStep } from './estimate-step.ts';
import { commitsByItself, queueNextPoll, queueStep, startsFromQueue, type QueuedStep } from './queue-step.ts';
import { isReadOnlyStep, runStep, type StepOutcome, type StepRun } from './run-step.ts';
import { completes, isUnsettled, mayStart } from './step-readiness.ts';
import { StepsInMemory, type TrackedStep } from './steps-in-memory.ts';
import type { OpenDecision, OpenedDecision, StepChange } from './stored-steps.ts';
import { failureForCaller } from './failure-for-caller.ts';
import type { BeginStep, CompleteSteps, FailSteps, PassCommand, SkippedStep } from './pass-command.ts';
import { describeFailure, logStepFailure, toStepFailure } from './step-failure.ts';
import type { Workflow } from '../../decision.record.ts';

/** Delay before a step starts again for which no sandbox thread was free. */
const BUSY_SECONDS = 30;

/** One pass over a workflow: it changes the steps in memory and sends the changes to the database. */
export class Pass {
  readonly decision: OpenDecision;
  readonly plan: Plan;
  private readonly ctx: Context;
  private readonly values: CaseValues;
  private readonly steps: StepsInMemory;
  /** Steps whose batch this pass has checked. */
  private readonly checkedBatches = new Set<number>();
  private pending: PassCommand[] = [];
  private stopAfterCommands = false;
  private status: string | null;
  /** The first step failure to report to the caller. */
  failure: PlatformError | undefined;
  /** Whether no called operation can have changed the workflow's row. */
  private isRowKnown = true;
  /** When this pass wrote the row, if it did. */
  private writtenAt: string | undefined;
  /** When the workflow completed, if it did. */
  completion: string | null = null;

  constructor(ctx: Context, plan: Plan, opened: OpenedDecision) {
    const { decision } = opened;
    this.ctx = ctx;
    this.decision = decision;
    this.plan = plan;
    this.status = decision.status;
    this.values = new CaseValues(ctx, decision.object, decision.objectId, opened.summary);
    this.steps = new StepsInMemory(ctx, decision, plan, opened);
  }

  /** Inserted and changed steps, for publishing. */
  get changedSteps(): StepsInMemory['changedSteps'] {
    return this.steps.changedSteps;
  }

  /** Adds a command while the pass is running, from within one of its steps. */
  enqueue(command: PassCommand): void {
    this.pending.push(command);
  }

  /** Applies commands, starts ready steps, and sends all writes. */
  async run(commands: readonly PassCommand[]): Promise<void> {
    await this.apply(commands);
    if (!this.stopAfterCommands) await this.startReadySteps();
    if (this.changed) this.writtenAt = this.ctx.clock.now();
    this.steps.write(
      this.changed ? { sequence: this.steps.lastNumber, status: this.status, completion: this.completion } : undefined,
      this.writtenAt,
    );
  }

  private async startReadySteps(): Promise<void> {
    await this.requeueMissedStarts();
    for (;;) {
      await this.apply(this.pending.splice(0));
      if (this.stopAfterCommands) return;
      const ready = this.steps.ready();
      if (ready.length === 0 && this.pending.length === 0 && !(await this.settleEndedBatches())) break;
      // The read is sent along with the inserts, and awaited before any step runs: a failing step, or one that ends
      // this identity, would meet it half done.
      const read = isBatchable(this.plan.steps[ready[0] ?? -1]) ? this.values.prefetch() : undefined;
      for (const place of ready) await this.steps.insert(place);
      await read;
      for (const tracked of this.steps.inserted()) {
        if (this.pending.some(({ kind }) => kind === 'stop')) break;
        await this.start(tracked);
      }
    }
    this.completeIfDone();
  }

  private async apply(commands: readonly PassCommand[]): Promise<void> {
    for (const command of commands) await this.applyCommand(command);
  }

  private async applyCommand(command: PassCommand): Promise<void> {
    switch (command.kind) {
      case 'stop':
        this.stopAfterCommands = true;
        return;
      case 'skip':
        for (const step of command.steps) await this.skip(step);
        return;
      case 'complete':
        return this.completeSteps(command);
      case 'complete-ended':
        return this.completeStepsOfEndedRecords();
      case 'fail':
        return this.failSteps(command);
      case 'begin':
        return this.beginStep(command);
      case 'settle':
        return this.settleStep(command.id, command.outcome);
      case 'start':
        return this.startSteps(command.ids);
    }
  }

  private async completeSteps({ ids, isTrue, at }: CompleteSteps): Promise<void> {
    for (const id of ids) {
      const tracked = this.steps.get(id);
      if (tracked && tracked.state.status !== 'Complete')
        await this.complete(tracked, isTrue ?? tracked.state.isTrue, at?.get(id));
    }
  }

  private async completeStepsOfEndedRecords(): Promise<void> {
    if (!this.steps.all().some(({ state }) => waitsForRecord(state))) return;
    for (const { id, task } of await stepsOfEndedRecords(this.ctx.db, this.decision.id)) {
      const tracked = this.steps.get(id);
      if (tracked) await this.completeEnded(tracked, task);
    }
  }

  /** Completes a step whose task or workflow is complete, unless the task lacks answers: these are asked first. */
  private async completeEnded(tracked: TrackedStep, task: number | null): Promise<void> {
    const answers = task === null ? undefined : await requireAnswers(this.ctx, task, tracked.state.id);
    if (answers?.kind === 'failed') return this.recordFailure(tracked, answers.error, true);
    if (answers) this.steps.set(tracked, { object: 'ImportForm', objectid: answers.task });
    if (answers?.kind !== 'waits') await this.complete(tracked, tracked.state.isTrue);
  }

  private async failSteps({ ids, error, suppressNotification }: FailSteps): Promise<void> {
    for (const id of ids) {
      const tracked = this.steps.get(id);
      if (tracked && isUnsettled(tracked)) await this.recordFailure(tracked, error, suppressNotification);
    }
  }

  private async beginStep({ id, messageId, onBegun }: BeginStep): Promise<void> {
    const tracked = this.steps.get(id);
    if (!tracked) return;
    const { step, state } = tracked;
    if (step.onStartParentStatus !== null) await this.setParentStatus(step.onStartParentStatus);
    this.steps.set(tracked, {
      status: 'Started',
      actualstart: this.ctx.clock.now(),
      errordate: null,
      errorguid: null,
      errormessage: null,
      queuemessageid: messageId,
    });
    onBegun({ step, state, own: this.ownOf(tracked) });
  }

  private async settleStep(id: number, outcome: StepOutcome): Promise<void> {
    const tracked = this.steps.get(id);
    if (!tracked || !isUnsettled(tracked)) return;
    const { step } = tracked;
    if (completes(step, outcome) && step.onCompleteParentStatus !== null)
      await this.setParentStatus(step.onCompleteParentStatus);
    await this.applyOutcome(tracked, outcome);
  }

  private async startSteps(ids: readonly number[]): Promise<void> {
    for (const id of ids) {
      const tracked = this.steps.get(id);
      if (!tracked || !mayStart(tracked)) continue;
      if (await commitsByItself(this.ctx, tracked.step)) await this.startLater(tracked);
      else await this.startNow(tracked);
    }
  }

  /** Queues steps again whose queued call arrived while the workflow was on hold. */
  private async requeueMissedStarts(): Promise<void> {
    for (const tracked of this.steps.all()) {
      const { step, state } = tracked;
      if (
        !state.isUnqueued ||
        (state.status !== 'Queued' &&
          state.status !== 'Reprocessing' &&
          !(state.status === 'Pending' && isPolling(step)))
      )
        continue;
      state.isUnqueued = false;
      this.steps.set(tracked, {
        queuemessageid: await queueStep(this.ctx, this.queuedStep(tracked)),
      });
    }
  }

  /**
   * Settles the steps whose batch has ended, checking each once. Returns whether one completed. A batch only reports
   * that it ended: the pass may come late, after a hold.
   */
  private async settleEndedBatches(): Promise<boolean> {
    const waiting = this.steps
      .all()
      .filter(({ step, state }) => !this.checkedBatches.has(state.id) && waitsForBatch(step, state));
    if (waiting.length === 0) return false;
    for (const { state } of waiting) this.checkedBatches.add(state.id);
    let hasCompleted = false;
    for (const { stepId, error } of await endedBatches(
      this.ctx,
      waiting.map(({ state }) => state),
    )) {
      const tracked = this.steps.get(stepId);
      if (!tracked) continue;
      if (error) await this.recordFailure(tracked, error, true);
      else await this.complete(tracked, null);
      hasCompleted ||= error === undefined;
    }
    return hasCompleted;
  }

  /** Starts a newly inserted step: now, or from the job queue. */
  private async start(tracked: TrackedStep): Promise<void> {
    const { step } = tracked;
    try {
      const begins = await this.estimate(tracked, step);
      const waitsUntil = this.plan.enforceStartDates && begins > this.ctx.clock.now() ? begins : undefined;
      if (waitsUntil !== undefined || (await startsFromQueue(this.ctx, step))) {
        await this.startLater(tracked, waitsUntil);
        return;
      }
    } catch (error) {
      return this.recordFailure(tracked, toStepFailure(error));
    }
    await this.startNow(tracked);
  }

  /** Estimates a new step from the last completion it waited for. Returns its estimated start. */
  private async estimate({ state }: TrackedStep, step: PlannedStep): Promise<string> {
    const from = this.steps.latestDependencyCompletion(step)?.at ?? this.decision.start ?? this.ctx.clock.now();
    const { enforceStartDates } = this.plan;
    const { start, completion } = await estimateStep(this.ctx, { ...step, enforceStartDates }, this.values, from);
    state.estimatedStart = start;
    state.estimatedCompletion = completion;
    return start;
  }

  /** Runs a step, in a savepoint that is rolled back if it fails. */
  private async startNow(tracked: TrackedStep): Promise<void> {
    const { step, state } = tracked;
    const now = this.ctx.clock.now();
    this.steps.set(tracked, {
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
      own: this.ownOf(tracked),
      speculative: () => speculativeStylesheets(this.plan, this.steps, step),
    };
    const before = this.pending.length;
    try {
      const plain = isReadOnlyStep(step) && step.onStartParentStatus === null && step.onCompleteParentStatus === null;
      // A called operation may read the steps, and what it creates references its step.
      if (!plain) {
        this.steps.write();
        this.isRowKnown = false;
      }
      const outcome = plain ? await runStep(run) : await this.ctx.savepoint(() => this.runWithParentStatuses(run));
      if (!plain) this.values.invalidate();
      await this.applyOutcome(tracked, outcome);
    } catch (error) {
      // Requests made by its work were rolled back with it, as were its changes of the case.
      this.pending.length = before;
      this.values.invalidate();
      // A busy sandbox is not a failure.
      const soon = new Date(this.ctx.clock.milliseconds() + BUSY_SECONDS * 1_000).toISOString();
      if (isSandboxBusy(error)) await this.startLater(tracked, soon);
      else await this.recordFailure(tracked, toStepFailure(error));
    }
  }

  /** Starts a step from the job queue, at a time or as soon as possible. */
  private async startLater(tracked: TrackedStep, notBefore?: string): Promise<void> {
    const queuemessageid = await queueStep(this.ctx, { ...this.queuedStep(tracked), notBefore });
    tracked.state.isUnqueued = false;
    this.steps.set(tracked, { status: 'Queued', queuemessageid });
  }

  /** Runs a step with the statuses that it sets on the case. If those are refused, the step has failed. */
  private async runWithParentStatuses(run: StepRun): Promise<StepOutcome> {
    const { step } = run;
    if (step.onStartParentStatus !== null) await this.setParentStatus(step.onStartParentStatus);
    const outcome = await runStep(run);
    if (completes(step, outcome) && step.onCompleteParentStatus !== null)
      await this.setParentStatus(step.onCompleteParentStatus);
    await this.assertNotHeld();
    return outcome;
  }

  /**
   * Throws if the step put its own workflow on hold: neither the step nor the pass could go on. The step fails, and the
   * hold is rolled back with it.
   */
  private async assertNotHeld(): Promise<void> {
    if (!this.plan.enforceDelay) return;
    const [row] = await this.ctx.db.query<{ delayed: boolean | null }>(
      'select delayed from decision where decisionid = $1::bigint',
      [this.decision.id],
    );
    if (row?.delayed)
      throw new PlatformError('STATE_REFUSES', {
        field: 'Delayed',
        message: 'A step cannot put its own workflow on hold. Put it on hold from outside, or turn off EnforceDelay.',
      });
  }

  private async applyOutcome(tracked: TrackedStep, outcome: StepOutcome): Promise<void> {
    const { step } = tracked;
    if (step.onStartDecisionStatus !== null) this.status = step.onStartDecisionStatus;
    if (outcome.kind === 'failed') return this.recordFailure(tracked, outcome.error);
    if (outcome.kind === 'again') {
      const messageId = await queueNextPoll(this.ctx, this.queuedStep(tracked));
      this.steps.set(tracked, { status: 'Pending', queuemessageid: messageId });
      return;
    }
    const made = outcome.objectId === undefined ? {} : { object: outcome.object ?? null, objectid: outcome.objectId };
    if (completes(step, outcome)) {
      this.markComplete(tracked, outcome.isTrue ?? null, made);
      return;
    }
    this.steps.set(tracked, { status: 'Pending', ...made });
  }

  private async complete(tracked: TrackedStep, isTrue: boolean | null, at?: string): Promise<void> {
    const { step, state } = tracked;
    if (state.canceled)
      throw new PlatformError('STATE_REFUSES', {
        field: 'ID',
        message: `The step "${step.name}" (${state.id}) is canceled.`,
      });
    if (step.onCompleteParentStatus !== null) {
      this.steps.write();
      await this.setParentStatus(step.onCompleteParentStatus);
      this.values.invalidate();
    }
    this.markComplete(tracked, isTrue, {}, at);
  }

  /** Completes a skipped step. If all its instances are canceled, another is inserted. */
  private async skip({ step: place, isTrue }: SkippedStep): Promise<void> {
    const there = (): readonly TrackedStep[] => this.steps.at(place).filter(({ state }) => !state.canceled);
    if (there().length === 0) {
      await this.steps.insert(place);
      for (const tracked of there()) {
        // The ReferenceDate is ignored: a step may be skipped because the case has no valid one.
        await this.estimate(tracked, { ...tracked.step, referenceDate: null });
        this.steps.set(tracked, { actualstart: this.ctx.clock.now() });
      }
    }
    for (const tracked of there())
      if (tracked.state.completion === null) await this.complete(tracked, tracked.state.isTrue ?? isTrue);
  }

  private markComplete(
    tracked: TrackedStep,
    isTrue: boolean | null,
    made: StepChange,
    at = this.ctx.clock.now(),
  ): void {
    const { step, state } = tracked;
    this.steps.set(tracked, {
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

  /** Sets a failed step to Error, with the GUID of its error log entry. The others continue. */
  private async recordFailure(
    tracked: TrackedStep,
    failure: PlatformError,
    suppressNotification = false,
  ): Promise<void> {
    const { ctx, decision } = this;
    const error = await describeFailure(ctx, failure);
    const { step, state } = tracked;
    const guid = randomUUID();
    const message = maskNumbers(error.message);
    await logStepFailure(ctx, { decisionId: decision.id, stepId: state.id, step, error, guid });
    this.steps.set(tracked, {
      status: 'Error',
      errordate: ctx.clock.now(),
      errorguid: guid,
      errormessage: message,
      queuemessageid: null,
    });
    if (suppressNotification) return;
    const reported = await failureForCaller(ctx, {
      decisionId: decision.id,
      stepId: state.id,
      step,
      error,
      message,
      guid,
    });
    if (ctx.settings.get(decisionProcessErrorThrow)) this.failure ??= reported;
    else
      ctx.alert({
        code: 'STEP_FAILED',
        text: reported.message,
        ...(reported.details?.['DecisionStepID'] === undefined ? {} : { id: state.id }),
      });
  }

  private async setParentStatus(status: string): Promise<void> {
    const { record, id } = this.values;
    if (!record || id === undefined) return;
    this.isRowKnown = false;
    await this.ctx.callNamed(`${record.module}/save`, { ID: id, Status: status });
    this.values.invalidate();
  }

  private queuedStep(tracked: TrackedStep): QueuedStep {
    return { step: tracked.step, id: tracked.state.id, values: this.values, own: this.ownOf(tracked) };
  }

  private ownOf({ state }: TrackedStep): OwnValues {
    return ownValues(state, this.decision);
  }

  /** Completes the workflow when no step is in progress, waiting, or failed. */
  private completeIfDone(): void {
    for (const { state } of this.steps.all())
      if (state.completion === null && !state.canceled && state.status !== 'Canceled') return;
    this.completion = this.ctx.clock.now();
    const last = this.decision.status;
    if (this.status === last && (last === null || ['In Progress', 'Reactivated'].includes(last)))
      this.status = 'Complete';
  }

  /**
   * Returns the workflow's row after the pass, given the one before; undefined if something else may have changed it
   * too.
   */
  rowAfter(row: Workflow): Workflow | undefined {
    if (!this.isRowKnown) return undefined;
    if (this.writtenAt === undefined) return row;
    return {
      ...row,
      StepSequence: this.steps.lastNumber,
      Status: this.status,
      ActualCompletion: this.completion ?? row.ActualCompletion,
      UpdatedDate: this.writtenAt,
      UpdatedPersonID: this.ctx.user.personId,
      Version: row.Version + 1,
    };
  }

  get changed(): boolean {
    return (
      this.steps.lastNumber !== this.decision.sequence ||
      this.status !== this.decision.status ||
      this.completion !== null
    );
  }
}
