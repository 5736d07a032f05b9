/** The stored assignments of loans: what each changed, so that it can be undone. */
import type { Context } from '../../../../kernel/door/context.ts';
import type { ChangedRecords, RecordChange } from '../../../../kernel/records/save/changed-records.ts';

/** Who decided: a person, the automatic rule, or the matrix. */
export type AssignmentMethod = 'Staff' | 'Automatic' | 'Matrix';

/** Collects the changes of an assignment, in order. */
export class AssignmentChanges {
  private readonly changes: { object: string; change: RecordChange; ids: number[] }[] = [];

  add(object: string, change: RecordChange, ids: readonly number[]): void {
    if (ids.length === 0) return;
    const last = this.changes.at(-1);
    if (last?.object === object && last.change === change) last.ids.push(...ids);
    else this.changes.push({ object, change, ids: [...ids] });
  }

  all(): readonly ChangedRecords[] {
    return this.changes;
  }
}

/** An assignment that was made. */
export interface LoanAssignment {
  /** The loan that the cases are on now. */
  readonly loanId: number;
  readonly waitingId: number;
  readonly processIds: readonly number[];
  readonly changes: readonly ChangedRecords[];
}

/** An assignment about to be stored. */
interface NewAssignment extends Omit<LoanAssignment, 'changes'> {
  readonly method: AssignmentMethod;
  readonly changes: AssignmentChanges;
}

/** Stores an assignment and returns it. */
export async function saveAssignment(ctx: Context, made: NewAssignment): Promise<LoanAssignment> {
  const { loanId, waitingId, processIds, method } = made;
  const changes = made.changes.all();
  await ctx.db.query(
    `insert into loanassignment (loanid, waitingloanid, processids, method, callid, changes, createddate,
       createdpersonid)
     values ($1::bigint, $2::bigint, $3::bigint[], $4::text, $5::text, $6::text::jsonb, $7::timestamptz, $8::bigint)`,
    [
      loanId,
      waitingId,
      `{${processIds.join(',')}}`,
      method,
      ctx.correlationId,
      JSON.stringify(changes),
      ctx.clock.now(),
      ctx.user.personId,
    ],
  );
  return { loanId, waitingId, processIds, changes };
}

/** A stored assignment. */
export interface StoredAssignment {
  readonly id: number;
  readonly waitingId: number;
  readonly callId: string;
  readonly processIds: readonly number[];
  readonly changes: readonly ChangedRecords[];
}

/** Returns and locks the assignment by which a case came to its loan; undefined if it did not come by one. */
export async function lockAssignmentOf(
  ctx: Context,
  processId: number,
  loanId: number,
): Promise<StoredAssignment | undefined> {
  const [row] = await ctx.db.query<StoredAssignment>(
    `select loanassignmentid as id, waitingloanid as "waitingId", callid as "callId",
       to_jsonb(processids) as "processIds", changes
     from loanassignment
     where loanid = $2::bigint and $1::bigint = any(processids) and undonedate is null
     order by loanassignmentid desc limit 1 for update`,
    [processId, loanId],
  );
  return row;
}

/** Notes that an assignment was undone. */
export async function saveUndone(ctx: Context, id: number): Promise<void> {
  await ctx.db.query(
    `update loanassignment set undonedate = $2::timestamptz, undonepersonid = $3::bigint
     where loanassignmentid = $1::bigint`,
    [id, ctx.clock.now(), ctx.user.personId],
  );
}
