import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { sendLocks } from '../../../../kernel/database/advisory-lock.ts';
import { externalIdView } from '../../../../kernel/records/save/external-id.ts';
import type { KnownParent } from '../../../../kernel/records/save/resolve-references.ts';
import { quoteValue } from '../../../../kernel/xml/schema-issue.ts';
import { lockCaseByExternalId, lockCasesOfLoan, type ReferredCase } from '../../../cases/public/referral-cases.ts';
import { firmOf } from '../../../../kernel/security/identity.ts';
import {
  findLoansOfNumber,
  loanLockName,
  type LoanKey,
  type StoredLoan,
} from '../../../cases/public/referral-loans.ts';
import type { CaseKind } from './referral-schemas.ts';

/** A case that an item updates. */
export interface BoundCase {
  readonly id: number;
  readonly closed: boolean;
  readonly loanId: number | null;
  /** Whether the case's firm has access to its loan. */
  readonly loanAssigned: boolean;
}

/**
 * Locks the loan, then the SubscriberID within the firm's view, until the transaction ends, so that two concurrent
 * referrals of one case create one case. Every caller locks in this order, which prevents deadlocks. Does not wait:
 * what is sent next waits for the locks. Returns the loans with the number, if one is given, requested right after.
 */
export async function lockCase(
  ctx: Context,
  loanKey: LoanKey | undefined,
  subscriberId: string | undefined,
): Promise<LoansOfNumber | undefined> {
  const keys = [
    ...(loanKey ? [loanLockName(loanKey)] : []),
    ...(subscriberId === undefined ? [] : [`subscriber ${externalIdView(ctx)} ${subscriberId}`]),
  ];
  const transaction = ctx.transaction();
  // The row-security role must not take numbered locks, or any saved query could.
  return transaction.elevated((db) => {
    sendLocks(transaction, keys);
    if (!loanKey) return Promise.resolve(undefined);
    const rows = findLoansOfNumber(db, loanKey, firmOf(ctx.user));
    // Nobody reads them if the case is not found.
    rows.catch(() => undefined);
    return Promise.resolve({ rows });
  });
}

/** The loans with a number, across firms, on their way. */
export interface LoansOfNumber {
  readonly rows: Promise<readonly StoredLoan[]>;
}

/** The elements of an item that identify its case. */
export interface CaseIdentity {
  readonly kind: CaseKind;
  readonly subscriberId: string | undefined;
  readonly loanKey: LoanKey | undefined;
  readonly caseNumber: string | undefined;
  readonly update: boolean;
}

/**
 * Finds and locks the case of an item, or returns undefined if the item creates a new case. With a SubscriberID the
 * case is found by it, exactly as sent, within the firm's view. Without one, Autobind applies: loan number and Attorney
 * Case ID find the active case or, for updates, the case opened last.
 * Only cases of the item's kind are considered: a motion never binds to a claim of the same number. The row lock
 * serializes updates that find the case in different ways.
 * @throws NOT_FOUND when an update finds no case; STATE_REFUSES when a new case uses the SubscriberID of a closed one
 */
export async function findCase(ctx: Context, identity: CaseIdentity): Promise<BoundCase | undefined> {
  const { kind, subscriberId, update } = identity;
  if (subscriberId !== undefined) {
    const found = await findBySubscriberId(ctx, kind, subscriberId);
    if (update && !found)
      throw new PlatformError('NOT_FOUND', {
        field: 'SubscriberID',
        message: `SubscriberID: no ${kind.name} has this identifier.`,
      });
    if (!update && found?.closed)
      throw new PlatformError('STATE_REFUSES', {
        field: 'SubscriberID',
        message: `SubscriberID: the ${kind.name} with this identifier is closed; use a new identifier for a new case.`,
      });
    return found;
  }
  const [active, closed] = await autobind(ctx, identity);
  if (!update) return active;
  const bound = active ?? closed;
  if (!bound)
    throw new PlatformError('NOT_FOUND', {
      field: kind.name,
      message: `${kind.name}: no case on this loan has this Attorney Case ID; send both, or a SubscriberID.`,
    });
  return bound;
}

/**
 * Finds and locks the case named by a stand-alone item: by record type and SubscriberID exactly as sent, within the
 * firm's view. Autobind does not apply.
 * @throws BAD_PARAMETER, NOT_FOUND
 */
export async function findTargetCase(ctx: Context, object: string, subscriberId: string): Promise<KnownParent> {
  if (object !== 'Foreclosure' && object !== 'Bankruptcy')
    throw new PlatformError('BAD_PARAMETER', {
      field: 'Object',
      message: `Object: expected Foreclosure, or Bankruptcy for a POC or an MFR; got ${quoteValue(object, 'Object')}.`,
    });
  await lockCase(ctx, undefined, subscriberId);
  const row = await lockCaseByExternalId(ctx, subscriberId, object);
  if (!row)
    throw new PlatformError('NOT_FOUND', {
      field: 'ObjectSubscriberID',
      message: `ObjectSubscriberID: no ${object} has this SubscriberID.`,
    });
  if (row.recordclass !== object)
    throw new PlatformError('BAD_PARAMETER', {
      field: 'ObjectSubscriberID',
      message:
        `ObjectSubscriberID: this identifier belongs to another type of record (${row.recordclass}); ` +
        `expected ${object}.`,
    });
  return { record: ctx.registry.requireRecord(object, 'Object'), id: row.processid };
}

async function findBySubscriberId(ctx: Context, kind: CaseKind, subscriberId: string): Promise<BoundCase | undefined> {
  const row = await lockCaseByExternalId(ctx, subscriberId, kind.record);
  if (row && (row.recordclass !== kind.record || (kind.type !== undefined && row.processtype !== kind.type))) {
    const other =
      row.recordclass === 'Bankruptcy'
        ? (row.processtype ?? 'bankruptcy that is neither POC nor MFR')
        : row.recordclass;
    throw new PlatformError('BAD_PARAMETER', {
      field: 'SubscriberID',
      message: `SubscriberID: this identifier belongs to a case of another kind (${other}); expected ${kind.name}.`,
    });
  }
  return row && toBoundCase(row);
}

/** Finds the active case and the closed case that was opened last; each is undefined if there is none. */
async function autobind(
  ctx: Context,
  { kind, loanKey, caseNumber }: CaseIdentity,
): Promise<[BoundCase | undefined, BoundCase | undefined]> {
  if (!loanKey || caseNumber === undefined) return [undefined, undefined];
  const { record, type } = kind;
  const rows = await lockCasesOfLoan(ctx, { loanKey, caseNumber, record, type });
  const active = rows.find((r) => !r.closed);
  const closed = rows.find((r) => r.closed);
  return [active && toBoundCase(active), closed && toBoundCase(closed)];
}

function toBoundCase(row: ReferredCase): BoundCase {
  return { id: row.processid, closed: row.closed, loanId: row.loanid, loanAssigned: row.loanassigned };
}
