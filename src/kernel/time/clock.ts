import { Cache } from './cache.ts';

/** The current time. Injected everywhere, so that tests can set it; nothing else reads the system's clock. */
export interface Clock {
  /** The instant now, in milliseconds since 1970. */
  milliseconds(): number;
  /** The current instant as ISO 8601 in UTC with milliseconds, the form in which every timestamp is stored. */
  now(): string;
}

/** The machine's clock. */
export const systemClock: Clock = {
  milliseconds: () => Date.now(),
  now: () => isoOf(Date.now()),
};

let last = { at: Number.NaN, iso: '' };

/**
 * Returns the ISO text of an instant. Cached for the last millisecond: a call asks many times, and formatting takes
 * twenty times as long as reading the clock.
 */
function isoOf(at: number): string {
  if (last.at !== at) last = { at, iso: new Date(at).toISOString() };
  return last.iso;
}

/** A clock that stands still until it is advanced; for tests. */
export function fixedClock(start: string): Clock & { advance(milliseconds: number): void } {
  let at = Date.parse(start);
  return {
    milliseconds: () => at,
    now: () => new Date(at).toISOString(),
    advance(milliseconds) {
      at += milliseconds;
    },
  };
}

/** Since 1973 time zones have changed their offset only at full quarter hours. */
const QUARTER_MILLISECONDS = 900_000;
const QUARTERS_FROM = Date.UTC(1973, 0, 1);
/** Most quarter hours cached per zone. */
const QUARTERS_MAX = 4_096;

/** Most time zones cached; there are about 600. */
const ZONES_MAX = 1_000;

interface ZoneCache {
  readonly format: Intl.DateTimeFormat;
  /** Offsets in milliseconds, by quarter hour. */
  readonly offsets: Cache<number, number>;
}

const zones = new Cache<string, ZoneCache>({ max: ZONES_MAX });

/** Returns how far a zone's wall clock is ahead of UTC at an instant, in milliseconds. */
export function zoneOffset(timeZone: string, instant: number): number {
  const { format, offsets } = zones.getOrLoad(timeZone, () => zoneCache(timeZone));
  if (!(instant >= QUARTERS_FROM)) return formattedOffset(format, instant);
  return offsets.getOrLoad(Math.floor(instant / QUARTER_MILLISECONDS), () => formattedOffset(format, instant));
}

function zoneCache(timeZone: string): ZoneCache {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  return { format, offsets: new Cache({ max: QUARTERS_MAX }) };
}

/** Computes the offset from formatted parts, which takes a hundred times as long as the cache. */
function formattedOffset(format: Intl.DateTimeFormat, instant: number): number {
  const parts: Record<string, number> = {};
  for (const part of format.formatToParts(new Date(instant))) parts[part.type] = Number(part.value);
  // Date.UTC would read years below 100 as 19xx.
  const day = new Date(0).setUTCFullYear(parts['year'] ?? 1970, (parts['month'] ?? 1) - 1, parts['day'] ?? 1);
  const wall = day + (((parts['hour'] ?? 0) * 60 + (parts['minute'] ?? 0)) * 60 + (parts['second'] ?? 0)) * 1000;
  return wall - Math.floor(instant / 1000) * 1000;
}

/** Returns the calendar date of a zone's wall clock at an instant. */
export function calendarDay(timeZone: string, instant: number): string {
  return new Date(instant + zoneOffset(timeZone, instant)).toISOString().slice(0, 10);
}

/**
 * Returns the instant at which a zone's wall clock shows a time (`wall` is that time written as UTC milliseconds). A
 * time that daylight saving time skips is moved later by the length of the gap; of a time that occurs twice, the first.
 */
export function instantOfWallClock(timeZone: string, wall: number): number {
  const earlier = wall - zoneOffset(timeZone, wall - 86_400_000);
  const later = wall - zoneOffset(timeZone, wall + 86_400_000);
  const first = Math.min(earlier, later);
  const second = Math.max(earlier, later);
  if (first + zoneOffset(timeZone, first) === wall) return first;
  if (second + zoneOffset(timeZone, second) === wall) return second;
  return second;
}
