import type { Context } from '../../../../kernel/door/context.ts';
import type { RowNamed } from '../../../../kernel/declare/catalog.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { insertMany } from '../../../../kernel/records/save/insert-many.ts';
import { maskedDigits } from '../../../../kernel/records/save/plan.ts';
import { externalIdView } from '../../../../kernel/records/save/external-id.ts';
import { firmOf } from '../../../../kernel/security/identity.ts';
import { grantLoanReach } from '../../../cases/public/grant-loan-reach.ts';
import {
  findLoansById,
  loanForFirm,
  noteLoanNumber,
  publicRecordsByKind,
  WAITS_FOR_ASSIGNMENT,
  WAITS_TEXT,
  type LoanKey,
  type StoredLoan,
} from '../../../cases/public/referral-loans.ts';
import { moveEventHolds } from '../../../work/public/event-holds.ts';
import { borrowersBySequence, type KnownBorrower } from '../../../contacts/public/borrowers.ts';
import { requireColumn } from '../../../../kernel/declare/values.ts';
import { childOf, childText, type XmlElement } from '../../../../kernel/xml/element.ts';
import { investorName, referralLoanMustExist, referralLoanNeedsAssignment } from '../settings.ts';
import { unchangedRecord } from '../../lib/unchanged-record.ts';
import { borrowerChange } from './borrower-change.ts';
import type { BoundCase, LoansOfNumber } from './find-case.ts';
import { referenceOf, savedRecord, type ItemLog, type SavedRecord } from './item-log.ts';

/** Returns a text, or undefined if it is empty: an empty element means no value. */
export function nonEmpty(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}

/**
 * Returns the key of the loan that an item names, or undefined if it names none. There is one investor, so an update
 * may omit it.
 */
export function loanKeyOf(ctx: Context, item: XmlElement): LoanKey | undefined {
  const loan = childOf(item, 'Loan');
  const number = loan && childText(loan, 'Loan');
  return loan && number
    ? { agency: nonEmpty(childText(loan, 'Agency')) ?? ctx.settings.get(investorName), loan: number }
    : undefined;
}

/** The loan of an item. */
export interface BoundLoan {
  readonly id: number | undefined;
  /** Whether it holds what the firm sent under the number of another source's loan. */
  readonly waits: boolean;
  /** Whether the item created it. */
  readonly isNew?: boolean;
}

/** An item whose loan is imported. */
interface LoanItem {
  readonly item: XmlElement;
  readonly key: LoanKey | undefined;
  /** The loans with the number of the key. */
  readonly loansOfNumber: LoansOfNumber | undefined;
  /** The case that the item updates. */
  readonly found: BoundCase | undefined;
}

/**
 * Binds the item to its loan, by number alone, and saves the item's loan data if the sender may change the loan: staff,
 * and the firm that created it. A number opens nothing: what a firm sends under the number of another source's loan is
 * stored as a loan of its own, which waits for assignment. Nothing is compared with the other source's values, because
 * every difference that a firm learns of confirms or refutes a guess.
 *
 * @throws BAD_PARAMETER when the case is on another loan
 */
export async function importLoan(
  ctx: Context,
  { item, key, loansOfNumber, found }: LoanItem,
  log: ItemLog,
): Promise<BoundLoan> {
  const element = childOf(item, 'Loan');
  const caseLoanId = found?.loanId ?? undefined;
  if (!element || (!key && caseLoanId === undefined)) return { id: caseLoanId, waits: false };
  const loans = await (loansOfNumber?.rows ?? findLoan(ctx, caseLoanId));
  const ofCase = loans.find((loan) => loan.loanid === caseLoanId);
  if (caseLoanId !== undefined && !ofCase)
    throw new PlatformError('BAD_PARAMETER', {
      field: 'Loan/Loan',
      message: 'Loan/Loan: the case is on another loan.',
    });
  const known = knownLoan(ctx, { loans, ofCase, found });
  if (known) return importKnownLoan(ctx, { element, known, found }, log);
  const number = key ?? (ofCase?.loan ? { agency: ofCase.agency, loan: ofCase.loan } : undefined);
  const others = loans.filter((loan) => loan.assignmentstatus === null).map(({ loanid }) => loanid);
  return createLoan(ctx, { element, key: number, others }, log);
}

