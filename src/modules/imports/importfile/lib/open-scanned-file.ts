import type { Row } from '../../../../kernel/door/answer.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import type { importFile } from '../importfile.record.ts';
import { importTemplate } from './import-template.ts';
import { openImportFile, type OpenImportFile } from './open-import-file.ts';
import { queueImport } from './queue-import.ts';

/** When an import is tried again whose file waits for its malware scan. */
const RETRY_SECONDS = 60;

/**
 * Opens an import file. If its document waits for its malware scan, queues the import for later, however long that
 * takes, and returns undefined. Throws what {@link openImportFile} throws.
 */
export async function openOrQueue(ctx: Context, row: Row<typeof importFile>): Promise<OpenImportFile | undefined> {
  try {
    return await openImportFile(ctx, row);
  } catch (error) {
    if (!(error instanceof PlatformError) || error.code !== 'DOCUMENT_NOT_SCANNED') throw error;
    const template = await importTemplate(ctx, row.ImportFileTemplateID ?? 0);
    const queuedDate = new Date(ctx.clock.milliseconds() + RETRY_SECONDS * 1_000).toISOString();
    await ctx.inTransaction((own) => queueImport(own, template, row.ImportFileID, { queuedDate }));
    ctx.alert({
      code: error.code,
      id: row.ImportFileID,
      text: 'The file is waiting for its malware scan; its import is queued until then.',
    });
    return undefined;
  }
}
