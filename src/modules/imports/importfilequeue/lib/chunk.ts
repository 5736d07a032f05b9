import type { Context } from '../../../../kernel/door/context.ts';
import type { Db } from '../../../../kernel/database/store.ts';

/** Rows of one batch and queue that one message runs in order: those within its range of ids that are unfinished. */
export interface Chunk {
  readonly importFileId: number;
  readonly queue: string;
  readonly from: number;
  readonly to: number;
  /** The lane whose rows these are, if the batch limits concurrency. The rows of a lane run one after another. */
  readonly lane?: Lane | undefined;
}

/** One of several lanes: a row belongs to lane `line % of`. */
export interface Lane {
  readonly at: number;
  readonly of: number;
}

/** SQL condition for unfinished rows, which have no outcome. */
export const UNFINISHED = 'successdate is null and failuredate is null';

/** Options of a chunk's message. `personId`: the user its rows run as, if not the caller. */
interface ChunkMessageOptions {
  readonly personId?: number;
  readonly queuedDate?: string;
  readonly goesOn?: true;
}

/** Queues a chunk with the commit. */
export async function queueChunk(
  own: Context,
  { importFileId, queue, from, to, lane }: Chunk,
  message: ChunkMessageOptions = {},
): Promise<void> {
  await own.enqueue({
    route: 'importfilequeue/process',
    parameters: {
      ImportFileID: importFileId,
      Queue: queue,
      From: from,
      To: to,
      ...(lane ? { Lane: lane.at, Lanes: lane.of } : {}),
    },
    queueName: queue,
    label: `Import file ${importFileId}`,
    ...message,
  });
}

interface LaneRow {
  readonly queue: string;
  readonly personId: number;
  readonly lane: number;
  readonly from: number;
  readonly to: number;
}

/**
 * Queues all unfinished rows of a batch in lanes, with one message for the rows of each, so that never more rows run
 * concurrently than there are lanes. The rows run as the user who first queued them.
 */
export async function queueLanes(own: Context, importFileId: number, lanes: number): Promise<void> {
  const rows = await own.transaction().elevated((db) =>
    db.query<LaneRow>(
      `select queue, createdpersonid as "personId", sourceline % $2::integer as lane, min(importfilequeueid) as from,
        max(importfilequeueid) as to from importfilequeue
     where importfileid = $1::bigint and ${UNFINISHED} and parameterxml is not null and queue is not null
     group by 1, 2, 3 order by 1, 2, 3`,
      [importFileId, lanes],
    ),
  );
  for (const { queue, personId, lane, from, to } of rows)
    await queueChunk(
      own,
      { importFileId, queue, from, to, lane: { at: lane, of: lanes } },
      personId === own.user.personId ? {} : { personId },
    );
}

/** Returns the number of lanes of a batch; undefined if its concurrency is not limited. */
export async function readLaneCount(own: Context, importFileId: number): Promise<number | undefined> {
  const [run] = await own.transaction().elevated((db) =>
    db.query<{ lanes: number | null }>(
      `select (state::json ->> 'lanes')::integer as lanes from importrun where importfileid = $1::bigint
          and state like '{%'`,
      [importFileId],
    ),
  );
  return run?.lanes ?? undefined;
}

/** Queues a check of whether a batch has ended. */
export async function queueEndBatch(own: Context, importFileId: number, personId?: number): Promise<void> {
  await own.enqueue({
    route: 'importfile/endbatch',
    parameters: { ID: importFileId },
    label: `Import file ${importFileId}`,
    ...(personId === undefined ? {} : { personId }),
  });
}

/** Whether any row of a batch is unfinished. */
export async function hasUnfinished(db: Db, importFileId: number): Promise<boolean> {
  const [row] = await db.query<{ any: boolean }>(
    `select exists (select from importfilequeue where importfileid = $1::bigint and ${UNFINISHED}) as any`,
    [importFileId],
  );
  return row?.any === true;
}

/** Most rows that one message runs, which divides the messages of a batch of a million rows by as many. */
export const CHUNK_ROWS_MAX = 500;
