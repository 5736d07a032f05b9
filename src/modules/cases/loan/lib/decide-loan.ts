import type { Row } from '../../../../kernel/door/answer.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { matchNames, readName } from '../../../../lib/names/match-names.ts';
import { valueText } from '../../../../kernel/parameters/value-text.ts';
import { fromOf, idOf, selectListOf } from '../../../../kernel/database/sql.ts';
import { readBorrowers, type Borrower } from '../../../contacts/public/borrowers.ts';
import type { property } from '../../records/property.record.ts';
import type { loan } from '../loan.record.ts';
import { loanAssignmentByName, loanAssignmentMatrix } from '../settings.ts';
import { assignLoan, readPair } from './assign-loan.ts';
import type { AssignmentMethod } from './assignments.ts';

/** What was decided, and by what. */
export interface LoanDecision {
  readonly Outcome: 'Assigned' | 'Waiting';
  readonly Reason: string;
}

/** Confidence from which the name matcher holds two names to be the same person's. */
const SAME_NAME = 80;

type LoanRow = Row<typeof loan>;
type PropertyRow = Row<typeof property>;

/** A waiting loan, the one of its number, and in what they agree. */
interface Agreement {
  readonly theirs: LoanRow;
  readonly state: string | null;
  readonly namesAgree: boolean;
  readonly postalCodeAgrees: boolean;
}

const waiting = (Reason: string): LoanDecision => ({ Outcome: 'Waiting', Reason });

/** Assigns a loan that waits if the rule or the matrix says so. */
export async function decideLoan(ctx: Context, id: number): Promise<LoanDecision> {
  const isRule = ctx.settings.get(loanAssignmentByName);
  const matrix = ctx.settings.get(loanAssignmentMatrix);
  if (!isRule && matrix === '') return waiting('Neither a rule nor a matrix is configured.');
  const present = await ctx.db.query("select 1 from loan where loanid = $1::bigint and assignmentstatus = 'Waiting'", [
    id,
  ]);
  const pair = present.length === 0 ? undefined : await readPair(ctx, id, undefined);
  if (!pair) return waiting('The loan does not wait, or no other loan has its number.');
  if (!(await isFirstAttempt(ctx, pair.theirs))) return waiting('The number was compared for this firm before.');
  const agreement = await compare(ctx, pair.ours, pair.theirs);
  const method = await decidedBy(ctx, agreement, { isRule, matrix });
  if (method === undefined) return waiting('Staff decide.');
  await assignLoan(ctx, { waitingId: id, loanId: undefined, theirs: [], method });
  return {
    Outcome: 'Assigned',
    Reason: method === 'Matrix' ? `The matrix ${matrix}.` : 'Borrower names and postal code agree.',
  };
}

async function decidedBy(
  ctx: Context,
  agreement: Agreement,
  { isRule, matrix }: { readonly isRule: boolean; readonly matrix: string },
): Promise<AssignmentMethod | undefined> {
  if (isRule && agreement.namesAgree && agreement.postalCodeAgrees) return 'Automatic';
  return matrix !== '' && (await matrixAssigns(ctx, matrix, agreement)) ? 'Matrix' : undefined;
}

/** Notes that a firm's number is compared; false if it was before: a firm could try values until they agree. */
async function isFirstAttempt(ctx: Context, { SourceOrganizationID, Agency, Loan }: LoanRow): Promise<boolean> {
  if (SourceOrganizationID === null) return false;
  const noted = await ctx.db.query(
    `insert into loanassignmentattempt (organizationid, agency, loan, createddate)
     values ($1::bigint, $2::text, $3::text, $4::timestamptz) on conflict do nothing returning 1`,
    [SourceOrganizationID, Agency, Loan, ctx.clock.now()],
  );
  return noted.length > 0;
}