/** Returns the stored loan that an item is about; undefined if it is to be created. */
function knownLoan(
  ctx: Context,
  {
    loans,
    ofCase,
    found,
  }: {
    readonly loans: readonly StoredLoan[];
    readonly ofCase: StoredLoan | undefined;
    readonly found: BoundCase | undefined;
  },
): StoredLoan | undefined {
  if (found?.loanAssigned === false) return loanOfWaitingCase(ctx, loans, ofCase);
  return ofCase ?? chooseLoan(ctx, loans);
}

/** Finds the loan of a case, which its firm may not see. */
function findLoan(ctx: Context, id: number | undefined): Promise<StoredLoan[]> {
  return ctx.transaction().elevated((db) => findLoansById(db, id, firmOf(ctx.user)));
}

/** Returns the loan that the number means for the sender; undefined if it is to be created. */
function chooseLoan(ctx: Context, loans: readonly StoredLoan[]): StoredLoan | undefined {
  const own = loanForFirm(loans, firmOf(ctx.user));
  if (own || ctx.settings.get(referralLoanNeedsAssignment)) return own;
  return loans.find((loan) => loan.assignmentstatus === null);
}

/**
 * Returns the loan of a case that waits for assignment. A case that an event created waits on the shared loan itself,
 * and moves to a loan of the firm's own as soon as the firm sends values.
 */
function loanOfWaitingCase(
  ctx: Context,
  loans: readonly StoredLoan[],
  ofCase: StoredLoan | undefined,
): StoredLoan | undefined {
  const firm = firmOf(ctx.user);
  const isOwn = firm === null || ofCase?.sourceorganizationid === firm;
  return isOwn ? ofCase : loanForFirm(loans, firm);
}

/** A stored loan with an item's values for it. */
interface KnownLoanItem {
  readonly element: XmlElement;
  readonly known: StoredLoan;
  readonly found: BoundCase | undefined;
}

/** Updates a stored loan if the sender may change it, or logs what is not stored. */
async function importKnownLoan(
  ctx: Context,
  { element, known, found }: KnownLoanItem,
  log: ItemLog,
): Promise<BoundLoan> {
  const firm = firmOf(ctx.user);
  const waits = known.assignmentstatus === 'Waiting';
  const bound = { id: known.loanid, waits };
  const isWithheld = found?.loanAssigned === false && !waits;
  if (firm !== null && (known.sourceorganizationid !== firm || isWithheld)) {
    const reason = isWithheld ? 'your case is not assigned to the loan' : 'another source created the loan';
    logNotStored(element, known, { reason, log });
    return bound;
  }
  // The firm created the loan but has no case on it any more: like a new loan, it is reachable until the case is
  // saved.
  if (!found && firm !== null && !known.reached) await grantLoanReach(ctx, known.loanid, firm);
  await updateLoan(ctx, element, known, log);
  return bound;
}

/**
 * Logs all values that were sent for a loan and are not stored. All of them, whether they differ or not: naming only
 * those that differ would let the sender guess until none does.
 */
function logNotStored(
  element: XmlElement,
  { loanid }: StoredLoan,
  { reason, log }: { readonly reason: string; readonly log: ItemLog },
): void {
  const names = [
    ...leafEntries(element)
      .filter(([name, text]) => text !== '' && !IDENTITY.has(name))
      .map(([name]) => name),
    ...(childOf(element, 'PublicRecords')?.children.length ? ['PublicRecords'] : []),
    ...(childOf(element, 'Borrowers')?.children ?? []).map((child) => `Borrower ${childText(child, 'Sequence') ?? ''}`),
  ];
  const message = `Not stored, because ${reason}: ${names.join(', ')}. Ask the investor's staff to change them.`;
  log.unchanged('Loan', loanid, null, names.length === 0 ? undefined : message);
}

/** Returns the leaf elements as name and text, which are columns of the element's record. */
function leafEntries(element: XmlElement): [string, string][] {
  return element.children
    .filter((c) => c.children.length === 0 && c.name !== 'Borrowers' && c.name !== 'PublicRecords')
    .map((c) => [c.name, c.text.trim()]);
}

