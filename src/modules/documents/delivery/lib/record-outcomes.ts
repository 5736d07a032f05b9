import type { LetterOutcome } from '../../../../contracts/delivery.ts';
import { arrayLiteral } from '../../../../kernel/database/store.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { publishLetters } from './publish-letters.ts';

/** Marks letters as given up, with the reason. */
export async function recordFailure(own: Context, ids: readonly number[], reason: string): Promise<void> {
  const rows = await own.db.query<{ id: number }>(
    `update delivery
     set status = 'Failed', faileddate = $3::timestamptz, reason = left($2::text, 300), begundate = null,
       unknowndate = null, updateddate = $3::timestamptz, version = version + 1
     where deliveryid = any($1::bigint[]) and status in ('Queued', 'Unknown')
     returning deliveryid as id`,
    [arrayLiteral(ids), reason, own.clock.now()],
  );
  await publishLetters(
    own,
    rows.map(({ id }) => id),
    ['Status', 'FailedDate', 'Reason', 'BegunDate', 'UnknownDate'],
  );
}

/**
 * Records the outcome of each letter of a submission. A report of the mail house may have come first: it stays.
 */
export async function recordOutcomes(own: Context, outcomes: readonly LetterOutcome[]): Promise<void> {
  const rows = await own.db.query<{ id: number }>(
    `update delivery d
     set status = case o.status when 'accepted' then 'Submitted' when 'refused' then 'Failed' when 'unknown'
           then 'Unknown' else 'Queued' end,
       submitteddate = case when o.status = 'accepted' then coalesce(d.submitteddate, $2::timestamptz)
         else d.submitteddate end,
       faileddate = case when o.status = 'refused' then $2::timestamptz end,
       unknowndate = case when o.status = 'unknown' then $2::timestamptz end,
       begundate = case when o.status in ('accepted', 'unknown') then d.begundate end,
       reference = coalesce(o.reference, d.reference), reason = o.detail, updateddate = $2::timestamptz,
       version = d.version + 1
     from jsonb_to_recordset($1::text::jsonb) as o (key text, status text, detail text, reference text)
     where d.letterkey = o.key and d.status in ('Queued', 'Unknown')
     returning d.deliveryid as id`,
    [JSON.stringify(outcomes), own.clock.now()],
  );
  await publishLetters(
    own,
    rows.map(({ id }) => id),
    ['Status', 'SubmittedDate', 'FailedDate', 'UnknownDate', 'BegunDate', 'Reference', 'Reason'],
  );
}
