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

/** Columns of dates that end a record once they are set, unless its type declares its own. */
const defaultEndDates: readonly string[] = ['CanceledDate', 'ActualCompletion', 'DateClosed'];

/**
 * Returns SQL that is true for an open record: it has no end date. `alias` is the alias of its table in the statement,
 * if it has one.
 */
export function openCondition(record: RecordType, alias?: string): string {
  const columns = endDateNames(record).flatMap((name) => record.valueColumns.get(name) ?? []);
  return columns.map(({ table, column }) => `${alias ?? table}.${column} is null`).join(' and ') || 'true';
}

/** Returns the columns of a record type that are empty while a record is open. */
export function endDateNames(record: RecordType): readonly string[] {
  const names = inherited(record, 'endDates') ?? defaultEndDates;
  return names.filter((name) => record.valueColumns.has(name));
}

/** Returns SQL that is true for an active record: it is open and has no final status. */
export function activeCondition(record: RecordType, alias?: string): string {
  const status = record.valueColumns.get('Status');
  if (!status) return openCondition(record, alias);
  const finals = (inherited(record, 'finalStatuses') ?? defaultFinalStatuses).map(quoted).join(', ');
  return `coalesce(${alias ?? status.table}.status, '') not in (${finals}) and ${openCondition(record, alias)}`;
}

/** Returns what a record type declares, or the nearest of its base types. */
function inherited(record: RecordType, name: 'endDates' | 'finalStatuses'): readonly string[] | undefined {
  for (let at: RecordType | undefined = record; at; at = at.base) if (at[name]) return at[name];
  return undefined;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
