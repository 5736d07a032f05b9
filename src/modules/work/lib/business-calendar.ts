import type { Context } from '../../../kernel/door/context.ts';
import { businessHours, timeZone as zoneSetting } from '../../../kernel/declare/core-settings.ts';
import { calendarOf, parseBusinessHours, type BusinessCalendar } from '../../../kernel/time/business-calendar.ts';

/**
 * Most holidays that are read: two centuries of twenty per year. Beyond that, the oldest one-time holidays are left
 * out.
 */
const HOLIDAYS_MAX = 4_000;

/**
 * Returns the installation's business calendar: the setting BusinessHours without the committed Holiday records, in the
 * installation's time zone. Cached until they change.
 */
export function businessCalendar({
  configuration,
  settings,
}: Pick<Context, 'configuration' | 'settings'>): Promise<BusinessCalendar> {
  const [zone, hours] = [settings.get(zoneSetting), settings.get(businessHours)];
  return configuration.get(`business calendar ${zone} ${hours}`, async () => {
    const holidays = await configuration.db.query<{ date: string; yearly: boolean }>(
      'select date, coalesce(yearly, false) as yearly from holiday order by coalesce(yearly, false) desc, ' +
        `holiday.date desc limit ${HOLIDAYS_MAX}`,
    );
    return calendarOf(zone, parseBusinessHours(hours, businessHours.name), holidays);
  });
}
