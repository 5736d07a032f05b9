import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ImportPiece, RowResult } from '../../../src/contracts/import-engine.ts';
import type { Context } from '../../../src/kernel/door/context.ts';
import { PlatformError } from '../../../src/kernel/door/errors.ts';
import { RULE_WARNING } from '../../../src/kernel/ports/business-rules.ts';
import { RunDelivery, RunEnded } from '../../../src/modules/imports/lib/run/run-delivery.ts';
import { runItems, type ItemLoop } from '../../../src/modules/imports/lib/run/run-items.ts';
import { countResults, type RunProgress, type RunStore } from '../../../src/modules/imports/lib/run/run-store.ts';

const START: RunProgress = { done: 0, total: null, success: 0, warnings: 0, errors: 0, state: null, stopped: false };

/** A conflict as the database reports it. */
const conflict = (): Error =>
  Object.assign(new Error('could not serialize access'), { name: 'PostgresError', code: '40001' });

const success = (item: string): RowResult => ({ line: 0, label: item, operation: 'Insert', status: 'Success' });
const failed = (item: string, error: unknown): RowResult => ({
  line: 0,
  label: item,
  operation: 'Save',
  status: 'Error',
  message: (error as Error).message,
});

/** What a run did: committed pieces, and texts of what happened in order. */
interface RunRecord {
  readonly pieces: ImportPiece[];
  readonly events: string[];
}

interface FakeRunOptions {
  readonly progress?: Partial<RunProgress>;
  readonly failureThreshold?: { readonly amount: number; readonly isPercent: boolean };
  /** Called before a piece is recorded, with the number of attempts so far. */
  readonly onRecord?: (piece: ImportPiece, attempt: number) => void;
  readonly onLock?: () => void;
  readonly stoppedAfter?: number;
}

/** Returns a delivery whose transactions are plain calls, as a call with a body runs them: not retried by the door. */
function fakeRun(options: FakeRunOptions = {}): RunRecord & { readonly run: RunDelivery<RunProgress> } {
  const pieces: ImportPiece[] = [];
  const events: string[] = [];
  const alerts: { code: string; text: string }[] = [{ code: RULE_WARNING, text: 'about something else' }];
  const own = {
    takeAlerts: () => alerts.splice(0),
    async savepoint<T>(work: () => Promise<T>): Promise<T> {
      events.push('savepoint');
      try {
        return await work();
      } catch (error) {
        events.push('rollback');
        throw error;
      }
    },
  };
  let attempts = 0;
  const store: RunStore<RunProgress> = {
    async lock() {
      options.onLock?.();
    },
    async record(_own, piece, before) {
      options.onRecord?.(piece, ++attempts);
      const { success: saved, warnings, errors } = countResults(piece.results);
      return {
        ...before,
        done: piece.done,
        success: before.success + saved,
        warnings: before.warnings + warnings,
        errors: before.errors + errors,
        state: piece.state === undefined ? before.state : JSON.stringify(piece.state),
        stopped: piece.done === options.stoppedAfter,
      };
    },
  };
  let last: ImportPiece | undefined;
  const ctx = {
    body: {},
    async inTransaction<T>(work: (own: Context) => Promise<T>): Promise<T> {
      events.push('begin');
      const result = await work(own as unknown as Context);
      events.push('commit');
      if (last) pieces.push(last);
      return result;
    },
  } as unknown as Context;
  const recording: RunStore<RunProgress> = {
    ...store,
    async record(inside, piece, before) {
      const progress = await store.record(inside, piece, before);
      last = piece;
      return progress;
    },
  };
  const run = new RunDelivery({
    ctx,
    template: { failureThreshold: options.failureThreshold } as never,
    store: recording,
    progress: { ...START, ...options.progress },
  });
  return { run, pieces, events };
}

async function* inOneBatch(...items: readonly string[]): AsyncGenerator<readonly string[]> {
  yield items;
}

