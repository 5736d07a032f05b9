import assert from 'node:assert/strict';
import { test } from 'node:test';
import { attemptsAfter, normalizedError } from '../../../src/surfaces/worker/failure-cause.ts';

const same = (one: string, other: string): void => assert.equal(normalizedError(one), normalizedError(other));

test('WEB-06 failures whose texts differ only in IDs, numbers, quoted values and mail addresses have one cause', () => {
  same('Contact 4711 was not found.', 'Contact 9 was not found.');
  same('State: expected two letters, got "Ohio".', 'State: expected two letters, got "New York".');
  same('No mailbox ada@north.example here', 'No mailbox ben.o@south.example here');
  same(
    'connect ECONNREFUSED 10.0.0.7:25 (call 0198b1f2-7d5e-7a11-8c3e-0242ac120002)',
    'connect ECONNREFUSED 10.0.0.19:587 (call 0198b1f2-aaaa-7a11-8c3e-0242ac120003)',
  );
  same('Amount 1,204.50 on 2026-11-02 is late', 'Amount 7 on 2025-01-31 is late');
  same('Posted  twice:\n3 rows', 'posted twice: 12 rows');
});

test('WEB-06 failures with other words have other causes, and a long or hostile text costs no time', () => {
  assert.notEqual(normalizedError('The mailbox is full.'), normalizedError('The mailbox is unknown.'));
  assert.equal(normalizedError("the borrower's State isn't known"), "the borrower's state isn't known");
  const began = performance.now();
  for (const text of ['"'.repeat(1e6), "'a".repeat(5e5), '@'.repeat(1e6), '1.'.repeat(5e5), `a${'0'.repeat(1e6)}`])
    assert.ok(normalizedError(text).length <= 300);
  assert.ok(performance.now() - began < 500);
});

test('WEB-06 the attempts of a call are remembered, also one whose process ended', () => {
  const startedOn = new Date('2026-11-18T02:00:00Z');
  const first = { at: '2026-11-18T02:00:01.000Z', code: 'UNAVAILABLE' };
  assert.deepEqual(attemptsAfter({ output: null as never, startedOn }, first), [first]);
  assert.deepEqual(attemptsAfter({ output: { code: 'UNAVAILABLE', attempts: [first] }, startedOn }, first), [
    first,
    first,
  ]);
  assert.deepEqual(attemptsAfter({ output: { value: { message: 'job timed out' } }, startedOn }, first), [
    { at: '2026-11-18T02:00:00.000Z', code: 'INTERRUPTED' },
    first,
  ]);
  const many = Array.from({ length: 30 }, () => first);
  assert.equal(attemptsAfter({ output: { attempts: many }, startedOn }, first).length, 20);
});
