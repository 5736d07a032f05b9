import type { Context } from '../../../../kernel/door/context.ts';
import { timeZone } from '../../../../kernel/declare/core-settings.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { parseValue } from '../../../../kernel/parameters/parse-value.ts';
import type { Column, RecordType } from '../../../../kernel/declare/record.ts';
import { insertMany } from '../../../../kernel/records/save/insert-many.ts';
import { isIndexOf } from '../../../../kernel/records/save/protect.ts';
import { externalIdView } from '../../../../kernel/records/save/external-id.ts';
import { grantLoanReach } from '../../../cases/public/grant-loan-reach.ts';
import {
  findLoanById,
  findLoanByNumber,
  publicRecordsByKind,
  readLoanWithProperty,
  type StoredLoan,
} from '../../../cases/public/referral-loans.ts';
import { borrowersBySequence, readBorrowers } from '../../../contacts/public/borrowers.ts';
import { childOf, childText, type XmlElement } from '../../../../kernel/xml/element.ts';
import { investorName, referralLoanMustExist, referralLoanNeedsAssignment } from '../settings.ts';
import { toText } from '../../lib/to-text.ts';
import type { BoundCase } from './find-case.ts';
import { referenceOf, savedRecord, type ItemLog } from './item-log.ts';

/** Identifies a loan: the investor and the investor's loan number. */
export interface LoanKey {
  readonly agency: string;
  readonly loan: string;
}

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

/** The loan of an item. `isForeign`: another source created it. */
export interface BoundLoan {
  readonly id: number | undefined;
  readonly isForeign: boolean;
}

/** An item whose loan is imported. */
interface LoanItem {
  readonly item: XmlElement;
  readonly key: LoanKey | undefined;
  /** The case that the item updates. */
  readonly found: BoundCase | undefined;
}

/**
 * Binds the item to its loan, by number alone, and saves the item's loan data if the sender may change the loan: staff,
 * and the firm whose referral created it. For any other firm, differing values become a warning. An update may change
 * the case's loan without naming it.
 * @throws BAD_PARAMETER when the case is on another loan
 */
export async function importLoan(ctx: Context, { item, key, found }: LoanItem, log: ItemLog): Promise<BoundLoan> {
  const element = childOf(item, 'Loan');
  const caseLoanId = found?.loanId ?? undefined;
  if (!element || (!key && caseLoanId === undefined)) return { id: caseLoanId, isForeign: false };
  const known = await findLoan(ctx, key, caseLoanId);
  if (caseLoanId !== undefined && known?.loanid !== caseLoanId)
    throw new PlatformError('BAD_PARAMETER', {
      field: 'Loan/Loan',
      message: 'Loan/Loan: the case is on another loan.',
    });
  if (!known) return { id: await createLoan(ctx, element, key, log), isForeign: false };
  const firm = externalIdView(ctx);
  const isForeign = firm !== 0 && known.sourceorganizationid !== firm;
  await importKnownLoan(ctx, { element, known, found, isForeign }, log);
  return { id: known.loanid, isForeign };
}

/** A stored loan with an item's values for it. */
interface KnownLoanItem {
  readonly element: XmlElement;
  readonly known: StoredLoan;
  readonly found: BoundCase | undefined;
  readonly isForeign: boolean;
}

/** Updates a stored loan if the sender may change it, or logs why it is left unchanged. */
async function importKnownLoan(
  ctx: Context,
  { element, known, found, isForeign }: KnownLoanItem,
  log: ItemLog,
): Promise<void> {
  const firm = externalIdView(ctx);
  if (firm !== 0 && isWithheld(ctx, found, isForeign))
    log.unchanged(
      'Loan',
      known.loanid,
      null,
      'The loan was created by another source and was not changed. It is not assigned to this case yet.',
    );
  else if (isForeign) await warnOfDifferences(ctx, element, known, log);
  else {
    // The firm created the loan but has no case on it any more: like a new loan, it is reachable until the case is
    // saved.
    if (!found && firm !== 0 && !known.reached) await grantLoanReach(ctx, known.loanid, firm);
    await updateLoan(ctx, element, known, log);
  }
}

/**
 * Until the loan is assigned to the firm's case, not even the names of differing values are reported: they would
 * confirm guesses.
 */
function isWithheld(ctx: Context, found: BoundCase | undefined, foreign: boolean): boolean {
  return found ? !found.loanAssigned : foreign && ctx.settings.get(referralLoanNeedsAssignment);
}

/** Looks up the loan across firms: loans are shared, and only the number identifies one. */
async function findLoan(
  ctx: Context,
  key: LoanKey | undefined,
  id: number | undefined,
): Promise<StoredLoan | undefined> {
  const firm = externalIdView(ctx);
  return ctx.transaction().elevated((db) => (key ? findLoanByNumber(db, key, firm) : findLoanById(db, id, firm)));
}

/** Returns the leaf elements as name and text, which are columns of the element's record. */
function leafEntries(element: XmlElement): [string, string][] {
  return element.children
    .filter((c) => c.children.length === 0 && c.name !== 'Borrowers' && c.name !== 'PublicRecords')
    .map((c) => [c.name, c.text.trim()]);
}

const PROPERTY_PREFIX = 'Property_';

/** Returns the leaves of the Loan element that belong to the loan. */
function loanValues(element: XmlElement): Record<string, string> {
  return Object.fromEntries(leafEntries(element).filter(([name]) => !name.startsWith(PROPERTY_PREFIX)));
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
  const answer = await ctx.call('property/save', known === null ? {} : { ID: known }, values);
  log.saved(ctx.registry.recordType('Property'), savedRecord(answer, known ?? undefined), null);
  return answer.row.PropertyID;
}

