import type { Context } from '../../../../kernel/door/context.ts';
import type { Db } from '../../../../kernel/database/store.ts';

/** Rows of one batch and queue that one message carries out, in their order: those of its ids that have no outcome yet. */
export interface Chunk {
  readonly importFileId: number;
  readonly queue: string;
  readonly from: number;
  readonly to: number;
  /** Of a batch of which a limited number of rows run side by side: the lane whose rows these are; a lane's rows run one after another. */
  readonly lane?: Lane | undefined;
}

/** One of so many lanes: a row belongs to the lane that its line leaves when it is divided by their number. */
export interface Lane {
  readonly at: number;
  readonly of: number;
}

/** SQL that is true for a row that has no outcome. */
export const UNFINISHED = 'successdate is null and failuredate is null';

/** What a chunk's message says beside. `personId`: as whom its rows run, where that is not the caller. */
interface ChunkMessageOptions {
  readonly personId?: number;
  readonly queuedDate?: string;
  readonly goesOn?: true;
}

/** Queues the work on a chunk with the commit. */
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

interface LaneRow extends Record<string, unknown> {
  readonly queue: string;
  readonly personId: number;
  readonly lane: number;
  readonly from: number;
  readonly to: number;
}

/**
 * Queues the work on all rows of a batch that have no outcome, in so many lanes: one message for the rows of each, so that never more
 * rows run at a moment than there are lanes. They run as who queued them first.
 */
export async function queueLanes(own: Context, importFileId: number, lanes: number): Promise<void> {
  const rows = await own.transaction().elevated((db) =>
    db.query<LaneRow>(
      `select queue, createdpersonid as "personId", sourceline % $2::integer as lane, min(importfilequeueid) as from, max(importfilequeueid) as to from importfilequeue
     where importfileid = $1::bigint and ${UNFINISHED} and parameterxml is not null and queue is not null group by 1, 2, 3 order by 1, 2, 3`,
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

/** How many lanes a batch has; undefined of one that goes as fast as there are workers. */
export async function readLaneCount(own: Context, importFileId: number): Promise<number | undefined> {
  const [run] = await own
    .transaction()
    .elevated((db) =>
      db.query<{ lanes: number | null }>(
        `select (state::json ->> 'lanes')::integer as lanes from importrun where importfileid = $1::bigint and state like '{%'`,
        [importFileId],
      ),
    );
  return run?.lanes ?? undefined;
}

/** Queues that a batch is looked at, whether it has come to its end. */
export async function queueEndBatch(own: Context, importFileId: number, personId?: number): Promise<void> {
  await own.enqueue({
    route: 'importfile/endbatch',
    parameters: { ID: importFileId },
    label: `Import file ${importFileId}`,
    ...(personId === undefined ? {} : { personId }),
  });
}

/** Whether any row of a batch has no outcome. */
export async function hasUnfinished(db: Db, importFileId: number): Promise<boolean> {
  const [row] = await db.query<{ any: boolean }>(
    `select exists (select from importfilequeue where importfileid = $1::bigint and ${UNFINISHED}) as any`,
    [importFileId],
  );
  return row?.any === true;
}

/** Rows that one message carries out at most: so many messages a batch of a million rows makes less. */
export const CHUNK_ROWS_MAX = 500;
