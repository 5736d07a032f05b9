import type { RowResult } from '../../../../contracts/import-engine.ts';
import { insertLogRows, MESSAGE_CHARACTERS_MAX, type ImportLogRow, type LogOwner } from '../../lib/run/import-log.ts';
import { countResults, type RunProgress, type RunStore } from '../../lib/run/run-store.ts';

/** The progress of a submission whose sender waits. It is not stored: an interrupted submission does not resume. */
export interface SubmissionProgress extends RunProgress {
  /** Log rows written so far. */
  readonly logged: number;
  /** Warnings about records that were not changed, which count as warnings of the submission. */
  readonly otherWarnings: number;
  /** Result of the submission's first case. */
  readonly firstCase: RowResult | undefined;
}

/** The progress of a submission that has not begun. */
export const noProgress: SubmissionProgress = {
  done: 0,
  total: null,
  success: 0,
  warnings: 0,
  otherWarnings: 0,
  errors: 0,
  state: null,
  stopped: false,
  logged: 0,
  firstCase: undefined,
};

/**
 * Returns the store of a submission's progress: its log is stored, its counts are in memory. `caseRecord` is the record
 * type of its cases; undefined for stand-alone records.
 */
export function submissionProgress(owner: LogOwner, caseRecord: string | undefined): RunStore<SubmissionProgress> {
  return {
    // Only the call that received the submission knows its run.
    async lock() {},
    async record(own, { done, results }, before) {
      insertLogRows(
        own,
        owner,
        results.map((result, n) => toSubmissionLogRow(result, before.logged + n)),
      );
      const { success, warnings, errors } = countResults(results);
      return {
        ...before,
        done,
        success: before.success + success,
        warnings: before.warnings + warnings,
        otherWarnings:
          before.otherWarnings + results.filter((r) => r.status === 'Warning' && r.operation === 'None').length,
        errors: before.errors + errors,
        logged: before.logged + results.length,
        firstCase: before.firstCase ?? results.find((r) => r.object === caseRecord && typeof r.objectId === 'number'),
      };
    },
  };
}

/** Returns the log row of a result with its position in the log. The sender gets the message as it is. */
function toSubmissionLogRow(result: RowResult, sequence: number): ImportLogRow {
  return {
    label: result.reference ?? result.object ?? '',
    object: result.object ?? null,
    objectid: result.objectId ?? null,
    operation: result.operation,
    status: result.status,
    reference: result.reference ?? null,
    message: result.message?.slice(0, MESSAGE_CHARACTERS_MAX).toWellFormed() ?? null,
    properties: result.properties ?? null,
    line: result.line === 0 ? null : result.line,
    sequence,
    column: null,
    category: result.category ?? null,
  };
}
