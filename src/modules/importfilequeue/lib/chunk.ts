import type { Context } from '../../../kernel/context.ts';
import type { Db } from '../../../kernel/store.ts';

/** Rows of one batch and queue that one message carries out, in their order: those of its ids that have no outcome yet. */
export interface Chunk {
  readonly importFileId: number;
  readonly queue: string;
  readonly from: number;
  readonly to: number;
}

/** SQL that is true for a row that has no outcome. */
export const UNFINISHED = 'successdate is null and failuredate is null';

/** What a chunk's message says beside. `personId`: as whom its rows run, where that is not the caller. */
interface ChunkMessage {
  readonly personId?: number;
  readonly queuedDate?: string;
  readonly goesOn?: true;
}

/** Queues the work on a chunk with the commit. */
export async function queueChunk(own: Context, { importFileId, queue, from, to }: Chunk, message: ChunkMessage = {}): Promise<void> {
  await own.enqueue({ route: 'importfilequeue/process', parameters: { ImportFileID: importFileId, Queue: queue, From: from, To: to }, queueName: queue, label: `Import file ${importFileId}`, ...message });
}

/** Queues that a batch is looked at, whether it has come to its end. */
export async function queueEnd(own: Context, importFileId: number, personId?: number): Promise<void> {
  await own.enqueue({ route: 'importfile/endbatch', parameters: { ID: importFileId }, label: `Import file ${importFileId}`, ...(personId === undefined ? {} : { personId }) });
}

/** Whether any row of a batch has no outcome. */
export async function hasUnfinished(db: Db, importFileId: number): Promise<boolean> {
  const [row] = await db.query<{ any: boolean }>(`select exists (select from importfilequeue where importfileid = $1::bigint and ${UNFINISHED}) as any`, [importFileId]);
  return row?.any === true;
}

/** Rows that one message carries out at most: so many messages a batch of a million rows makes less. */
export const CHUNK_ROWS_MAX = 500;
