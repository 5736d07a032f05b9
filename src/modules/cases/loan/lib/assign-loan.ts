import type { Row } from '../../../../kernel/door/answer.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { didYouMean, PlatformError } from '../../../../kernel/door/errors.ts';
import { lockNames } from '../../../../kernel/database/advisory-lock.ts';
import type { RecordType } from '../../../../kernel/declare/record.ts';
import type { Values } from '../../../../kernel/declare/values.ts';
import { deleteRow } from '../../../../kernel/records/save/delete-row.ts';
import { lockRecords } from '../../../../kernel/records/save/lock-record.ts';
import { moveReferences } from '../../../../kernel/records/save/move-references.ts';
import { planColumns } from '../../../../kernel/records/save/plan.ts';
import { saveRecord } from '../../../../kernel/records/save/save-record.ts';
import { updateRow } from '../../../../kernel/records/save/update-row.ts';
import { namedBy, notFound, readRecord } from '../../../../kernel/records/search/read.ts';
import { mergeBorrower } from '../../../contacts/public/borrowers.ts';
import { findLoansOfNumber, loanForFirm, loanLockName } from '../../public/referral-loans.ts';
import type { loan } from '../loan.record.ts';
import { AssignmentChanges, saveAssignment, type AssignmentMethod, type LoanAssignment } from './assignments.ts';
import { compareLoans, type ComparedLoans, type Difference, type Pair } from './loan-differences.ts';

type LoanRow = Row<typeof loan>;

/** A decision about a loan that waits. */
export interface AssignmentDecision {
  readonly waitingId: number;
  /** The loan to assign it to; undefined for the one that its number identifies. */
  readonly loanId: number | undefined;
  /** Keys of the differences in which the waiting loan's value wins, or `All`. Otherwise the loan keeps its own. */
  readonly theirs: readonly string[];
  readonly method: AssignmentMethod;
}

/** The waiting loan and the loan that it is assigned to, locked. */
interface LoanPair {
  readonly waiting: LoanRow;
  /** Undefined if no loan has the number. */
  readonly target: LoanRow | undefined;
}

/**
 * Assigns a loan that waits: applies the decisions about the differences, moves its cases and everything else that
 * refers to it to the loan of its number, and deletes it. If no loan has the number, it becomes the loan of its number.
 * All in the call's transaction.
 *
 * @throws STATE_REFUSES if the loan does not wait; BAD_PARAMETER for an unknown difference
 */
export async function assignLoan(ctx: Context, decision: AssignmentDecision): Promise<LoanAssignment> {
  const { waiting, target } = await lockPair(ctx, decision);
  const changes = new AssignmentChanges();
  const run = { ctx, changes };
  const loanId = target?.LoanID ?? waiting.LoanID;
  if (target) {
    const compared = await compareLoans(ctx, target, waiting);
    const taken = takenKeys(compared.differences, decision.theirs);
    await takeLoanValues(
      run,
      target,
      compared.differences.filter(({ key }) => taken.has(key)),
    );
    const processIds = await assignCases(run, waiting.LoanID, target.LoanID);
    await mergeParts(run, compared, taken);
    await moveAll(run, ctx.registry.recordType('Loan'), waiting.LoanID, target.LoanID);
    changes.add('Loan', 'Deleted', [(await deleteRow(ctx, ctx.registry.recordType('Loan'), waiting.LoanID)).LoanID]);
    await deleteProperty(run, compared.property);
    return saveAssignment(ctx, { loanId, waitingId: waiting.LoanID, processIds, method: decision.method, changes });
  }
  await updateRow(ctx, ctx.registry.recordType('Loan'), waiting.LoanID, { AssignmentStatus: null });
  const processIds = await assignCases(run, waiting.LoanID, waiting.LoanID);
  return { loanId, waitingId: waiting.LoanID, processIds, changes: changes.all() };
}

/** Returns a loan and the one that it would be assigned to; undefined if there is none. */
export async function readPair(
  ctx: Context,
  waitingId: number,
  loanId: number | undefined,
): Promise<{ readonly ours: LoanRow; readonly theirs: LoanRow } | undefined> {
  const record = ctx.registry.recordType('Loan');
  const number = await readNumber(ctx, waitingId);
  const { agency, loan: label } = number ?? { agency: null, loan: null };
  const found =
    label === null ? undefined : loanForFirm(await findLoansOfNumber(ctx.db, { agency, loan: label }, null), null);
  const targetId = loanId ?? found?.loanid;
  if (targetId === undefined || targetId === waitingId) return undefined;
  const theirs = await readRecord(ctx.db, record, waitingId);
  return { ours: await readRecord(ctx.db, record, targetId), theirs };
}

