import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import fc from 'fast-check';
import { calendarOf, parseBusinessHours, type HolidayDay } from '../../../src/kernel/time/business-calendar.ts';
import { businessCalendar } from '../../../src/modules/work/lib/business-calendar.ts';
import { PlatformError } from '../../../src/kernel/door/errors.ts';
import { testPlatform } from '../../support/platform.ts';

const MINUTE = 60_000;
const DAY = 86_400_000;
const NEW_YORK = 'America/New_York';
/** Zones with clock changes at night, at midnight, by half an hour, from a quarter-hour offset, and with none. */
const zones = [
  NEW_YORK,
  'Europe/Berlin',
  'America/Santiago',
  'Australia/Lord_Howe',
  'Asia/Kathmandu',
  'Pacific/Apia',
] as const;
const weekdays = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

interface Reading {
  readonly day: string;
  readonly weekday: string;
  readonly minutes: number;
}

/** Returns a zone's wall clock time, computed in another way than the product does. */
function wallClock(zone: string): (instant: number) => Reading {
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone: zone,
    hourCycle: 'h23',
    weekday: 'short',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
  });
  return (instant) => {
    const part = Object.fromEntries(format.formatToParts(instant).map(({ type, value }) => [type, value]));
    return {
      day: `${part['year']}-${part['month']}-${part['day']}`,
      weekday: (part['weekday'] ?? '').slice(0, 3),
      minutes: Number(part['hour']) * 60 + Number(part['minute']),
    };
  };
}

/** Business hours as the tests write them: weekday, beginning and end in minutes. */
type Hours = readonly (readonly [weekday: string, from: number, to: number])[];

