import type { RecordType } from '../../declare/record.ts';

/** Statuses that end a record of any type, unless its declaration lists its own. */
const defaultFinalStatuses: readonly string[] = [
  'Canceled',
  'Cancelled',
  'Complete',
  'Completed',
  'Closed',
  'Rejected',
  'Restart',
];

const endDates = ['canceleddate', 'actualcompletion', 'dateclosed'];

/** SQL that is true for a record to which something may still happen: no final status and no date that ends it. */
export function activeCondition(record: RecordType): string {
  const status = record.columns.get('status');
  const finals = (record.finalStatuses ?? defaultFinalStatuses).map((s) => `'${s.replaceAll("'", "''")}'`).join(', ');
  const dates = endDates.flatMap((d) => record.columns.get(d) ?? []).map((c) => `${c.table}.${c.column} is null`);
  return [status ? `coalesce(${status.table}.status, '') not in (${finals})` : 'true', ...dates].join(' and ');
}
