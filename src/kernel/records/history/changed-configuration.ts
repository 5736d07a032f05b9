import { isConfiguration, type RecordType } from '../../declare/record.ts';
import type { Registry } from '../../declare/registry.ts';
import { arrayLiteral, type Db } from '../../database/store.ts';

/** A record of configuration that was created, changed or deleted. */
export interface ChangedRecord {
  readonly record: RecordType;
  readonly id: number;
  /** The latest of its changes, ISO 8601. */
  readonly at: string;
  readonly change: 'insert' | 'update' | 'delete' | 'undelete';
  readonly personId: number | null;
  readonly count: number;
}

/** A span of time, ISO 8601; without an end, until now. */
export interface TimeSpan {
  readonly since: string;
  readonly until: string | undefined;
}

/** The types whose changes are listed: cells and columns of matrices have versions instead. */
export function listedConfiguration(registry: Registry): readonly RecordType[] {
  return registry
    .records()
    .filter(
      (record) =>
        isConfiguration(record) &&
        record.history !== false &&
        record.base === undefined &&
        !/^Matrix\w/.test(record.name),
    );
}

/**
 * Returns records of configuration that were created, changed or deleted in a span, the latest first. The caller has
 * checked that the user may read their histories.
 */
export async function changedConfiguration(
  db: Db,
  records: readonly RecordType[],
  { since, until }: TimeSpan,
  limit: number,
): Promise<readonly ChangedRecord[]> {
  const byTable = new Map(records.map((record) => [record.table, record]));
  if (byTable.size === 0) return [];
  const created = [...byTable.keys()].map(
    (table) => `select '${table}' as tablename, ${table}id as id, createddate as at, 'insert' as change,
      createdpersonid as personid from ${table} where createddate >= $2::timestamptz`,
  );
  const rows = await db.query<{
    tablename: string;
    id: number;
    at: string;
    change: ChangedRecord['change'];
    personid: number | null;
    count: number;
  }>(
    `select distinct on (tablename, id) tablename, id, at, change, personid,
       count(*) over (partition by tablename, id)::integer as count
     from (
       select tablename::text, recordid as id, at, change::text, personid from history
       where tablename = any($1::text[]) and at >= $2::timestamptz and (change <> 'update' or old <> '{}')
       union all ${created.join(' union all ')}
     ) changes
     where $3::timestamptz is null or at < $3::timestamptz
     order by tablename, id, at desc, change`,
    [arrayLiteral([...byTable.keys()]), since, until ?? null],
  );
  return rows
    .flatMap(({ tablename, personid, ...row }): ChangedRecord[] => {
      const record = byTable.get(tablename);
      return record ? [{ ...row, record, personId: personid }] : [];
    })
    .sort((one, other) => other.at.localeCompare(one.at))
    .slice(0, limit);
}
