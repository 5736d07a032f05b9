import { assertNoCardNumbersIn, CHECKED_ALONE } from './card-numbers.ts';
import { recordId, type ItemAnswer } from '../../../../kernel/door/answer.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import type { StagedDocument } from '../../../../kernel/ports/documents.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import type { RecordType } from '../../../../kernel/declare/record.ts';
import { externalIdView, sendExternalId } from '../../../../kernel/records/save/external-id.ts';
import type { KnownParent } from '../../../../kernel/records/save/resolve-references.ts';
import { childOf, childText, type XmlElement } from '../../../../kernel/xml/element.ts';
import { decideLoanLater } from '../../../cases/public/decide-loan.ts';
import { findCase, lockCase, type BoundCase } from './find-case.ts';
import { importDocuments } from './import-documents.ts';
import { importHolds } from './import-holds.ts';
import { importMessages } from './import-messages.ts';
import { importTasks } from './import-tasks.ts';
import { nestedElements, type NestedTarget } from './nested-target.ts';
import { referenceOf, savedRecord, type ItemLog, type SavedRecord } from './item-log.ts';
import { importLedger } from './import-ledger.ts';
import { importLoan, loanKeyOf, nonEmpty, type BoundLoan } from './import-loan.ts';
import type { CaseKind } from './referral-schemas.ts';

/** Elements of a case item that are not columns of the case (ledgers are listed by the kind). */
const NON_COLUMN_ELEMENTS = new Set(['SubscriberID', 'Loan', 'Delays', 'Forms', 'Messages', 'Attachments']);

/** One case item of a submission. */
interface CaseItem {
  readonly kind: CaseKind;
  readonly update: boolean;
  readonly item: XmlElement;
  readonly files: ReadonlyMap<string, StagedDocument>;
}

/**
 * Saves one case item and everything nested in it, and returns the case if it is new. A failure of the case fails the
 * item; a nested record fails alone.
 */
export async function importCase(
  ctx: Context,
  { kind, update, item, files }: CaseItem,
  log: ItemLog,
): Promise<KnownParent | undefined> {
  const record = ctx.registry.requireRecord(kind.record, 'Object');
  assertNoCardNumbersIn(ctx, record, item, CHECKED_ALONE);
  const subscriberId = nonEmpty(childText(item, 'SubscriberID'));
  const loanKey = loanKeyOf(ctx, item);
  const caseNumber = nonEmpty(childText(item, kind.name));
  const loansOfNumber = await lockCase(ctx, loanKey, subscriberId);
  const found = await findCase(ctx, { kind, subscriberId, loanKey, caseNumber, update });
  log.foundCase = found?.id ?? null;
  const values = caseValues(kind, item);
  // The Attorney Case ID has found the case, whatever its spelling: it is not a change of it.
  if (found && subscriberId === undefined) values.delete(kind.record);
  completeClosing(values, { found, update });
  const loan = await importLoan(ctx, { item, key: loanKey, loansOfNumber, found }, log);
  const saved = await saveCase(ctx, { kind, record, found, subscriberId, values, loan });
  if (saved) log.saved(record, saved, referenceOf(item));
  else log.unchanged(record.name, found?.id ?? 0, referenceOf(item));
  if (loan.id !== undefined && loan.waits && loan.isNew) await decideLoanLater(ctx, loan.id);
  const parent = { record, id: saved ? recordId(record, saved.row) : (found?.id ?? 0) };
  const target = { parent, isNewCase: found === undefined, files, log };
  await importNested(ctx, kind, item, target);
  return target.isNewCase ? parent : undefined;
}

/** Saves the records nested in a case item. */
async function importNested(ctx: Context, kind: CaseKind, item: XmlElement, target: NestedTarget): Promise<void> {
  for (const ledger of kind.ledgers) await importLedger(ctx, childOf(item, ledger), target);
  await importHolds(ctx, nestedElements(item, 'Delays'), target);
  await importTasks(ctx, nestedElements(item, 'Forms'), target);
  await importMessages(ctx, nestedElements(item, 'Messages'), target);
  await importDocuments(ctx, nestedElements(item, 'Attachments'), target);
}

