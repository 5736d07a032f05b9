/** Files in which a wait exceeded its limit are repeated, a few at most, and nothing else that failed is forgotten. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { FileReport } from '../../support/runner/file-reporter.ts';
import { countingReports, reportsToRepeat, verdictLine } from '../../../tools/repeated-files.ts';

function report(label: string, state: 'passed' | 'failed' | 'late'): FileReport {
  const passed = state === 'passed';
  const failures = passed ? [] : [`✖ ${label}`];
  const counts = { passed: Number(passed), failed: failures.length, skipped: 0 };
  const hasOnlyTimeouts = state === 'late';
  return { label, passed, text: '', failures, hasOnlyTimeouts, counts, milliseconds: 1, isFull: false };
}

describe('repeated test files', () => {
  test('are those in which only waits exceeded their limits, four at most', () => {
    const late = ['a', 'b', 'c', 'd'].map((label) => report(label, 'late'));
    assert.deepEqual(reportsToRepeat([report('x', 'failed'), ...late, report('y', 'passed')]), late);
    assert.deepEqual(reportsToRepeat([...late, report('e', 'late')]), []);
  });

  test('count with their second result, and every other report counts too', () => {
    const [late, passed] = [report('a', 'late'), report('b', 'passed')];
    const again = report('a', 'passed');
    assert.deepEqual(countingReports([late, passed], [late], [again]), [passed, again]);
    const lingering = report('a', 'failed');
    assert.deepEqual(countingReports([late, lingering], [late], [again]), [lingering, again]);
    assert.deepEqual(countingReports([late], [late], [again, lingering]), [again, lingering]);
    assert.deepEqual(countingReports([late, passed], [], []), [late, passed], 'too many are not repeated');
  });

  test('are named in the verdict', () => {
    assert.equal(verdictLine(true, []), 'Tests: passed');
    assert.equal(verdictLine(true, [report('a', 'late')]), 'Tests: passed (1 file repeated alone)');
    assert.equal(
      verdictLine(false, [report('a', 'late'), report('b', 'late')]),
      'Tests: FAILED (2 files repeated alone)',
    );
  });
});
