import { slowSearchMilliseconds } from '../../declare/core-settings.ts';
import type { RecordType } from '../../declare/record.ts';
import type { Context } from '../../door/context.ts';
import { tablesOf } from '../../database/sql.ts';
import type { Parameters } from '../../parameters/parameters.ts';
import type { RawValue } from '../../parameters/parse-value.ts';
import { firmOf } from '../../security/identity.ts';
import { filterColumn } from './filter.ts';
import type { SearchQuery, StatementTime } from './page.ts';

/** A search by the names of its columns. */
interface NamedSearch {
  readonly record: RecordType;
  readonly filters: Parameters;
  readonly orderBy: readonly string[];
}

/** Records the search if its statements were slow: only the names of its columns, no values. */
export function noteIfSlow(ctx: Context, { statements }: SearchQuery, { record, filters, orderBy }: NamedSearch): void {
  const limit = ctx.settings.get(slowSearchMilliseconds);
  const milliseconds = statements.reduce((sum, statement) => sum + statement.milliseconds, 0);
  const slowest = statements.reduce(
    (a, b) => (b.milliseconds > a.milliseconds ? b : a),
    statements[0] as StatementTime,
  );
  if (limit <= 0 || milliseconds <= limit) return;
  const names = Object.keys(filters).map((name) => {
    const column = filterColumn(record, name.toLowerCase());
    return `${isPattern(filters[name] ?? null) ? '*' : ''}${column?.name ?? name}`;
  });
  ctx.slowSearches.note({
    record: record.name,
    filters: names
      .sort((a, b) => a.localeCompare(b))
      .join()
      .slice(0, NAMES_CHARACTERS_MAX),
    orderBy: orderBy.join().slice(0, NAMES_CHARACTERS_MAX),
    milliseconds,
    statement: slowest,
    firm: firmOf(ctx.user),
    tables: tablesOf(record).map(({ table }) => table),
  });
}

/** Longest list of names that is noted. */
const NAMES_CHARACTERS_MAX = 1_000;

/** Whether a filter is a text with `*`. */
function isPattern(raw: RawValue): boolean {
  if (Array.isArray(raw)) return (raw as readonly RawValue[]).some(isPattern);
  return typeof raw === 'string' && raw.includes('*') && !raw.startsWith('"');
}
