import { MAIL_HOUSE, type LetterOutcome, type MailHouse, type OutboundLetter } from '../../../../contracts/delivery.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { noteForOperators } from '../../../../kernel/door/error-log.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { retryAfterMilliseconds, retryMilliseconds } from '../../../../lib/sending/backoff.ts';
import { holdClaim, releaseMailing, SUBMIT_SECONDS_MAX, type MailingClaim } from './claim.ts';
import { nextLetters, outboundLetter, recordBegun, submissionOf, type QueuedLetter } from './letters-to-submit.ts';
import { recordFailure, recordOutcomes } from './record-outcomes.ts';
import { LETTERS_MAX } from './prepare-request.ts';
import { settleUnknown } from './settle-unknown.ts';

/** Failures that another attempt may not have. */
const PASSING: ReadonlySet<string> = new Set(['UNAVAILABLE', 'UNKNOWN_PROVIDER', 'DOCUMENT_NOT_SCANNED']);

/** What an attempt leaves. */
interface AttemptEnd {
  readonly error: string | null;
  readonly retryAfterMilliseconds: number;
}

/**
 * Submits the letters of a claimed mailing and ends the claim. Letters whose transmission an earlier attempt had begun
 * are checked first; none is submitted while it is unknown whether the mail house has it.
 */
export async function submitMailing(ctx: Context, claim: MailingClaim): Promise<void> {
  let end: AttemptEnd;
  try {
    await settleUnknown(ctx, claim);
    end = await submitQueued(ctx, claim);
    await settleUnknown(ctx, claim);
  } catch (error) {
    if (!(error instanceof PlatformError) || !PASSING.has(error.code)) throw error;
    end = { error: error.message, retryAfterMilliseconds: 0 };
  }
  await endAttempt(ctx, claim, end);
}

/** Submits what is queued, in submissions of the provider's size. */
async function submitQueued(ctx: Context, claim: MailingClaim): Promise<AttemptEnd> {
  const mailHouse = ctx.providers.get(MAIL_HOUSE, claim.mailHouse);
  const outcomes: LetterOutcome[] = [];
  let after = 0;
  for (;;) {
    const letters = await nextLetters(ctx, claim, after, mailHouse.lettersMax);
    const last = letters.at(-1);
    if (!last) break;
    after = last.id;
    outcomes.push(...(await submitTogether(ctx, { claim, mailHouse }, letters)));
  }
  return {
    error: outcomes.find(({ status, detail }) => status !== 'accepted' && detail !== null)?.detail ?? null,
    retryAfterMilliseconds: retryAfterMilliseconds(outcomes),
  };
}

/** Submits letters as one submission and records the outcomes. */
async function submitTogether(
  ctx: Context,
  { claim, mailHouse }: { readonly claim: MailingClaim; readonly mailHouse: MailHouse },
  queued: readonly QueuedLetter[],
): Promise<readonly LetterOutcome[]> {
  const opened = await openLetters(ctx, claim, queued);
  if (opened.length === 0) return [];
  const letters = opened.map(({ letter }) => letter);
  const submission = submissionOf(claim, letters);
  try {
    const outcomes = await mailHouse.submit(submission, {
      signal: AbortSignal.timeout(SUBMIT_SECONDS_MAX * 1_000),
      beforeData: () =>
        ctx.inTransaction(async (own) => {
          await holdClaim(own, claim);
          await recordBegun(own, opened, submission.key);
        }),
    });
    await ctx.inTransaction((own) => recordOutcomes(own, outcomes));
    return outcomes;
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    if (error.code === 'BAD_PARAMETER') {
      // The letters were valid when they were prepared: a setting refuses the address now, before anything was sent.
      const detail = error.message.slice(0, 300);
      return letters.map(({ key }) => ({ key, status: 'later' as const, detail }));
    }
    if (error.code !== 'CONCURRENT_CHANGE') throw error;
    // One of them was canceled, so nothing was transmitted: the others are submitted without it. Without the claim,
    // another process does that.
    await ctx.inTransaction((own) => holdClaim(own, claim));
    const ids = new Set(opened.map(({ id }) => id));
    const left = (await nextLetters(ctx, claim, 0, LETTERS_MAX)).filter(({ id }) => ids.has(id));
    return left.length < opened.length ? submitTogether(ctx, { claim, mailHouse }, left) : [];
  }
}

/** Opens the documents of letters; a letter whose document is not the prepared one is given up. */
async function openLetters(
  ctx: Context,
  claim: MailingClaim,
  queued: readonly QueuedLetter[],
): Promise<readonly { readonly id: number; readonly letter: OutboundLetter }[]> {
  const opened: { id: number; letter: OutboundLetter }[] = [];
  for (const each of queued)
    try {
      opened.push({ id: each.id, letter: await outboundLetter(ctx, each) });
    } catch (error) {
      if (!(error instanceof PlatformError) || error.status >= 500) throw error;
      await ctx.inTransaction(async (own) => {
        await holdClaim(own, claim);
        await recordFailure(own, [each.id], error.message);
      });
    }
  return opened;
}

/** Ends the claim: with letters left and time to retry, another attempt is queued; else they are given up. */
async function endAttempt(ctx: Context, claim: MailingClaim, end: AttemptEnd): Promise<void> {
  const wait = Math.max(retryMilliseconds(claim.attempt), end.retryAfterMilliseconds);
  const at = new Date(ctx.clock.milliseconds() + wait).toISOString();
  const isLast = at > claim.retryUntil;
  await ctx.inTransaction(async (own) => {
    await holdClaim(own, claim);
    const left = await own.db.query<{ id: number; status: string }>(
      `select deliveryid as id, status from delivery
       where deliverybatchid = $1::bigint and status in ('Queued', 'Unknown') order by deliveryid`,
      [claim.id],
    );
    const queued = left.filter(({ status }) => status === 'Queued').map(({ id }) => id);
    if (isLast) await recordFailure(own, queued, end.error ?? 'The mail house did not take it in time.');
    const error = left.length === 0 ? null : (end.error ?? 'It is not known whether the mail house has every letter.');
    await releaseMailing(own, claim, { next: left.length === 0 || isLast ? null : at, error });
    if (isLast && left.length > 0) await reportForAttention(own, claim.id, left.length);
  });
}

async function reportForAttention(own: Context, id: number, count: number): Promise<void> {
  own.log.error('a mailing needs attention', { deliveryBatchId: id, count });
  await noteForOperators(
    own,
    own.db,
    'delivery/send',
    `Mailing ${id}: ${count} of its letters were given up, or it is not known whether the mail house has them.`,
  );
}
