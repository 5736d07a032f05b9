import { randomUUID } from 'node:crypto';
import { logCategory, type ImportPiece, type ImportRun, type RowResult } from '../../../contracts/import-engine.ts';
import type { Context } from '../../../kernel/door/context.ts';
import { timeZone } from '../../../kernel/declare/core-settings.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { copyPiece } from './copy-piece.ts';
import { quoteName, tableName } from './sql-names.ts';
import type { SourceTable } from './open-source.ts';
import type { BulkOptions } from './bulk-options.ts';
import type { BulkPiece, PieceOptions } from './bulk-pieces.ts';
import { createStepTable, qualified, STAGING_SCHEMA, type StagingDatabase, type Session } from './staging-database.ts';
import { stagingPlan, adoptTypes, type StagingPlan } from './staging-plan.ts';
import { claimTable, prepareTable, readColumnTypes, widenColumns, type StagingTable } from './staging-table.ts';

/** State of a run, stored with each piece. */
export interface BulkState {
  readonly phase: 'claimed' | 'load' | 'loaded' | 'stated' | 'ended';
  /** Identifies the run in another database. */
  readonly token: string;
  /** Table of the source being loaded, and the rows of earlier tables. */
  readonly table: number;
  readonly before: number;
  /** Rows of the source that are loaded or failed. */
  readonly rows: number;
  /** Highest row number in the staging table before this run, if rows are numbered. */
  readonly base: number;
}

/** A load in progress. */
export interface BulkLoad {
  readonly run: ImportRun;
  readonly options: BulkOptions;
  readonly place: StagingDatabase;
  readonly tables: readonly SourceTable[];
  /** Plan and staging table of each table of the source. */
  readonly plans: readonly StagingPlan[];
  readonly staging: readonly StagingTable[];
  /** Whether rows are merged afterwards: then none of them is done while they are loaded. */
  readonly merges: boolean;
}

/** Returns a load. Rows that will be merged into records are loaded unmapped. */
export function bulkLoad(
  run: ImportRun,
  parts: Pick<BulkLoad, 'options' | 'place' | 'tables' | 'merges'> & { readonly raw: boolean },
): BulkLoad {
  const { options, tables, merges, raw } = parts;
  const { template } = run;
  const plans = tables.map((table) => stagingPlan({ source: table.columns, template, options, numbers: merges, raw }));
  const staging = tables.map((table) => stagingTableOf(run, options, merges ? undefined : table.sheet));
  return { run, options, place: parts.place, tables, plans, staging, merges };
}

function stagingTableOf(
  { importFileId, source }: ImportRun,
  { tableName: requested }: BulkOptions,
  sheet: string | undefined,
): StagingTable {
  if (requested === undefined) return { schema: STAGING_SCHEMA, name: `import${importFileId}`, own: true };
  const name = requested
    .replace(/^staging\./i, '')
    .replace(/\{TableName\}/gi, sheet ?? source.fileName.replace(/^.*[\\/]/, '').replace(/\.[^.]*$/, ''));
  return { schema: STAGING_SCHEMA, name: tableName(name, 'TableName'), own: false };
}

/** Claims the tables, as the first piece of a run. */
export async function claimTables(
  own: Context,
  { run, options, place, staging, merges }: BulkLoad,
): Promise<BulkState> {
  for (const table of staging)
    await claimTable(own, place, table, { importFileId: run.importFileId, alone: options.truncate || merges });
  if (place.connection !== undefined) await place.withSession(own, undefined, createStepTable);
  return { phase: 'claimed', token: randomUUID(), table: 0, before: 0, rows: 0, base: 0 };
}

/** Prepares the tables, without loading anything. */
export async function prepareTables(
  session: Session,
  { options, place, plans, staging }: BulkLoad,
  state: BulkState,
): Promise<BulkState> {
  const seen = new Set<string>();
  let base = 0;
  for (const [i, table] of staging.entries()) {
    const plan = plans[i] as StagingPlan;
    await prepareTable(
      session,
      place,
      { table, plan },
      seen.has(table.name) ? { ...options, truncate: false } : options,
    );
    seen.add(table.name);
    base = Math.max(base, await highestRowNumber(session, table, plan));
  }
  return { ...state, phase: 'load', base };
}

