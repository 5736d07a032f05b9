import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { calendarOf, parseBusinessHours } from '../../../src/kernel/time/business-calendar.ts';
import { itemReason, type ItemRank } from '../../../src/modules/work/smartworklistmember/lib/item-reason.ts';
import {
  finishAt,
  perWorkingDay,
  workingDaysBefore,
} from '../../../src/modules/work/smartworklistmember/lib/usual-pace.ts';

const NOW = Date.parse('2026-06-03T15:00:00Z');
const item: ItemRank = {
  isOwn: true,
  isStarted: false,
  team: 'Title',
  teamPriority: 1,
  priority: null,
  sequence: null,
  dueDate: '2026-06-01T15:00:00Z',
};

describe('the reason of an item', () => {
  const next: ItemRank = { ...item, dueDate: '2026-06-02T15:00:00Z' };
  const cases: readonly (readonly [string, Partial<ItemRank>, Partial<ItemRank> | undefined, string])[] = [
    ['overdue', {}, {}, 'Oldest overdue item you own.'],
    ['begun', { isStarted: true }, {}, 'You have begun it.'],
    ['due later', { dueDate: '2026-06-04T15:00:00Z' }, { dueDate: null }, 'Due first of your items.'],
    ['of the team', { isOwn: false }, { isOwn: false }, 'Oldest overdue item of your teams.'],
    ['own before others', {}, { isOwn: false }, 'Overdue, and assigned to you.'],
    ['first team', { isOwn: false }, { isOwn: false, teamPriority: 2 }, 'Title is your first team.'],
    ['priority', { priority: 1 }, {}, 'Priority 1; the next has none.'],
    ['sequence', { sequence: 1 }, { sequence: 2 }, 'First in the order of its queue.'],
    ['the same keys', { dueDate: null }, { dueDate: null }, 'It has waited longest.'],
    ['the last one', { isOwn: false }, undefined, 'It waits for Title.'],
  ];
  for (const [name, first, second, expected] of cases)
    it(`WEB-02 says which key decides: ${name}`, () => {
      const after = second === undefined ? undefined : { ...next, ...second };
      assert.equal(itemReason({ ...item, ...first }, after, [], NOW), expected);
    });

  it('WEB-02 says which steps wait for it', () => {
    const waiting = (steps: readonly string[]): string => itemReason(item, next, steps, NOW).split('own. ')[1] ?? '';
    assert.equal(waiting([]), '');
    assert.equal(waiting(['File complaint']), '“File complaint” cannot start until it is done.');
    assert.equal(waiting(['A', 'B']), '“A” and another step cannot start until it is done.');
    assert.equal(waiting(['A', 'B', 'C']), '“A” and 2 other steps cannot start until it is done.');
  });
});

describe('the usual pace', () => {
  const calendar = calendarOf('America/New_York', parseBusinessHours('Mon-Fri 08:00-17:00', 'Hours'), [
    { date: '2026-06-01', yearly: false },
  ]);

  it('WEB-02 is taken from working days with completed items', () => {
    assert.deepEqual(workingDaysBefore(calendar, '2026-06-03', 3), ['2026-05-28', '2026-05-29', '2026-06-02']);
    assert.equal(perWorkingDay([0, 4, 0, 8]), 6);
    assert.equal(perWorkingDay([0, 0]), undefined);
  });

  it('WEB-02 says when the remaining items are done, in working hours', () => {
    // 11:00 in New York; two items at one per hour.
    assert.equal(finishAt(calendar, NOW, 2, 1 / 60), Date.parse('2026-06-03T17:00:00Z'));
    assert.equal(finishAt(calendar, NOW, 500, 1 / 60), undefined);
    // Eight hours of work from 11:00 end the next morning.
    assert.equal(finishAt(calendar, NOW, 8, 1 / 60), Date.parse('2026-06-04T14:00:00Z'));
  });
});
