import type { PostalAddress } from '../../../../contracts/delivery.ts';
import { arrayLiteral, type Db } from '../../../../kernel/database/store.ts';
import type { RowNamed } from '../../../../kernel/declare/catalog.ts';
import { recordId } from '../../../../kernel/door/answer.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { completeAddress, isSameAddress } from '../../../../lib/postal/complete-address.ts';

/** The record that a letter is about. */
export interface Subject {
  readonly object: string;
  readonly id: number;
}

/** Who gets the letters of a case. */
export const RECIPIENTS = ['Primary borrower', 'All borrowers'] as const;
export type RecipientChoice = (typeof RECIPIENTS)[number];

type ContactRow = RowNamed<'Contact'>;

/** A recipient with a complete address, or with what is wrong with it. */
export interface Recipient {
  readonly contactId: number;
  readonly label: string;
  readonly name: string;
  readonly address?: Omit<PostalAddress, 'name'>;
  /** The end of a sentence about the recipient: "has no ZIP code". */
  readonly problem?: string;
}

/** Records that one search names. */
const NAMED_MAX = 200;
/** Most contacts that a search returns. */
const CONTACTS_MAX = 1_000;

/**
 * Returns the recipients of letters about records, by {@link subjectKey}: the borrowers of a case's loan, or of a loan,
 * in their order; of a contact, itself. The caller has checked that the records are visible.
 */
export async function recipientsOf(
  ctx: Context,
  subjects: readonly Subject[],
  { choice, contactId, isReturnedAllowed }: RecipientRequest,
): Promise<ReadonlyMap<string, readonly Recipient[]>> {
  const found = contactId === undefined ? await borrowersOf(ctx, subjects) : await oneContact(ctx, subjects, contactId);
  const ids = [...found.values()].flat().map(({ ContactID }) => ContactID);
  const returned = isReturnedAllowed
    ? new Map<number, readonly ReturnedAddress[]>()
    : await returnedAddresses(ctx.db, ids);
  return new Map(
    [...found].map(([key, contacts]) => {
      const chosen = choice === 'Primary borrower' ? contacts.slice(0, 1) : contacts;
      return [key, chosen.map((row) => recipientFrom(row, returned.get(row.ContactID) ?? []))];
    }),
  );
}

/** Which contacts get a letter. */
export interface RecipientRequest {
  readonly choice: RecipientChoice;
  readonly contactId?: number | undefined;
  /** Whether to mail to an address from which a letter came back. */
  readonly isReturnedAllowed: boolean;
}

/** Returns the key of a record in maps. */
export function subjectKey({ object, id }: Subject): string {
  return `${object}/${id}`;
}

function recipientFrom(row: ContactRow, returned: readonly ReturnedAddress[]): Recipient {
  const person = [row.FirstName, row.MiddleName, row.LastName, row.Suffix].filter(Boolean).join(' ');
  const name = (person === '' ? (row.Company ?? '') : person).replaceAll(/\s+/g, ' ').trim();
  const base = { contactId: row.ContactID, label: row.Contact ?? `Contact ${row.ContactID}`, name };
  if (name === '') return { ...base, problem: 'has no name' };
  const complete = completeAddress(row);
  if ('problem' in complete) return { ...base, problem: complete.problem };
  const { address } = complete;
  const back = returned.find((one) => isSameAddress(one, address));
  return back
    ? { ...base, address, problem: `has an address from which a letter was returned on ${back.date.slice(0, 10)}` }
    : { ...base, address };
}

