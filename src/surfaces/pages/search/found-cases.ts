import type { AnswerRowFor } from '../../../kernel/declare/catalog.ts';
import type { PageCall } from '../page-call.ts';

/** A record that `record/find` returned. */
export type FoundRow = AnswerRowFor<'record/find'>;

/** A case to which a found borrower, loan or property leads. */
export interface FoundCase {
  readonly name: string;
  readonly id: number;
  readonly label: string;
  readonly loanId: number;
}

/** Most cases and loans that are read for the hits of one search. */
const READ_MAX = 100;

/** Returns a hit's key in {@link casesOfHits}. */
export function hitKey({ Object: name, ObjectID: id }: FoundRow): string {
  return `${name} ${id}`;
}

/**
 * Returns the cases to which hits lead, newest first: of a borrower, of a loan, and of the loans that a property
 * secures.
 */
export async function casesOfHits(
  call: PageCall,
  rows: readonly FoundRow[],
): Promise<ReadonlyMap<string, readonly FoundCase[]>> {
  if (!call.may('process/search')) return new Map();
  const loans = await loansOfHits(call, rows);
  const ids = [...new Set([...loans.values()].flat())].slice(0, READ_MAX);
  if (ids.length === 0) return new Map();
  const { answer } = await call.call('process/search', {
    LoanID: ids.map(String),
    OrderBy: '-ProcessID',
    DisplaySize: READ_MAX,
    RecordCount: 'false',
  });
  const cases = answer.rows.flatMap(
    ({ RecordClass: name, ProcessID: id, Process: label, LoanID: loanId }): FoundCase[] =>
      name === null || loanId === null ? [] : [{ name, id, label: label ?? `Case ${id}`, loanId }],
  );
  return new Map(
    [...loans].map(([key, ofHit]) => [key, cases.filter(({ loanId }) => ofHit.includes(loanId))] as const),
  );
}

async function loansOfHits(call: PageCall, rows: readonly FoundRow[]): Promise<Map<string, readonly number[]>> {
  const loans = new Map<string, readonly number[]>();
  for (const row of rows) {
    if (row.Object === 'Loan') loans.set(hitKey(row), [row.ObjectID]);
    if (row.Parent === 'Loan' && row.ParentID !== null) loans.set(hitKey(row), [row.ParentID]);
  }
  const properties = rows.filter(({ Object: name }) => name === 'Property');
  if (properties.length === 0 || !call.may('loan/search')) return loans;
  const { answer } = await call.call('loan/search', {
    PropertyID: properties.map(({ ObjectID: id }) => String(id)),
    OrderBy: '-LoanID',
    DisplaySize: READ_MAX,
    RecordCount: 'false',
  });
  for (const row of properties) {
    const secured = answer.rows.filter(({ PropertyID: id }) => id === row.ObjectID);
    loans.set(
      hitKey(row),
      secured.map(({ LoanID: id }) => id),
    );
  }
  return loans;
}