const PROPERTY_PREFIX = 'Property_';

/** The leaves of the Loan element that identify the loan. An update finds it by them, and need not write them again. */
const IDENTITY: ReadonlySet<string> = new Set(['Agency', 'Loan']);

/** Returns the leaves of the Loan element that belong to the loan, besides what identifies it. */
function loanValues(element: XmlElement): Record<string, string> {
  return Object.fromEntries(
    leafEntries(element).filter(([name]) => !name.startsWith(PROPERTY_PREFIX) && !IDENTITY.has(name)),
  );
}

/** Returns the leaves of the Loan element that belong to its property. */
function propertyValues(element: XmlElement): Record<string, string> {
  return Object.fromEntries(
    leafEntries(element)
      .filter(([name]) => name.startsWith(PROPERTY_PREFIX))
      .map(([name, text]) => [name.slice(PROPERTY_PREFIX.length), text]),
  );
}

/** Saves the property if the referral has values for it, and returns its id. */
async function saveProperty(
  ctx: Context,
  element: XmlElement,
  known: number | null,
  log: ItemLog,
): Promise<number | null> {
  const values = propertyValues(element);
  if (Object.values(values).every((text) => text === '')) return known;
  const record = ctx.registry.recordType('Property');
  if (known !== null && (await unchangedRecord(ctx, record, { ...values, ID: known })) !== undefined) {
    log.unchanged(record.name, known, null);
    return known;
  }
  const answer = await ctx.call('property/save', known === null ? {} : { ID: known }, values);
  log.saved(record, savedRecord(answer, known ?? undefined), null);
  return answer.row.PropertyID;
}

/** A loan to be created. */
interface NewLoan {
  readonly element: XmlElement;
  readonly key: LoanKey | undefined;
  /** The loans of other sources that have its number. */
  readonly others: readonly number[];
}

async function createLoan(ctx: Context, { element, key, others }: NewLoan, log: ItemLog): Promise<BoundLoan> {
  const isTaken = others.length > 0;
  if (!key || !/^\d{1,9}$/.test(key.loan))
    throw new PlatformError('BAD_PARAMETER', {
      field: 'Loan/Loan',
      message: 'Loan/Loan: expected an investor loan number of 1 to 9 digits.',
    });
  if (!isTaken && ctx.settings.get(referralLoanMustExist))
    throw new PlatformError('NOT_FOUND', {
      field: 'Loan/Loan',
      message: 'Loan/Loan: the investor has no loan with this number.',
    });
  const firm = externalIdView(ctx);
  const propertyId = await saveProperty(ctx, element, null, log);
  noteLoanNumber(ctx, key, isTaken);
  const answer = await ctx.call(
    'loan/save',
    {
      ...(propertyId === null ? {} : { PropertyID: propertyId }),
      ...(firm === 0 ? {} : { SourceOrganizationID: firm }),
    },
    { ...loanValues(element), Agency: key.agency, Loan: key.loan },
  );
  logLoan(ctx, savedRecord(answer, undefined), log);
  const loanId = answer.row.LoanID;
  // Delays that the firm reported before it referred the loan are on the loan that had the number then.
  if (firm !== 0) await moveEventHolds(ctx, { firm, fromLoanIds: others, toLoanId: loanId });
  await saveChildren(ctx, element, { loanId, borrowers: new Map(), records: new Map() }, log);
  return { id: loanId, waits: answer.row.AssignmentStatus === 'Waiting', isNew: true };
}

/** Logs a saved loan; one that waits with a warning, each time it is sent. */
function logLoan(ctx: Context, saved: SavedRecord<RowNamed<'Loan'>>, log: ItemLog): void {
  ctx.takeAlerts(WAITS_FOR_ASSIGNMENT);
  const warning = saved.row.AssignmentStatus === 'Waiting' ? { warning: WAITS_TEXT } : {};
  log.saved(ctx.registry.recordType('Loan'), { ...saved, ...warning }, null);
}

