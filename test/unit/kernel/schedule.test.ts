import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { instantOfWallClock, zoneOffset } from '../../../src/kernel/time/clock.ts';
import { PlatformError } from '../../../src/kernel/door/errors.ts';
import { nextRun, parseSchedule, type Schedule } from '../../../src/kernel/time/schedule.ts';

type CalendarSchedule = Exclude<Schedule, { every: 'interval' }>;

const MINUTE = 60_000;
const HOUR = 3_600_000;
const DAY = 86_400_000;
const FROM = Date.UTC(2026, 0, 1);
const TO = Date.UTC(2028, 2, 1);
const zones = ['America/New_York', 'Europe/Berlin'] as const;

/** Offsets hour by hour, computed in another way than the product does; both zones change on the hour. */
function offsets(zone: string): readonly number[] {
  const format = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' });
  const found: number[] = [];
  for (let at = FROM; at < TO; at += HOUR) {
    const name = format.formatToParts(at).find((p) => p.type === 'timeZoneName')?.value ?? '';
    const match = /^GMT(?:([+-])(\d{2}):(\d{2}))?$/.exec(name);
    assert.ok(match, name);
    found.push((match[1] === '-' ? -1 : 1) * (Number(match[2] ?? 0) * 60 + Number(match[3] ?? 0)) * MINUTE);
  }
  return found;
}
const tables = new Map(zones.map((zone) => [zone as string, offsets(zone)]));

function matches(schedule: CalendarSchedule, wall: number): boolean {
  const day = new Date(wall);
  if (schedule.every === 'day') return true;
  if (schedule.every === 'week') return schedule.days.includes(day.getUTCDay());
  if ((day.getUTCFullYear() * 12 + day.getUTCMonth()) % schedule.interval !== 0) return false;
  // Returns the qualifying days of the month, by counting.
  const candidates: number[] = [];
  for (
    let d = Date.UTC(day.getUTCFullYear(), day.getUTCMonth(), 1);
    new Date(d).getUTCMonth() === day.getUTCMonth();
    d += DAY
  ) {
    if (schedule.day === 'day' || new Date(d).getUTCDay() === schedule.day) candidates.push(d);
  }
  return candidates.at(schedule.ordinal === -1 ? -1 : schedule.ordinal - 1) === Math.floor(wall / DAY) * DAY;
}

/**
 * The oracle: walks minute by minute. A run is due when the wall clock first passes the time on a qualifying day. If
 * the clock jumps over the time, it is due as long after the jump as the time lies after the beginning of the gap.
 */
function slowNextRun(schedule: CalendarSchedule, after: number, zone: string): string | undefined {
  const table = tables.get(zone)!;
  const wallAt = (at: number): number => at + table[Math.floor((at - FROM) / HOUR)]!;
  let highest = Number.NEGATIVE_INFINITY;
  for (let at = Math.floor(after / MINUTE) * MINUTE - 3 * HOUR; at < TO; at += MINUTE) {
    const wall = wallAt(at);
    // A time before one already shown is its second occurrence.
    if (wall <= highest) continue;
    // What this minute's time and a jump just before it stand for: times in the gap run after it, one for one.
    const readings = [wall];
    highest = wall;
    for (let back = 0; back <= 2 * HOUR; back += HOUR) {
      const jump = jumpWithin(wallAt, at, back);
      if (jump > 0) readings.push(wall - jump);
    }
    for (const reading of readings) {
      const isSkipped = reading !== wall;
      if (isSkipped && shown(wallAt, at, reading)) continue;
      const minutes = Math.floor(reading / MINUTE) % 1440;
      if (minutes === schedule.minutes && matches(schedule, reading) && at > after) return new Date(at).toISOString();
    }
  }
  return undefined;
}

/** Returns by how much the wall clock jumped forward within the hour that ends `back` before an instant. */
function jumpWithin(wallAt: (at: number) => number, at: number, back: number): number {
  return wallAt(at - back) - wallAt(at - back - HOUR) - HOUR;
}

/** Returns whether the wall clock showed a time in the six hours around an instant. */
function shown(wallAt: (at: number) => number, at: number, reading: number): boolean {
  for (let near = at - 3 * HOUR; near <= at + 3 * HOUR; near += MINUTE) if (wallAt(near) === reading) return true;
  return false;
}

