import { arrayLiteral } from '../../../../kernel/database/store.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { queueMailing } from './claim.ts';
import { publishLetters, publishMailings } from './publish-letters.ts';

/** Queues letters under new keys, and their mailings. The caller has locked the letters and checked their states. */
export async function requeueLetters(
  ctx: Context,
  letters: readonly { readonly id: number; readonly key: string; readonly batchId: number }[],
): Promise<void> {
  const now = ctx.clock.now();
  await ctx.db.query(
    `update delivery d
     set status = 'Queued', letterkey = l.key, submissionkey = null, begundate = null, reason = null, reference = null,
       faileddate = null, canceleddate = null, unknowndate = null, submitteddate = null,
       updateddate = $2::timestamptz, updatedpersonid = $3::bigint, version = d.version + 1
     from jsonb_to_recordset($1::text::jsonb) as l (id bigint, key text)
     where d.deliveryid = l.id`,
    [JSON.stringify(letters.map(({ id, key }) => ({ id, key }))), now, ctx.user.personId],
  );
  const batchIds = [...new Set(letters.map(({ batchId }) => batchId))];
  await ctx.db.query(
    `update deliverybatch
     set status = case when status = 'Sending' then status else 'Waiting' end, retryuntil = null,
       nextattempt = $2::timestamptz, requesteddate = coalesce(requesteddate, $2::timestamptz),
       requestedpersonid = coalesce(requestedpersonid, $3::bigint), updateddate = $2::timestamptz,
       updatedpersonid = $3::bigint, version = version + 1
     where deliverybatchid = any($1::bigint[])`,
    [arrayLiteral(batchIds), now, ctx.user.personId],
  );
  await publishLetters(
    ctx,
    letters.map(({ id }) => id),
    ['Status', 'LetterKey', 'SubmissionKey', 'BegunDate', 'Reason', 'Reference', 'FailedDate', 'CanceledDate'],
  );
  await publishMailings(ctx, batchIds, ['Status', 'NextAttempt', 'RetryUntil']);
  for (const batchId of batchIds) await queueMailing(ctx, batchId);
}
