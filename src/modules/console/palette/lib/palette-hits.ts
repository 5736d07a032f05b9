import type { AnswerRowFor } from '../../../../kernel/declare/catalog.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { documentHits, type DocumentHit } from './document-hits.ts';
import { readCases, type FoundCase } from './found-cases.ts';

type FoundRow = AnswerRowFor<'record/find'>;

/** A hit as the palette shows it. */
export interface PaletteHit {
  readonly Object: string;
  readonly ObjectID: number;
  readonly Label: string | null;
  readonly Detail: string | null;
  readonly CaseNumber: string | null;
  readonly Status: string | null;
  readonly DateClosed: string | null;
  readonly FoundBy: string;
  readonly Snippet: string | null;
  readonly PageNumber: number | null;
}

/** What is searched. A loan or a property is shown as its cases. */
const SEARCHED = ['Process', 'Loan', 'Property', 'Contact', 'Attachment'] as const;
const FOUND_PER_TYPE = 10;

/** Returns the hits of a text: cases first, those found by the text itself before those of similar names. */
export async function paletteHits(ctx: Context, text: string, size: number): Promise<readonly PaletteHit[]> {
  if (text.replaceAll('*', '').length < 2) return [];
  const [{ rows }, documents] = await Promise.all([
    ctx.call('record/find', { Text: text, Objects: SEARCHED, Misspelled: true, DisplaySize: FOUND_PER_TYPE }),
    documentHits(ctx, text, size),
  ]);
  const mayCases = ctx.user.permissions.has(ctx.registry.operation('process/search')?.permissionName ?? '');
  const cases = mayCases ? await readCases(ctx.db, caseKeys(rows)) : [];
  const people = rows.filter(({ Object: name }) => isPerson(name));
  const named = rows.filter(
    ({ Object: name, ObjectID: id }) => name === 'Attachment' && !documents.some((hit) => hit.id === id),
  );
  return [
    ...cases.slice(0, size).map((found) => caseHit(found, rows)),
    ...people.slice(0, size).map((row) => otherHit(row, cases)),
    ...[...documents.map(documentHit), ...named.map((row) => otherHit(row, cases))].slice(0, size),
  ];
}

function isPerson(name: string): boolean {
  return name === 'Contact' || name === 'Organization';
}

function isCase(name: string): boolean {
  return name === 'Foreclosure' || name === 'Bankruptcy';
}

function caseKeys(rows: readonly FoundRow[]): Parameters<typeof readCases>[1] {
  const idsOf = (matches: (name: string) => boolean): number[] =>
    rows.filter(({ Object: name }) => matches(name)).map(({ ObjectID: id }) => id);
  const parentsOf = (matches: (name: string) => boolean): number[] =>
    rows.flatMap(({ Parent: name, ParentID: id }) => (name !== null && id !== null && matches(name) ? [id] : []));
  const isLoan = (name: string): boolean => name === 'Loan';
  return {
    cases: [...new Set([...idsOf(isCase), ...parentsOf(isCase)])],
    loans: [...new Set([...idsOf(isLoan), ...parentsOf(isLoan)])],
    properties: idsOf((name) => name === 'Property'),
  };
}

function caseHit(found: FoundCase, rows: readonly FoundRow[]): PaletteHit {
  const { Object: name, ObjectID: id, LoanID: loan, Borrower: borrower, CaseNumber: number } = found;
  const by = rows.find(
    (row) =>
      (row.Object === name && row.ObjectID === id) ||
      (row.Object === 'Loan' && row.ObjectID === loan) ||
      (row.Parent === 'Loan' && row.ParentID === loan),
  );
  return {
    Object: name,
    ObjectID: id,
    Label: borrower ?? number,
    Detail: found.Address,
    CaseNumber: number,
    Status: found.Status,
    DateClosed: found.DateClosed,
    FoundBy: by?.FoundBy ?? 'Label',
    Snippet: null,
    PageNumber: null,
  };
}

function otherHit(row: FoundRow, cases: readonly FoundCase[]): PaletteHit {
  const of = cases.find(
    ({ Object: name, ObjectID: id, LoanID: loan }) =>
      (row.Parent === name && row.ParentID === id) || (row.Parent === 'Loan' && row.ParentID === loan),
  );
  return {
    Object: row.Object,
    ObjectID: row.ObjectID,
    Label: row.Label,
    Detail: null,
    CaseNumber: of?.CaseNumber ?? null,
    Status: row.Status,
    DateClosed: null,
    FoundBy: row.FoundBy,
    Snippet: null,
    PageNumber: null,
  };
}

function documentHit({ id, label, status, caseNumber, snippet, page }: DocumentHit): PaletteHit {
  return {
    Object: 'Attachment',
    ObjectID: id,
    Label: label,
    Detail: null,
    CaseNumber: caseNumber,
    Status: status,
    DateClosed: null,
    FoundBy: 'Text',
    Snippet: snippet,
    PageNumber: page,
  };
}
