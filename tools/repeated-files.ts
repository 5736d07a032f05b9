/**
 * Which test files run once more, alone, and which result counts.
 *
 * A file in which only waits exceeded their limits is repeated, and that result counts: on a busy machine a limit
 * proves nothing. If there are more such files than {@link REPEATED_MAX}, something else is wrong: none is repeated.
 */
import type { FileReport } from '../test/support/runner/file-reporter.ts';

const REPEATED_MAX = 4;

/** Returns the reports of the files to repeat. */
export function reportsToRepeat(reports: readonly FileReport[]): readonly FileReport[] {
  const late = reports.filter(({ hasOnlyTimeouts }) => hasOnlyTimeouts);
  return late.length > REPEATED_MAX ? [] : late;
}

/**
 * Returns the reports that count: those of the repeated run in place of those that it repeats. A second report of a
 * file, such as one of a process that did not exit, counts in any case.
 */
export function countingReports(
  first: readonly FileReport[],
  late: readonly FileReport[],
  repeated: readonly FileReport[],
): readonly FileReport[] {
  return [...first.filter((report) => !late.includes(report)), ...repeated];
}

/** Returns the last line of the tests: whether they passed, and how many files did so only when repeated. */
export function verdictLine(passed: boolean, late: readonly FileReport[]): string {
  const files = late.length === 1 ? '1 file' : `${late.length} files`;
  return `Tests: ${passed ? 'passed' : 'FAILED'}${late.length === 0 ? '' : ` (${files} repeated alone)`}`;
}
