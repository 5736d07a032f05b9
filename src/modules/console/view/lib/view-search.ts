import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import type { RecordType } from '../../../../kernel/declare/record.ts';
import { bad } from '../../../../kernel/parameters/parse-value.ts';
import { parametersFromQuery, type Parameters } from '../../../../kernel/parameters/parameters.ts';
import { splitCommaList } from '../../../../kernel/parameters/split-list.ts';
import { valueText } from '../../../../kernel/parameters/value-text.ts';
import { isClosed } from '../../../../kernel/records/search/read.ts';
import { assertSearchFilters, assertSearchPaging } from '../../../../kernel/records/search/check-search.ts';

/** In a filter on a user: whoever looks at the list. */
const ME = 'me';

/**
 * Returns the record type of a list. Throws BAD_PARAMETER for an unknown one, NO_PERMISSION for one that the caller may
 * not search.
 */
export function listedType(ctx: Context, name: string): RecordType {
  const record = ctx.registry.requireRecord(name, 'RecordType');
  if (!ctx.user.permissions.has(`${record.name}Search`) || isClosed(ctx, record))
    throw new PlatformError('NO_PERMISSION', {
      field: 'RecordType',
      message: `RecordType: you may not search ${record.name} records.`,
    });
  return record;
}

/** A search as a view stores it. */
export interface StoredSearch {
  readonly filters: string | null | undefined;
  readonly columns?: string | null | undefined;
  readonly sortedBy?: string | null | undefined;
}

/** The filters of a view, as a search takes them. */
export interface ViewFilters {
  readonly filters: Parameters;
  /** The named filters of the record type. */
  readonly named: readonly string[];
}

/** Parses the filters of a view for the calling user. */
export function viewFilters(ctx: Context, record: RecordType, text: string | null | undefined): ViewFilters {
  const { SqlFilters, ...sent } = parametersFromQuery(text ?? '');
  const filters = Object.fromEntries(
    Object.entries(sent).map(([name, value]) => {
      const isUser = record.columns.get(name.toLowerCase())?.field.to === 'Person';
      return [name, isUser && valueText(value).toLowerCase() === ME ? String(ctx.user.personId) : value];
    }),
  );
  const named = [SqlFilters ?? []].flat().flatMap((each) => splitCommaList(valueText(each)));
  return { filters, named };
}

/** Throws BAD_PARAMETER with the view's field unless a search of the record type accepts what the view stores. */
export function assertViewSearch(ctx: Context, record: RecordType, stored: StoredSearch): void {
  const { filters, named } = viewFilters(ctx, record, stored.filters);
  inField('Filters', () => {
    assertSearchFilters(ctx, record, filters);
    assertSearchPaging(record, { SqlFilters: named });
  });
  inField('Columns', () => assertSearchPaging(record, { SqlColumns: splitCommaList(stored.columns ?? '') }));
  inField('SortedBy', () => assertSearchPaging(record, { OrderBy: splitCommaList(stored.sortedBy ?? '') }));
}

function inField(field: string, check: () => void): void {
  try {
    check();
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    throw bad(field, `what a search accepts: ${error.message}`);
  }
}
