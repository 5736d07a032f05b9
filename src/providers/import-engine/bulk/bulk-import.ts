import { logCategory, type ImportPiece, type ImportRun, type RowResult } from '../../../contracts/import-engine.ts';
import type { Context } from '../../../kernel/door/context.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import {
  bulkLoad,
  claimTables,
  loadTables,
  prepareTables,
  readTypes,
  type BulkLoad,
  type BulkState,
} from './bulk-load.ts';
import type { NamedConnections } from './named-connections.ts';
import { runImportStatement } from './import-statement.ts';
import { stagedCount, stagedRows } from './staged-rows.ts';
import { requireKeys, MERGE_ROWS, mergeRows, prepareTarget, type TableMerge } from './merge-table.ts';
import { openTables, type FormEngines } from './open-source.ts';
import { parseBulkOptions } from './bulk-options.ts';
import {
  deleteSteps,
  namedDatabase,
  ownDatabase,
  qualified,
  databaseOfSession,
  type StagingDatabase,
  type Session,
} from './staging-database.ts';
import type { StagingPlan } from './staging-plan.ts';
import type { StagingTable } from './staging-table.ts';
import { mergeTarget, targetTable, type MergeTarget } from './merge-target.ts';

/** Most failed rows of a load in one transaction: they are held until it commits. */
const TRANSACTION_FAILURES_MAX = 10_000;

/** Dependencies of bulk imports. */
export interface BulkDependencies {
  readonly connections: NamedConnections;
  readonly engines: FormEngines;
  /** Whether staging is merged into a target after the load. */
  readonly merges: boolean;
}

/** A load and its merge target. */
interface BulkRun {
  readonly run: ImportRun;
  readonly load: BulkLoad;
  /** Undefined: the rows stay in staging. */
  readonly target: MergeTarget | undefined;
}

/**
 * Loads a document into staging, runs the import type's ImportStatement, and merges the rows if the engine does.
 * Resumes an interrupted delivery.
 */
export async function bulkImport(run: ImportRun, { connections, engines, merges }: BulkDependencies): Promise<void> {
  const options = parseBulkOptions(run.template);
  const place =
    options.connection === undefined
      ? ownDatabase
      : namedDatabase(options.connection, connections.get(options.connection));
  const target = merges ? mergeTarget(run.ctx.registry, run.template, options) : undefined;
  const tables = await openTables(engines, run.source, run.template);
  const load = bulkLoad(run, { options, place, tables, merges, raw: target?.kind === 'records' });
  if (target?.kind === 'table') for (const plan of load.plans) requireKeys(plan);
  const bulk: BulkRun = { run, load, target };
  let state = run.state as BulkState | undefined;
  state ??= await recordState(run, (own) => claimTables(own, load));
  if (state.phase === 'ended') return;
  if (options.useTransaction) return importInOneTransaction(bulk, state);
  state = await loadStaging(bulk, state);
  if (state.phase === 'loaded') state = await runStatementPiece(bulk, state);
  if (target?.kind === 'records') await run.rows(stagedSourceRows(bulk, state));
  else if (target) await mergeTables(bulk, state, load.place, (work) => run.piece(work));
  await finishLoad(bulk, state);
}

/** Runs a piece that processes no rows and stores a state. */
async function recordState(run: ImportRun, work: (own: Context) => Promise<BulkState>): Promise<BulkState> {
  let state: BulkState | undefined;
  await run.piece(async (own) => {
    state = await work(own);
    return { done: run.done, results: [], state };
  });
  return state as BulkState;
}

async function loadStaging(bulk: BulkRun, from: BulkState): Promise<BulkState> {
  const { run, load } = bulk;
  if (from.phase === 'stated' || from.phase === 'loaded') {
    await run.ctx.inTransaction((own) => load.place.withSession(own, undefined, (session) => readTypes(session, load)));
    return from;
  }
  if (from.phase === 'load')
    await run.ctx.inTransaction((own) => load.place.withSession(own, undefined, (session) => readTypes(session, load)));
  const state =
    from.phase === 'load'
      ? from
      : await recordState(run, (own) =>
          load.place.withSession(own, undefined, (session) => prepareAll(bulk, session, from)),
        );
  return loadTables(load, state, (work) => run.piece(work));
}

async function prepareAll({ load, target }: BulkRun, session: Session, from: BulkState): Promise<BulkState> {
  // The target first: staging columns take its types.
  if (target?.kind === 'table')
    for (const plan of load.plans) await prepareTarget(session, target.table, plan, load.options.ensureTable);
  return prepareTables(session, load, from);
}

/** Returns each staging table with a plan of it; several worksheets may share one. */
function stagingTables({ plans, staging }: BulkLoad): { readonly table: StagingTable; readonly plan: StagingPlan }[] {
  return staging
    .map((table, i) => ({ table, plan: plans[i] as StagingPlan }))
    .filter(({ table }, i, all) => all.findIndex((other) => other.table.name === table.name) === i);
}

/** Runs the ImportStatement once for each staging table, and records that it ran. */
async function runStatementPiece(bulk: BulkRun, state: BulkState): Promise<BulkState> {
  const next: BulkState = { ...state, phase: 'stated' };
  await bulk.run.piece(async (own) => ({
    done: rowsDone(bulk, state),
    results: await statementResults(own, bulk, next, bulk.load.place),
    state: next,
  }));
  return next;
}

