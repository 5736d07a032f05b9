import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { dueMark, localDay, timeOfDay, today } from '../../../src/surfaces/pages/days.ts';
import type { PageCall } from '../../../src/surfaces/pages/page-call.ts';

/** Returns a call of a user with this time zone, in an installation in New York, at an instant. */
function callIn(zone: string | undefined, now: string): PageCall {
  const platform = { clock: { now: () => now }, settings: { get: () => 'America/New_York' } };
  return { platform, preferences: { timeZone: zone } } as unknown as PageCall;
}

describe('days', () => {
  it('WEB-01 begin at midnight where the user is', () => {
    const call = callIn('America/Los_Angeles', '2026-11-18T07:30:00Z');
    assert.equal(today(call), '2026-11-17');
    assert.equal(
      today(callIn(undefined, '2026-11-18T07:30:00Z')),
      '2026-11-18',
      'without a preference: the installation',
    );
    assert.equal(localDay(call, '2026-11-18T07:59:59Z'), '2026-11-17');
    assert.equal(localDay(call, '2026-11-18T08:00:00Z'), '2026-11-18');
    assert.equal(localDay(call, '2026-11-18'), '2026-11-18', 'a date is the same everywhere');
    assert.match(timeOfDay(call, '2026-11-18T08:05:00Z').markup, />12:05 AM</);
    assert.match(dueMark(call, '2026-11-17').markup, /soon/);
    assert.match(dueMark(callIn('Asia/Tokyo', '2026-11-18T07:30:00Z'), '2026-11-17').markup, /1 day late/);
  });

  it('WEB-01 follow daylight saving: the clock goes from 1:59 to 3:00 in spring, and back to 1:00 in autumn', () => {
    const call = callIn('America/Los_Angeles', '2026-03-08T12:00:00Z');
    assert.match(timeOfDay(call, '2026-03-08T09:59:00Z').markup, />1:59 AM</);
    assert.match(timeOfDay(call, '2026-03-08T10:00:00Z').markup, />3:00 AM</);
    assert.equal(localDay(call, '2026-03-09T06:59:59Z'), '2026-03-08');
    assert.equal(localDay(call, '2026-03-09T07:00:00Z'), '2026-03-09');
    assert.match(timeOfDay(call, '2026-11-01T08:30:00Z').markup, />1:30 AM</);
    assert.match(timeOfDay(call, '2026-11-01T09:30:00Z').markup, />1:30 AM</);
    assert.equal(localDay(call, '2026-11-02T07:59:59Z'), '2026-11-01');
    assert.equal(localDay(call, '2026-11-02T08:00:00Z'), '2026-11-02');
  });
});
