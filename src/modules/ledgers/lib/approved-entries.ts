/**
 * Reviews of time entries are binding: an approved entry keeps what was approved, and only the review operations
 * approve and reject.
 */
import type { WrittenChange } from '../../../kernel/declare/reaction.ts';
import { columnList, fromOf } from '../../../kernel/database/sql.ts';
import { arrayLiteral } from '../../../kernel/database/store.ts';
import type { Context } from '../../../kernel/door/context.ts';
import { PlatformError, type Alert } from '../../../kernel/door/errors.ts';
import { ledgerItem } from '../ledgeritem/ledgeritem.record.ts';
import { lineBefore, valuedColumns, type ComparedLine } from './lines-before.ts';
import type { Line } from './stored-lines.ts';

/** The columns of a time entry that an approval approves. */
export const approvedColumns = valuedColumns;

type Entry = ComparedLine;

const readColumns = ['PersonID', 'Status', 'ReviewDate'] as const;
type ReviewedEntry = Pick<Entry, (typeof readColumns)[number]>;

/** Whether a line is a time entry that a review has approved. */
export function isApprovedEntry({ PersonID, Status, ReviewDate }: ReviewedEntry): boolean {
  return PersonID !== null && ReviewDate !== null && decisionIn(Status) === 'approved';
}

/** Whether a line is a time entry that a review has rejected. */
function isRejectedEntry({ PersonID, Status, ReviewDate }: ReviewedEntry): boolean {
  return PersonID !== null && ReviewDate !== null && decisionIn(Status) === 'rejected';
}

/** Returns the warning of an approved entry that is not changed. */
export function approvedAlert(id: number): Alert {
  return reviewedAlert(id, 'approved');
}

function reviewedAlert(id: number, decision: 'approved' | 'rejected'): Alert {
  return {
    code: 'STATE_REFUSES',
    text:
      `Time entry ${id} is ${decision}. Undo its review with ledgeritem/undoreview, which needs the permission ` +
      'LedgerItemUndoReview, then change it.',
    id,
  };
}

/** Returns why a review keeps a line from being included in the total or excluded; undefined if none does. */
export function totaledAlert(line: Line, isTotaled: boolean): Alert | undefined {
  if (isApprovedEntry(line) && !isTotaled) return approvedAlert(line.LedgerItemID);
  if (isRejectedEntry(line) && isTotaled) return reviewedAlert(line.LedgerItemID, 'rejected');
  return undefined;
}

/**
 * Throws if an approved entry would be deleted. The ledgers are locked.
 *
 * @throws STATE_REFUSES
 */
export async function assertEntriesDeletable(ctx: Context, ids: readonly number[]): Promise<void> {
  const columns = readColumns.flatMap((name) => ledgerItem.columns.get(name.toLowerCase()) ?? []);
  const rows = await ctx.db.query<ReviewedEntry & { readonly id: number }>(
    `select ${columnList(columns)}, ledgeritem.ledgeritemid as id from ${fromOf(ledgerItem)}
     where ledgeritem.ledgeritemid = any($1::bigint[])`,
    [arrayLiteral(ids)],
  );
  const approved = rows.find(isApprovedEntry);
  if (approved) throw refused('ID', approvedAlert(approved.id));
}

/**
 * Throws if a change that is not a review has changed an approved entry, or has approved or rejected one.
 *
 * @throws STATE_REFUSES
 */
export function assertReviewIntact(
  ctx: Context,
  { id, change, columns, row: entry }: WrittenChange<typeof ledgerItem>,
): void {
  if (isReview(columns) || !touchesReview(columns)) return;
  // A line without a timekeeper is no entry.
  if (change === 'insert' && !columns.has('PersonID')) return;
  const before = change === 'update' ? lineBefore(ctx, id) : undefined;
  const approved = before && isApprovedEntry(before) && approvedColumns.find((name) => before[name] !== entry[name]);
  if (approved) throw refused(approved, approvedAlert(id));
  if (before && isRejectedEntry(before) && entry.IsTotaled === true && before.IsTotaled !== true)
    throw refused('IsTotaled', reviewedAlert(id, 'rejected'));
  assertNoDecision(id, entry, before);
}

/** Throws if an entry has become approved or rejected, or has left that state after a review. */
function assertNoDecision(id: number, entry: Entry, before: Entry | undefined): void {
  const was = before && before.PersonID !== null ? decisionIn(before.Status) : undefined;
  const is = entry.PersonID === null ? undefined : decisionIn(entry.Status);
  if (was === is) return;
  if (is !== undefined)
    throw refused('Status', {
      code: 'STATE_REFUSES',
      text:
        `A time entry becomes ${is} only by a review. Use ledgeritem/approve or ledgeritem/reject, which record ` +
        'who reviewed it.',
      id,
    });
  if (before?.ReviewDate !== null)
    throw refused('Status', {
      code: 'STATE_REFUSES',
      text: `Time entry ${id} was ${was}. Undo its review with ledgeritem/undoreview.`,
      id,
    });
}

function decisionIn(status: string | null): 'approved' | 'rejected' | undefined {
  const text = status?.trim().toLowerCase();
  return text === 'approved' || text === 'rejected' ? text : undefined;
}

/** Whether a review operation makes a change: no caller can send ReviewDate, which is computed. */
function isReview(columns: ReadonlySet<string>): boolean {
  return columns.has('ReviewDate');
}

function touchesReview(columns: ReadonlySet<string>): boolean {
  return columns.has('Status') || approvedColumns.some((name) => columns.has(name));
}

function refused(field: string, alert: Alert): PlatformError {
  return new PlatformError('STATE_REFUSES', { field, message: `${field}: ${alert.text}`, alerts: [alert] });
}
