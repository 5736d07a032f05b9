import { deleteWhere, hoursAgo } from '../database/delete-by-age.ts';
import type { Platform } from '../ports/platform.ts';
import { IDEMPOTENCY_HOURS } from './idempotency.ts';

/** Claims of queued calls younger than this are skipped: their messages cannot have been deleted yet. */
const QUEUED_CLAIM_DAYS = 7;

/** Deletes answers that are not repeated any more, and returns how many. */
export function deleteExpiredAnswers(platform: Platform): Promise<number> {
  return deleteWhere(platform, 'idempotency', 'messageid is null and createddate < $1::timestamptz', [
    hoursAgo(platform, IDEMPOTENCY_HOURS),
  ]);
}

/**
 * Deletes the claim of a queued call when no row of its message is left: neither the job nor a dead letter can come
 * back then. Returns how many.
 * @param messageIsGone SQL condition on rows of `idempotency`, from the queue
 */
export function deleteQueuedAnswers(platform: Platform, messageIsGone: string): Promise<number> {
  return deleteWhere(
    platform,
    'idempotency',
    `messageid is not null and createddate < $1::timestamptz and ${messageIsGone}`,
    [hoursAgo(platform, QUEUED_CLAIM_DAYS * 24)],
  );
}
