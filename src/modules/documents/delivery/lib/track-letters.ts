import { MAIL_HOUSE } from '../../../../contracts/delivery.ts';
import { arrayLiteral } from '../../../../kernel/database/store.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { letterTrackDays } from '../settings.ts';
import { publishMailings } from './publish-letters.ts';
import { recordInquiries } from './settle-unknown.ts';

/** Letters that one call asks about. */
const TRACKED_MAX = 500;
/** Letters that are checked and recorded together. */
const ASKED_MAX = 50;

interface TrackedLetter {
  readonly id: number;
  readonly key: string;
  readonly submission: string;
  readonly mailHouse: string;
}

/** Which letters are tracked; without names, those that were checked longest ago. */
export interface TrackRequest {
  readonly ids: readonly number[];
  readonly batchId: number | undefined;
}

/** Result of tracking. */
export interface TrackResult {
  readonly inquired: number;
  readonly changed: number;
  /** Mail houses that could not be reached, each with the reason. */
  readonly problems: readonly string[];
}

/** Asks mail houses about letters on their way, and records what they answer. */
export async function trackLetters(ctx: Context, { ids, batchId }: TrackRequest): Promise<TrackResult> {
  const isNamed = ids.length > 0 || batchId !== undefined;
  const letters = await ctx.db.query<TrackedLetter>(
    `select d.deliveryid as id, d.letterkey as key, coalesce(d.submissionkey, '') as submission,
       d.mailhouse as "mailHouse"
     from delivery d
     where d.status in ('Unknown', 'Submitted', 'Mailed') and d.begundate is not null
       and (not $3::boolean or d.deliveryid = any($1::bigint[]) or d.deliverybatchid = $2::bigint)
       and ($3::boolean or d.begundate > $4::timestamptz)
     order by d.trackeddate nulls first, d.deliveryid limit ${TRACKED_MAX}`,
    [
      arrayLiteral(ids),
      batchId ?? null,
      isNamed,
      new Date(ctx.clock.milliseconds() - ctx.settings.get(letterTrackDays) * 86_400_000).toISOString(),
    ],
  );
  const problems: string[] = [];
  let changed = 0;
  for (const [mailHouse, group] of Map.groupBy(letters, (letter) => letter.mailHouse))
    try {
      changed += await trackAt(ctx, mailHouse, group);
    } catch (error) {
      if (!(error instanceof PlatformError) || !['UNAVAILABLE', 'UNKNOWN_PROVIDER'].includes(error.code)) throw error;
      problems.push(error.message);
    }
  return { inquired: letters.length, changed, problems };
}

async function trackAt(ctx: Context, mailHouse: string, letters: readonly TrackedLetter[]): Promise<number> {
  let changed = 0;
  for (let start = 0; start < letters.length; start += ASKED_MAX) {
    const piece = letters.slice(start, start + ASKED_MAX);
    const answers = await ctx.providers.get(MAIL_HOUSE, mailHouse).inquire(piece, ctx.clock.now());
    changed += await ctx.inTransaction(async (own) => {
      const count = await recordInquiries(own, mailHouse, answers);
      await own.db.query('update delivery set trackeddate = $2::timestamptz where deliveryid = any($1::bigint[])', [
        arrayLiteral(piece.map(({ id }) => id)),
        own.clock.now(),
      ]);
      // What the mail house never had is submitted again.
      const batches = await own.db.query<{ id: number }>(
        `update deliverybatch b
         set status = 'Waiting', nextattempt = $2::timestamptz, retryuntil = null, updateddate = $2::timestamptz,
           version = version + 1
         where b.status = 'Submitted' and exists (select from delivery d where d.deliverybatchid = b.deliverybatchid
           and d.deliveryid = any($1::bigint[]) and d.status = 'Queued')
         returning b.deliverybatchid as id`,
        [arrayLiteral(piece.map(({ id }) => id)), own.clock.now()],
      );
      await publishMailings(
        own,
        batches.map(({ id }) => id),
        ['Status', 'NextAttempt', 'RetryUntil'],
      );
      return count;
    });
  }
  return changed;
}