async function highestRowNumber(session: Session, table: StagingTable, { numbered }: StagingPlan): Promise<number> {
  if (!numbered) return 0;
  const [row] = await session.query<{ last: number | null }>(
    `select max(${quoteName(numbered.row)}) as last from ${qualified(table)}`,
  );
  return row?.last ?? 0;
}

/** Adopts the column types of the tables as an earlier delivery left them. */
export async function readTypes(session: Session, { plans, staging }: BulkLoad): Promise<void> {
  for (const [i, table] of staging.entries())
    adoptTypes(plans[i] as StagingPlan, (await readColumnTypes(session, table)) ?? new Map<string, string>());
}

/** Commits a piece with its state. */
export type PieceRunner = (work: (own: Context) => Promise<ImportPiece>) => Promise<void>;

/**
 * Loads the rest of the source, piece by piece, and returns the final state.
 * @throws BAD_PARAMETER for the first failed row with ThrowOnError
 */
export async function loadTables(load: BulkLoad, from: BulkState, keep: PieceRunner): Promise<BulkState> {
  let state = from;
  for (let table = from.table; table < load.tables.length; table++) {
    if (table > state.table) state = { ...state, table, before: state.rows };
    for await (const piece of readAhead(load.tables[table] as SourceTable, pieceParts(load, table, state))) {
      const next = { ...state, rows: state.before + piece.done };
      const failures: RowResult[] = [];
      await keep(async (own) => {
        failures.length = 0;
        const saved = await loadPiece(own, load, { piece, table, state: next });
        failures.push(...saved.results);
        return saved;
      });
      piece.release();
      state = next;
      const [first] = failures;
      if (first && load.options.throwOnError)
        throw new PlatformError('BAD_PARAMETER', { message: `ThrowOnError: ${first.message ?? ''}` });
    }
  }
  return { ...state, phase: 'loaded' };
}

function pieceParts({ run, options, plans }: BulkLoad, table: number, state: BulkState): PieceOptions {
  const { template, ctx } = run;
  return {
    plan: plans[table] as StagingPlan,
    judgement: { options: template.options, timeZone: ctx.settings.get(timeZone) },
    mayWiden: options.allowAlterColumn,
    base: state.base + state.before,
    done: state.rows - state.before,
    category: logCategory(run.template.options, 'Error'),
    stopsAtFailure: options.throwOnError,
  };
}

/** A piece of the source's table with this index, and the state after it. */
interface PieceToLoad {
  readonly piece: BulkPiece;
  readonly table: number;
  readonly state: BulkState;
}

async function loadPiece(own: Context, load: BulkLoad, { piece, table: at, state }: PieceToLoad): Promise<ImportPiece> {
  const { run, options, place, merges } = load;
  const [plan, table] = [load.plans[at] as StagingPlan, load.staging[at] as StagingTable];
  const category = logCategory(run.template.options, 'Error');
  const { loaded, refused } = await place.withSession(
    own,
    { run: state.token, name: `load ${state.rows}` },
    async (session) => {
      await widenColumns(session, table, piece.widened);
      return copyPiece(session, piece, {
        table,
        plan,
        timeoutSeconds: options.timeoutSeconds,
        stopsAtFailure: options.throwOnError,
      });
    },
  );
  const failed: RowResult[] = refused.map(({ line, message }) => ({
    line,
    label: `Line ${line}`,
    operation: 'Insert',
    status: 'Error',
    message: `Line ${line}: ${message}`,
    ...(category === undefined ? {} : { category }),
  }));
  // If the first failure ends the run, nothing after it was processed.
  const all = [...piece.failures, ...failed].sort((a, b) => a.line - b.line);
  const results = options.throwOnError ? all.slice(0, 1) : all;
  return {
    done: merges ? 0 : state.rows,
    results,
    counted: { success: merges ? 0 : loaded, warnings: 0, errors: 0 },
    state,
  };
}

/** Reads a piece while the previous one is loaded. */
async function* readAhead(table: SourceTable, parts: PieceOptions): AsyncGenerator<BulkPiece, void, undefined> {
  const pieces = table.pieces(parts)[Symbol.asyncIterator]();
  let next = pieces.next();
  try {
    for (;;) {
      const step = await next;
      if (step.done === true) return;
      next = pieces.next();
      // The error is thrown when the piece is awaited.
      next.catch(() => undefined);
      yield step.value;
    }
  } finally {
    await next.catch(() => undefined);
    await pieces.return?.();
  }
}
