import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import type { RecordType } from '../../../../kernel/declare/record.ts';
import { rollBack } from '../../../../kernel/records/history/rollback.ts';
import { undeleteRow } from '../../../../kernel/records/history/undelete.ts';
import { lockRecord } from '../../../../kernel/records/save/lock-record.ts';
import { planColumns } from '../../../../kernel/records/save/plan.ts';
import { saveRecord } from '../../../../kernel/records/save/save-record.ts';
import { updateRow } from '../../../../kernel/records/save/update-row.ts';
import type { ChangedRecords } from '../../../../kernel/records/save/changed-records.ts';
import { lockAssignmentOf, saveUndone, type StoredAssignment } from './assignments.ts';

/** The cases that a firm no longer has access to the loan by, and the loan that they are on now. */
export interface UnassignedCases {
  readonly loanId: number;
  readonly processIds: readonly number[];
}

/**
 * Takes back that a case was assigned to its loan. If it came there by an assignment, everything that it changed is
 * undone: the loan that waited exists again, with all its cases. Otherwise the loan is withheld from the case's firm.
 * What was changed again since stays and is reported by a warning.
 *
 * @throws STATE_REFUSES for a case that is not assigned
 */
export async function unassignCase(ctx: Context, record: RecordType, id: number): Promise<UnassignedCases> {
  const row = await lockRecord(ctx, ctx.registry.recordType('Process'), id);
  if (row.LoanID === null || !row.LoanAssigned)
    throw new PlatformError('STATE_REFUSES', { field: 'ID', message: `ID: case ${id} is not assigned to a loan.` });
  const assignment = await lockAssignmentOf(ctx, id, row.LoanID);
  if (!assignment) {
    await saveRecord(ctx, { ...planColumns(record, { LoanAssigned: false }), id }, 'update');
    return { loanId: row.LoanID, processIds: [id] };
  }
  await undo(ctx, assignment, row.LoanID);
  await saveUndone(ctx, assignment.id);
  return { loanId: assignment.waitingId, processIds: assignment.processIds };
}

async function undo(ctx: Context, assignment: StoredAssignment, loanId: number): Promise<void> {
  const isDelete = ({ change }: ChangedRecords): boolean => change === 'Deleted' || change === 'Removed';
  // The last record that was deleted is one that the others refer to.
  for (const { object, ids } of assignment.changes.filter(isDelete).toReversed())
    for (const id of ids.toReversed()) await undeleteRow(ctx, ctx.registry.requireRecord(object, 'Object'), id);
  for (const changed of assignment.changes.filter((each) => !isDelete(each)).toReversed())
    for (const id of changed.ids) await restore(ctx, assignment, changed, { id, loanId });
}

/** Restores one record that was moved or filled. */
async function restore(
  ctx: Context,
  { callId, waitingId }: StoredAssignment,
  { object, change }: ChangedRecords,
  { id, loanId }: { readonly id: number; readonly loanId: number },
): Promise<void> {
  const record = ctx.registry.requireRecord(object, 'Object');
  try {
    await ctx.savepoint(() =>
      rollBack(ctx, record, id, { at: undefined, callId, fields: undefined, version: undefined, preview: false }),
    );
    if (object === 'Event') await restoreEvent(ctx, id, { from: loanId, to: waitingId });
  } catch (error) {
    const isStale = error instanceof PlatformError && (error.code === 'STATE_REFUSES' || error.code === 'NOT_FOUND');
    // A case that stays behind would keep the firm's access: then nothing is undone.
    if (!isStale || object === 'Foreclosure' || object === 'Bankruptcy') throw error;
    ctx.alert({
      code: 'NOT_UNDONE',
      id,
      text:
        `${object} ${id} was ${change === 'Filled' ? 'changed' : 'moved or deleted'} again since then ` +
        'and was left as it is.',
    });
  }
}

/** An event's loan is computed by the platform, which a rollback does not restore. */
async function restoreEvent(
  ctx: Context,
  id: number,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<void> {
  const record = ctx.registry.recordType('Event');
  const event = await lockRecord(ctx, record, id);
  if (event.LoanID === from) await updateRow(ctx, record, id, { LoanID: to });
}
