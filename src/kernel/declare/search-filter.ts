import type { Context } from '../door/context.ts';
import type { Parameters } from '../parameters/parameters.ts';
import type { FilterContext } from '../records/search/filter.ts';
import type { RecordType } from './record.ts';

/**
 * A filter that a module adds to the searches of all record types, besides their columns. Declared in a module's
 * `search-filters.ts`. A column of the same name wins.
 */
export interface SearchFilter {
  readonly name: string;
  readonly doc: string;
  /**
   * Returns the SQL condition on the record's tables. Values are added to the parameters of `filterContext`.
   * @throws BAD_PARAMETER
   */
  readonly condition: (ctx: Context, record: RecordType, sent: SentFilter, filterContext: FilterContext) => string;
}

/** One filter among the filters of a search. */
export interface SentFilter {
  /** Its name as it was sent. */
  readonly name: string;
  readonly filters: Parameters;
}

/** Declares filters of searches. */
export function defineSearchFilters(filters: readonly SearchFilter[]): readonly SearchFilter[] {
  return filters;
}