async function compare(ctx: Context, ours: LoanRow, theirs: LoanRow): Promise<Agreement> {
  const [ourProperty, theirProperty] = [await readProperty(ctx, ours), await readProperty(ctx, theirs)];
  const zip = (row: PropertyRow | undefined): string => (row?.PostalCode ?? '').trim().slice(0, 5);
  return {
    theirs,
    state: theirProperty?.State ?? null,
    namesAgree: namesAgree(await readBorrowers(ctx, ours.LoanID), await readBorrowers(ctx, theirs.LoanID)),
    postalCodeAgrees: zip(theirProperty) !== '' && zip(theirProperty) === zip(ourProperty),
  };
}

async function readProperty(ctx: Context, { PropertyID }: LoanRow): Promise<PropertyRow | undefined> {
  const record = ctx.registry.recordType('Property');
  const [row] = await ctx.db.query<PropertyRow>(
    `select ${selectListOf(record)} from ${fromOf(record)} where ${idOf(record)} = $1::bigint`,
    [PropertyID],
  );
  return row;
}

/** Whether each borrower of the waiting loan has the name of another one of the loan. */
function namesAgree(ours: readonly Borrower[], theirs: readonly Borrower[]): boolean {
  const free = ours.map(nameOf).filter((name) => name !== '');
  return (
    theirs.length > 0 &&
    theirs.every((borrower) => {
      const name = nameOf(borrower);
      const same = name === '' ? -1 : free.findIndex((other) => isSameName(other, name));
      if (same >= 0) free.splice(same, 1);
      return same >= 0;
    })
  );
}

function nameOf({ row }: Borrower): string {
  const parts = [row.FirstName, row.MiddleName, row.LastName, row.Suffix].filter(
    (part) => part !== null && part !== '',
  );
  return parts.length > 0 ? parts.join(' ') : (row.Company ?? '');
}

function isSameName(first: string, second: string): boolean {
  return matchNames(readName(first), readName(second)).confidence >= SAME_NAME;
}

/** Whether the matrix's best row says Assign. Only the inputs that it has are sent. */
async function matrixAssigns(ctx: Context, matrix: string, agreement: Agreement): Promise<boolean> {
  const inputs = await matrixInputs(ctx, agreement);
  const { root } = await ctx.call('matrix/columns', { Matrix: matrix });
  const columns = root.children.map(({ name, attributes }) => ({
    isInput: name === 'Input',
    parameter: valueText(attributes?.['Parameter'] ?? ''),
  }));
  const sent: Record<string, unknown> = {};
  for (const { isInput, parameter } of columns) {
    const value = inputs.get(parameter.toLowerCase());
    if (isInput && value !== undefined) sent[parameter] = value;
  }
  const { rows } = await ctx.call('matrix/lookup', { Matrix: matrix, DisplaySize: 1 }, sent);
  const [best] = rows;
  const output = columns.find(({ isInput }) => !isInput)?.parameter;
  if (best?.MisMatchCount !== 0 || output === undefined) return false;
  return (
    valueText((best as Row)[output] ?? '')
      .trim()
      .toLowerCase() === 'assign'
  );
}

/** Returns the values of the inputs that a matrix may have, by their names in lower case; none for empty ones. */
async function matrixInputs(ctx: Context, agreement: Agreement): Promise<ReadonlyMap<string, string | number>> {
  const { theirs, state, namesAgree: names, postalCodeAgrees: zip } = agreement;
  const firm = theirs.SourceOrganizationID;
  const { row } = firm === null ? { row: undefined } : await ctx.call('organization/select', { ID: firm });
  const values: readonly (readonly [string, string | number | null | undefined])[] = [
    ['agency', theirs.Agency],
    ['loantype', theirs.LoanType],
    ['state', state],
    ['firm', row?.Organization],
    ['organizationid', firm],
    ['namesagree', names ? 'Yes' : 'No'],
    ['postalcodeagrees', zip ? 'Yes' : 'No'],
  ];
  return new Map(values.flatMap(([name, value]) => (value === null || value === undefined ? [] : [[name, value]])));
}