/**
 * Returns the item's own columns as text, with the Attorney Case ID as the record's label. An empty element clears its
 * column.
 */
function caseValues(kind: CaseKind, item: XmlElement): Map<string, string> {
  const values = new Map<string, string>();
  for (const child of item.children) {
    if (NON_COLUMN_ELEMENTS.has(child.name) || kind.ledgers.includes(child.name) || child.children.length > 0) continue;
    values.set(child.name === kind.name ? kind.record : child.name, child.text.trim());
  }
  return values;
}

/**
 * Requires DateClosed and ClosedReason together, and sets Status to Closed when both are sent.
 * @throws MISSING_PARAMETER; BAD_PARAMETER for a new referral, which cannot carry them
 */
function completeClosing(
  values: Map<string, string>,
  { found, update }: { readonly found: BoundCase | undefined; readonly update: boolean },
): void {
  if (!update && values.get('Status') === 'Closed')
    throw new PlatformError('BAD_PARAMETER', {
      field: 'Status',
      message:
        'Status: a new referral is Open or On Hold. To close a case, send the update operation ' +
        '(ForeclosureUpdate, POCUpdate, MFRUpdate) with Status, DateClosed and ClosedReason.',
    });
  const closed = nonEmpty(values.get('DateClosed'));
  const reason = nonEmpty(values.get('ClosedReason'));
  if (values.get('Status') === 'Closed' && (closed === undefined || reason === undefined)) {
    const [missing, present] = closed === undefined ? ['DateClosed', 'ClosedReason'] : ['ClosedReason', 'DateClosed'];
    throw new PlatformError('MISSING_PARAMETER', {
      field: missing,
      message: `${missing}: required to close a case, together with ${present}.`,
    });
  }
  if ((closed === undefined) !== (reason === undefined) && found?.closed !== true) {
    const missing = closed === undefined ? 'DateClosed' : 'ClosedReason';
    throw new PlatformError('MISSING_PARAMETER', {
      field: missing,
      message: `${missing}: DateClosed and ClosedReason must be sent together.`,
    });
  }
  if (closed !== undefined && reason !== undefined && !values.has('Status')) values.set('Status', 'Closed');
}

const REOPENED = 'The case was closed and is open again; its DateClosed and ClosedReason were removed.';

interface CaseChange {
  readonly kind: CaseKind;
  readonly record: RecordType;
  readonly found: BoundCase | undefined;
  readonly subscriberId: string | undefined;
  readonly values: ReadonlyMap<string, string>;
  readonly loan: BoundLoan;
}

/** Saves the case; undefined if an update changes nothing of the case itself. */
async function saveCase(
  ctx: Context,
  { kind, record, found, subscriberId, values, loan }: CaseChange,
): Promise<SavedRecord | undefined> {
  const sent = Object.fromEntries(values);
  const waiting = loan.waits ? { LoanAssigned: false } : {};
  const save = (columns: Record<string, unknown>): Promise<ItemAnswer> =>
    kind.record === 'Foreclosure'
      ? ctx.call('foreclosure/save', {}, columns)
      : ctx.call('bankruptcy/save', {}, columns);
  if (found) {
    const moved = loan.id !== undefined && found.loanId !== loan.id ? { LoanID: loan.id, ...waiting } : {};
    if (values.size === 0 && !('LoanID' in moved)) return undefined;
    const reopens = found.closed && (values.get('Status') === 'Open' || values.get('Status') === 'On Hold');
    const answer = await save({ ...sent, ...moved, ID: found.id });
    return savedRecord(answer, found.id, reopens ? REOPENED : undefined);
  }
  const firm = externalIdView(ctx);
  const answer = await save({
    ...sent,
    ...(kind.type === undefined ? {} : { BankruptcyType: kind.type }),
    LoanID: loan.id,
    ...(firm === 0 ? {} : { OrganizationID: firm }),
    ...waiting,
  });
  // The lock guarantees that the identifier is still free: checking again would take three more round trips.
  if (subscriberId !== undefined) sendExternalId(ctx, record, recordId(record, answer.row), subscriberId);
  return savedRecord(answer, undefined);
}
