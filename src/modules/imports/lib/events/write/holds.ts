import type { Context } from '../../../../../kernel/door/context.ts';
import type { Db } from '../../../../../kernel/database/store.ts';
import { applyHoldEvents, findOrCreateHolds } from '../../../../work/public/event-holds.ts';
import { orNull, type EventRow } from '../rows/event-row.ts';

/**
 * Creates and updates the holds of loans reported by a piece's events. The last event of a hold contains the expected
 * end, or reports that it has ended.
 */
export async function writeHolds(own: Context, db: Db, rows: readonly EventRow[]): Promise<void> {
  const reports = rows.filter((row) => row.outcome === 'kept' && row.kind === 'Delay');
  if (reports.length === 0) return;
  const ids = await findOrCreateHolds(
    own,
    db,
    reports.map((row) => ({
      loanid: row.loanId,
      firm: row.firm,
      type: holdType(row),
      start: holdStart(row),
      templateid: row.meaning?.delayTemplateId ?? null,
    })),
  );
  for (const [n, row] of reports.entries()) row.delayId = ids[n] ?? 0;
  await applyHoldEvents(
    own,
    db,
    reports.map((row) => ({
      id: row.delayId,
      at: row.at || null,
      created: row.created || null,
      recorded: row.recorded || null,
      code: row.code,
      projected: orNull(row.values?.['DelayProjectedEndDate']),
      reason: orNull(row.values?.['DelayEndReasonCode']),
      details: orNull(row.values?.['DelayDetails']),
    })),
  );
}

/** A hold without a type has the event's code; one without a start begins with the event. */
const holdType = (row: EventRow): string => orNull(row.values?.['DelayTypeCode']) ?? row.code;
const holdStart = (row: EventRow): string | null =>
  orNull(row.values?.['DelayActualStartDate']) ?? (row.at === '' ? null : row.at.slice(0, 10));
