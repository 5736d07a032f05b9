import { timeZone } from '../../../../kernel/declare/core-settings.ts';
import type { Settings } from '../../../../kernel/declare/setting.ts';
import { instantOfWallClock, type Clock } from '../../../../kernel/time/clock.ts';
import { today } from '../../../../kernel/time/today.ts';

const DAY_MILLISECONDS = 86_400_000;

/** Returns when the day begins that many days after today, in the installation's time zone. */
export function startOfDay(ctx: { readonly clock: Clock; readonly settings: Settings }, days: number): string {
  const wall = Date.parse(`${today(ctx)}T00:00:00Z`) + days * DAY_MILLISECONDS;
  return new Date(instantOfWallClock(ctx.settings.get(timeZone), wall)).toISOString();
}
