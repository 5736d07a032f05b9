import { createHash } from 'node:crypto';
import type { Store } from '../../../kernel/database/store.ts';
import { Cache } from '../../../kernel/time/cache.ts';
import type { Clock } from '../../../kernel/time/clock.ts';

/** Share of a limit that a process may use before it asks the database, and that it then takes at a time. */
const SHARES = 20;
/** Most subjects counted by a process at a time. One that is forgotten starts again with its share. */
const SUBJECTS_MAX = 50_000;

/** What a counter depends on. */
export interface CounterParts {
  readonly store: Store;
  readonly clock: Clock;
}

interface Count {
  /** Number of the window in time. */
  readonly window: number;
  limit: number;
  /** What this process has admitted. */
  used: number;
  /** What this process has counted in the database, for use now or later. */
  shared: number;
  /** Up to where this process may admit without asking the database. */
  granted: number;
  /** Whether the database has nothing left to give in this window. */
  isUsedUp: boolean;
  asking: Promise<void> | undefined;
}

/**
 * Counts what subjects use in windows of time, for all processes together.
 *
 * A process admits the first twentieth of a limit without asking, then takes one twentieth after the other from the
 * count in the database. So most uses cost no statement, and a limit below 20 is exact: each use is counted there. A
 * larger one admits up to a twentieth more for each further process, and less by what other processes have taken and
 * not used.
 */
export class SharedCounter {
  private readonly parts: CounterParts;
  private readonly kind: string;
  private readonly seconds: number;
  private readonly counts = new Cache<string, Count>({ max: SUBJECTS_MAX });

  /** `kind`: what is counted; `seconds`: the length of a window. */
  constructor(parts: CounterParts, kind: string, seconds: number) {
    this.parts = parts;
    this.kind = kind;
    this.seconds = seconds;
  }

  /** Counts an amount. Returns 0 if it is admitted, or else the seconds after which the next window begins. */
  count(subject: string, amount: number, limit: number): number | Promise<number> {
    const count = this.current(subject, limit);
    if (count.used + amount > count.granted) return this.ask(subject, count, amount);
    count.used += amount;
    return 0;
  }

  private current(subject: string, limit: number): Count {
    const window = Math.floor(this.parts.clock.milliseconds() / (this.seconds * 1000));
    const known = this.counts.get(subject);
    if (known?.window === window) {
      if (known.limit !== limit) changeLimit(known, limit);
      return known;
    }
    const granted = shareOf(limit);
    const count = { window, limit, used: 0, shared: 0, granted, isUsedUp: false, asking: undefined };
    this.counts.set(subject, count);
    return count;
  }

  private async ask(subject: string, count: Count, amount: number): Promise<number> {
    while (count.used + amount > count.granted) {
      if (count.isUsedUp) return this.secondsLeft(count);
      // One statement at a time: concurrent ones would each take a share.
      count.asking ??= this.take(subject, count, amount).finally(() => (count.asking = undefined));
      await count.asking;
    }
    count.used += amount;
    return 0;
  }

  /** Counts what was admitted without asking, the amount, and a further share in the database. */
  private async take(subject: string, count: Count, amount: number): Promise<void> {
    // Less than nothing if a raised limit gives back what a lower one refused.
    const taken = Math.max(0, count.used - count.shared + Math.max(amount, shareOf(count.limit)));
    const ends = new Date((count.window + 1) * this.seconds * 1000).toISOString();
    const [row] = await this.parts.store.query<{ used: number }>(
      `insert into usagecount as u (subject, ends, used)
       values ($1::bytea, $2::timestamptz, $3::bigint)
       on conflict (subject, ends) do update set used = u.used + excluded.used
       returning used`,
      [createHash('sha256').update(`${this.kind} ${subject}`).digest(), ends, taken],
    );
    const excess = Math.max(0, (row?.used ?? 0) - count.limit);
    count.shared += taken;
    count.granted = count.shared - excess;
    count.isUsedUp = excess > 0;
  }

  private secondsLeft({ window }: Count): number {
    const left = (window + 1) * this.seconds - Math.floor(this.parts.clock.milliseconds() / 1000);
    return Math.max(1, left);
  }
}

function shareOf(limit: number): number {
  return Math.floor(limit / SHARES);
}

/** Applies another limit to the rest of a window: the next use asks the database, unless it is within the share. */
function changeLimit(count: Count, limit: number): void {
  count.limit = limit;
  count.granted = count.shared === 0 ? shareOf(limit) : count.used;
  count.isUsedUp = false;
}
