import { randomUUID } from 'node:crypto';
import {
  ALL_QUEUED,
  type ImportPiece,
  type ImportRun,
  type ImportSource,
  type RowResult,
  type SourceRow,
} from '../../../../contracts/import-engine.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { retryConflicts } from '../../lib/retry-conflicts.ts';
import { writeResults } from './write-results.ts';
import { saveRows } from './save-rows.ts';
import type { PipelineTemplate } from './import-template.ts';
import { exceedsFailureThreshold } from './threshold.ts';

/** Consecutive deliveries without progress before a run is given up. */
const FRUITLESS_DELIVERIES_MAX = 5;

/** Thrown to end an engine's work before the end of the source; saved records remain. */
export class RunEnded extends Error {
  readonly reason: 'stopped' | 'threshold' | 'superseded';

  constructor(reason: RunEnded['reason']) {
    super(`the run was ended: ${reason}`);
    this.name = 'RunEnded';
    this.reason = reason;
  }
}

/** The stored progress of a run. */
export interface RunRow {
  readonly deliveryid: string;
  readonly done: number;
  readonly total: number | null;
  readonly success: number;
  readonly warnings: number;
  readonly errors: number;
  readonly state: string | null;
  readonly stopped: boolean;
  readonly attempts: number;
}

const RUN_COLUMNS = 'deliveryid, done, total, success, warnings, errors, state, stopped, attempts';

/**
 * Takes over a run from any other delivery, which then fails at its next piece. In the caller's transaction. Returns
 * undefined if the run is given up after too many deliveries without progress.
 */
export async function takeOverRun(own: Context, importFileId: number): Promise<RunRow | undefined> {
  const [row] = await own.transaction().elevated((db) =>
    db.query<RunRow & Record<string, unknown>>(
      `insert into importrun as r (importfileid, deliveryid, starteddate, activedate, attempts)
        values ($1::bigint, $2::uuid, $3::timestamptz, $3::timestamptz, 1)
     on conflict (importfileid) do update
     set deliveryid = excluded.deliveryid, starteddate = excluded.starteddate, activedate = excluded.activedate,
     startdone = r.done, bytesread = 0,
       stopped = false, attempts = case when r.done > r.startdone or r.state = $4::text then 1 else r.attempts + 1 end
     returning ${RUN_COLUMNS}`,
      // A batch whose rows are all queued makes no progress itself, even if it is stopped and resumed repeatedly.
      [importFileId, randomUUID(), own.clock.now(), JSON.stringify(ALL_QUEUED)],
    ),
  );
  return row && row.attempts <= FRUITLESS_DELIVERIES_MAX ? row : undefined;
}

/** Dependencies of a delivery. */
export interface StoredRunParts {
  readonly ctx: Context;
  readonly importFileId: number;
  readonly organizationId: number | null;
  readonly template: PipelineTemplate;
  readonly source: ImportSource;
  readonly row: RunRow;
}

/**
 * One delivery of a run: commits each piece with its log and counts, and fails once another delivery has taken over.
 */
export class StoredRun implements ImportRun {
  readonly ctx: Context;
  readonly importFileId: number;
  readonly organizationId: number | null;
  readonly template: PipelineTemplate;
  readonly source: ImportSource;
  private readonly deliveryId: string;
  private counts: RunRow;
  private bytesRead = 0;
  private bound = false;
  /** The engine has queued the rest; its last row ends the file. */
  isHandedOff = false;

  constructor(parts: StoredRunParts) {
    this.ctx = parts.ctx;
    this.importFileId = parts.importFileId;
    this.organizationId = parts.organizationId;
    this.template = parts.template;
    this.deliveryId = parts.row.deliveryid;
    this.counts = parts.row;
    const { source } = parts;
    this.source = { ...source, open: () => this.countingBytes(source.open()) };
  }

  get done(): number {
    return this.counts.done;
  }

  get state(): unknown {
    return this.counts.state === null ? undefined : (JSON.parse(this.counts.state) as unknown);
  }

  /**
   * Counts the bytes of the reading that is furthest ahead, for progress. A piece counts when the next is requested,
   * because only then are its rows processed.
   */
  private async *countingBytes(bytes: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
    let read = 0;
    for await (const piece of bytes) {
      yield piece;
      read += piece.length;
      this.bytesRead = Math.max(this.bytesRead, read);
    }
  }

  async expect(total: number): Promise<void> {
    await this.ctx.inTransaction(async (own) => {
      await this.assertStillOurs(own);
      await own
        .transaction()
        .elevated((db) =>
          db.query('update importrun set total = $2::bigint where importfileid = $1::bigint', [
            this.importFileId,
            total,
          ]),
        );
    });
    this.counts = { ...this.counts, total };
  }

