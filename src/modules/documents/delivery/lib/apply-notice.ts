import type { ParsedNotice } from '../../../../contracts/delivery.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { applyReports, type AppliedReports } from './apply-reports.ts';

/** Applies a notice of a mail house, in the call's transaction; once, however often it is sent. */
export async function applyNotice(
  own: Context,
  mailHouse: string,
  { id, reports }: ParsedNotice,
): Promise<AppliedReports> {
  const fresh = await own.db.query(
    `insert into deliverynotice (mailhouse, notice, receiveddate) values ($1::text, $2::text, $3::timestamptz)
     on conflict (mailhouse, notice) do nothing returning 1`,
    [mailHouse, id, own.clock.now()],
  );
  return fresh.length === 0 ? { changed: 0, unknownKeys: [] } : applyReports(own, mailHouse, reports);
}
