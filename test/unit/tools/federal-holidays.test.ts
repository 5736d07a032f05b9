import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { federalHolidays } from '../../../tools/standard/federal-holidays.ts';
import { HOLIDAY_YEARS, HOLIDAYS, holidaysDocument } from '../../../tools/standard/write-holidays.ts';

/** As the Office of Personnel Management has published them. */
const published: Readonly<Record<number, readonly string[]>> = {
  2024: '2024-01-01 01-15 02-19 05-27 06-19 07-04 09-02 10-14 11-11 11-28 12-25'.split(' '),
  2025: '2025-01-01 01-20 02-17 05-26 06-19 07-04 09-01 10-13 11-11 11-27 12-25'.split(' '),
  // Independence Day is a Saturday.
  2026: '2026-01-01 01-19 02-16 05-25 06-19 07-03 09-07 10-12 11-11 11-26 12-25'.split(' '),
  // Juneteenth and Christmas Day are Saturdays, Independence Day is a Sunday.
  2027: '2027-01-01 01-18 02-15 05-31 06-18 07-05 09-06 10-11 11-11 11-25 12-24'.split(' '),
  // New Year's Day and Veterans Day are Saturdays.
  2028: '2027-12-31 01-17 02-21 05-29 06-19 07-04 09-04 10-09 11-10 11-23 12-25'.split(' '),
};

describe('the federal holidays', () => {
  it('WF-20 are those that the government has published', () => {
    for (const [year, days] of Object.entries(published))
      assert.deepEqual(
        federalHolidays(Number(year)).map(({ date }) => date),
        days.map((day) => (day.length > 5 ? day : `${year}-${day}`)),
      );
  });

  it('WF-20 that an installation starts with are those of the rules, each once', () => {
    const document = readFileSync(HOLIDAYS, 'utf8');
    assert.equal(document, holidaysDocument(...HOLIDAY_YEARS), 'npm run holidays');
    const dates = [...document.matchAll(/<Date>(.+)<\/Date>/g)].map(([, date]) => date);
    assert.equal(new Set(dates).size, 11 * (HOLIDAY_YEARS[1] - HOLIDAY_YEARS[0] + 1));
  });
});