const timeOf = (minutes: number): string =>
  `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;
const textOf = (hours: Hours): string =>
  hours.map(([weekday, from, to]) => `${weekday} ${timeOf(from)}-${timeOf(to)}`).join(', ');
const isHoliday = (day: string, holidays: readonly HolidayDay[]): boolean =>
  holidays.some(({ date, yearly }) => date === day || (yearly && date <= day && date.slice(5) === day.slice(5)));

interface SlowCalendar {
  readonly zone: string;
  readonly hours: Hours;
  readonly holidays: readonly HolidayDay[];
}

/** Returns the business minutes between two instants, counted one by one. */
function slowMinutes({ zone, hours, holidays }: SlowCalendar, from: number, to: number): number {
  const at = wallClock(zone);
  let count = 0;
  for (let instant = from; instant < to; instant += MINUTE) {
    const { day, weekday, minutes } = at(instant);
    if (
      !isHoliday(day, holidays) &&
      hours.some(([on, begin, end]) => on === weekday && begin <= minutes && minutes < end)
    )
      count++;
  }
  return count;
}

/** Clock changes of the zones, and the day that Apia skipped: 30 December 2011. */
const changes = [
  '2026-03-08T07:00:00Z',
  '2026-11-01T06:00:00Z',
  '2026-03-29T01:00:00Z',
  '2026-10-25T01:00:00Z',
  '2026-04-05T03:00:00Z',
  '2026-09-06T04:00:00Z',
  '2026-04-04T15:00:00Z',
  '2026-10-03T15:30:00Z',
  '2011-12-30T10:00:00Z',
].map((text) => Date.parse(text));
const instant = fc
  .tuple(fc.constantFrom(...changes), fc.integer({ min: -5 * 1440, max: 5 * 1440 }))
  .map(([change, minutes]) => change + minutes * MINUTE);
const part = fc
  .tuple(fc.integer({ min: 0, max: 1439 }), fc.integer({ min: 1, max: 1440 }))
  .map(([from, length]) => [from, Math.min(1440, from + length)] as const);
const hoursOfWeek: fc.Arbitrary<Hours> = fc
  .uniqueArray(fc.tuple(fc.constantFrom(...weekdays), part), {
    selector: ([weekday]) => weekday,
    minLength: 1,
    maxLength: 7,
  })
  .map((parts) => parts.map(([weekday, [from, to]]) => [weekday, from, to] as const));
const holidaysNear = fc
  .array(
    fc.record({
      near: fc.constantFrom(...changes),
      by: fc.integer({ min: -6, max: 6 }),
      years: fc.integer({ min: 0, max: 3 }),
      yearly: fc.boolean(),
    }),
    { maxLength: 4 },
  )
  .map((list): HolidayDay[] =>
    list.map(({ near, by, years, yearly }) => {
      const day = new Date(near + by * DAY);
      if (yearly) day.setUTCFullYear(day.getUTCFullYear() - years + 1);
      return { date: day.toISOString().slice(0, 10), yearly };
    }),
  );

const office = calendarOf(NEW_YORK, parseBusinessHours('Mon-Fri 08:00-17:00', 'BusinessHours'), [
  { date: '2026-07-03', yearly: false },
  { date: '2020-12-25', yearly: true },
]);
const minutesBetween = (from: string, to: string): number => office.businessMinutes(Date.parse(from), Date.parse(to));
const later = (from: string, days: number): string =>
  new Date(office.addBusinessDays(Date.parse(from), days)).toISOString();

describe('business hours', () => {
  it('business minutes equal a minute-by-minute count, across every clock change in six zones', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...zones),
        hoursOfWeek,
        holidaysNear,
        fc.tuple(instant, fc.integer({ min: 0, max: 4 * 1440 })),
        (zone, hours, holidays, [from, length]) => {
          const calendar = calendarOf(zone, parseBusinessHours(textOf(hours), 'BusinessHours'), holidays);
          const to = from + length * MINUTE;
          assert.equal(calendar.businessMinutes(from, to), slowMinutes({ zone, hours, holidays }, from, to));
        },
      ),
      { numRuns: 60 },
    );
  });

  it('the time between two instants is the sum of its parts, wherever it is split at a whole minute', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...zones),
        hoursOfWeek,
        holidaysNear,
        fc.tuple(instant, instant, instant),
        (zone, hours, holidays, three) => {
          const [first = 0, second = 0, third = 0] = three.toSorted((a, b) => a - b);
          const calendar = calendarOf(zone, parseBusinessHours(textOf(hours), 'BusinessHours'), holidays);
          assert.equal(
            calendar.businessMinutes(first, second) + calendar.businessMinutes(second, third),
            calendar.businessMinutes(first, third),
          );
        },
      ),
      { numRuns: 30 },
    );
  });

  it('office hours count; nights, weekends and holidays do not', () => {
    assert.equal(minutesBetween('2026-07-01T12:00:00Z', '2026-07-01T21:00:00Z'), 540);
    // Wednesday noon to Monday noon; Friday the third is a holiday.
    assert.equal(minutesBetween('2026-07-01T16:00:00Z', '2026-07-06T16:00:00Z'), 300 + 540 + 240);
    assert.equal(minutesBetween('2026-07-04T00:00:00Z', '2026-07-06T12:00:00Z'), 0);
    assert.equal(
      minutesBetween('2026-07-01T13:00:59.999Z', '2026-07-01T13:02:00Z'),
      1,
      'an incomplete minute does not count',
    );
    assert.equal(
      minutesBetween('2026-07-02T13:00:00Z', '2026-07-01T13:00:00Z'),
      0,
      'no time passes between an instant and an earlier one',
    );
    // A yearly holiday counts from its first year on.
    assert.equal(minutesBetween('2019-12-25T05:00:00Z', '2019-12-26T05:00:00Z'), 540);
    assert.equal(minutesBetween('2030-12-25T05:00:00Z', '2030-12-26T05:00:00Z'), 0);
  });

  it('fifty years are counted exactly, and a span beyond the limit is refused without being scanned', () => {
    const from = Date.parse('1990-01-01T05:00:00Z');
    const to = Date.parse('2040-01-01T05:00:00Z');
    let days = 0;
    for (let at = Date.UTC(1990, 0, 1); at < Date.UTC(2040, 0, 1); at += DAY) {
      const day = new Date(at);
      const date = day.toISOString().slice(0, 10);
      if (day.getUTCDay() % 6 !== 0 && date !== '2026-07-03' && !(date.endsWith('-12-25') && date > '2020')) days++;
    }
    assert.equal(office.businessMinutes(from, to), days * 540);
    assert.throws(
      () => office.businessMinutes(-8e15, 8e15),
      (error: PlatformError) => error.code === 'BAD_PARAMETER' && error.message.includes('100000 days'),
    );
  });
});

describe('business days', () => {
  it('are counted from the following day, at the same time of day; from a day off, the first step leads to the next business day', () => {
    assert.equal(later('2026-07-01T20:15:00Z', 1), '2026-07-02T20:15:00.000Z');
    assert.equal(later('2026-07-02T20:15:00Z', 1), '2026-07-06T20:15:00.000Z', 'over the holiday and the weekend');
    assert.equal(later('2026-07-04T20:15:00Z', 1), '2026-07-06T20:15:00.000Z', 'from a Saturday');
    assert.equal(later('2026-07-04T20:15:00Z', -1), '2026-07-02T20:15:00.000Z', 'back from a Saturday');
    assert.equal(later('2026-07-06T20:15:00Z', -3), '2026-06-30T20:15:00.000Z');
    assert.equal(later('2026-07-04T20:15:00Z', 0), '2026-07-04T20:15:00.000Z', 'no step stays on a day off');
    assert.equal(
      later('2026-03-06T14:00:00Z', 1),
      '2026-03-09T13:00:00.000Z',
      'nine in the morning stays nine across the clock change',
    );
    // In New York it is still Thursday.
    assert.equal(later('2026-03-06T01:00:00Z', 1), '2026-03-07T01:00:00.000Z');
  });

  it('lead, in every zone, to a business day with exactly that many business days between', () => {
    fc.assert(
      // Apia skipped a whole day, which no step can lead to.
      fc.property(
        fc.constantFrom(...zones.filter((zone) => zone !== 'Pacific/Apia')),
        hoursOfWeek,
        holidaysNear,
        fc.tuple(
          instant,
          fc.integer({ min: -30, max: 30 }).filter((n) => n !== 0),
        ),
        (zone, hours, holidays, [from, count]) => {
          const calendar = calendarOf(zone, parseBusinessHours(textOf(hours), 'BusinessHours'), holidays);
          const at = wallClock(zone);
          const to = calendar.addBusinessDays(from, count);
          const [begin, end] = [at(from), at(to)];
          assert.ok(calendar.isBusinessDay(end.day), end.day);
          let steps = 0;
          const direction = Math.sign(count);
          for (let day = begin.day; day !== end.day;) {
            day = new Date(Date.parse(day) + direction * DAY).toISOString().slice(0, 10);
            const weekday = weekdays[new Date(day).getUTCDay()] ?? '';
            if (!isHoliday(day, holidays) && hours.some(([on]) => on === weekday)) steps += direction;
          }
          assert.equal(steps, count);
          // A time skipped by a clock change is shown later by the length of the gap: at most an hour in these zones.
          assert.ok(
            end.minutes === begin.minutes || (end.minutes - begin.minutes > 0 && end.minutes - begin.minutes <= 60),
            `${begin.minutes} became ${end.minutes}`,
          );
        },
      ),
      { numRuns: 200 },
    );
  });

  it('if there are none, or fewer than requested, the search ends and says so; fractions of a day are refused', () => {
    const yearly = Array.from({ length: 366 }, (_, n) => ({
      date: new Date(Date.UTC(1804, 0, 1) + n * DAY).toISOString().slice(0, 10),
      yearly: true,
    }));
    const never = calendarOf(NEW_YORK, parseBusinessHours('Mon-Sun 00:00-24:00', 'BusinessHours'), yearly);
    assert.throws(
      () => never.addBusinessDays(Date.UTC(2026, 0, 1), 1),
      (error: PlatformError) => error.code === 'BAD_PARAMETER' && error.message.includes('holidays'),
    );
    assert.throws(() => office.addBusinessDays(Date.UTC(2026, 0, 1), 1e9), PlatformError);
    assert.throws(() => office.addBusinessDays(Date.UTC(2026, 0, 1), 1.5), PlatformError);
    assert.equal(never.businessMinutes(Date.UTC(2026, 0, 1), Date.UTC(2027, 0, 1)), 0);
  });
});

describe('the text of business hours', () => {
  it('is accepted in the ways that people write it', () => {
    const working = (text: string): string =>
      parseBusinessHours(text, 'BusinessHours')
        .map((parts, day) =>
          parts.length === 0 ? '' : `${weekdays[day] ?? ''} ${parts.map(([from, to]) => `${from}-${to}`).join(' ')}`,
        )
        .filter((day) => day !== '')
        .join(', ');
    assert.equal(
      working('Mon-Thu 08:00-17:00, Fri 08:00-15:00'),
      'Mon 480-1020, Tue 480-1020, Wed 480-1020, Thu 480-1020, Fri 480-900',
    );
    assert.equal(working('Monday 8am - 5 pm'), 'Mon 480-1020');
    assert.equal(
      working('Sat-Mon 00:00-24:00'),
      'Sun 0-1440, Mon 0-1440, Sat 0-1440',
      'a range may cross the end of the week',
    );
    assert.equal(working('Tue 13:00-17:00, Tue 08:00-12:00'), 'Tue 480-720 780-1020');
  });

  it('is refused if it is anything else, with a message saying what was expected', () => {
    for (const text of [
      '',
      'always',
      'Mon-Fri',
      '08:00-17:00',
      'Mon-Fri 17:00-08:00',
      'Mon-Fri 08:00-08:00',
      'Mon-Fri 08:00-25:00',
      'Mo-Fr 08:00-17:00',
      'Mon-Fri 08:00-17:00,',
      'Mon 08:00-12:00, Mon 11:00-17:00',
      'Mon-Fri 08:00-12:00-17:00',
      'Mon,,Tue 08:00-17:00',
    ]) {
      assert.throws(
        () => parseBusinessHours(text, 'BusinessHours'),
        (error: PlatformError) => error.code === 'BAD_PARAMETER' && error.field === 'BusinessHours',
        text,
      );
    }
  });
});

const on = await testPlatform({ after });

describe("an installation's calendar", () => {
  const save = async (
    route: string,
    body: object,
  ): Promise<{ status: number; json: Record<string, unknown>; text: string }> => {
    const answer = await on.admin.post(`/api/${route}/save?Output=Json`, body);
    return { status: answer.status, json: answer.json(), text: answer.text };
  };
  const saved = async (route: string, body: object): Promise<Record<string, unknown>> => {
    const { status, json, text } = await save(route, body);
    assert.equal(status, 200, text);
    return json;
  };
  const refusal = async (route: string, body: object): Promise<[unknown, unknown]> => {
    const { Error: error } = (await save(route, body)).json as { Error?: { Code: string; Field: string } };
    return [error?.Code, error?.Field];
  };
  const calendar = async (): ReturnType<typeof businessCalendar> => {
    const { platform } = on;
    await platform.settings.fresh();
    return businessCalendar(platform);
  };

  it('consists of its time zone, business hours and holidays, and changes with them', async () => {
    assert.equal((await calendar()).timeZone, NEW_YORK);
    assert.equal((await calendar()).isBusinessDay('2026-07-03'), true);
    const holiday = await saved('holiday', { Holiday: 'Independence Day, observed', Date: '2026-07-03' });
    assert.equal((await calendar()).isBusinessDay('2026-07-03'), false);
    assert.equal((await calendar()).isBusinessDay('2026-07-06'), true);
    await saved('holiday', { ID: holiday['HolidayID'], Date: '2025-07-06', Yearly: true });
    assert.deepEqual(
      [(await calendar()).isBusinessDay('2026-07-03'), (await calendar()).isBusinessDay('2026-07-06')],
      [true, false],
    );
    await saved('setting', { Setting: 'BusinessHours', Value: 'Sat 10:00-11:30' });
    await saved('setting', { Setting: 'TimeZone', Value: 'Europe/Berlin' });
    const changed = await calendar();
    assert.deepEqual(
      [changed.timeZone, changed.isBusinessDay('2026-07-04'), changed.isBusinessDay('2026-07-07')],
      ['Europe/Berlin', true, false],
    );
    assert.equal(
      changed.businessMinutes(Date.parse('2026-07-01T00:00:00Z'), Date.parse('2026-07-11T08:30:00Z')),
      90 + 30,
    );
  });

  it('refuses unreadable business hours, a second holiday on one date and a holiday without a date', async () => {
    assert.deepEqual(await refusal('setting', { Setting: 'BusinessHours', Value: 'nine to five' }), [
      'BAD_PARAMETER',
      'Value',
    ]);
    await saved('holiday', { Holiday: 'New Year', Date: '2027-01-01' });
    assert.equal((await refusal('holiday', { Holiday: 'Another', Date: '2027-01-01' }))[0], 'DUPLICATE_KEY');
    assert.deepEqual(await refusal('holiday', { Holiday: 'Never' }), ['MISSING_PARAMETER', 'Date']);
  });

  it('a schedule has calendar times or an interval, never both and never neither', async () => {
    const daily = await saved('schedule', { Schedule: 'Nightly', ScheduleName: 'Daily @ 3am' });
    await saved('schedule', { Schedule: 'Often', IntervalMinutes: 15 });
    await saved('schedule', { ID: daily['ScheduleID'], ScheduleName: null, IntervalMinutes: 525600 });
    for (const [body, field] of [
      [{ Schedule: 'Both', ScheduleName: 'Daily @ 3am', IntervalMinutes: 5 }, 'ScheduleName'],
      [{ Schedule: 'Neither' }, 'ScheduleName'],
      [{ ID: daily['ScheduleID'], ScheduleName: 'Daily @ 4am' }, 'ScheduleName'],
      [{ Schedule: 'Unread', ScheduleName: 'now and then' }, 'ScheduleName'],
      [{ Schedule: 'Too often', IntervalMinutes: 0 }, 'IntervalMinutes'],
      [{ Schedule: 'Too rare', IntervalMinutes: 525601 }, 'IntervalMinutes'],
      [{ ScheduleName: 'Daily @ 3am' }, 'Schedule'],
    ] as const)
      assert.deepEqual(await refusal('schedule', body), ['BAD_PARAMETER', field], JSON.stringify(body));
    assert.equal((await refusal('schedule', { Schedule: 'often', IntervalMinutes: 5 }))[0], 'DUPLICATE_KEY');
  });
});
