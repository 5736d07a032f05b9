import { calendarDay, type Clock } from './clock.ts';
import { timeZone } from '../declare/core-settings.ts';
import type { Settings } from '../declare/setting.ts';

/** The calendar day that it is where the installation is. */
export function today({ clock, settings }: { readonly clock: Clock; readonly settings: Settings }): string {
  return calendarDay(settings.get(timeZone), clock.milliseconds());
}
