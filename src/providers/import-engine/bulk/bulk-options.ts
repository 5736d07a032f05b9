import type { ImportTemplate } from '../../../contracts/import-engine.ts';
import { nearest } from '../../../kernel/door/errors.ts';
import { bad } from '../../../kernel/parameters/parse-value.ts';

/** The options of bulk loads, each with what it does. */
export const bulkOptionDocs: Readonly<Record<string, string>> = {
  TableName:
    "The staging table that is loaded; {TableName} in it stands for the worksheet or the file, without its extension. Without it a table of the import file's own, import{ImportFileID}, which is removed after the days of the setting StagingTableDays.",
  TargetTableName:
    'What BulkMerge merges into: a table of staging, a record type, or a table of the Connection; an ImportStatement sees it too.',
  Connection: "The name of another database, as the environment declares it; without it the installation's own.",
  Truncate: 'Whether the staging table is emptied first (false).',
  EnsureTable: 'Whether a staging table that is missing is made (true).',
  AllowAlterColumn:
    'Whether columns are added to a staging table that stands already, and widened, as the data needs it (false).',
  IdentityColumn: 'A column that numbers the rows, beside those of the source.',
  BulkCopyTimeout: 'How many seconds one copy may take (30); a load copies in pieces.',
  UseTransaction: 'Whether load, ImportStatement and merge are one transaction: all or nothing (false).',
  ThrowOnError: 'Whether the first row that fails ends the run (false: it is logged, and the others are loaded).',
  UseSafe: 'Whether spaces and special characters are left out of column names (true).',
};

/** The longest that a copy may be given. */
const TIMEOUT_SECONDS_MAX = 3_600;
const TIMEOUT_SECONDS = 30;

/** The options of a bulk load, read. */
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

/** Reads the options of a template. @throws BAD_PARAMETER naming the option and what was expected */
export function parseBulkOptions({ options }: Pick<ImportTemplate, 'options'>): BulkOptions {
  const text = (name: string): string | undefined => options.get(name.toLowerCase())?.trim() || undefined;
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
  if (/[{}]/.test(braces)) throw bad('TableName', 'a name in which braces stand around TableName alone');
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

/** The nearest of some names, as the end of a message. */
export function didYouMean(name: string, known: readonly string[]): string {
  const near = nearest(name, known);
  return near.length > 0 ? ` Did you mean ${near.join(' or ')}?` : '';
}