/** Imports items; one that begins with `!` fails, one that begins with `?` fails for reasons of its surroundings. */
function loop(changes: Partial<ItemLoop<string>> = {}): ItemLoop<string> {
  return {
    limits: { itemsMax: 2, charactersMax: Infinity, charactersOf: () => 0 },
    async importItem(_own, item) {
      if (item.startsWith('!')) throw new PlatformError('BAD_PARAMETER', { message: `${item} is wrong` });
      if (item.startsWith('?')) throw new Error('unexpected');
      return [success(item)];
    },
    failedItem: (_ctx, item, error) => (error instanceof PlatformError ? [failed(item, error)] : undefined),
    isRedelivered: true,
    storesFailures: false,
    ...changes,
  };
}

const labels = (pieces: readonly ImportPiece[]): string[] =>
  pieces.map(({ done, results }) => `${done}: ${results.map((r) => `${r.label} ${r.status}`).join(', ')}`);

describe('the loop over the items of a run', () => {
  it('IMP-15 commits items in pieces and begins after the items that an earlier delivery has processed', async () => {
    const { run, pieces } = fakeRun({ progress: { done: 1 } });
    assert.equal(await runItems(run, inOneBatch('a', 'b', 'c', 'd'), loop()), 0);
    assert.deepEqual(labels(pieces), ['3: b Success, c Success', '4: d Success']);
    assert.equal(run.done, 4);
    assert.equal(run.progress.success, 3);
  });

  it('commits nothing for a source without items', async () => {
    const { run, events } = fakeRun();
    await runItems(run, inOneBatch(), loop());
    assert.deepEqual(events, []);
  });

  it('rolls back a failed item alone: its outcome commits with the other items of its piece', async () => {
    const { run, pieces, events } = fakeRun();
    assert.equal(await runItems(run, inOneBatch('!a', 'b'), loop()), 1);
    assert.deepEqual(labels(pieces), ['2: !a Error, b Success']);
    assert.deepEqual(events, ['begin', 'savepoint', 'rollback', 'savepoint', 'commit']);
  });

  it("leaves an error that is not the item's to the next delivery", async () => {
    const { run, pieces } = fakeRun();
    await assert.rejects(runItems(run, inOneBatch('a', 'b', '?c'), loop()), /unexpected/);
    assert.deepEqual(labels(pieces), ['2: a Success, b Success']);
  });

  it('runs a piece again after a conflict, and counts its failures once', async () => {
    let conflicts = 0;
    const { run, pieces } = fakeRun();
    const failures = await runItems(
      run,
      inOneBatch('!a', 'b'),
      loop({
        storesFailures: true,
        async importItem(own, item) {
          if (item === 'b' && ++conflicts < 3) throw conflict();
          return loop().importItem(own, item);
        },
      }),
    );
    assert.equal(failures, 1);
    assert.equal(conflicts, 3);
    assert.deepEqual(labels(pieces), ['2: !a Error, b Success']);
    assert.deepEqual(run.state, { failed: 1 });
  });

  it('adds the failed items of earlier deliveries if their number is the state of the run', async () => {
    const { run, pieces } = fakeRun({ progress: { done: 1, state: '{"failed":1}' } });
    const failures = await runItems(run, inOneBatch('!a', '!b', 'c'), loop({ storesFailures: true }));
    assert.equal(failures, 2);
    assert.deepEqual(pieces.at(-1)?.state, { failed: 2 });
  });

  it('leaves the state of the engine alone otherwise', async () => {
    const { run, pieces } = fakeRun({ progress: { state: '{"phase":"stated"}' } });
    await runItems(run, inOneBatch('!a'), loop());
    assert.ok(pieces.every((piece) => !('state' in piece)));
    assert.deepEqual(run.state, { phase: 'stated' });
  });

  it('drops warnings that were raised before an item', async () => {
    const { run, pieces } = fakeRun();
    await runItems(
      run,
      inOneBatch('a'),
      loop({
        importItem: async (own, item) => [{ ...success(item), message: String(own.takeAlerts(RULE_WARNING).length) }],
      }),
    );
    assert.equal(pieces[0]?.results[0]?.message, '0');
  });

  const single = { itemsMax: 1, charactersMax: Infinity, charactersOf: () => 0 };

  it('reports a failure at the commit as the failure of the item if the run is not delivered again', async () => {
    const { run, pieces } = fakeRun({
      onRecord(piece) {
        if (piece.results[0]?.label === 'a' && piece.results[0].status === 'Success')
          throw new PlatformError('BAD_PARAMETER', { message: 'refused by the log' });
      },
    });
    const failures = await runItems(run, inOneBatch('a', 'b'), loop({ limits: single, isRedelivered: false }));
    assert.equal(failures, 1);
    assert.deepEqual(labels(pieces), ['1: a Error', '2: b Success']);
    assert.equal(pieces[0]?.results[0]?.message, 'refused by the log');
  });

  it('leaves a failure at the commit to the next delivery if there is one', async () => {
    const { run, pieces } = fakeRun({
      onRecord() {
        throw new PlatformError('BAD_PARAMETER', { message: 'refused by the log' });
      },
    });
    await assert.rejects(runItems(run, inOneBatch('a', 'b'), loop({ limits: single })), /refused by the log/);
    assert.deepEqual(pieces, []);
  });
});

