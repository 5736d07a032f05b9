import type { Row } from '../../../../kernel/door/answer.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { trackingNames, type Column, type RecordType } from '../../../../kernel/declare/record.ts';
import { valueText } from '../../../../kernel/parameters/value-text.ts';
import { differs } from '../../../../kernel/records/save/version-conflict.ts';
import { fromOf, idOf, selectListOf } from '../../../../kernel/database/sql.ts';
import { countNumberComparison, mayReadNumbers } from '../../../../kernel/records/save/number-comparison.ts';
import { readBorrowers, type Borrower } from '../../../contacts/public/borrowers.ts';
import type { publicRecord } from '../../records/publicrecord.record.ts';
import type { loan } from '../loan.record.ts';

/** A value or a record of a loan that waits and that the loan of its number does not have. */
export interface Difference {
  /** Names it in a decision: `Loan.UPBAmount`, `Borrower 2.LastName`, or `Borrower 3` for a whole record. */
  readonly key: string;
  readonly record: RecordType;
  /** Undefined for a whole record. */
  readonly field: string | undefined;
  /** Null where there is no record. */
  readonly ourId: number | null;
  readonly theirId: number;
  readonly ours: string | null;
  readonly theirs: string;
}

/** A record of the loan and the one of the waiting loan that corresponds to it. */
export interface Pair<R extends Row = Row> {
  /** `Borrower 1`, `PublicRecord 2`. */
  readonly name: string;
  readonly ours: R | undefined;
  readonly theirs: R;
  /** Whether the numbers, which rows hold masked, are different. */
  readonly isOtherNumber?: boolean;
}

/** A loan that waits beside the loan of its number. */
export interface ComparedLoans {
  readonly property: Pair | undefined;
  readonly borrowers: readonly Pair<Borrower['row']>[];
  readonly publicRecords: readonly Pair<Row<typeof publicRecord>>[];
  readonly differences: readonly Difference[];
}

type LoanRow = Row<typeof loan>;

/** Fields that identify a record or relate it to others. An assignment sets them itself. */
const IDENTITY: ReadonlySet<string> = new Set([
  ...trackingNames,
  'Agency',
  'Loan',
  'PropertyID',
  'SourceOrganizationID',
  'LoanID',
  'Object',
  'ObjectID',
  'ParentContactID',
  'Sequence',
]);

/**
 * Compares a loan that waits with the loan that it would be assigned to: values, property, borrowers by Sequence, and
 * public records of one kind in order. Where the waiting loan has no value there is nothing to decide.
 */
export async function compareLoans(ctx: Context, ours: LoanRow, theirs: LoanRow): Promise<ComparedLoans> {
  const property = await propertyPair(ctx, ours, theirs);
  const borrowers = pairBorrowers(await readBorrowers(ctx, ours.LoanID), await readBorrowers(ctx, theirs.LoanID));
  await countComparisons(ctx, borrowers);
  const publicRecords = pairByKind(await readPublicRecords(ctx, ours), await readPublicRecords(ctx, theirs));
  const type = (name: 'Property' | 'Contact' | 'PublicRecord'): RecordType => ctx.registry.recordType(name);
  return {
    property,
    borrowers,
    publicRecords,
    differences: [
      ...differencesOf(ctx.registry.recordType('Loan'), { name: 'Loan', ours, theirs }),
      ...(property ? differencesOf(type('Property'), property) : []),
      ...borrowers.flatMap((pair) => differencesOf(type('Contact'), pair)),
      ...publicRecords.flatMap((pair) => differencesOf(type('PublicRecord'), pair)),
    ],
  };
}

async function propertyPair(ctx: Context, ours: LoanRow, theirs: LoanRow): Promise<Pair | undefined> {
  if (theirs.PropertyID === null || theirs.PropertyID === ours.PropertyID) return undefined;
  const record = ctx.registry.recordType('Property');
  const read = async (id: number | null): Promise<Row | undefined> => {
    const [row] = await ctx.db.query<Row>(
      `select ${selectListOf(record)} from ${fromOf(record)} where ${idOf(record)} = $1::bigint`,
      [id],
    );
    return row;
  };
  const found = await read(theirs.PropertyID);
  return found && { name: 'Property', ours: await read(ours.PropertyID), theirs: found };
}

function readPublicRecords(ctx: Context, { LoanID }: LoanRow): Promise<Row<typeof publicRecord>[]> {
  return ctx.db.query<Row<typeof publicRecord>>(
    `select ${selectListOf(ctx.registry.recordType('PublicRecord'))} from publicrecord
     where publicrecord.loanid = $1::bigint order by publicrecord.publicrecordid`,
    [LoanID],
  );
}

/** A pair of borrowers, with their numbers for comparing. */
type BorrowerPair = Pair<Borrower['row']> & { readonly numbers: readonly (string | null)[] };

/** Counts pairs whose numbers end alike: the caller may have chosen one of them to learn whether it is right. */
async function countComparisons(ctx: Context, pairs: readonly BorrowerPair[]): Promise<void> {
  if (mayReadNumbers(ctx)) return;
  const contact = ctx.registry.recordType('Contact');
  for (const { numbers } of pairs) {
    const [our = null, their = null] = numbers;
    if (our !== null && their !== null && our.slice(-4) === their.slice(-4))
      await countNumberComparison(ctx, contact, 'USSSN', our === their);
  }
}

function pairBorrowers(ours: readonly Borrower[], theirs: readonly Borrower[]): BorrowerPair[] {
  const free = new Set(ours);
  return theirs.map((their, n) => {
    const { Sequence: sequence } = their.row;
    const our = sequence === null ? undefined : [...free].find(({ row }) => row.Sequence === sequence);
    if (our) free.delete(our);
    return {
      name: `Borrower ${sequence ?? `without Sequence ${n + 1}`}`,
      ours: our?.row,
      theirs: their.row,
      isOtherNumber: their.number !== null && our !== undefined && our.number !== their.number,
      numbers: [our?.number ?? null, their.number],
    };
  });
}

function pairByKind(
  ours: readonly Row<typeof publicRecord>[],
  theirs: readonly Row<typeof publicRecord>[],
): Pair<Row<typeof publicRecord>>[] {
  const free = new Set(ours);
  return theirs.map((their, n) => {
    const our = [...free].find((row) => row.PublicRecord === their.PublicRecord);
    if (our) free.delete(our);
    return { name: `PublicRecord ${n + 1}`, ours: our, theirs: their };
  });
}

function differencesOf(record: RecordType, pair: Pair): Difference[] {
  const { name, ours, theirs } = pair;
  const theirId = Number(theirs[record.idField]);
  if (!ours) {
    const label = theirs[record.name] ?? null;
    const text = label === null ? name : valueText(label);
    return [{ key: name, record, field: undefined, ourId: null, theirId, ours: null, theirs: text }];
  }
  const ourId = Number(ours[record.idField]);
  return record.shown
    .filter((column) => isDifferent(column, pair))
    .map(({ name: field }) => ({
      key: `${name}.${field}`,
      record,
      field,
      ourId,
      theirId,
      ours: textOf(ours[field]),
      theirs: textOf(theirs[field]) ?? '',
    }));
}

function isDifferent(column: Column, { ours, theirs, isOtherNumber }: Pair): boolean {
  const { name, field } = column;
  if (field.computed || IDENTITY.has(name) || (theirs[name] ?? null) === null) return false;
  return field.kind === 'ssn' ? isOtherNumber === true : differs(column, ours?.[name], theirs[name]);
}

function textOf(value: unknown): string | null {
  return value === null || value === undefined ? null : valueText(value);
}