async function statementResults(
  own: Context,
  { run, load, target }: BulkRun,
  state: BulkState,
  place: StagingDatabase,
): Promise<RowResult[]> {
  const text = run.template.importStatement;
  if (text === undefined || text.trim() === '') return [];
  const results: RowResult[] = [];
  for (const { table } of stagingTables(load)) {
    const facts = {
      importFileId: run.importFileId,
      table,
      target: target?.kind === 'records' ? undefined : targetTable(load.options),
    };
    const message = await runImportStatement(
      own,
      { place, step: { run: state.token, name: `statement ${table.name}` } },
      text,
      facts,
    );
    results.push({ line: 0, label: 'ImportStatement', operation: 'None', status: 'Success', message });
  }
  return results;
}

/** Returns the processed rows after the load: none if they are still to be merged. */
function rowsDone({ run, load }: BulkRun, state: BulkState): number {
  return load.merges ? run.done : state.rows;
}

async function* stagedSourceRows({ run, load }: BulkRun, state: BulkState): ReturnType<typeof stagedRows> {
  for (const { table, plan } of stagingTables(load))
    yield* stagedRows(run, load.place, {
      table,
      plan,
      base: state.base,
      isSparse: load.tables.some((source) => source.isSparse),
    });
}

async function mergeTables(
  { run, load, target }: BulkRun,
  state: BulkState,
  place: StagingDatabase,
  keep: (work: (own: Context) => Promise<ImportPiece>) => Promise<void>,
): Promise<void> {
  const { options } = load;
  const [first] = stagingTables(load);
  if (target?.kind !== 'table' || !first) return;
  const merge: TableMerge = {
    staging: first.table,
    target: target.table,
    plan: first.plan,
    operationsAllowed: run.template.operationsAllowed,
    category: logCategory(run.template.options, 'Error'),
    stopsAtFailure: options.throwOnError,
  };
  for (let from = run.done; from < state.rows;) {
    const to = Math.min(from + MERGE_ROWS, state.rows);
    let failure: RowResult | undefined;
    await keep(async (own) => {
      const { success, results } = await place.withSession(own, { run: state.token, name: `merge ${to}` }, (session) =>
        mergeRows(session, merge, state.base + from, state.base + to),
      );
      failure = results.find((result) => result.status === 'Error');
      return { done: to, results, counted: { success, warnings: 0, errors: 0 } };
    });
    if (failure && options.throwOnError)
      throw new PlatformError('BAD_PARAMETER', { message: `ThrowOnError: ${failure.message ?? ''}` });
    from = to;
  }
}

/** Runs the last piece: drops merged tables that were created for this file alone. */
async function finishLoad({ run, load, target }: BulkRun, state: BulkState): Promise<void> {
  const { place, merges } = load;
  await run.piece(async (own) => {
    const done = await place.withSession(own, undefined, async (session) => {
      let saved = 0;
      for (const { table, plan } of stagingTables(load)) {
        // Rows saved as records are counted in staging.
        if (target?.kind === 'records') saved += await stagedCount(session, table, plan, state.base);
        if (merges && table.own) await session.query(`drop table if exists ${qualified(table)}`);
      }
      if (place.connection !== undefined) await deleteSteps(session, state.token);
      return target?.kind === 'records' ? saved : state.rows;
    });
    return { done: Math.max(run.done, done), results: [], state: { ...state, phase: 'ended' } satisfies BulkState };
  });
}

/** Runs everything in one transaction: if anything fails, nothing is kept. */
async function importInOneTransaction(bulk: BulkRun, from: BulkState): Promise<void> {
  const { run, load } = bulk;
  if (from.phase !== 'claimed') return finishLoad(bulk, from);
  let ended = from;
  await run.piece(async (own) => {
    const stored = await load.place.withSession<ImportPiece>(
      own,
      { run: from.token, name: 'whole' },
      async (session) => {
        const place = databaseOfSession(load.place, session);
        const inside: BulkRun = { ...bulk, load: { ...load, place } };
        const pieces: ImportPiece[] = [];
        let failures = 0;
        const keep = async (work: (own: Context) => Promise<ImportPiece>): Promise<void> => {
          const piece = await work(own);
          pieces.push(piece);
          failures += piece.results.length;
          if (failures > TRANSACTION_FAILURES_MAX)
            throw new PlatformError('BAD_PARAMETER', {
              field: 'UseTransaction',
              message:
                `UseTransaction: more than ${TRANSACTION_FAILURES_MAX.toLocaleString('en-US')} rows failed; ` +
                'nothing was loaded.',
            });
        };
        const state = await loadTables(inside.load, await prepareAll(inside, session, from), keep);
        const results = await statementResults(own, inside, state, place);
        await mergeTables(inside, state, place, keep);
        return combinePieces(pieces, results, state);
      },
    );
    ended = stored.state as BulkState;
    return stored;
  });
  await finishLoad(bulk, ended);
}

function combinePieces(
  pieces: readonly ImportPiece[],
  statements: readonly RowResult[],
  state: BulkState,
): ImportPiece {
  const success = pieces.reduce((sum, piece) => sum + (piece.counted?.success ?? 0), 0);
  return {
    done: state.rows,
    results: [...pieces.flatMap((piece) => piece.results), ...statements],
    counted: { success, warnings: 0, errors: 0 },
    state: { ...state, phase: 'stated' } satisfies BulkState,
  };
}
