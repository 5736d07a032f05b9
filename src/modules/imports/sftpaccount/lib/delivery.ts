import { fileNamePatterns } from '../../../../kernel/documents/file-names.ts';
import type { SftpDelivery } from '../../../../contracts/sftp-accounts.ts';
import type { Db } from '../../../../kernel/database/store.ts';
import { toAccount, type AccountRow } from './account-rows.ts';

/** What is done with the files of an account: one rule for names, the template's, which holds by HTTP as well, unless the account has its own. */
export async function accountDelivery(db: Db, row: AccountRow): Promise<SftpDelivery> {
  const template = row.template ?? '';
  // Regular expressions do not go with the collation of labels.
  const [found] = await db.query<{ options: string | null }>(
    `select parameterstring as options from importfiletemplate where lower(regexp_replace(importfiletemplate collate "C", '\\s', '', 'g')) = lower(regexp_replace($1::text, '\\s', '', 'g')) order by importfiletemplateid limit 1`,
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

/** An option of a template's parameter string, whose names are compared without case. */
function optionValue(options: string, name: string): string | undefined {
  for (const [key, value] of new URLSearchParams(options)) if (key.toLowerCase() === name.toLowerCase()) return value;
  return undefined;
}