describe('a delivery of a run', () => {
  const ended = (reason: RunEnded['reason']) => (error: unknown) =>
    error instanceof RunEnded && error.reason === reason;

  it('IMP-17 ends after the piece in which the run was stopped, which is kept', async () => {
    const { run, pieces } = fakeRun({ stoppedAfter: 2 });
    await assert.rejects(runItems(run, inOneBatch('a', 'b', 'c'), loop()), ended('stopped'));
    assert.deepEqual(labels(pieces), ['2: a Success, b Success']);
  });

  it('ends after the piece in which too many rows have failed, which is kept', async () => {
    const { run, pieces } = fakeRun({ failureThreshold: { amount: 0, isPercent: false } });
    await assert.rejects(runItems(run, inOneBatch('!a', 'b', 'c'), loop()), ended('threshold'));
    assert.deepEqual(labels(pieces), ['2: !a Error, b Success']);
  });

  it('does no work once another delivery has taken the run over, whoever would repeat it', async () => {
    for (const isRedelivered of [true, false]) {
      const { run, events } = fakeRun({
        onLock() {
          throw new RunEnded('superseded');
        },
      });
      await assert.rejects(runItems(run, inOneBatch('a'), loop({ isRedelivered })), ended('superseded'));
      assert.deepEqual(events, ['begin']);
    }
  });

  it('gives up a piece after four conflicts', async () => {
    let attempts = 0;
    const { run } = fakeRun({
      onRecord() {
        attempts++;
        throw conflict();
      },
    });
    await assert.rejects(
      run.piece(async () => ({ done: 1, results: [] })),
      /serialize/,
    );
    assert.equal(attempts, 4);
    assert.equal(run.done, 0);
  });

  it('checks a percentage of failed rows only once the number of rows is known', async () => {
    const failureThreshold = { amount: 10, isPercent: true };
    const piece: ImportPiece = { done: 1, results: [failed('a', new Error('x'))] };
    const { run } = fakeRun({ failureThreshold });
    await run.piece(async () => piece);
    await run.expect(5, async () => undefined);
    await assert.rejects(
      run.piece(async () => piece),
      ended('threshold'),
    );
  });
});

describe('the counts of results', () => {
  it('are records: unchanged ones do not count, and saved ones with a warning count as saved', () => {
    const result = (status: RowResult['status'], operation: string): RowResult => ({ line: 1, status, operation });
    assert.deepEqual(
      countResults([
        result('Success', 'Insert'),
        result('Success', 'None'),
        result('Warning', 'Update'),
        result('Warning', 'None'),
        result('Error', 'Save'),
        result('Error', 'None'),
      ]),
      { success: 2, warnings: 1, errors: 2 },
    );
  });
});
