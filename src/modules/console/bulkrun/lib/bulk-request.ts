import type { Row } from '../../../../kernel/door/answer.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { f, required } from '../../../../kernel/declare/field.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { checkSignature, type Signature } from '../../../../kernel/door/signature.ts';
import type { RecordType } from '../../../../kernel/declare/record.ts';
import type { Parameters } from '../../../../kernel/parameters/parameters.ts';
import { listedType, viewFilters } from '../../view/lib/view-search.ts';

/** Most records that are named one by one. More are found by the filters of their list. */
const IDS_MAX = 1_000;

/** The parameters that say what is done to which records. */
export const requestFields = {
  RecordType: required(f.text({ doc: 'The record type of the list, such as CaseSummary.', max: 60, exact: true })),
  ID: f.idList({ doc: 'The records. Without them all that the filters find.', max: IDS_MAX }),
  Filters: f.text({ doc: "The list's filters as a query string, as in a view.", max: 4000, exact: true }),
  Signature: required(
    f.text({
      doc: "The call for each record, such as Process/Save?ID={ProcessID}&Status=Open. {Column} is the list's value.",
      max: 20_000,
      exact: true,
    }),
  ),
};

/** The values of {@link requestFields}. */
export interface BulkParameters {
  readonly RecordType: string;
  readonly ID?: readonly number[] | null;
  readonly Filters?: string | null;
  readonly Signature: string;
}

/** What a bulk change does to which records. */
export interface BulkRequest {
  readonly record: RecordType;
  readonly signature: Signature;
  /** The search that finds the records. */
  readonly filters: Parameters;
  readonly named: readonly string[];
}

/** Returns a bulk change as its parameters describe it. Throws BAD_SIGNATURE, BAD_PARAMETER or MISSING_PARAMETER. */
export async function readRequest(ctx: Context, params: BulkParameters): Promise<BulkRequest> {
  const { RecordType, ID, Filters, Signature: text } = params;
  const record = listedType(ctx, RecordType);
  const signature = await checkSignature(ctx, text, { field: 'Signature' });
  if (ID && ID.length > 0) return { record, signature, filters: { ID: ID.map(String) }, named: [] };
  if (Filters === undefined || Filters === null)
    throw new PlatformError('MISSING_PARAMETER', {
      field: 'ID',
      message: 'ID is required: the records. Or send Filters for all records that a list shows.',
    });
  return { record, signature, ...viewFilters(ctx, record, Filters) };
}

/** Returns a column of a listed row, whatever its case in the signature. */
export function columnOf({ columns }: RecordType, row: Row, name: string): string | number | boolean | null {
  const value = row[columns.get(name.toLowerCase())?.name ?? name];
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null;
}