/** An assignment in progress. */
interface Assigning {
  readonly ctx: Context;
  readonly changes: AssignmentChanges;
}

/** Locks the number, as referrals do, and then both loans. */
async function lockPair(ctx: Context, { waitingId, loanId }: AssignmentDecision): Promise<LoanPair> {
  const record = ctx.registry.recordType('Loan');
  const number = await readNumber(ctx, waitingId);
  if (number === undefined) throw notFound(record, waitingId);
  const found = await ctx.transaction().elevated(async (db) => {
    if (number.loan === null) return undefined;
    const key = { agency: number.agency, loan: number.loan };
    await lockNames(db, [loanLockName(key)]);
    return loanForFirm(await findLoansOfNumber(db, key, null), null);
  });
  const targetId = loanId ?? found?.loanid;
  const ids = targetId === undefined || targetId === waitingId ? [waitingId] : [waitingId, targetId];
  const [waiting, target] = await namedBy('ToLoanID', lockRecords(ctx, record, ids));
  if (!waiting) throw notFound(record, waitingId);
  if (waiting.AssignmentStatus === null)
    throw new PlatformError('STATE_REFUSES', {
      field: 'ID',
      message: `ID: loan ${waitingId} is not waiting for assignment.`,
    });
  if (target && target.AssignmentStatus !== null)
    throw new PlatformError('STATE_REFUSES', {
      field: 'ToLoanID',
      message: `LoanID: loan ${target.LoanID} is itself waiting for assignment.`,
    });
  return { waiting, target };
}

async function readNumber(
  ctx: Context,
  id: number,
): Promise<{ readonly agency: string | null; readonly loan: string | null } | undefined> {
  const [row] = await ctx.db.query<{ agency: string | null; loan: string | null }>(
    'select agency, loan from loan where loanid = $1::bigint',
    [id],
  );
  return row;
}

/** Returns the keys of the differences in which the waiting loan's value wins. @throws BAD_PARAMETER */
function takenKeys(differences: readonly Difference[], theirs: readonly string[]): ReadonlySet<string> {
  const keys = new Map(differences.map(({ key }) => [key.toLowerCase(), key]));
  if (theirs.some((name) => name.toLowerCase() === 'all')) return new Set(keys.values());
  return new Set(
    theirs.map((name) => {
      const key = keys.get(name.trim().toLowerCase());
      if (key !== undefined) return key;
      throw new PlatformError('BAD_PARAMETER', {
        field: 'Theirs',
        message:
          `Theirs: the loans do not differ in "${name.slice(0, 100)}".` +
          (didYouMean(name, keys.values()) || ' See loan/differences.'),
      });
    }),
  );
}

/** Writes the loan's own values and those of its property. */
async function takeLoanValues(run: Assigning, target: LoanRow, taken: readonly Difference[]): Promise<void> {
  const { ctx } = run;
  const record = ctx.registry.recordType('Loan');
  const waitingRows = new Map<RecordType, Row>();
  for (const { record: of, theirId } of taken)
    if (!waitingRows.has(of) && of.name !== 'Contact')
      waitingRows.set(of, (await lockRecords(ctx, of, [theirId]))[0] ?? {});
  const property = taken.find((each) => each.record.name === 'Property' && each.field === undefined);
  const values = valuesOf(taken, waitingRows.get(record), 'Loan.');
  if (property) values['PropertyID'] = property.theirId;
  await fill(run, record, target.LoanID, values);
  const ownProperty = taken.find((each) => each.record.name === 'Property' && each.field !== undefined);
  if (ownProperty?.ourId)
    await fill(
      run,
      ownProperty.record,
      ownProperty.ourId,
      valuesOf(taken, waitingRows.get(ownProperty.record), 'Property.'),
    );
}

