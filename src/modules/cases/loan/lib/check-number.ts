import type { Row } from '../../../../kernel/door/answer.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { lockNames } from '../../../../kernel/database/advisory-lock.ts';
import type { CheckedSave } from '../../../../kernel/declare/reaction.ts';
import { valueAfter } from '../../../../kernel/declare/values.ts';
import { lockRecord } from '../../../../kernel/records/save/lock-record.ts';
import { firmOf } from '../../../../kernel/security/identity.ts';
import {
  findLoansOfNumber,
  loanLockName,
  takeNotedNumber,
  WAITS_FOR_ASSIGNMENT,
  WAITS_TEXT,
  type LoanKey,
} from '../../public/referral-loans.ts';
import type { loan } from '../loan.record.ts';

type LoanSave = CheckedSave<typeof loan>;

/** Whether a save sets what the check is about. Staff are held only by the unique keys. */
export function setsNumber({ values, id }: LoanSave): boolean {
  return (
    id === undefined ||
    values.Loan !== undefined ||
    values.Agency !== undefined ||
    values.SourceOrganizationID !== undefined
  );
}

/**
 * Checks the number of a loan that a firm saves. A new loan with the number of another source's loan waits for
 * assignment: a number alone opens nothing, and the answer is that of a referral.
 *
 * @throws DUPLICATE_KEY if the firm has a loan with this number; STATE_REFUSES for another number of a loan that is
 *   shared or waits
 */
export async function checkNumber(ctx: Context, save: LoanSave): Promise<void> {
  const { values, id } = save;
  const firm = firmOf(ctx.user);
  if (id !== undefined && !(await isRenumbered(ctx, save, id))) return;
  if (id === undefined && firm) values.SourceOrganizationID = firm;
  const stored = id === undefined ? undefined : await lockRecord(ctx, ctx.registry.recordType('Loan'), id);
  const number = valueAfter(values, stored, 'Loan');
  if (typeof number !== 'string') return;
  const key = { agency: valueAfter(values, stored, 'Agency') ?? null, loan: number };
  if (!(await isTaken(ctx, key, firm, id))) return;
  values.AssignmentStatus = 'Waiting';
  ctx.alert({ code: WAITS_FOR_ASSIGNMENT, text: WAITS_TEXT });
}

/** Whether a firm changes the number of its own loan. @throws STATE_REFUSES where only staff may */
async function isRenumbered(ctx: Context, { values }: LoanSave, id: number): Promise<boolean> {
  const stored = await lockRecord(ctx, ctx.registry.recordType('Loan'), id);
  removeUnchanged(values, stored);
  const [changed] = (['SourceOrganizationID', 'Loan', 'Agency'] as const).filter((name) => values[name] !== undefined);
  const isOwn = stored.SourceOrganizationID === firmOf(ctx.user) && stored.AssignmentStatus === null;
  if (changed !== undefined && (changed === 'SourceOrganizationID' || !isOwn)) throw fixed(changed, id);
  return changed !== undefined;
}

/** A save often repeats the stored values, which is no change. */
function removeUnchanged(values: LoanSave['values'], stored: Row<typeof loan>): void {
  if (values.Loan === stored.Loan) delete values.Loan;
  if (values.Agency === stored.Agency) delete values.Agency;
  if (values.SourceOrganizationID === stored.SourceOrganizationID) delete values.SourceOrganizationID;
}

function fixed(field: string, id: number): PlatformError {
  return new PlatformError('STATE_REFUSES', {
    field,
    message: `${field}: only staff can change it. Another source created loan ${id}, or it is waiting for assignment.`,
  });
}

/** Whether another source's loan has the number. Locks the number until the transaction ends. */
async function isTaken(ctx: Context, key: LoanKey, firm: number | null, id: number | undefined): Promise<boolean> {
  const noted = id === undefined ? takeNotedNumber(ctx, key) : undefined;
  if (noted !== undefined) return noted;
  const loans = await ctx.transaction().elevated(async (db) => {
    await lockNames(db, [loanLockName(key)]);
    return findLoansOfNumber(db, key, firm);
  });
  const others = loans.filter((other) => other.loanid !== id);
  const own = others.find(
    (other) => other.reached || (other.assignmentstatus === 'Waiting' && other.sourceorganizationid === firm),
  );
  if (own)
    throw new PlatformError('DUPLICATE_KEY', {
      field: 'Loan',
      message: `Loan: your firm already has a loan with this number, loan ${own.loanid}.`,
      details: { Object: 'Loan', ObjectID: own.loanid },
    });
  return others.some((other) => other.assignmentstatus === null);
}
