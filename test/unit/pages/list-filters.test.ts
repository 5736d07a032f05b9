import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { f } from '../../../src/kernel/declare/field.ts';
import { dayText } from '../../../src/surfaces/pages/days.ts';
import { dueText } from '../../../src/surfaces/pages/lists/day-text.ts';
import {
  filterText,
  operatorText,
  operatorsOf,
  parseFilter,
  takesValue,
  type FilterTerm,
} from '../../../src/surfaces/pages/lists/filters.ts';

describe('filters of lists', () => {
  it('WEB-01 the text of a filter is what a search takes, and is read back as the same filter', () => {
    const fields = [f.text({ doc: '' }), f.date({ doc: '' }), f.money({ doc: '' }), f.boolean({ doc: '' })];
    for (const operator of new Set(fields.flatMap(operatorsOf))) {
      const term: FilterTerm = { operator, value: takesValue(operator) ? 'Smith' : '' };
      assert.deepEqual(parseFilter(filterText(term)), term);
    }
  });

  it('WEB-01 what people typed in an address is read as they meant it', () => {
    const read = (text: string): string => Object.values(parseFilter(text)).join(' ');
    assert.equal(read('Open'), 'is Open');
    assert.equal(read('NOT NULL'), 'notEmpty ');
    assert.equal(read('not Closed'), 'isNot Closed');
    assert.equal(read('<>5'), 'isNot 5');
    assert.equal(read('>= 100'), 'atLeast 100');
    assert.equal(read('*mith*'), 'contains mith');
    assert.equal(read('Smi*'), 'startsWith Smi');
    assert.equal(read('S*th*'), 'is S*th*');
    assert.equal(read('notary'), 'is notary');
  });

  it('WEB-01 operators are named as fits the kind of field', () => {
    assert.equal(operatorText('atLeast', f.date({ doc: '' })), 'is on or after');
    assert.equal(operatorText('atLeast', f.money({ doc: '' })), 'is at least');
    assert.deepEqual(operatorsOf(f.choice(['A', 'B'], { doc: '' })), ['is', 'isNot', 'empty', 'notEmpty']);
  });

  it('WEB-01 days are short, and due days are seen from today', () => {
    assert.equal(dayText('2026-11-18', '2026-11-23'), 'Nov 18');
    assert.equal(dayText('2025-11-18', '2026-11-23'), 'Nov 18, 2025');
    const due = (day: string): string => Object.values(dueText(day, '2026-11-23')).join(' ').trim();
    assert.deepEqual(['2026-11-18', '2026-11-23', '2026-11-24', '2026-12-02', '2025-01-01'].map(due), [
      '5d late late',
      'Today soon',
      'Tomorrow',
      'Dec 2',
      'Jan 1, 2025 late',
    ]);
  });
});