const minutes = fc.oneof(fc.integer({ min: 0, max: 1439 }), fc.integer({ min: 60, max: 240 }));
const schedule: fc.Arbitrary<CalendarSchedule> = fc.oneof(
  fc.record({ every: fc.constant('day' as const), minutes }),
  fc.record({
    every: fc.constant('week' as const),
    days: fc.uniqueArray(fc.integer({ min: 0, max: 6 }), { minLength: 1, maxLength: 7 }),
    minutes,
  }),
  fc.record({
    every: fc.constant('month' as const),
    ordinal: fc.constantFrom(1, 2, 3, 4, -1),
    day: fc.oneof(fc.integer({ min: 0, max: 6 }), fc.constant('day' as const)),
    interval: fc.integer({ min: 1, max: 12 }),
    minutes,
  }),
);
// Around the clock changes of both zones in 2026 and 2027, and anywhere else.
const changes = [
  Date.UTC(2026, 2, 8, 7),
  Date.UTC(2026, 2, 29, 1),
  Date.UTC(2026, 9, 25, 1),
  Date.UTC(2026, 10, 1, 6),
  Date.UTC(2027, 2, 14, 7),
];
const instant = fc.oneof(
  fc.tuple(fc.constantFrom(...changes), fc.integer({ min: -2 * DAY, max: 2 * DAY })).map(([change, by]) => change + by),
  fc.integer({ min: FROM + DAY, max: Date.UTC(2026, 11, 31) }),
);

describe('schedules', () => {
  it('the next run agrees with a clock watched minute by minute, across daylight saving changes in two zones', () => {
    fc.assert(
      fc.property(schedule, instant, fc.constantFrom(...zones), (of, after, zone) => {
        assert.equal(nextRun(of, after, zone), slowNextRun(of, after, zone));
      }),
      { numRuns: 300 },
    );
  });

  it('a time skipped by daylight saving runs as much later, one that occurs twice runs only the first time', () => {
    const daily = parseSchedule('Daily @ 2:30');
    // New York, 8 March 2026: 02:00 EST becomes 03:00 EDT.
    assert.equal(nextRun(daily, Date.parse('2026-03-08T06:00:00Z'), 'America/New_York'), '2026-03-08T07:30:00.000Z');
    const early = parseSchedule('Daily @ 1:30am');
    // 1 November 2026: 02:00 EDT becomes 01:00 EST; 01:30 occurs twice.
    assert.equal(nextRun(early, Date.parse('2026-11-01T04:00:00Z'), 'America/New_York'), '2026-11-01T05:30:00.000Z');
    assert.equal(nextRun(early, Date.parse('2026-11-01T05:30:00Z'), 'America/New_York'), '2026-11-02T06:30:00.000Z');
  });

  it('a run at this very instant is over: the next one is later', () => {
    fc.assert(
      fc.property(schedule, instant, fc.constantFrom(...zones), (of, after, zone) => {
        const first = nextRun(of, after, zone);
        assert.ok(first !== undefined && Date.parse(first) > after);
        const second = nextRun(of, Date.parse(first), zone);
        assert.ok(second !== undefined && Date.parse(second) > Date.parse(first));
      }),
      { numRuns: 200 },
    );
  });

  it('an interval runs at its multiples since midnight UTC, however late the run before it was', () => {
    const next = (text: string, after: string): string | undefined =>
      nextRun(parseSchedule(text), Date.parse(after), 'America/New_York');
    assert.equal(next('Every minute', '2026-03-08T06:59:59.999Z'), '2026-03-08T07:00:00.000Z');
    assert.equal(next('Every 15 minutes', '2026-03-08T07:00:00Z'), '2026-03-08T07:15:00.000Z');
    assert.equal(next('Every 15 minutes', '2026-03-08T07:14:58Z'), '2026-03-08T07:15:00.000Z');
    assert.equal(next('Every 15 minutes', '2026-03-08T09:21:00Z'), '2026-03-08T09:30:00.000Z', 'missed runs run once');
    assert.equal(next('Every 2 hours', '2026-03-08T07:00:00Z'), '2026-03-08T08:00:00.000Z');
  });

  it('accepts the documented formats', () => {
    const forms: readonly (readonly [string, Schedule])[] = [
      ['Every 15 minutes', { every: 'interval', intervalMinutes: 15 }],
      ['every minute', { every: 'interval', intervalMinutes: 1 }],
      ['Every 2 hours', { every: 'interval', intervalMinutes: 120 }],
      ['Daily at 3am', { every: 'day', minutes: 180 }],
      ['daily@15:45', { every: 'day', minutes: 945 }],
      ['Daily @ 12am', { every: 'day', minutes: 0 }],
      ['Daily @ 12 noon', { every: 'day', minutes: 720 }],
      ['Daily @ 12pm', { every: 'day', minutes: 720 }],
      ['Weekly on Mon, Fri @ 02:30', { every: 'week', days: [1, 5], minutes: 150 }],
      ['Weekly on Sunday and Wednesday at 8:00 PM', { every: 'week', days: [0, 3], minutes: 1200 }],
      [
        'Monthly on the second Tuesday every 2 month @ 8:00 AM',
        { every: 'month', ordinal: 2, day: 2, interval: 2, minutes: 480 },
      ],
      [
        'Monthly on the last day every month @ 23:59',
        { every: 'month', ordinal: -1, day: 'day', interval: 1, minutes: 1439 },
      ],
      [
        'Monthly on the 1st day of every 3 months @ 0:00',
        { every: 'month', ordinal: 1, day: 'day', interval: 3, minutes: 0 },
      ],
    ];
    for (const [text, expected] of forms) assert.deepEqual(parseSchedule(text), expected, text);
  });

  it('refuses anything that is not a schedule, naming the parameter and the format', () => {
    const wrong = [
      '',
      'Daily',
      'Daily @',
      'Daily @ 25:00',
      'Daily @ 3:60',
      'Daily @ 13pm',
      'Daily @ 0am',
      'Daily @ 3 noon',
      'Daily @ 3am @ 4am',
      'Hourly @ 1',
      'Every 0 minutes',
      'Every 15',
      'Every 2 hours @ 3am',
      'Every 525601 minutes',
      'Weekly @ 3am',
      'Weekly on @ 3am',
      'Weekly on Mo @ 3am',
      'Weekly on Someday @ 3am',
      'Monthly on the fifth Monday every 1 month @ 3am',
      'Monthly on the first Monday every 0 month @ 3am',
      'Monthly @ 3am',
      '3am',
      'Daily @ 3am and more',
    ];
    for (const text of wrong) {
      assert.throws(
        () => parseSchedule(text),
        (error) =>
          error instanceof PlatformError &&
          error.code === 'BAD_PARAMETER' &&
          error.field === 'ScheduleName' &&
          error.message.includes('Daily @ 3am'),
        text,
      );
    }
  });
});

