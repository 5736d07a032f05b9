import { availableParallelism } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { PlatformError } from '../../../../../kernel/door/errors.ts';
import type { Context } from '../../../../../kernel/door/context.ts';
import type { Platform } from '../../../../../kernel/ports/platform.ts';
import { isRecognizerInstalled } from '../../../../../lib/ocr/recognize-page.ts';
import { attachmentTextOnSave, ocrCommand } from '../../settings.ts';
import { queueWorkers } from '../queue-workers.ts';
import { readDocument } from './read-document.ts';
import { claimText, countTexts, requestTexts, textStatuses, type TextStatus } from './text-rows.ts';

/** How long one call reads documents; the next one continues. */
const CALL_MILLISECONDS = 120_000;
/** How often a call that waits for a document looks whether another one has read it. */
const WAIT_MILLISECONDS = 250;

/** Reads the texts that are due, at most as many at a time as there are processors. Returns how many it worked on. */
export async function readDueTexts(ctx: Context): Promise<number> {
  const deadline = performance.now() + CALL_MILLISECONDS;
  let count = 0;
  while (performance.now() < deadline) {
    const filter = { onSave: ctx.settings.get(attachmentTextOnSave), slots: availableParallelism() };
    const claim = await ctx.inTransaction((own) => claimText(own, filter));
    if (!claim) break;
    await readDocument(ctx, claim, deadline);
    count++;
  }
  return count;
}

/**
 * Reads the texts of some documents now, also those that could not be read before, and returns how far each is. Waits
 * for documents that another call is reading, until the call's time is over.
 */
export async function readTextsOf(ctx: Context, ids: readonly number[]): Promise<readonly TextStatus[]> {
  const deadline = performance.now() + CALL_MILLISECONDS;
  await ctx.inTransaction((own) => requestTexts(own.db, ids));
  for (;;) {
    const claim = await ctx.inTransaction((own) => claimText(own, { ids, onSave: true }));
    if (claim) await readDocument(ctx, claim, deadline);
    const statuses = await textStatuses(ctx.db, ids);
    const isDone = statuses.every(({ state }) => state !== 'Waiting' && state !== 'Reading');
    if (isDone || performance.now() >= deadline) return statuses;
    if (!claim) await delay(WAIT_MILLISECONDS);
  }
}

/** Returns the text's status; throws unless the text is complete. */
export function requireText(status: TextStatus | undefined, id: number): TextStatus {
  const { state, reason } = status ?? { state: 'Failed', reason: null };
  if (status && state === 'Ready') return status;
  if (state === 'Unrecognized')
    throw new PlatformError('OCR_UNAVAILABLE', {
      field: 'ID',
      message: `Document ${id} has pictures whose text cannot be recognized: ${reason ?? ''} Setting: OcrCommand.`,
    });
  if (state === 'Failed')
    throw new PlatformError('STATE_REFUSES', {
      field: 'ID',
      message: `The text of document ${id} cannot be read. ${reason ?? ''}`.trim(),
    });
  throw new PlatformError('TIMED_OUT', {
    field: 'ID',
    message: `The text of document ${id} is still being read; the pages so far are stored. Call again later.`,
  });
}

/** Documents that an installation had before their texts were read, noted at a time. */
const BACKFILL_DOCUMENTS = 500;
/** Documents that are tried again at a time once their pictures can be recognized. */
const RECOGNIZE_DOCUMENTS = 500;

/** Housekeeping: queues calls that read the texts that are due, as many as may run. */
export const queueTexts = {
  name: 'texts of documents',
  everyMinutes: 1 / 12,
  async run(platform: Platform): Promise<number> {
    const { store, settings, clock } = platform;
    const onSave = settings.get(attachmentTextOnSave);
    const count = await countTexts(store, clock, onSave);
    if (count.due === 0) return onSave ? backfill(store) : 0;
    const slots = availableParallelism();
    await queueWorkers(platform, count, { route: 'attachment/readtext', slots, lowPriority: true });
    return 0;
  },
} as const;

/** Notes documents that were stored before texts were read, the newest first. Returns how many. */
async function backfill(store: Platform['store']): Promise<number> {
  const rows = await store.query(
    `insert into documenttext (attachmentid, version)
     select attachmentid, filehash from attachment
     where attachmentid < coalesce((select min(attachmentid) from documenttext), 9223372036854775807)
     order by attachmentid desc limit ${BACKFILL_DOCUMENTS}
     on conflict do nothing
     returning attachmentid`,
  );
  return rows.length;
}

/** Housekeeping: tries documents with pictures again once the program that recognizes them is installed. */
export const retryRecognition = {
  name: 'documents whose pictures could not be recognized',
  everyMinutes: 10,
  async run({ store, settings }: Platform): Promise<number> {
    const some = await store.query("select 1 from documenttext where state = 'Unrecognized' limit 1");
    if (some.length === 0 || !(await isRecognizerInstalled(settings.get(ocrCommand)))) return 0;
    const rows = await store.query(
      `with unread as materialized (
         select attachmentid from documenttext where state = 'Unrecognized'
         order by attachmentid desc limit ${RECOGNIZE_DOCUMENTS} for update skip locked)
       update documenttext set state = 'Waiting', reason = null, failures = 0, updateddate = now()
       where attachmentid in (table unread)
       returning attachmentid`,
    );
    return rows.length;
  },
} as const;
