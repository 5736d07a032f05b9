import type { RecordType } from '../../declare/record.ts';

/** Statuses after which a record is final, unless its type declares its own. */
const defaultFinalStatuses: readonly string[] = [
  'Canceled',
  'Cancelled',
  'Complete',
  'Completed',
  'Closed',
  'Rejected',
  'Restart',
];

/** Columns of dates that, once set, make a record final. */
const endDates = ['canceleddate', 'actualcompletion', 'dateclosed'];

/** Returns SQL that is true for an active record: it has no final status and no end date. */
export function activeCondition(record: RecordType): string {
  const status = record.columns.get('status');
  const finals = (record.finalStatuses ?? defaultFinalStatuses).map((s) => `'${s.replaceAll("'", "''")}'`).join(', ');
  const dates = endDates.flatMap((d) => record.columns.get(d) ?? []).map((c) => `${c.table}.${c.column} is null`);
  return [status ? `coalesce(${status.table}.status, '') not in (${finals})` : 'true', ...dates].join(' and ');
}
