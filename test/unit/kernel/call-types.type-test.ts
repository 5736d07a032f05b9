/**
 * What the compiler refuses in calls of operations: a line below an `@ts-expect-error` must not compile. Nothing here
 * runs; the type check fails where such a line compiles after all.
 */
import type { OperationName } from '../../../src/kernel/declare/catalog.ts';
import type { Context } from '../../../src/kernel/door/context.ts';
import type { Parameters } from '../../../src/kernel/parameters/parameters.ts';
import type { PageCall } from '../../../src/surfaces/pages/page-call.ts';
import { columnText } from '../../../src/surfaces/pages/plain-text.ts';

/** Names of operations. Not in a call: the compiler would compare its parameters with those of every operation. */
// @ts-expect-error -- there is no such operation
export const unknownOperation: OperationName = 'contact/selekt';

/** Parameters of `ctx.call`. */
export async function callParameters(ctx: Context, sent: Parameters): Promise<void> {
  await ctx.call('contact/select', { ID: 5 });
  // @ts-expect-error -- the required parameter ID is missing
  await ctx.call('contact/select', {});
  // @ts-expect-error -- an id is a number
  await ctx.call('contact/select', { ID: '5' });
  // @ts-expect-error -- there is no parameter Id
  await ctx.call('contact/select', { ID: 5, Id: 5 });
  // @ts-expect-error -- there is no parameter Reasn, also if it comes from a spread
  await ctx.call('smartworklistmember/cancel', { ID: [5], ...{ Reasn: 'a' } });
  const misspelled = { ID: [5], Reasn: 'a' };
  // @ts-expect-error -- nor if it comes from a variable
  await ctx.call('smartworklistmember/cancel', misspelled);
  // @ts-expect-error -- nor in one of several forms
  await ctx.call('smartworklistmember/cancel', sent['X'] ? { ID: [5] } : { ID: [5], Reasn: 'a' });
  // @ts-expect-error -- Select accepts declared parameters only
  await ctx.call('contact/select', { ID: 5 }, sent);
  // @ts-expect-error -- names that are known only at run time are a third argument
  await ctx.call('contact/save', sent);
  await ctx.call('contact/save', { LastName: 'Smith' }, sent);
  await ctx.call('matrix/lookup', { Matrix: 'Fees', State: 'CA' });
}

/** Columns, children and templates in a save. */
export async function savedColumns(ctx: Context): Promise<void> {
  await ctx.call('contact/save', { ID: 5, LastName: null, Object: 'Loan', ObjectID: 7, Template: 'Borrower' });
  // @ts-expect-error -- there is no column LastNam
  await ctx.call('contact/save', { LastNam: 'Smith' });
  // @ts-expect-error -- the platform computes CreatedDate
  await ctx.call('contact/save', { CreatedDate: '2026-01-01' });
  // @ts-expect-error -- Sequence is a number
  await ctx.call('contact/save', { Sequence: 'first' });
  // @ts-expect-error -- undefined would empty the column
  await ctx.call('contact/save', { LastName: undefined });
  await ctx.call('foreclosure/save', { Foreclosure: '17-1', LoanID: 7, SaleAmount: '1.50', LoanSubscriberID: 'X1' });
  // @ts-expect-error -- a bankruptcy has no sale
  await ctx.call('bankruptcy/save', { SaleAmount: '1.50' });
  await ctx.call('organization/save', {
    Organization: 'Firm',
    Methods: [{ MethodType: 'Email', ContactValue: 'a@firm.example' }],
  });
  // @ts-expect-error -- a contact method has no column Value
  await ctx.call('organization/save', { Methods: [{ MethodType: 'Email', Value: 'a@firm.example' }] });
  await ctx.call('loan/save', { Loan: '7', Borrowers: [{ LastName: 'Smith', Sequence: 1 }] });
  // @ts-expect-error -- a loan has no items
  await ctx.call('loan/save', { Items: [] });
}

/** Filters of a search. */
export async function searchFilters(ctx: Context): Promise<void> {
  await ctx.call('contact/search', { LastName: 'Smi*', ContactID: '>=5', LinkedTo: 'Loan:5', DisplaySize: 10 });
  // @ts-expect-error -- there is no column LastNam
  await ctx.call('contact/search', { LastNam: 'Smi*' });
  // @ts-expect-error -- a number of rows is not a boolean
  await ctx.call('contact/search', { DisplaySize: true });
  await ctx.call('contact/search', { OrderBy: ['-LastName'], SqlColumns: ['LastName'] });
  // @ts-expect-error -- there is no column LastNam
  await ctx.call('contact/search', { OrderBy: ['-LastNam'] });
  // @ts-expect-error -- nor is it returned
  await ctx.call('contact/search', { SqlColumns: ['LastNam'] });
}

/** Columns of answers. */
export async function answeredColumns(ctx: Context): Promise<readonly unknown[]> {
  const { row } = await ctx.call('contact/select', { ID: 5 });
  const id: number = row.ContactID;
  const { rows } = await ctx.call('loan/search', { Loan: '7' });
  const balance: string | null | undefined = rows[0]?.UPBAmount;
  const changes = await ctx.call('loan/history', { ID: 5 });
  const selected = await ctx.call('loan/search', { SqlColumns: ['LoanID'] });
  return [
    id,
    balance,
    row.LastName,
    // @ts-expect-error -- a contact has no column LastNam
    row.LastNam,
    // @ts-expect-error -- a loan has no column Contact
    rows[0]?.Contact,
    selected.rows[0]?.LoanID,
    // @ts-expect-error -- only the requested columns are returned
    selected.rows[0]?.UPBAmount,
    // @ts-expect-error -- a change has no column LoanID
    changes.rows[0]?.LoanID,
  ];
}

/** Calls of pages: values may be text, as a form sends them. */
export async function pageCalls(call: PageCall, sent: Parameters): Promise<readonly unknown[]> {
  const { answer } = await call.call('person/select', { ID: '5' });
  // @ts-expect-error -- the required parameter ID is missing
  await call.call('person/select', {});
  // @ts-expect-error -- there is no parameter Idd
  await call.call('person/select', { ID: 5, Idd: 5 });
  // @ts-expect-error -- an id is no truth value
  await call.call('person/select', { ID: true });
  // @ts-expect-error -- a person has no column Rolls
  await call.call('person/update', { ID: 5, Rolls: 'Staff' });
  // @ts-expect-error -- there is no such operation
  call.may('person/selekt');
  const below = await call.callBelow('loan/5', 'contact/search', { LastName: 'Smi*' });
  // @ts-expect-error -- a contact has no column Company2
  await call.callBelow('loan/5', 'contact/search', { Company2: 'a' });
  await call.callNamed(`${String(sent['Module'])}/search`, sent);
  return [
    answer.row.Person,
    columnText(answer.row, 'FirstName'),
    // @ts-expect-error -- a person has no column Persn
    answer.row.Persn,
    // @ts-expect-error -- nor is it found by that name
    columnText(answer.row, 'Persn'),
    // @ts-expect-error -- a contact has no column Persn
    below.answer.rows[0]?.Persn,
  ];
}