async function updateLoan(ctx: Context, element: XmlElement, known: StoredLoan, log: ItemLog): Promise<void> {
  const propertyId = await saveProperty(ctx, element, known.propertyid, log);
  const values = loanValues(element);
  const ids = { ...(propertyId === known.propertyid ? {} : { PropertyID: propertyId }), ID: known.loanid };
  const isSame =
    propertyId === known.propertyid &&
    (Object.keys(values).length === 0 ||
      (await unchangedRecord(ctx, ctx.registry.recordType('Loan'), { ...values, ...ids })) !== undefined);
  if (isSame) log.unchanged('Loan', known.loanid, null, known.assignmentstatus === 'Waiting' ? WAITS_TEXT : undefined);
  else logLoan(ctx, savedRecord(await ctx.call('loan/save', ids, values), known.loanid), log);
  const borrowers = await borrowersBySequence(ctx.db, known.loanid);
  const records = await publicRecordsByKind(ctx.db, known.loanid);
  await saveChildren(ctx, element, { loanId: known.loanid, borrowers, records }, log);
}

/** A loan with its stored children. */
interface LoanChildren {
  readonly loanId: number;
  /** Contacts by Sequence. */
  readonly borrowers: ReadonlyMap<number, KnownBorrower>;
  /** Public record ids by kind, in order. */
  readonly records: ReadonlyMap<string, number[]>;
}

/**
 * Saves borrowers and public records. Borrowers are the loan's contacts, matched by Sequence, which no two in an item
 * share. Public records of one kind are matched in order: the first sent is the first stored.
 */
async function saveChildren(
  ctx: Context,
  element: XmlElement,
  { loanId, borrowers, records }: LoanChildren,
  log: ItemLog,
): Promise<void> {
  const contact = ctx.registry.recordType('Contact');
  const publicRecord = ctx.registry.recordType('PublicRecord');
  for (const child of childOf(element, 'PublicRecords')?.children ?? []) {
    const id = records.get(childText(child, 'PublicRecord') ?? '')?.shift();
    await log.saveNested(ctx, publicRecord, child, async () =>
      savedRecord(
        await ctx.call(
          'publicrecord/save',
          id === undefined ? { LoanID: loanId } : { ID: id },
          Object.fromEntries(leafEntries(child)),
        ),
        id,
      ),
    );
  }
  const people = childOf(element, 'Borrowers')?.children ?? [];
  if (borrowers.size === 0 && (await insertBorrowers(ctx, people, loanId, log))) return;
  for (const child of people) {
    const sequence = Number(childText(child, 'Sequence'));
    const known = borrowers.get(sequence);
    const { values, warning } = borrowerChange(child, known);
    await log.saveNested(ctx, contact, child, async () => {
      if (known) log.concerns(known.id);
      return savedRecord(
        await ctx.call('contact/save', known ? { ID: known.id } : { Object: 'Loan', ObjectID: loanId }, {
          ...Object.fromEntries(leafEntries(child)),
          ...values,
        }),
        known?.id,
        warning,
      );
    });
  }
}

/** Inserts the borrowers of a loan that has none in one statement; returns false if they must be saved one by one. */
async function insertBorrowers(
  ctx: Context,
  people: readonly XmlElement[],
  loanId: number,
  log: ItemLog,
): Promise<boolean> {
  const contact = ctx.registry.recordType('Contact');
  const distinct = new Set(people.map((child) => childText(child, 'Sequence'))).size === people.length;
  // The warning of a masked number belongs to its borrower.
  const hasMask = people.some((child) =>
    maskedDigits(requireColumn(contact, 'USSSN'), childText(child, 'USSSN') ?? null),
  );
  if (people.length < 2 || !distinct || hasMask || !ctx.registry.isGeneric(contact, 'save')) return false;
  return log.saveTogether(ctx, async () => {
    const rows = await insertMany(
      ctx,
      contact,
      people.map((child) => ({ ...Object.fromEntries(leafEntries(child)), Object: 'Loan', ObjectID: loanId })),
    );
    for (const [n, row] of rows.entries())
      log.saved(contact, { row, operation: 'Insert' }, people[n] ? referenceOf(people[n]) : null);
  });
}
