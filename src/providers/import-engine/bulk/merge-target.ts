import type { ImportTemplate } from '../../../contracts/import-engine.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { bad } from '../../../kernel/parameters/parse-value.ts';
import type { RecordType } from '../../../kernel/declare/record.ts';
import type { Registry } from '../../../kernel/declare/registry.ts';
import { tableName } from './sql-names.ts';
import type { BulkOptions } from './bulk-options.ts';
import { STAGING_SCHEMA, type TableName } from './staging-database.ts';

/** What a merge changes. */
export type MergeTarget =
  | { readonly kind: 'records'; readonly record: RecordType }
  | { readonly kind: 'table'; readonly table: TableName };

/**
 * Returns the table that TargetTableName names for statements. In the installation's own database it must be a staging
 * table: everything else belongs to the platform. In another database a schema may precede the name.
 */
export function targetTable({ targetTableName, connection }: BulkOptions): TableName | undefined {
  if (targetTableName === undefined) return undefined;
  const [, schema, name = targetTableName] = /^([^.]+)\.([^.]+)$/.exec(targetTableName) ?? [];
  if (connection !== undefined) {
    if (/^(?:pg_|information_schema$)/i.test(schema ?? ''))
      throw bad('TargetTableName', "a table that is not one of the database's own");
    return { schema: schema ?? STAGING_SCHEMA, name };
  }
  if (schema !== undefined && schema.toLowerCase() !== STAGING_SCHEMA)
    throw bad('TargetTableName', `a table of staging, or a record type; ${schema.slice(0, 60)} is not staging`);
  return { schema: STAGING_SCHEMA, name: tableName(name, 'TargetTableName') };
}

/**
 * Returns what an import type merges into: a record type named by TargetTableName or AppliesTo, else a table.
 * @throws BAD_PARAMETER, MISSING_PARAMETER
 */
export function mergeTarget(
  registry: Registry,
  template: Pick<ImportTemplate, 'appliesTo' | 'options'>,
  options: BulkOptions,
): MergeTarget {
  const { targetTableName, connection } = options;
  const record =
    targetTableName === undefined || connection !== undefined ? undefined : registry.record(targetTableName);
  const appliesTo = template.options.get('classname') ?? template.appliesTo;
  if (record ?? targetTableName === undefined) {
    const named = appliesTo === undefined ? record : registry.requireRecord(appliesTo, 'AppliesTo');
    if (!named)
      throw new PlatformError('MISSING_PARAMETER', {
        field: 'TargetTableName',
        message:
          'TargetTableName: the import type says neither what to merge into nor which record type its rows ' +
          'are (AppliesTo).',
      });
    if (record && record !== named)
      throw bad('TargetTableName', `${named.name}, which the import type applies to, or a table of staging`);
    if (appliesTo === undefined)
      throw new PlatformError('MISSING_PARAMETER', {
        field: 'AppliesTo',
        message: `AppliesTo: expected ${named.name}, the record type that is merged into.`,
      });
    if (options.useTransaction)
      throw bad(
        'UseTransaction',
        'false for a merge into records: each row is saved as an operation that can fail alone',
      );
    return { kind: 'records', record: named };
  }
  return { kind: 'table', table: targetTable(options) as TableName };
}