describe('wall clocks', () => {
  it("have the UTC offset of the platform's calendar, also when it comes from the cache", () => {
    // A second lookup within a quarter of an hour is served from the cache.
    const changes = [
      Date.UTC(2026, 2, 8, 7),
      Date.UTC(2026, 10, 1, 6),
      Date.UTC(2026, 2, 29, 1),
      Date.UTC(2026, 3, 4, 15),
      Date.UTC(1986, 0, 1),
      Date.UTC(1972, 0, 7, 0, 44, 30),
    ];
    fc.assert(
      fc.property(
        fc.oneof(
          fc.integer({ min: Date.UTC(1900, 0, 1), max: Date.UTC(2100, 0, 1) }),
          fc
            .tuple(fc.constantFrom(...changes), fc.integer({ min: -2_000_000, max: 2_000_000 }))
            .map(([at, by]) => at + by),
        ),
        fc.constantFrom(
          'America/New_York',
          'Europe/Berlin',
          'Asia/Kathmandu',
          'Australia/Lord_Howe',
          'Africa/Monrovia',
        ),
        (at, zone) => {
          const written = Object.fromEntries(
            new Intl.DateTimeFormat('en-US', {
              timeZone: zone,
              hourCycle: 'h23',
              year: 'numeric',
              month: 'numeric',
              day: 'numeric',
              hour: 'numeric',
              minute: 'numeric',
              second: 'numeric',
            })
              .formatToParts(at)
              .map(({ type, value }) => [type, Number(value)]),
          );
          const wall = Date.UTC(
            written['year'] ?? 0,
            (written['month'] ?? 0) - 1,
            written['day'],
            written['hour'],
            written['minute'],
            written['second'],
          );
          for (const instant of [at, at]) assert.equal(zoneOffset(zone, instant), wall - Math.floor(at / 1000) * 1000);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it('an instant whose wall clock reading is unique is recovered from it', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: Date.UTC(1000, 0, 1), max: Date.UTC(9990, 0, 1) }),
        fc.constantFrom('America/New_York', 'Europe/Berlin', 'Asia/Kolkata', 'Australia/Lord_Howe', 'UTC'),
        (at, zone) => {
          const wall = at + zoneOffset(zone, at);
          const back = instantOfWallClock(zone, wall);
          assert.equal(back + zoneOffset(zone, back), wall);
          assert.ok(back <= at, 'of two instants with the same wall clock time the first counts');
        },
      ),
      { numRuns: 300 },
    );
  });
});
