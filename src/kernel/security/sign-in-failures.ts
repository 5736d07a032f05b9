import { createHash } from 'node:crypto';
import type { Clock } from '../time/clock.ts';
import { deleteBefore } from '../database/delete-by-age.ts';
import type { Db } from '../database/store.ts';
import type { Platform } from '../ports/platform.ts';

/** The fixed time window in which events such as registrations are counted. Attempts to sign in are not counted so. */
export interface FailureWindow {
  readonly clock: Clock;
  readonly minutes: number;
}

/** Returns the start of the current window. */
export function windowStart({ clock, minutes }: FailureWindow): string {
  const length = windowMilliseconds(minutes);
  return new Date(Math.floor(clock.milliseconds() / length) * length).toISOString();
}

/** Returns the window's length; a setting below one minute counts as one. */
export function windowMilliseconds(minutes: number): number {
  return Math.max(1, minutes) * 60_000;
}

/**
 * Returns how often a subject (an account, an address) has failed in the window. Counted in the database, so that it
 * applies to all processes; subjects are stored hashed.
 */
export async function failuresOf(db: Db, subject: string, window: FailureWindow): Promise<number> {
  const [row] = await db.query<{ failures: number }>(
    'select failures from signinfailure where subject = $1::bytea and windowstart = $2::timestamptz',
    [hashOf(subject), windowStart(window)],
  );
  return row?.failures ?? 0;
}

/** Counts one more failure and returns the new count. */
export async function countFailure(db: Db, subject: string, window: FailureWindow): Promise<number> {
  const [row] = await db.query<{ failures: number }>(
    'insert into signinfailure as s (subject, windowstart, failures) values ($1::bytea, $2::timestamptz, 1) ' +
      'on conflict (subject, windowstart) do update set failures = s.failures + 1 returning failures',
    [hashOf(subject), windowStart(window)],
  );
  return row?.failures ?? 1;
}

function hashOf(subject: string): Buffer {
  return createHash('sha256').update(subject).digest();
}

/** Deletes windows that began before an instant, and returns how many. */
export function deleteFailuresBefore(platform: Platform, before: string): Promise<number> {
  return deleteBefore(platform, 'signinfailure', 'windowstart', before);
}
