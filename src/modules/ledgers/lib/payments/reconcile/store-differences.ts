import { timeZone } from '../../../../../kernel/declare/core-settings.ts';
import { valueLabel } from '../../../../../kernel/declare/labels.ts';
import type { Context } from '../../../../../kernel/door/context.ts';
import type { Difference } from './differences.ts';

/** Longest text of what one side has, in characters. */
const SIDE_MAX = 255;

/**
 * Stores differences in one statement. One that is known already stays one row. It is open again if it was cleared, or
 * if what differs is no longer what was resolved.
 */
export async function storeDifferences(
  own: Context,
  providerId: number,
  differences: readonly Difference[],
): Promise<void> {
  if (differences.length === 0) return;
  const field = own.registry.recordType('PaymentDifference').columns.get('kind')?.field;
  const rows = differences.map(({ ours, theirs, ...each }) => ({
    ...each,
    ours: ours.slice(0, SIDE_MAX),
    theirs: theirs.slice(0, SIDE_MAX),
    label: `${field ? valueLabel(field, each.kind) : each.kind}: ${each.gatewayId}`.slice(0, SIDE_MAX),
  }));
  await own.db.query(
    `insert into paymentdifference as d (paymentproviderid, kind, gatewayid, paymentid, ours, theirs, day,
       paymentdifference, status, createddate, createdpersonid, updateddate, updatedpersonid)
     select $1::bigint, n.kind, n."gatewayId", n."paymentId", n.ours, n.theirs,
       (n.occurred at time zone $5::text)::date, n.label, 'Open', $3::timestamptz, $4::bigint,
       $3::timestamptz, $4::bigint
     from jsonb_to_recordset($2::text::jsonb) as n (kind text, "gatewayId" text, "paymentId" bigint, ours text,
       theirs text, occurred timestamptz, label text)
     order by n.kind, n."gatewayId"
     on conflict (paymentproviderid, day, kind, gatewayid, paymentid) do update set
       status = case when d.status = 'Resolved' and d.ours = excluded.ours and d.theirs = excluded.theirs
         then d.status else 'Open' end,
       ours = excluded.ours, theirs = excluded.theirs, updateddate = excluded.updateddate,
       updatedpersonid = excluded.updatedpersonid,
       version = d.version + 1`,
    [providerId, JSON.stringify(rows), own.clock.now(), own.user.personId, own.settings.get(timeZone)],
  );
}
