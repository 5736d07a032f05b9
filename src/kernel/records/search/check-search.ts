import { timeZone } from '../../declare/core-settings.ts';
import type { RecordType } from '../../declare/record.ts';
import type { Context } from '../../door/context.ts';
import type { Parameters } from '../../parameters/parameters.ts';
import { filterColumn, filterCondition, SqlParameters } from './filter.ts';
import { assertNumberFilters } from './number-search.ts';
import { orderKeys } from './order.ts';
import { isFilterName, isSearchable, pageOf, selectedColumns, sqlFilterCondition, type Paging } from './search.ts';
import { unknownColumn } from './unknown-column.ts';

/** Throws for filters that a search of a record type would refuse: unknown names and wrong values. Reads nothing. */
export function assertSearchFilters(ctx: Context, record: RecordType, filters: Parameters): void {
  assertNumberFilters(ctx, record, filters);
  const options = { timeZone: ctx.settings.get(timeZone) };
  for (const name in filters) {
    const column = filterColumn(record, name.toLowerCase());
    if (column && !isSearchable(column)) throw unknownColumn(record, name);
    // The values of other filters are ids in other systems, or what modules make of them.
    if (column) {
      const raw = filters[name] ?? null;
      filterCondition(column, raw, name, { options, cipher: ctx.cipher, sql: new SqlParameters() });
    } else if (!isFilterName(ctx.registry, record, name)) throw unknownColumn(record, name);
  }
}

/** Throws for paging, columns and orders that a search of a record type would refuse. Reads nothing. */
export function assertSearchPaging(record: RecordType, paging: Paging): void {
  const { orderBy, named, columnNames } = pageOf(paging);
  selectedColumns(record, columnNames);
  orderKeys(record, orderBy);
  for (const name of named) sqlFilterCondition(record, name);
}
