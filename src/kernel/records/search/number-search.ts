/**
 * Searches by a Social Security number. Its last four digits are shown, so whoever may search for numbers at will finds
 * the other five by trying: searches by number are exact, one number at a time, counted, limited and logged.
 */
import { numberSearchesPerHour } from '../../declare/core-settings.ts';
import type { RecordType } from '../../declare/record.ts';
import type { Context } from '../../door/context.ts';
import { PlatformError } from '../../door/errors.ts';
import type { Parameters } from '../../parameters/parameters.ts';
import { assertNoAgent } from '../save/number-comparison.ts';
import { filterColumn } from './filter.ts';
import { assertNumberFilter } from './number-filter.ts';

/** How often a stored number may be compared. */
const MINUTES = 60;

/** The event of the security log: a stored number was compared with one that the caller chose. */
const EVENT = 'SSNSearched';

/** Throws for the first filter on a protected number that a search would refuse, before the search is queued. */
export function assertNumberFilters(ctx: Context, record: RecordType, filters: Parameters): void {
  for (const name in filters) {
    const column = filterColumn(record, name.toLowerCase());
    if (column?.field.kind === 'ssn' && assertNumberFilter(column, filters[name] ?? null, name))
      assertNoAgent(ctx, name);
  }
}

/**
 * Counts a comparison of a stored number with one that the caller chose, and writes it to the security log, without the
 * number.
 * @throws NO_PERMISSION for agents, TOO_MANY beyond the limit
 */
export async function countNumberSearch(ctx: Context, record: RecordType, name: string): Promise<void> {
  assertNoAgent(ctx, name);
  const most = ctx.settings.get(numberSearchesPerHour);
  const wait = await ctx.limitedSecurity(
    { event: EVENT, object: record.name, address: ctx.address, detail: ctx.operation.route },
    { most, minutes: MINUTES },
  );
  if (wait > 0)
    throw new PlatformError('TOO_MANY', {
      field: name,
      message:
        `${name}: you may compare Social Security numbers ${most} times per hour. Use the name and the last four ` +
        `digits, or try again in ${Math.ceil(wait / 60)} minutes.`,
      details: { RetryAfterSeconds: wait },
    });
}
