import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { calendarOf, parseBusinessHours } from '../../../src/kernel/time/business-calendar.ts';
import { addDuration, describeDuration, durationScales } from '../../../src/modules/work/lib/duration.ts';
import { PlatformError } from '../../../src/kernel/door/errors.ts';
import { nextOccurrence } from '../../../src/kernel/time/schedule.ts';

const hours = parseBusinessHours('Mon-Fri 08:00-17:00', 'BusinessHours');
const calendar = calendarOf('America/New_York', hours, [{ date: '2026-07-03', yearly: false }]);
const zones = ['America/New_York', 'Europe/Berlin', 'Australia/Lord_Howe', 'Asia/Kathmandu'].map((zone) =>
  calendarOf(zone, hours, []),
);
const [DAYS, HOURS, MINUTES, SECONDS, MONTHS, YEARS, BUSINESS_DAYS] = [0, 1, 2, 3, 4, 5, 6] as const;

const after = (from: string, scale: number, amount: number | string): string =>
  new Date(addDuration(calendar, Date.parse(from), scale, amount)).toISOString().replace('.000Z', 'Z');
/** Returns a zone's wall clock time, computed in another way than the product does. */
const wall = (timeZone: string, instant: number): string =>
  new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' }).format(instant);

describe('durations', () => {
  it('WF-13 each DurationScale from 0 to 6 is its unit: days, hours, minutes, seconds, months, years, business days', () => {
    const from = '2026-07-01T14:30:00Z';
    assert.deepEqual(
      durationScales.map((_, scale) => after(from, scale, 2)),
      [
        '2026-07-03T14:30:00Z',
        '2026-07-01T16:30:00Z',
        '2026-07-01T14:32:00Z',
        '2026-07-01T14:30:02Z',
        '2026-09-01T14:30:00Z',
        '2028-07-01T14:30:00Z',
        // The third is a holiday, followed by the weekend.
        '2026-07-06T14:30:00Z',
      ],
    );
    assert.deepEqual(
      durationScales.map((_, scale) => after(from, scale, 0)),
      durationScales.map(() => from),
    );
  });

  it('WF-13 another scale is refused with the list of scales, and so is a fractional amount of a scale without fractions', () => {
    for (const scale of [7, -1, 1.5, Number.NaN])
      assert.throws(
        () => after('2026-07-01T14:30:00Z', scale, 1),
        (error: PlatformError) =>
          error.code === 'BAD_PARAMETER' &&
          error.field === 'DurationScale' &&
          error.message.includes('6 business days'),
      );
    for (const [scale, amount] of [
      [MONTHS, 1.5],
      [YEARS, '0.5'],
      [BUSINESS_DAYS, 0.1],
      [DAYS, 'soon'],
      [DAYS, ''],
      [HOURS, Number.NaN],
      [HOURS, Infinity],
      [YEARS, 1e12],
      [DAYS, 1e15],
      [SECONDS, '1e300'],
      [MONTHS, -30_000],
      [BUSINESS_DAYS, 9e6],
    ] as const) {
      assert.throws(
        () => after('2026-07-01T14:30:00Z', scale, amount),
        (error: PlatformError) => error.code === 'BAD_PARAMETER',
        `${amount} ${durationScales[scale]}`,
      );
    }
  });

  it('WF-13 fractions of days, hours, minutes and seconds count', () => {
    assert.equal(after('2026-07-01T14:30:00Z', DAYS, '1.5'), '2026-07-03T02:30:00Z');
    assert.equal(after('2026-07-01T14:30:00Z', HOURS, '0.1'), '2026-07-01T14:36:00Z');
    assert.equal(after('2026-07-01T14:30:00Z', MINUTES, -0.5), '2026-07-01T14:29:30Z');
    assert.equal(after('2026-07-01T14:30:00Z', SECONDS, '0.25'), '2026-07-01T14:30:00.250Z');
  });

  it('WF-13 in a month without that day the last day counts: 31 January plus a month is the last of February', () => {
    assert.equal(after('2026-01-31T17:00:00Z', MONTHS, 1), '2026-02-28T17:00:00Z');
    assert.equal(after('2028-01-31T17:00:00Z', MONTHS, 1), '2028-02-29T17:00:00Z');
    assert.equal(after('2026-03-31T16:00:00Z', MONTHS, -1), '2026-02-28T17:00:00Z');
    assert.equal(after('2026-10-31T16:00:00Z', MONTHS, 14), '2027-12-31T17:00:00Z');
    assert.equal(after('2028-02-29T17:00:00Z', YEARS, 1), '2029-02-28T17:00:00Z');
    assert.equal(after('2028-02-29T17:00:00Z', YEARS, -4), '2024-02-29T17:00:00Z');
    // In New York it is still the thirty-first.
    assert.equal(after('2026-02-01T02:00:00Z', MONTHS, 1), '2026-03-01T02:00:00Z');
  });

  it('WF-13 across daylight saving changes exact units keep their length and calendar units the wall clock time', () => {
    // Noon on the day before the clocks go forward, and a day, a business day, 24 hours later.
    assert.equal(after('2026-03-07T17:00:00Z', DAYS, 1), '2026-03-08T16:00:00Z');
    assert.equal(after('2026-03-07T17:00:00Z', HOURS, 24), '2026-03-08T17:00:00Z');
    assert.equal(after('2026-03-06T17:00:00Z', BUSINESS_DAYS, 1), '2026-03-09T16:00:00Z');
    assert.equal(
      after('2026-02-08T07:30:00Z', MONTHS, 1),
      '2026-03-08T07:30:00Z',
      'half past two, which the clock skips, is half past three',
    );
    assert.equal(
      after('2026-10-31T05:30:00Z', DAYS, 1),
      '2026-11-01T05:30:00Z',
      'half past one, which occurs twice, means the first',
    );
  });

  it('WF-13 days, months and years keep the time of day in every zone, exact units their length', () => {
    const at = fc
      .integer({ min: Date.UTC(2020, 0, 1) / 60_000, max: Date.UTC(2035, 0, 1) / 60_000 })
      .map((minute) => minute * 60_000);
    fc.assert(
      fc.property(
        fc.constantFrom(...zones),
        at,
        fc.constantFrom(DAYS, MONTHS, YEARS),
        fc.integer({ min: -40, max: 40 }),
        (zone, from, scale, amount) => {
          const to = addDuration(zone, from, scale, amount);
          const [before, then] = [wall(zone.timeZone, from), wall(zone.timeZone, to)];
          // Times that the clock skips are shown later by the gap.
          const isSkipped = before.slice(11) !== then.slice(11) && /^0[2-3]/.test(then.slice(11));
          assert.ok(isSkipped || then.slice(11) === before.slice(11), `${before} became ${then}`);
          if (scale === DAYS)
            assert.equal((Date.parse(then.slice(0, 10)) - Date.parse(before.slice(0, 10))) / 86_400_000, amount);
          else {
            const months = (text: string): number => Number(text.slice(0, 4)) * 12 + Number(text.slice(5, 7));
            assert.equal(months(then) - months(before), scale === YEARS ? amount * 12 : amount);
            const last = new Date(Date.UTC(Number(then.slice(0, 4)), Number(then.slice(5, 7)), 0)).getUTCDate();
            assert.equal(Number(then.slice(8, 10)), Math.min(Number(before.slice(8, 10)), last));
          }
        },
      ),
      { numRuns: 300 },
    );
    fc.assert(
      fc.property(
        fc.constantFrom(...zones),
        at,
        fc.constantFrom([HOURS, 3_600_000], [MINUTES, 60_000], [SECONDS, 1_000]),
        fc.integer({ min: -100_000, max: 100_000 }),
        (zone, from, [scale = 0, length = 0], amount) => {
          assert.equal(addDuration(zone, from, scale, amount), from + amount * length);
        },
      ),
    );
  });

  it('are described in words', () => {
    assert.deepEqual(
      [
        describeDuration(BUSINESS_DAYS, 3),
        describeDuration(DAYS, '1'),
        describeDuration(HOURS, '1.50'),
        describeDuration(YEARS, -1),
      ],
      ['3 business days', '1 day', '1.5 hours', '-1 year'],
    );
  });
});

describe('the next time of a schedule', () => {
  it('is the next of its calendar times, or the interval later, whatever the clock changes', () => {
    const next = (times: { ScheduleName: string | null; IntervalMinutes: number | null }): string | undefined =>
      nextOccurrence(times, Date.parse('2026-03-08T06:30:00Z'), 'America/New_York');
    assert.equal(next({ ScheduleName: 'Daily @ 3am', IntervalMinutes: null }), '2026-03-08T07:00:00.000Z');
    assert.equal(next({ ScheduleName: null, IntervalMinutes: 90 }), '2026-03-08T08:00:00.000Z');
    assert.throws(() => next({ ScheduleName: null, IntervalMinutes: null }));
    assert.throws(() => next({ ScheduleName: null, IntervalMinutes: 525_601 }));
  });
});
