import type { FileHandler } from '../../../../kernel/ports/file-watch.ts';
import { readRecord } from '../../../../kernel/records/search/read.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { isAbandoned } from './abandoned-imports.ts';
import { createImportFile } from './create-import-file.ts';
import type { PipelineTemplate } from './import-template.ts';
import { openImportFile } from './open-import-file.ts';
import { queueImport } from './queue-import.ts';
import { runImport, validateImportFile } from './run-import.ts';

/** How watched files are imported. */
interface WatchedFileOptions {
  /** Fields of the documents. */
  readonly fields: Readonly<Record<string, string>>;
  readonly isQueued: boolean;
  /** Queue of the imports; undefined: the import type's. */
  readonly queue: string | undefined;
}

/** Returns the handler that saves each file as a document. */
export function saveAsDocument(fields: Readonly<Record<string, string>>): FileHandler {
  return {
    async begin(ctx, { fileName, token }) {
      const saved = await ctx.call('attachment/save', { FileName: fileName, Staged: token }, fields);
      return { attachmentId: saved.row.AttachmentID };
    },
  };
}

/** Returns the handler that saves each file as an import file with a document, and imports it. */
export function importEach(template: PipelineTemplate, { fields, isQueued, queue }: WatchedFileOptions): FileHandler {
  return {
    async begin(own, { fileName, token, size, hash }) {
      const importFileId = await createImportFile(own, {
        template,
        fileName,
        document: { token, size, hash },
        status: 'New',
        documentFields: fields,
      });
      const [row] = await own.db.query<{ id: number }>(
        'select pretransformid as id from importfile where importfileid = $1::bigint',
        [importFileId],
      );
      return { importFileId, attachmentId: row?.id ?? 0 };
    },
    async follow(ctx, { importFileId = 0 }, note) {
      const file = await openImportFile(
        ctx,
        await readRecord(ctx.db, ctx.registry.recordType('ImportFile'), importFileId),
      );
      // An import that started here and was interrupted resumes once it is abandoned; one that another process works on
      // is left alone.
      if (file.status === 'Importing' && (await isRunAbandoned(ctx, importFileId))) await runImport(ctx, file);
      else if (file.status === 'New' && (await validateImportFile(ctx, file))) {
        if (isQueued) {
          return ctx.inTransaction(async (own) => {
            await note(own);
            await queueImport(own, file.template, importFileId, { queue });
          });
        }
        await runImport(ctx, file);
      }
      await alertFailure(ctx, importFileId);
      await ctx.inTransaction(note);
    },
  };
}

async function isRunAbandoned(ctx: Context, importFileId: number): Promise<boolean> {
  const [run] = await ctx.db.query<{ active: string }>(
    'select activedate as active from importrun where importfileid = $1::bigint',
    [importFileId],
  );
  return run !== undefined && isAbandoned(ctx, run.active);
}

/** Warns that a file failed as a whole; the details are in its import file. */
async function alertFailure(ctx: Context, importFileId: number): Promise<void> {
  const [row] = await ctx.db.query<{ name: string | null; status: string | null; message: string | null }>(
    `select importfile as name, status, message from importfile where importfileid = $1::bigint
      and status in ('Error', 'Validation Error')`,
    [importFileId],
  );
  if (row)
    ctx.alert({
      code: 'IMPORT_FAILED',
      id: importFileId,
      text: `${row.name ?? importFileId}: ${row.status ?? ''}${row.message === null ? '' : `, ${row.message}`}`,
    });
}