/** Returns the borrowers of cases and loans in their order, and contacts themselves, by the record's key. */
async function borrowersOf(
  ctx: Context,
  subjects: readonly Subject[],
): Promise<ReadonlyMap<string, readonly ContactRow[]>> {
  const loanOf = new Map<string, number>();
  const found = new Map<string, readonly ContactRow[]>();
  for (const [object, named] of Map.groupBy(subjects, (subject) => subject.object)) {
    const ids = named.map(({ id }) => id);
    if (object === 'Loan') for (const id of ids) loanOf.set(subjectKey({ object, id }), id);
    else if (object === 'Contact')
      for (const row of await searchBy<'Contact'>(ctx, 'Contact', { column: 'ContactID', ids }))
        found.set(subjectKey({ object, id: row.ContactID }), [row]);
    else for (const [id, loan] of await loansOf(ctx, object, ids)) loanOf.set(subjectKey({ object, id }), loan);
  }
  const contacts = await searchBy<'Contact'>(ctx, 'Contact', {
    column: 'ObjectID',
    ids: [...new Set(loanOf.values())],
    filters: { Object: 'Loan', ParentContactID: 'null' },
  });
  const borrowers = contacts.filter(({ Sequence, BorrowerType }) => Sequence !== null || BorrowerType !== null);
  const byLoan = Map.groupBy(borrowers.sort(byOrder), ({ ObjectID }) => ObjectID);
  for (const [key, loan] of loanOf) found.set(key, byLoan.get(loan) ?? []);
  return found;
}

function byOrder(a: ContactRow, b: ContactRow): number {
  const primary = Number(b.BorrowerType === 'Primary') - Number(a.BorrowerType === 'Primary');
  return primary || (a.Sequence ?? Infinity) - (b.Sequence ?? Infinity) || a.ContactID - b.ContactID;
}

/** Returns the loans of cases, by case; nothing for records of other types. */
async function loansOf(ctx: Context, object: string, ids: readonly number[]): Promise<ReadonlyMap<number, number>> {
  const record = ctx.registry.record(object);
  if (record?.root.name !== 'Process') return new Map();
  const rows = await searchBy<'Process'>(ctx, object, { column: record.idField, ids });
  return new Map(rows.flatMap((row) => (row.LoanID === null ? [] : [[recordId(record, row), row.LoanID] as const])));
}

/** A search by the values of a column. */
interface RecordSearch {
  readonly column: string;
  readonly ids: readonly number[];
  readonly filters?: Readonly<Record<string, string>>;
}

/** Searches the records of a type that a column names, as the caller. */
async function searchBy<N extends 'Contact' | 'Process'>(
  ctx: Context,
  type: string,
  { column, ids, filters = {} }: RecordSearch,
): Promise<RowNamed<N>[]> {
  const record = ctx.registry.record(type);
  const rows: RowNamed<N>[] = [];
  for (let start = 0; record && start < ids.length; start += NAMED_MAX) {
    const answer = await ctx.callOf(record, 'search', {
      ...filters,
      [column]: ids.slice(start, start + NAMED_MAX).join(','),
      DisplaySize: String(CONTACTS_MAX),
      RecordCount: 'false',
    });
    if (answer.kind !== 'list') throw new Error(`a search of ${type} returned no list`);
    rows.push(...(answer.rows as readonly RowNamed<N>[]));
  }
  return rows;
}

async function oneContact(
  ctx: Context,
  subjects: readonly Subject[],
  contactId: number,
): Promise<ReadonlyMap<string, readonly ContactRow[]>> {
  const contacts = await searchBy<'Contact'>(ctx, 'Contact', { column: 'ContactID', ids: [contactId] });
  return new Map(subjects.map((subject) => [subjectKey(subject), contacts]));
}

/** An address from which a letter came back. */
export interface ReturnedAddress {
  readonly street: string;
  readonly city: string;
  readonly state: string;
  readonly postalCode: string;
  readonly date: string;
}

/** Returns the addresses from which letters to contacts came back, the latest first. */
async function returnedAddresses(
  db: Db,
  contactIds: readonly number[],
): Promise<ReadonlyMap<number, readonly ReturnedAddress[]>> {
  const rows = await db.query<ReturnedAddress & { contactId: number }>(
    `select contactid as "contactId", street, city, state, postalcode as "postalCode", returneddate as date
     from delivery
     where contactid = any($1::bigint[]) and status = 'Returned'
     order by returneddate desc`,
    [arrayLiteral(contactIds)],
  );
  return Map.groupBy(rows, ({ contactId }) => contactId);
}
