import type { Context } from '../../../../../kernel/door/context.ts';
import { timeZone } from '../../../../../kernel/declare/core-settings.ts';
import type { Db } from '../../../../../kernel/database/store.ts';
import {
  applyEventStatuses,
  moveOpeningDates,
  recordEventStatuses,
  type AppliedStatuses,
} from '../../../../cases/public/event-statuses.ts';
import { orNull, type EventRow } from '../rows/event-row.ts';

/** Stores what a piece's events say of the statuses of cases, for {@link applyStatuses}. */
export async function recordStatuses(db: Db, importFileId: number, rows: readonly EventRow[]): Promise<void> {
  const events = rows.flatMap((row) => {
    const status = row.meaning?.status;
    if (row.outcome !== 'kept' || row.caseId === 0 || row.at === '' || row.key === '' || status === undefined)
      return [];
    const { caseId, at, created, recorded, code, values } = row;
    return [{ caseId, at, created, recorded, code, status, reason: orNull(values?.['FCFileClosedReasonType']) }];
  });
  if (events.length > 0) await recordEventStatuses(db, importFileId, events);
}

/** Cases whose status is set in one transaction. */
const CASES_UPDATED_MAX = 5_000;

/**
 * Sets the status of the cases that a file mentions. The open workflows of closed cases are canceled from the queue
 * with the Status `canceledStatus`, since one file may close thousands of cases; without one they stay open.
 * Idempotent.
 */
export async function applyStatuses(
  ctx: Context,
  importFileId: number,
  canceledStatus: string | undefined,
): Promise<void> {
  for (;;) {
    const settled = await ctx.inTransaction(async (own) => {
      const { n, workflows } = await own.transaction().elevated((db) => applyBatch(own, db, importFileId));
      if (canceledStatus !== undefined && workflows !== null) {
        await own.actingAs('Workflow', async (workflow) => {
          for (const ID of workflows)
            await workflow.enqueue({
              route: 'decision/cancel',
              parameters: { ID, Status: canceledStatus },
              label: `Decision ${ID}`,
            });
        });
      }
      return n;
    });
    if (settled < CASES_UPDATED_MAX) return;
  }
}

async function applyBatch(own: Context, db: Db, importFileId: number): Promise<AppliedStatuses> {
  await db.query("select set_config('TimeZone', $1::text, true)", [own.settings.get(timeZone)]);
  const applied = await applyEventStatuses(own, db, { importFileId, max: CASES_UPDATED_MAX });
  await db.query("select set_config('TimeZone', 'UTC', true)");
  return applied;
}

/** Moves the opening date of an event-created case to its first event, even if that is reported later. */
export async function updateOpeningDates(own: Context, db: Db, rows: readonly EventRow[]): Promise<void> {
  const days = new Map<number, string>();
  for (const row of rows) {
    if (row.outcome !== 'kept' || row.key === '' || row.at === '' || !row.isCaseMade) continue;
    const known = days.get(row.caseId);
    if (known === undefined || row.at < known) days.set(row.caseId, row.at);
  }
  if (days.size > 0) await moveOpeningDates(own, db, days);
}
