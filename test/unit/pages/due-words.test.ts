import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { dueText } from '../../../src/surfaces/pages/due-words.ts';

const NOW = '2026-11-18T10:00:00';

describe('when something is due, in words', () => {
  const cases: readonly (readonly [due: string, text: string, tone: string])[] = [
    ['2026-11-16T09:00:00', 'Overdue 2 days', 'late'],
    ['2026-11-17T23:00:00', 'Overdue 1 day', 'late'],
    ['2026-11-18T07:30:00', 'Overdue 2 hours', 'late'],
    ['2026-11-18T09:45:00', 'Overdue', 'late'],
    ['2026-11-18T14:00:00', 'Today 2:00 PM', 'soon'],
    ['2026-11-18T23:59:59', 'Today', ''],
    ['2026-11-19T00:30:00', 'Tomorrow', ''],
    ['2026-11-24T12:00:00', 'Nov 24', ''],
    ['2027-01-02T12:00:00', 'Jan 2, 2027', ''],
  ];
  for (const [due, text, tone] of cases)
    it(`WEB-02 WEB-01 says "${text}"`, () => {
      assert.deepEqual(dueText(due, NOW, Date.parse(`${due}Z`) - Date.parse(`${NOW}Z`)), { text, tone });
    });
});
