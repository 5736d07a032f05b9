import { fileNamePatterns } from '../../../../kernel/documents/file-names.ts';
import type { SftpDelivery } from '../../../../contracts/sftp-accounts.ts';
import type { Db } from '../../../../kernel/database/store.ts';
import { toAccount, type AccountRow } from './account-rows.ts';

/**
 * Returns how the files of an account are imported. The file name patterns are the account's, else the import type's,
 * which also apply over HTTP.
 */
export async function accountDelivery(db: Db, row: AccountRow): Promise<SftpDelivery> {
  const template = row.template ?? '';
  // Regular expressions do not work with the collation of labels.
  const [found] = await db.query<{ options: string | null }>(
    `select parameterstring as options from importfiletemplate
      where lower(regexp_replace(importfiletemplate collate "C", '\\s', '', 'g')) = lower(regexp_replace($1::text,
      '\\s', '', 'g')) order by importfiletemplateid limit 1`,
    [template],
  );
  const patterns = fileNamePatterns(row.filenames ?? optionValue(found?.options ?? '', 'FileNames') ?? '');
  return {
    account: toAccount(row),
    template,
    hasTemplate: found !== undefined,
    fileNames: patterns.length === 0 ? undefined : patterns,
  };
}

/** Returns an option of an import type's parameter string, ignoring the case of its name. */
function optionValue(options: string, name: string): string | undefined {
  for (const [key, value] of new URLSearchParams(options)) if (key.toLowerCase() === name.toLowerCase()) return value;
  return undefined;
}
