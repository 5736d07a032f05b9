import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { firmOf } from '../../../../kernel/security/identity.ts';
import { lockRecord } from '../../../../kernel/records/save/lock-record.ts';
import { planColumns } from '../../../../kernel/records/save/plan.ts';
import { saveRecord } from '../../../../kernel/records/save/save-record.ts';
import { assignLoan, type AssignmentDecision } from './assign-loan.ts';
import type { LoanAssignment } from './assignments.ts';

/** What to assign. */
export interface WaitingSelection extends Omit<AssignmentDecision, 'waitingId'> {
  readonly loanIds: readonly number[];
  readonly processIds: readonly number[];
}

/** Throws NO_PERMISSION for a firm's user, whatever the roles: nobody opens a loan for their own firm. */
export function assertUniversal(ctx: Context): void {
  if (firmOf(ctx.user) === null) return;
  throw new PlatformError('NO_PERMISSION', { message: 'Assigning loans requires universal access.' });
}

/** Assigns loans and cases that wait, in ascending order, so that concurrent calls never deadlock. */
export async function assignWaiting(
  ctx: Context,
  { loanIds, processIds, ...decision }: WaitingSelection,
): Promise<readonly LoanAssignment[]> {
  const assigned: LoanAssignment[] = [];
  for (const waitingId of [...new Set(loanIds)].sort((a, b) => a - b))
    assigned.push(await assignLoan(ctx, { ...decision, waitingId }));
  for (const id of [...new Set(processIds)].sort((a, b) => a - b)) {
    if (assigned.some((each) => each.processIds.includes(id))) continue;
    assigned.push(await assignCase(ctx, id, decision));
  }
  return assigned;
}

/** Assigns one case: the loan that it waits with, or the case alone if it waits on the shared loan. */
async function assignCase(
  ctx: Context,
  id: number,
  decision: Omit<AssignmentDecision, 'waitingId'>,
): Promise<LoanAssignment> {
  const [found] = await ctx.db.query<{ loanid: number | null; status: string | null }>(
    `select p.loanid, l.assignmentstatus as status from process p left join loan l on l.loanid = p.loanid
     where p.processid = $1::bigint`,
    [id],
  );
  if (found && found.loanid !== null && found.status !== null)
    return assignLoan(ctx, { ...decision, waitingId: found.loanid });
  const row = await lockRecord(ctx, ctx.registry.recordType('Process'), id);
  if (row.LoanID === null || row.LoanAssigned)
    throw new PlatformError('STATE_REFUSES', {
      field: 'ProcessID',
      message: `ProcessID: case ${id} is not waiting for assignment.`,
    });
  const record = ctx.registry.requireRecord(row.RecordClass ?? '', 'Object');
  await saveRecord(ctx, { ...planColumns(record, { LoanAssigned: true }), id }, 'update');
  const changes = [{ object: record.name, change: 'Moved', ids: [id] }] as const;
  return { loanId: row.LoanID, waitingId: row.LoanID, processIds: [id], changes };
}
