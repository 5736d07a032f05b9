import { calendarDay, type Clock } from './clock.ts';
import { timeZone } from '../declare/core-settings.ts';
import type { Settings } from '../declare/setting.ts';

/** Returns the calendar date in the installation's time zone. */
export function today({ clock, settings }: { readonly clock: Clock; readonly settings: Settings }): string {
  return calendarDay(settings.get(timeZone), clock.milliseconds());
}
