import type { ImportPiece, ImportRun, ImportTemplate } from '../../../../contracts/import-engine.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { exceedsFailureThreshold, type Threshold } from './threshold.ts';
import { retryConflicts } from './retry-conflicts.ts';
import type { RunProgress, RunStore } from './run-store.ts';

/** Ends the work on a run before the end of its source; saved records remain. */
export class RunEnded extends Error {
  readonly reason: 'stopped' | 'threshold' | 'superseded';

  constructor(reason: RunEnded['reason']) {
    super(`the run was ended: ${reason}`);
    this.name = 'RunEnded';
    this.reason = reason;
  }
}

/** What the loop over items needs of a run. */
export type ItemRun = Pick<ImportRun, 'ctx' | 'template' | 'done' | 'state' | 'piece'>;

/** The import type of a run, with its limit on failed rows. */
type RunTemplate = ImportTemplate & { readonly failureThreshold: Threshold | undefined };

/** Dependencies of a delivery. */
interface DeliveryParts<P extends RunProgress> {
  readonly ctx: Context;
  readonly template: RunTemplate;
  readonly store: RunStore<P>;
  readonly progress: P;
}

/**
 * One delivery of a run: commits its pieces one after another, each with its log rows, counts and position. Ends the
 * run if it was stopped, another delivery has taken it over, or too many rows have failed.
 */
export class RunDelivery<P extends RunProgress> implements ItemRun {
  readonly ctx: Context;
  readonly template: RunTemplate;
  private readonly store: RunStore<P>;
  private current: P;

  constructor({ ctx, template, store, progress }: DeliveryParts<P>) {
    this.ctx = ctx;
    this.template = template;
    this.store = store;
    this.current = progress;
  }

  /** The progress after the last committed piece. */
  get progress(): P {
    return this.current;
  }

  get done(): number {
    return this.current.done;
  }

  get state(): unknown {
    return this.current.state === null ? undefined : (JSON.parse(this.current.state) as unknown);
  }

  /**
   * Commits a piece. The work may be run again after a conflict.
   * @throws RunEnded after the commit that ends the run, or before any work if another delivery has taken it over
   */
  async piece(work: (own: Context) => Promise<ImportPiece>): Promise<void> {
    this.current = await this.retrying(async (own) => {
      await this.store.lock(own);
      return this.store.record(own, await work(own), this.current);
    });
    const { stopped, success, errors, total } = this.current;
    if (stopped) throw new RunEnded('stopped');
    if (exceedsFailureThreshold(this.template.failureThreshold, { success, errors, total: total ?? undefined }))
      throw new RunEnded('threshold');
  }

  /** Sets the expected number of items. */
  async expect(total: number, store: (own: Context) => Promise<void>): Promise<void> {
    await this.ctx.inTransaction(async (own) => {
      await this.store.lock(own);
      await store(own);
    });
    this.current = { ...this.current, total };
  }

  /**
   * Retries a piece after a conflict. The door never retries a call with a body, which can be read only once; here the
   * body was read before the run.
   */
  private async retrying<T>(work: (own: Context) => Promise<T>): Promise<T> {
    const run = (): Promise<T> => this.ctx.inTransaction(work);
    return this.ctx.body ? retryConflicts(run) : run();
  }
}
