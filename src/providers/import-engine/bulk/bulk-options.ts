import type { ImportTemplate } from '../../../contracts/import-engine.ts';
import { bad } from '../../../kernel/parameters/parse-value.ts';

/** Options of bulk loads and their descriptions. */
export const bulkOptionDocs: Readonly<Record<string, string>> = {
  TableName:
    'The staging table to load; {TableName} in it is replaced with the worksheet or the file name without ' +
    'extension. Default: a table of the import file, import{ImportFileID}, which is removed after the days ' +
    'of the setting StagingTableDays.',
  TargetTableName:
    'Where BulkMerge merges to: a staging table, a record type, or a table of the Connection. An ' +
    'ImportStatement can use it too.',
  Connection: "Name of another database declared in the environment; default: the installation's own.",
  Truncate: 'Whether the staging table is emptied first; default false.',
  EnsureTable: 'Whether a missing staging table is created; default true.',
  AllowAlterColumn:
    'Whether columns of an existing staging table are added and widened as the data needs it; default false.',
  IdentityColumn: 'An additional column that numbers the rows.',
  BulkCopyTimeout: 'Seconds that one copy may take; default 30. A load copies in pieces.',
  UseTransaction: 'Whether load, ImportStatement and merge are one transaction, all or nothing; default false.',
  ThrowOnError: 'Whether the first failed row ends the run; default false: it is logged and the other rows are loaded.',
  UseSafe: 'Whether spaces and special characters are removed from column names; default true.',
};

/** Longest timeout of a copy. */
const TIMEOUT_SECONDS_MAX = 3_600;
const TIMEOUT_SECONDS = 30;

/** The parsed options of a bulk load. */
export interface BulkOptions {
  readonly tableName: string | undefined;
  readonly targetTableName: string | undefined;
  readonly connection: string | undefined;
  readonly truncate: boolean;
  readonly ensureTable: boolean;
  readonly allowAlterColumn: boolean;
  readonly identityColumn: string | undefined;
  readonly timeoutSeconds: number;
  readonly useTransaction: boolean;
  readonly throwOnError: boolean;
  readonly useSafe: boolean;
}

/**
 * Parses the options of an import type.
 * @throws BAD_PARAMETER naming the option and what was expected
 */
export function parseBulkOptions({ options }: Pick<ImportTemplate, 'options'>): BulkOptions {
  const text = (name: string): string | undefined => {
    const value = options.get(name.toLowerCase())?.trim();
    return value === '' ? undefined : value;
  };
  const flag = (name: string, otherwise: boolean): boolean => {
    const value = text(name)?.toLowerCase();
    if (value === undefined) return otherwise;
    if (value === 'true' || value === '1' || value === 'yes') return true;
    if (value === 'false' || value === '0' || value === 'no') return false;
    throw bad(name, 'true or false');
  };
  const timeout = text('BulkCopyTimeout') ?? String(TIMEOUT_SECONDS);
  const timeoutSeconds = /^\d{1,5}$/.test(timeout) ? Number(timeout) : 0;
  if (timeoutSeconds < 1 || timeoutSeconds > TIMEOUT_SECONDS_MAX)
    throw bad('BulkCopyTimeout', `a number of seconds between 1 and ${TIMEOUT_SECONDS_MAX}`);
  const tableName = text('TableName');
  const braces = tableName?.replace(/\{TableName\}/gi, '') ?? '';
  if (/[{}]/.test(braces)) throw bad('TableName', 'a name with braces only around TableName');
  return {
    tableName,
    targetTableName: text('TargetTableName'),
    connection: text('Connection'),
    truncate: flag('Truncate', false),
    ensureTable: flag('EnsureTable', true),
    allowAlterColumn: flag('AllowAlterColumn', false),
    identityColumn: text('IdentityColumn'),
    timeoutSeconds,
    useTransaction: flag('UseTransaction', false),
    throwOnError: flag('ThrowOnError', false),
    useSafe: flag('UseSafe', true),
  };
}
