import type { RowNamed } from '../../../kernel/declare/catalog.ts';
import type { PageCall } from '../page-call.ts';

/** Who owes a loan, and on what. */
export interface LoanParties {
  /** The borrowers in their order; empty if the user sees none. */
  readonly borrowers: string;
  /** The property on one line; empty without one. */
  readonly place: string;
}

/** Most contacts of loans that a page of a list reads. */
const CONTACTS_MAX = 500;

/**
 * Reads the borrowers and the properties of the cases of a page, by loan. Staff have them in the summaries of cases; a
 * firm's list shows the cases themselves, and what the firm reaches from them.
 */
export async function readLoanParties(
  call: PageCall,
  rows: readonly Pick<RowNamed<'Process'>, 'LoanID'>[],
): Promise<ReadonlyMap<number, LoanParties>> {
  const ids = [...new Set(rows.flatMap(({ LoanID }) => LoanID ?? []))];
  if (ids.length === 0) return new Map();
  const [borrowers, places] = await Promise.all([readBorrowers(call, ids), readPlaces(call, ids)]);
  return new Map(
    ids.map((id) => [id, { borrowers: joinedNames(borrowers.get(id) ?? []), place: places.get(id) ?? '' }] as const),
  );
}

/** Joins names, a family's once: "Delgado, Marisol and Hector; Tran, Linh". */
function joinedNames(names: readonly string[]): string {
  const families = new Map<string, string[]>();
  for (const name of names) {
    const [family = '', ...rest] = name.split(', ');
    families.set(family, [...(families.get(family) ?? []), ...(rest.length === 0 ? [] : [rest.join(', ')])]);
  }
  return [...families].map(([family, firsts]) => [family, firsts.join(' and ')].filter(Boolean).join(', ')).join('; ');
}

async function readBorrowers(call: PageCall, ids: readonly number[]): Promise<ReadonlyMap<number, readonly string[]>> {
  if (!call.may('contact/search')) return new Map();
  const { answer } = await call.call('contact/search', {
    Object: 'Loan',
    ObjectID: ids.join(','),
    OrderBy: 'BorrowerType,Sequence',
    SqlColumns: 'ContactID,Contact,ObjectID,BorrowerType,Sequence,ParentContactID',
    DisplaySize: CONTACTS_MAX,
    RecordCount: 'false',
  });
  // The same contacts as in the summaries of cases.
  const shown = answer.rows.filter(
    ({ BorrowerType, Sequence, ParentContactID }) =>
      ParentContactID === null && (BorrowerType !== null || Sequence !== null),
  );
  const byLoan = Map.groupBy(shown, ({ ObjectID }) => ObjectID ?? 0);
  return new Map([...byLoan].map(([id, of]) => [id, of.map(({ Contact }) => Contact ?? '')] as const));
}

async function readPlaces(call: PageCall, ids: readonly number[]): Promise<ReadonlyMap<number, string>> {
  if (!call.may('loan/search') || !call.may('property/search')) return new Map();
  const loans = await call.call('loan/search', {
    LoanID: ids.join(','),
    SqlColumns: 'LoanID,PropertyID',
    DisplaySize: ids.length,
    RecordCount: 'false',
  });
  const properties = [...new Set(loans.answer.rows.flatMap(({ PropertyID }) => PropertyID ?? []))];
  if (properties.length === 0) return new Map();
  const { answer } = await call.call('property/search', {
    PropertyID: properties.join(','),
    SqlColumns: 'PropertyID,Address,City,State',
    DisplaySize: properties.length,
    RecordCount: 'false',
  });
  const byId = new Map(
    answer.rows.map(({ PropertyID: id, Address, City, State }) => {
      const town = [City, State].filter((text) => (text ?? '') !== '').join(' ');
      return [id, [Address, town].filter((text) => (text ?? '') !== '').join(', ')] as const;
    }),
  );
  return new Map(loans.answer.rows.map(({ LoanID, PropertyID }) => [LoanID, byId.get(PropertyID ?? 0) ?? ''] as const));
}
