import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { RowPool } from '../../../src/modules/imports/lib/events/rows/row-pool.ts';

void describe('the rows of an event file', () => {
  void it('stay as they are while the next piece is read, and are used again by the one after it', () => {
    const pool = new RowPool();
    const first = pool.next(1, 10);
    first.loan = '100000001';
    pool.begin();
    const second = pool.next(2, 20);
    assert.notEqual(second, first);
    assert.deepEqual([first.ordinal, first.line, first.loan], [1, 10, '100000001']);
    pool.begin();
    assert.equal(pool.next(3, 30), first);
  });

  void it('have nothing of an earlier piece', () => {
    const pool = new RowPool();
    const fresh = { ...pool.next(7, 70) };
    pool.begin();
    pool.begin();
    const used = pool.next(1, 10);
    Object.assign(used, {
      outcome: 'kept',
      message: 'saved',
      provider: 'FIRM',
      code: 'E0200',
      loan: '100000001',
      key: 'F-1',
      kind: 'Foreclosure',
      meaning: { kind: 'Foreclosure' },
      at: '2024-01-01',
      created: '2024-01-01',
      recorded: '2024-01-01',
      values: { FCFileClosedReasonType: 'Sold' },
      start: 1,
      end: 2,
      nameStart: 3,
      nameEnd: 4,
      firm: 5,
      loanId: 6,
      caseKey: 'key',
      caseId: 7,
      isCaseMade: true,
      task: { id: 8 },
      delayId: 9,
      eventId: 10,
    });
    assert.equal(
      Object.values(used).some((value) => value === '' || value === 0 || value === undefined || value === false),
      false,
      'every property of a row is set above, so that each is known to be reset',
    );
    pool.begin();
    pool.begin();
    assert.deepEqual(pool.next(7, 70), fresh);
  });
});
