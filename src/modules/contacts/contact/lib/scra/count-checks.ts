import type { Context } from '../../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../../kernel/door/errors.ts';
import { mayReadNumbers } from '../../../../../kernel/records/save/number-comparison.ts';
import { militaryChecksPerHour } from '../../settings.ts';

/** The event of the security log: contacts are compared with the records of service members. */
const EVENT = 'SCRASearched';

const MINUTES = 60;

/**
 * Writes checks of a number of contacts to the security log, and counts them unless the caller may read numbers: the
 * result tells whether a contact's number, which the caller may have guessed, is that of a service member of this name.
 *
 * @throws TOO_MANY beyond the limit
 */
export async function countMilitaryChecks(ctx: Context, count: number): Promise<void> {
  const entry = {
    event: EVENT,
    object: 'Contact',
    address: ctx.address,
    detail: `${ctx.operation.route}, ${count} contacts`,
  };
  if (mayReadNumbers(ctx)) {
    await ctx.security({ ...entry, personId: ctx.caller.personId });
    return;
  }
  const most = ctx.settings.get(militaryChecksPerHour);
  const wait = await ctx.limitedSecurity(entry, { most, minutes: MINUTES, count });
  if (wait > 0)
    throw new PlatformError('TOO_MANY', {
      field: 'ID',
      message:
        `ID: you may check the military status of ${most} contacts per hour; nothing was queued. Send fewer, ` +
        `or try again in ${Math.ceil(wait / 60)} minutes.`,
      details: { RetryAfterSeconds: wait },
    });
}