/** Returns the values of the differences whose keys have a prefix. */
function valuesOf(taken: readonly Difference[], row: Row | undefined, prefix: string): Values {
  return Object.fromEntries(
    taken
      .filter(({ key, field }) => field !== undefined && key.startsWith(prefix))
      .map(({ field = '', record }) => [record.columns.get(field.toLowerCase())?.valueName ?? field, row?.[field]]),
  );
}

async function fill(run: Assigning, record: RecordType, id: number, values: Values): Promise<void> {
  const { ctx, changes } = run;
  if (Object.keys(values).length === 0) return;
  await saveRecord(ctx, { ...planColumns(record, values), id }, 'update');
  changes.add(record.name, 'Filled', [id]);
}

/** Moves the cases of a loan to another one, and gives their firms access to it. Returns the cases. */
async function assignCases(run: Assigning, fromId: number, toId: number): Promise<readonly number[]> {
  const { ctx, changes } = run;
  const cases = await ctx.db.query<{ id: number; kind: string }>(
    `select processid as id, recordclass as kind from process where loanid = $1::bigint
     order by processid for no key update`,
    [fromId],
  );
  for (const { id, kind } of cases) {
    const record = ctx.registry.requireRecord(kind, 'Object');
    const values: Values = { ...(fromId === toId ? {} : { LoanID: toId }), LoanAssigned: true };
    await saveRecord(ctx, { ...planColumns(record, values), id }, 'update');
    changes.add(record.name, 'Moved', [id]);
  }
  return cases.map(({ id }) => id);
}

/** Merges or drops the borrowers and public records. What only the waiting loan has moves with it if it was chosen. */
async function mergeParts(
  run: Assigning,
  { borrowers, publicRecords }: ComparedLoans,
  taken: ReadonlySet<string>,
): Promise<void> {
  const { ctx, changes } = run;
  const contact = ctx.registry.recordType('Contact');
  for (const pair of borrowers) {
    const fields = takenFields(pair, taken);
    const fromId = pair.theirs.ContactID;
    if (pair.ours) {
      const merged = await mergeBorrower(ctx, { fromId, toId: pair.ours.ContactID, fields });
      for (const { object, change, ids } of merged) changes.add(object, change, ids);
    } else if (!taken.has(pair.name)) {
      await ctx.callOf(contact, 'delete', { ID: fromId });
      changes.add('Contact', 'Deleted', [fromId]);
    }
  }
  const publicRecord = ctx.registry.recordType('PublicRecord');
  for (const pair of publicRecords) {
    const fromId = pair.theirs.PublicRecordID;
    if (!pair.ours && taken.has(pair.name)) continue;
    if (pair.ours) {
      const fields = new Set(takenFields(pair, taken));
      const values = Object.fromEntries(Object.entries(pair.theirs).filter(([name]) => fields.has(name)));
      await fill(run, publicRecord, pair.ours.PublicRecordID, values);
      await moveAll(run, publicRecord, fromId, pair.ours.PublicRecordID);
    }
    await deleteRow(ctx, publicRecord, fromId);
    changes.add('PublicRecord', 'Deleted', [fromId]);
  }
}

/** Returns the fields of a pair in which the waiting loan's value wins. */
function takenFields({ name }: Pair, taken: ReadonlySet<string>): readonly string[] {
  const prefix = `${name}.`;
  return [...taken].filter((key) => key.startsWith(prefix)).map((key) => key.slice(prefix.length));
}

async function moveAll(run: Assigning, record: RecordType, from: number, to: number): Promise<void> {
  const { ctx, changes } = run;
  for (const { record: of, moved, removed } of await moveReferences(ctx, { record, from, to })) {
    changes.add(of.name, 'Moved', [...moved]);
    changes.add(of.name, 'Removed', [...removed]);
  }
}

/**
 * Deletes the property of the deleted loan, unless a loan has it now. What belongs to it moves to that of the loan that
 * remains.
 */
async function deleteProperty(run: Assigning, pair: Pair | undefined): Promise<void> {
  const { ctx, changes } = run;
  if (!pair) return;
  const record = ctx.registry.recordType('Property');
  const id = Number(pair.theirs[record.idField]);
  const used = await ctx.db.query('select 1 from loan where propertyid = $1::bigint limit 1', [id]);
  if (used.length > 0) return;
  if (pair.ours) await moveAll(run, record, id, Number(pair.ours[record.idField]));
  await deleteRow(ctx, record, id);
  changes.add('Property', 'Deleted', [id]);
}
