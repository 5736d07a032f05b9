import { randomUUID } from 'node:crypto';
import { ALL_QUEUED } from '../../../../contracts/import-engine.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { importLogRowsMax } from '../../importfile/settings.ts';
import { writeResults, type LogOwner } from './import-log.ts';
import { RunEnded } from './run-delivery.ts';
import { countResults, type RunProgress, type RunStore } from './run-store.ts';

/** Consecutive deliveries without progress before a run is given up. */
const FRUITLESS_DELIVERIES_MAX = 5;

/** The stored progress of a run, and the delivery that may continue it. */
export interface RunRow extends RunProgress {
  readonly deliveryid: string;
  /** Consecutive deliveries without progress. */
  readonly attempts: number;
}

const RUN_COLUMNS = 'deliveryid, done, total, success, warnings, errors, state, stopped, attempts';

/**
 * Takes over a run from any other delivery, which then fails at its next piece. In the caller's transaction. Returns
 * undefined if the run is given up after too many deliveries without progress.
 */
export async function takeOverRun(own: Context, importFileId: number): Promise<RunRow | undefined> {
  const [row] = await own.transaction().elevated((db) =>
    db.query<RunRow>(
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

/** Message of a run that was given up, shown to users. */
export const GIVEN_UP_MESSAGE =
  `The import started ${FRUITLESS_DELIVERIES_MAX} times at the same row without progress. The rows ` +
  'listed above were saved.';

/** The progress of one delivery, in `importrun`. */
export interface StoredProgress extends RunStore<RunRow> {
  storeTotal(own: Context, total: number): Promise<void>;
}

/**
 * Returns the store of a run that an interrupted delivery resumes. `bytesRead` returns the bytes of the source read so
 * far.
 */
export function storedProgress(owner: LogOwner, deliveryId: string, bytesRead: () => number): StoredProgress {
  const { importFileId } = owner;
  return {
    // Locked from the start: another delivery waits until the piece commits or rolls back.
    async lock(own) {
      const held = await own
        .transaction()
        .elevated((db) =>
          db.query('select 1 from importrun where importfileid = $1::bigint and deliveryid = $2::uuid for update', [
            importFileId,
            deliveryId,
          ]),
        );
      if (held.length === 0) throw new RunEnded('superseded');
    },
    async record(own, piece, before) {
      const isLogged = before.done < own.settings.get(importLogRowsMax);
      const results = isLogged ? piece.results : piece.results.filter(({ status }) => status !== 'Success');
      writeResults(own, owner, results);
      const { success, warnings, errors } = countResults(piece.results);
      const { counted } = piece;
      const [row] = await own.transaction().elevated((db) =>
        db.query<RunRow>(
          `update importrun set done = greatest(done, $2::bigint), success = success + $3::bigint, warnings = warnings +
          $4::bigint, errors = errors + $5::bigint,
         state = case when $6::boolean then $7::text
         else state end, activedate = $8::timestamptz, bytesread = greatest(bytesread, $9::bigint)
       where importfileid = $1::bigint returning ${RUN_COLUMNS}`,
          [
            importFileId,
            piece.done,
            success + (counted?.success ?? 0),
            warnings + (counted?.warnings ?? 0),
            errors + (counted?.errors ?? 0),
            piece.state !== undefined,
            piece.state === undefined ? null : JSON.stringify(piece.state),
            own.clock.now(),
            bytesRead(),
          ],
        ),
      );
      if (!row) throw new RunEnded('superseded');
      return row;
    },
    async storeTotal(own, total) {
      await own
        .transaction()
        .elevated((db) =>
          db.query('update importrun set total = $2::bigint where importfileid = $1::bigint', [importFileId, total]),
        );
    },
  };
}

/** A run as progress displays show it. */
export interface ShownRun extends RunRow {
  readonly bytesread: number;
  /** Items processed before this delivery. */
  readonly startdone: number;
  readonly starteddate: string;
  readonly activedate: string;
}

/** Returns the run of an import file, or undefined if it never started. */
export async function readRun(ctx: Context, importFileId: number): Promise<ShownRun | undefined> {
  const text = `select ${RUN_COLUMNS}, bytesread, startdone, starteddate, activedate from importrun
    where importfileid = $1::bigint`;
  // The run reveals nothing of the file's content, and the caller was found to have access to the file.
  const [row] = await ctx.configuration.db.query<ShownRun>(text, [importFileId]);
  return row;
}
