import type { LetterOutcome } from '../../../../contracts/delivery.ts';
import type { Context } from '../../../../kernel/door/context.ts';

/** Marks a letter as given up, with the reason. */
export async function recordFailure(own: Context, id: number, reason: string): Promise<void> {
  await own.db.query(
    `update delivery
     set status = 'Failed', faileddate = $3::timestamptz, reason = left($2::text, 300), begundate = null,
       unknowndate = null, updateddate = $3::timestamptz
     where deliveryid = $1::bigint and status in ('Queued', 'Unknown')`,
    [id, reason, own.clock.now()],
  );
}

/**
 * Records the outcome of each letter of a submission. A report of the mail house may have come first: it stays.
 */
export async function recordOutcomes(own: Context, outcomes: readonly LetterOutcome[]): Promise<void> {
  await own.db.query(
    `update delivery d
     set status = case o.status when 'accepted' then 'Submitted' when 'refused' then 'Failed' when 'unknown'
           then 'Unknown' else 'Queued' end,
       submitteddate = case when o.status = 'accepted' then coalesce(d.submitteddate, $2::timestamptz)
         else d.submitteddate end,
       faileddate = case when o.status = 'refused' then $2::timestamptz end,
       unknowndate = case when o.status = 'unknown' then $2::timestamptz end,
       begundate = case when o.status in ('accepted', 'unknown') then d.begundate end,
       reference = coalesce(o.reference, d.reference), reason = o.detail, updateddate = $2::timestamptz
     from jsonb_to_recordset($1::text::jsonb) as o (key text, status text, detail text, reference text)
     where d.letterkey = o.key and d.status in ('Queued', 'Unknown')`,
    [JSON.stringify(outcomes), own.clock.now()],
  );
}
