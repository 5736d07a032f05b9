import { toCustomField, choiceValues, type StoredCustomField } from './stored-custom-field.ts';
import { CUSTOM_COLUMN } from '../../../../kernel/declare/custom-field.ts';
import type { RecordType } from '../../../../kernel/declare/record.ts';
import { hasRecordClass } from '../../../../kernel/database/sql.ts';
import type { Registry } from '../../../../kernel/declare/registry.ts';
import { arrayLiteral, type Db } from '../../../../kernel/database/store.ts';

/** Most values that are counted; a larger number is not needed exactly. */
const COUNT_MAX = 10_000;

/** Returns how many records hold a value of a field, in words; undefined if none does. */
export type ValueCount = string | undefined;

/** Returns the SQL for the records of a type that hold a member; parameters 1 and 2 are the member and the classes. */
function countSql(record: RecordType, condition: string): string {
  const { table } = record.root;
  // Types that share a table may have fields of the same name.
  const classes = hasRecordClass(record.root) ? `${table}.recordclass = any($2::text[])` : '$2::text[] is not null';
  return `select count(*)::integer as n
     from (
       select 1
       from ${table}
       where ${table}.${CUSTOM_COLUMN} ? $1::text and ${classes}${condition}
       limit ${COUNT_MAX + 1}) held`;
}

async function countRecords(
  db: Db,
  { registry, record, member }: { readonly registry: Registry; readonly record: RecordType; readonly member: string },
  condition = '',
  params: readonly unknown[] = [],
): Promise<ValueCount> {
  const classes = arrayLiteral(registry.family(record).map((of) => of.name));
  const [row] = await db.query<{ n: number }>(countSql(record, condition), [member, classes, ...params]);
  const n = row?.n ?? 0;
  if (n === 0) return undefined;
  return n > COUNT_MAX ? `more than ${COUNT_MAX}` : String(n);
}

/** Counts the records of a type that hold a value under a member. */
export function countStoredValues(db: Db, registry: Registry, record: RecordType, member: string): Promise<ValueCount> {
  return countRecords(db, { registry, record, member });
}

/** Counts the records of a type with a value that the changed field could not hold. */
export function countMisfittingValues(
  db: Db,
  registry: Registry,
  record: RecordType,
  field: StoredCustomField,
): Promise<ValueCount> {
  const most = toCustomField(field).field.max ?? null;
  const condition =
    ` and not casewright_custom_fits(${record.root.table}.${CUSTOM_COLUMN} ->> $1::text, $3::text, ` +
    '$4::integer, $5::text[])';
  return countRecords(db, { registry, record, member: field.StoredName }, condition, [
    field.Kind,
    most,
    arrayLiteral(choiceValues(field.Values)),
  ]);
}
