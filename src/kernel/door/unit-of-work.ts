import { TransactionConfiguration } from '../database/configuration.ts';
import { UnknownOutcome } from '../database/database-error.ts';
import type { Db, Store, Transaction } from '../database/store.ts';
import type { QueuedCall } from '../ports/queue.ts';
import { actorOf, type CallState } from './call-state.ts';
import type { Reach, WriteCounts } from './context.ts';
import type { PlatformError } from './errors.ts';
import { noReach, ReachCache } from './reach-cache.ts';
import { SavepointUndo } from './savepoint-undo.ts';
import { ScratchValues } from './scratch.ts';

/** Where a context's SQL runs: one transaction with everything that commits or is undone with it, or the pool. */
export interface UnitOfWork {
  readonly db: Db;
  /** The open write transaction; undefined in the autocommit scope. */
  readonly transaction: Transaction | undefined;
  /** Calls to send to the queue just before the commit. */
  readonly jobs: QueuedCall[];
  /** Of the unit's user. A part that runs as another user has its own. */
  readonly reach: Reach;
  readonly scratch: ScratchValues;
  readonly savepointUndo: SavepointUndo;
  readonly writeCounts: WriteCounts;
  /** Undo what the call did outside the database, if the transaction does not commit. */
  readonly undoHooks: (() => Promise<void>)[];
  /** `own`: configuration as this transaction sees it, once it has changed some. */
  readonly configuration: { own: TransactionConfiguration | undefined };
  /** Whether it has changed who may sign in, or with which rights. */
  readonly access: { isChanged: boolean };
  readonly beforeCommitHooks: (() => Promise<void>)[];
  /** Errors to return to the caller although the transaction commits. */
  readonly failuresAfterCommit: PlatformError[];
}

/**
 * Runs a function in a write transaction of the call's actor. Before the commit, runs the before-commit hooks and sends
 * the queued jobs. On failure, runs the undo hooks. Calls with the same `combination` key that wait for each other are
 * combined into one transaction.
 */
export async function withTransaction<T>(
  state: CallState,
  run: (unit: UnitOfWork) => Promise<T>,
  combination?: string,
): Promise<T> {
  const { store, queue } = state.platform;
  const undoHooks: UnitOfWork['undoHooks'] = [];
  const configuration: UnitOfWork['configuration'] = { own: undefined };
  const access: UnitOfWork['access'] = { isChanged: false };
  try {
    const work = async (transaction: Transaction): Promise<T> => {
      const empty = emptyUnit(transaction);
      const reach = new ReachCache(transaction, empty.savepointUndo);
      const unit: UnitOfWork = { ...empty, transaction, reach, undoHooks, configuration, access };
      const made = await run(unit);
      for (const hook of unit.beforeCommitHooks) await hook();
      // The queue's tables are closed to the row-security role.
      if (unit.jobs.length > 0) await transaction.elevated((db) => queue.send(db, unit.jobs));
      return made;
    };
    const actor = actorOf(state);
    const result = await (combination === undefined
      ? store.transaction(actor, work, 'write')
      : store.combined(combination, { actor, run: work, isCanceled: state.isCanceled }));
    // Other processes see changed configuration within half a second; this process must see its own change at once.
    if (configuration.own) state.platform.configuration.expire();
    if (access.isChanged) state.platform.identity.forget();
    return result;
  } catch (error) {
    // If it was committed after all, its files are in use. Housekeeping removes files that no record names.
    if (!(error instanceof UnknownOutcome)) await runUndoHooks(state, undoHooks);
    throw error;
  }
}

/**
 * Runs a function in a savepoint. On failure, rolls back its SQL, jobs, hooks, failures, warnings, marks, and the reach
 * of what it found or created, and rethrows.
 */
export async function withSavepoint<T>(
  state: CallState,
  unit: UnitOfWork,
  transaction: Transaction,
  run: () => Promise<T>,
): Promise<T> {
  const { jobs, undoHooks, beforeCommitHooks, failuresAfterCommit, savepointUndo } = unit;
  const { alerts } = state;
  const before = {
    jobs: jobs.length,
    undoHooks: undoHooks.length,
    beforeCommitHooks: beforeCommitHooks.length,
    failures: failuresAfterCommit.length,
    alerts: alerts.length,
  };
  try {
    return await savepointUndo.within(() => transaction.savepoint(run));
  } catch (error) {
    jobs.length = before.jobs;
    beforeCommitHooks.length = before.beforeCommitHooks;
    failuresAfterCommit.length = before.failures;
    alerts.length = before.alerts;
    unit.configuration.own?.expire();
    await runUndoHooks(state, undoHooks.splice(before.undoHooks));
    throw error;
  }
}

/**
 * Returns the scope of a call without a transaction of its own: each statement commits by itself. Users with universal
 * access use the pool; each statement of a firm's user reads as that firm.
 */
export function autocommitScope(state: CallState): UnitOfWork {
  return emptyUnit(autocommitDb(state));
}

/** Returns a connection for reads outside a transaction: the pool if there is no firm, else reads as that firm. */
export function readOnlyDb(store: Store, firm: number | null): Db {
  return firm === null ? store : { query: (text, params, kind) => store.readAs(firm, text, params, kind) };
}

/** Notes that the unit's transaction changed configuration; from now on it reads configuration itself. */
export function noteConfigurationChange({ platform }: CallState, { configuration, transaction }: UnitOfWork): void {
  if (configuration.own) configuration.own.expire();
  else if (transaction)
    configuration.own = new TransactionConfiguration(platform.configuration, transaction, platform.clock);
}

function emptyUnit(db: Db): UnitOfWork {
  const savepointUndo = new SavepointUndo();
  return {
    db,
    transaction: undefined,
    jobs: [],
    reach: noReach,
    scratch: new ScratchValues(savepointUndo),
    savepointUndo,
    writeCounts: { inserted: 0, updated: 0 },
    undoHooks: [],
    configuration: { own: undefined },
    access: { isChanged: false },
    beforeCommitHooks: [],
    failuresAfterCommit: [],
  };
}

function autocommitDb(state: CallState): Db {
  const { store } = state.platform;
  const actor = actorOf(state);
  const { firm } = actor;
  // The call's own time limit per statement can only be set in a transaction.
  if (actor.statementMilliseconds !== undefined)
    return {
      query: (text, params) => store.transaction(actor, (t) => t.query(text, params), firm === null ? 'write' : 'read'),
    };
  return readOnlyDb(store, firm);
}

async function runUndoHooks(state: CallState, hooks: UnitOfWork['undoHooks']): Promise<void> {
  for (const undo of hooks)
    await undo().catch(() => {
      state.platform.log.warn('undoing outside of the database failed', { correlationId: state.correlationId });
    });
}
