/**
 * A second, deliberately simple implementation of workflows: a list of steps, scanned from the beginning whenever a
 * step may have become ready. Written from the specification, slow, without a database. The engine must arrive at the
 * same steps, results and end states.
 */

/**
 * What a step does: `gate` evaluates the case once, `poll` until the result is true, `set` changes the case, `picky`
 * fails on a case with status `x`.
 */
export type StepKind = 'gate' | 'poll' | 'set' | 'picky' | 'manual' | 'instant' | 'form' | 'queued';

/** The values of the case's Status. */
export type CaseStatus = '1' | '2' | 'x';

/** A dependency on a completed step, with the required result if there is one. */
export interface OracleNeed {
  readonly on: number;
  readonly isTrue?: boolean;
}

/** A step of a template. */
export interface OracleStep {
  readonly kind: StepKind;
  /** What `gate` and `poll` expect in the case's Status, and what `set` and `queued` write to it. */
  readonly value: CaseStatus;
  /** 1 once, 2 repeatable, 0 by hand. */
  readonly repeatability: 0 | 1 | 2;
  readonly groups: readonly (readonly OracleNeed[])[];
  readonly onStart: CaseStatus | undefined;
  readonly onComplete: CaseStatus | undefined;
}

/** A step of a workflow. */
export interface OracleInstance {
  readonly step: number;
  status: 'Queued' | 'Pending' | 'Complete' | 'Error' | null;
  isTrue: boolean | null;
  /** When it was inserted and when it completed, by a clock that ticks with each event. */
  readonly inserted: number;
  completed: number | undefined;
}

/** How a call ended. */
export type OracleAnswer = 'done' | 'failed' | 'refused';

/** A workflow on a case. */
export class WorkflowOracle {
  readonly instances: OracleInstance[] = [];
  caseStatus: CaseStatus;
  isComplete = false;
  private readonly steps: readonly OracleStep[];
  private ticks = 0;
  private hasFailed = false;

  constructor(steps: readonly OracleStep[], caseStatus: CaseStatus) {
    this.steps = steps;
    this.caseStatus = caseStatus;
  }

  process(): OracleAnswer {
    return this.calling(() => undefined);
  }

  complete(places: readonly number[], isTrue: boolean | null): OracleAnswer {
    return this.calling(() => {
      for (const at of places) {
        const instance = this.instances[at];
        if (instance && instance.status !== 'Complete') this.completeNow(instance, isTrue);
      }
    });
  }

  start(at: number): OracleAnswer {
    const instance = this.instances[at];
    const step = instance && this.steps[instance.step];
    if (!instance || !step || this.isComplete || instance.status === 'Complete') return 'refused';
    if (instance.status === 'Pending' && step.kind !== 'poll') return 'refused';
    return this.calling(() => this.run(instance, step));
  }

  /** Inserts a step by hand and starts it, whether it was ready or not. */
  insertByHand(at: number): OracleAnswer {
    const step = this.steps[at];
    if (!step || this.isComplete) return 'refused';
    const instance: OracleInstance = {
      step: at,
      status: null,
      isTrue: null,
      inserted: ++this.ticks,
      completed: undefined,
    };
    this.instances.push(instance);
    return this.calling(() => this.run(instance, step));
  }

  isOpen(at: number): boolean {
    return this.instances[at]?.status !== 'Complete';
  }

  private calling(change: () => void): OracleAnswer {
    if (this.isComplete) return 'done';
    this.hasFailed = false;
    change();
    this.pass();
    this.isComplete = this.instances.every(({ status }) => status === 'Complete');
    return this.hasFailed ? 'failed' : 'done';
  }

  /** Inserts everything that is ready, then starts all of it; repeats while there is any. */
  private pass(): void {
    for (;;) {
      const ready = this.steps.flatMap((step, at) => (this.isReady(step, at) ? [at] : []));
      if (ready.length === 0) return;
      const inserted = ready.map((step): OracleInstance => ({
        step,
        status: null,
        isTrue: null,
        inserted: ++this.ticks,
        completed: undefined,
      }));
      this.instances.push(...inserted);
      for (const instance of inserted) {
        const step = this.steps[instance.step];
        if (step?.kind === 'queued') instance.status = 'Queued';
        else if (step) this.run(instance, step);
      }
    }
  }

  private isReady(step: OracleStep, at: number): boolean {
    const own = this.instances.filter((instance) => instance.step === at);
    const isSatisfied = step.groups.every((group) => group.some((need) => this.completionsOf(need).length > 0));
    if (step.repeatability === 0 || !isSatisfied) return false;
    if (own.length === 0) return true;
    if (step.repeatability === 1) return false;
    const last = Math.max(...own.map(({ inserted }) => inserted));
    return step.groups.flat().some((need) => this.completionsOf(need).some((when) => when > last));
  }

  /** Returns when a dependency's step completed with the required result; a polling step's result is ignored. */
  private completionsOf({ on, isTrue }: OracleNeed): number[] {
    const isAny = isTrue === undefined || this.steps[on]?.kind === 'poll';
    return this.instances
      .filter(
        (instance) => instance.step === on && instance.completed !== undefined && (isAny || instance.isTrue === isTrue),
      )
      .map(({ completed }) => completed ?? 0);
  }

  private run(instance: OracleInstance, step: OracleStep): void {
    const before = this.caseStatus;
    if (step.onStart !== undefined) this.caseStatus = step.onStart;
    switch (step.kind) {
      case 'gate':
        return this.completeNow(instance, this.caseStatus === step.value);
      case 'poll':
        if (this.caseStatus === step.value) return this.completeNow(instance, true);
        instance.status = 'Pending';
        return;
      case 'set':
      case 'queued':
        this.caseStatus = step.value;
        return this.completeNow(instance, null);
      case 'picky':
        if (this.caseStatus !== 'x') return this.completeNow(instance, null);
        this.caseStatus = before;
        this.hasFailed = true;
        instance.status = 'Error';
        return;
      case 'instant':
        return this.completeNow(instance, null);
      case 'manual':
      case 'form':
        instance.status = 'Pending';
    }
  }

  private completeNow(instance: OracleInstance, isTrue: boolean | null): void {
    instance.status = 'Complete';
    instance.isTrue = isTrue;
    instance.completed = ++this.ticks;
    const value = this.steps[instance.step]?.onComplete;
    if (value !== undefined) this.caseStatus = value;
  }
}
