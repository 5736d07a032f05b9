import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import fc from 'fast-check';
import { daysAfter, militarySourceConformance } from '../../../src/contracts/conformance/military-source.ts';
import { MILITARY_SOURCE } from '../../../src/contracts/military-source.ts';
import { statusOf } from '../../../src/providers/military-source/local-table/local-table.ts';
import { testPlatform } from '../../support/platform.ts';

const on = await testPlatform({ after });
const person = { lastName: 'Sample', firstName: 'Ann', ssn: '900124001', birthDate: '1990-02-03' };
const served = { from: '2019-03-01', to: '2020-02-29', code: 'AV' };
const saved = await on.admin.post('/api/militaryservice/save?Output=Json', {
  LastName: person.lastName,
  FirstName: person.firstName,
  USSSN: person.ssn,
  BirthDate: person.birthDate,
  ActiveDutyStartDate: served.from,
  ActiveDutyEndDate: served.to,
  ServiceComponentCode: served.code,
});
assert.equal(saved.status, 200, saved.text);

describe('the LocalTable military source', () => {
  const source = on.platform.providers.get(MILITARY_SOURCE, 'LocalTable');
  for (const { title, check } of militarySourceConformance) {
    it(`CON-07 ${title}`, () =>
      check({
        source,
        known: person,
        served,
        unknown: { lastName: 'Nobody', ssn: '900124999', birthDate: '1990-02-03' },
      }));
  }

  it('CON-07 agrees with the rule as written, for any periods and any day', () => {
    const START = '2020-01-01';
    const period = fc.record({
      start: fc.integer({ min: 0, max: 1_500 }),
      length: fc.option(fc.integer({ min: 0, max: 900 }), { nil: null }),
      notified: fc.option(fc.integer({ min: 1, max: 200 }), { nil: null }),
    });
    fc.assert(
      fc.property(fc.array(period, { maxLength: 4 }), fc.integer({ min: -100, max: 2_500 }), (list, day) => {
        const periods = list.map(({ start, length, notified }) => ({
          start: daysAfter(START, start),
          end: length === null ? null : daysAfter(START, start + length),
          notified: notified === null ? null : daysAfter(START, start - notified),
          code: null,
        }));
        const reported = statusOf(periods, daysAfter(START, day));
        const active = list.some(({ start, length }) => start <= day && (length === null || day <= start + length));
        assert.equal(reported.activeDuty.covered, active);
        assert.equal(
          reported.earlyIndication.covered,
          list.some(({ start, notified }) => notified !== null && start > day && start - notified <= day),
        );
        assert.equal(
          reported.recentDuty.covered,
          !active &&
            list.some(({ start, length }) => length !== null && start + length < day && day - (start + length) <= 367),
        );
        assert.equal(reported.matched, list.length > 0);
      }),
    );
  });
});