  async piece(work: (own: Context) => Promise<ImportPiece>): Promise<void> {
    const storedRows = await this.retrying(async (own) => {
      // Locked from the start: another delivery waits until the piece commits or rolls back.
      await this.assertStillOurs(own);
      const piece = await work(own);
      const bound = await this.bindToRecord(own, piece.results);
      await writeResults(own, this, piece.results);
      return { counts: await this.recordPiece(own, piece), bound };
    });
    this.counts = storedRows.counts;
    this.bound ||= storedRows.bound;
    if (this.counts.stopped) throw new RunEnded('stopped');
    if (
      exceedsFailureThreshold(this.template.failureThreshold, {
        success: this.counts.success,
        errors: this.counts.errors,
        total: this.counts.total ?? undefined,
      })
    )
      throw new RunEnded('threshold');
  }

  /**
   * Retries a piece after a conflict. The door never retries a call with a body, which can be read only once; here the
   * body was stored before the run.
   */
  private async retrying<T>(work: (own: Context) => Promise<T>): Promise<T> {
    const run = (): Promise<T> => this.ctx.inTransaction(work);
    return this.ctx.body ? retryConflicts(run) : run();
  }

  handOff(): void {
    this.isHandedOff = true;
  }

  async rows(rows: AsyncIterable<readonly SourceRow[]>): Promise<void> {
    await saveRows(this, rows);
  }

  private async assertStillOurs(own: Context): Promise<void> {
    const held = await own
      .transaction()
      .elevated((db) =>
        db.query('select 1 from importrun where importfileid = $1::bigint and deliveryid = $2::uuid for update', [
          this.importFileId,
          this.deliveryId,
        ]),
      );
    if (held.length === 0) throw new RunEnded('superseded');
  }

  private async recordPiece(own: Context, piece: ImportPiece): Promise<RunRow> {
    const of = (status: RowResult['status']): number =>
      piece.results.filter((r) => r.status === status && (status === 'Error' || r.operation !== 'None')).length;
    const warnings = of('Warning');
    const { counted } = piece;
    const [row] = await own.transaction().elevated((db) =>
      db.query<RunRow & Record<string, unknown>>(
        `update importrun set done = greatest(done, $2::bigint), success = success + $3::bigint, warnings = warnings +
          $4::bigint, errors = errors + $5::bigint,
         state = case when $6::boolean then $7::text
         else state end, activedate = $8::timestamptz, bytesread = greatest(bytesread, $9::bigint)
       where importfileid = $1::bigint returning ${RUN_COLUMNS}`,
        [
          this.importFileId,
          piece.done,
          of('Success') + warnings + (counted?.success ?? 0),
          warnings + (counted?.warnings ?? 0),
          of('Error') + (counted?.errors ?? 0),
          piece.state !== undefined,
          piece.state === undefined ? null : JSON.stringify(piece.state),
          own.clock.now(),
          this.bytesRead,
        ],
      ),
    );
    if (!row) throw new RunEnded('superseded');
    return row;
  }

  /** Attaches the file to the first record of the import type's record type that it inserts or updates. */
  private async bindToRecord(own: Context, results: readonly RowResult[]): Promise<boolean> {
    const { appliesTo } = this.template;
    if (this.bound || appliesTo === undefined) return false;
    const first = results.find((r) => r.object === appliesTo && typeof r.objectId === 'number' && r.status !== 'Error');
    if (!first) return false;
    await own.db.query(
      `update importfile set object = $2::text, objectid = $3::bigint where importfileid = $1::bigint
        and objectid is null`,
      [this.importFileId, appliesTo, first.objectId],
    );
    return true;
  }
}

/** Message of a run that was given up, shown to users. */
export const GIVEN_UP_MESSAGE =
  `The import started ${FRUITLESS_DELIVERIES_MAX} times at the same row without progress. The rows ` +
  'listed above were saved.';

/** Returns the run of an import file, or undefined if it never started. */
export async function readRun(
  ctx: Context,
  importFileId: number,
): Promise<
  | (RunRow & {
      readonly bytesread: number;
      readonly startdone: number;
      readonly starteddate: string;
      readonly activedate: string;
    })
  | undefined
> {
  const text = `select ${RUN_COLUMNS}, bytesread, startdone, starteddate, activedate from importrun
    where importfileid = $1::bigint`;
  // The run reveals nothing of the file's content, and the caller was found to have access to the file.
  const [row] = await ctx.configuration.db.query<
    RunRow & { bytesread: number; startdone: number; starteddate: string; activedate: string } & Record<string, unknown>
  >(text, [importFileId]);
  return row;
}

/** Returns the error for an operation that the file's status does not allow. */
export function wrongStatus(what: string, status: unknown): PlatformError {
  return new PlatformError('STATE_REFUSES', {
    field: 'ID',
    message: `ID: the import file is ${String(status)}; ${what}`,
  });
}