async function createLoan(ctx: Context, element: XmlElement, key: LoanKey | undefined, log: ItemLog): Promise<number> {
  if (!key || !/^\d{1,9}$/.test(key.loan))
    throw new PlatformError('BAD_PARAMETER', {
      field: 'Loan/Loan',
      message: 'Loan/Loan: expected an investor loan number of 1 to 9 digits.',
    });
  if (ctx.settings.get(referralLoanMustExist))
    throw new PlatformError('NOT_FOUND', {
      field: 'Loan/Loan',
      message: 'Loan/Loan: the investor has no loan with this number.',
    });
  const firm = externalIdView(ctx);
  const propertyId = await saveProperty(ctx, element, null, log);
  const answer = await ctx.call(
    'loan/save',
    {
      ...(propertyId === null ? {} : { PropertyID: propertyId }),
      ...(firm === 0 ? {} : { SourceOrganizationID: firm }),
    },
    { Agency: ctx.settings.get(investorName), ...loanValues(element) },
  );
  log.saved(ctx.registry.recordType('Loan'), savedRecord(answer, undefined), null);
  const loanId = answer.row.LoanID;
  await saveChildren(ctx, element, { loanId, borrowers: new Map(), records: new Map() }, log);
  return loanId;
}

async function updateLoan(ctx: Context, element: XmlElement, known: StoredLoan, log: ItemLog): Promise<void> {
  const propertyId = await saveProperty(ctx, element, known.propertyid, log);
  const answer = await ctx.call(
    'loan/save',
    { ...(propertyId === known.propertyid ? {} : { PropertyID: propertyId }), ID: known.loanid },
    loanValues(element),
  );
  log.saved(ctx.registry.recordType('Loan'), savedRecord(answer, known.loanid), null);
  const borrowers = await borrowersBySequence(ctx.db, known.loanid);
  const records = await publicRecordsByKind(ctx.db, known.loanid);
  await saveChildren(ctx, element, { loanId: known.loanid, borrowers, records }, log);
}

/** A loan with its stored children. */
interface LoanChildren {
  readonly loanId: number;
  /** Contact ids by Sequence. */
  readonly borrowers: Map<number, number>;
  /** Public record ids by kind, in order. */
  readonly records: ReadonlyMap<string, number[]>;
}

/**
 * Saves borrowers and public records. Borrowers are the loan's contacts, matched by Sequence when they are sent again
 * or twice in one item. Public records of one kind are matched in order: the first sent is the first stored.
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
    const id = borrowers.get(sequence);
    const row = await log.saveNested(ctx, contact, child, async () =>
      savedRecord(
        await ctx.call(
          'contact/save',
          id === undefined ? { Object: 'Loan', ObjectID: loanId } : { ID: id },
          Object.fromEntries(leafEntries(child)),
        ),
        id,
      ),
    );
    if (row) borrowers.set(sequence, row.ContactID);
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
  if (people.length < 2 || !distinct || !ctx.registry.isGeneric(contact, 'save')) return false;
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

/** A row with all stored columns: which of them are read depends on what was sent. */
type StoredColumns = Readonly<Record<string, unknown>>;

/** Logs which values differ from another source's loan, which is never changed: names only, never values. */
async function warnOfDifferences(ctx: Context, element: XmlElement, known: StoredLoan, log: ItemLog): Promise<void> {
  const differing = await ctx.transaction().elevated(async (db) => {
    const loan = ctx.registry.recordType('Loan');
    const property = ctx.registry.recordType('Property');
    const contact = ctx.registry.recordType('Contact');
    const stored = await readLoanWithProperty(db, known);
    const borrowers = await readBorrowers(db, known.loanid);
    const people = (childOf(element, 'Borrowers')?.children ?? []).flatMap((child) => {
      const sequence = childText(child, 'Sequence');
      const row = borrowers.find((b) => String(b.sequence) === sequence);
      return differences(ctx, contact, row, leafEntries(child)).map((name) => `Borrower ${sequence} ${name}`);
    });
    return [
      ...differences(ctx, loan, stored.loan, Object.entries(loanValues(element))),
      ...differences(ctx, property, stored.property, Object.entries(propertyValues(element))).map(
        (name) => PROPERTY_PREFIX + name,
      ),
      ...people,
    ];
  });
  log.unchanged(
    'Loan',
    known.loanid,
    null,
    differing.length === 0
      ? undefined
      : `The loan was created by another source and was not changed. Different there: ${differing.join(', ')}.`,
  );
}

/** Returns the names of values that differ from a stored row, comparing each in its column's form. */
function differences(
  ctx: Context,
  record: RecordType,
  row: StoredColumns | undefined,
  values: readonly (readonly [string, string])[],
): string[] {
  return values
    .filter(([name, text]) => {
      const column = record.columns.get(name.toLowerCase());
      if (!column || text === '') return false;
      return (
        !row ||
        !isSame(ctx, column, row, parseValue(column.field, text, name, { timeZone: ctx.settings.get(timeZone) }))
      );
    })
    .map(([name]) => name);
}

function isSame(ctx: Context, column: Column, row: StoredColumns, value: unknown): boolean {
  if (column.field.kind === 'ssn') return isIndexOf(ctx.cipher, column, row[`${column.column}index`], String(value));
  const stored = row[column.column];
  if (column.field.kind === 'money' || column.field.kind === 'decimal')
    return stored !== null && Number(stored) === Number(value);
  return toText(stored).toLowerCase() === toText(value).toLowerCase();
}
