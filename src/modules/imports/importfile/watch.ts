import { item } from '../../../kernel/door/answer.ts';
import type { Context } from '../../../kernel/door/context.ts';
import { f } from '../../../kernel/declare/field.ts';
import type { FileHandler } from '../../../kernel/ports/file-watch.ts';
import { assertMayWatch, watchAnswer, watchParameters, watchRequest, watchRow } from '../../../contracts/file-watch.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { runImport, validateImportFile } from './lib/run-import.ts';
import { documentFields } from './lib/document-fields.ts';
import { createImportFile } from './lib/create-import-file.ts';
import { requireEngine, openImportFile } from './lib/open-import-file.ts';
import { queueImport } from './lib/queue-import.ts';
import { findImportTemplate, type PipelineTemplate } from './lib/import-template.ts';

const ABANDONED_AFTER_SECONDS = 60;

export const operation = defineOperation({
  module: 'importfile',
  name: 'Watch',
  method: 'GET',
  summary:
    'Checks a storage location and imports each new file once by an import type: creates the import file ' +
    'and a document that points at the file, copies or moves the file, and imports it or queues its ' +
    'import. Without an import type each file becomes a document and nothing is imported. ' +
    '`Attachment_{Field}` sets fields of the documents. Queued with a ScheduleName it watches continuously.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  params: {
    ...watchParameters,
    Template: f.text({ doc: 'Name of the import type of each file.', max: 100 }),
    TemplateID: f.id({ doc: 'The import type, instead of its name.', to: 'ImportFileTemplate' }),
    Async: f.boolean({ doc: 'Whether each import is queued rather than run now.', default: false }),
    Queue: f.text({
      doc: "Queue of the imports, which are then queued; default: the import type's.",
      max: 100,
    }),
  },
  free: 'any',
  transactions: 'own',
  returns: watchAnswer,
  answerName: 'Watch',
  errors: ['BAD_PARAMETER', 'UNKNOWN_PROVIDER', 'UNAVAILABLE', 'NO_PERMISSION', 'BAD_SIGNATURE'],
  source: '1-core §4',
});

export const run = handle(operation, async (ctx, params, rest) => {
  assertMayWatch(ctx);
  const { Template, TemplateID, Async, Queue } = params;
  const hasTemplate = typeof Template === 'string' || typeof TemplateID === 'number';
  const template = hasTemplate
    ? await findImportTemplate(ctx, { name: Template ?? undefined, id: TemplateID ?? undefined })
    : undefined;
  if (template) requireEngine(ctx, template);
  const queue = typeof Queue === 'string' ? ctx.queue.queueOf(Queue) : undefined;
  const fields = await documentFields(ctx, rest, template !== undefined);
  const taking = template ? importEach(template, fields, Async || queue !== undefined, queue) : saveAsDocument(fields);
  return item(
    'Watch',
    watchAnswer,
    watchRow(await ctx.fileWatch.run(ctx, watchRequest('importfile/watch', params, template !== undefined), taking)),
  );
});

/** Returns the handler that saves each file as a document. */
function saveAsDocument(fields: Readonly<Record<string, string>>): FileHandler {
  return {
    async begin(ctx, { fileName, token }) {
      const saved = await ctx.call('attachment/save', { ...fields, FileName: fileName, Staged: token });
      return { attachmentId: Number(saved.row['AttachmentID']) };
    },
  };
}

/** Returns the handler that saves each file as an import file with a document, and imports it. */
function importEach(
  template: PipelineTemplate,
  fields: Readonly<Record<string, string>>,
  isQueued: boolean,
  queue: string | undefined,
): FileHandler {
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
      const file = await openImportFile(ctx, importFileId);
      // An import that started here and was interrupted resumes once it is abandoned; one that another process works on
      // is left alone.
      if (file.status === 'Importing' && (await isAbandoned(ctx, importFileId))) await runImport(ctx, file);
      else if (file.status === 'New' && (await validateImportFile(ctx, file))) {
        if (isQueued) {
          return ctx.inTransaction(async (own) => {
            await note(own);
            await queueImport(own, file.template, importFileId, queue);
          });
        }
        await runImport(ctx, file);
      }
      await alertFailure(ctx, importFileId);
      await ctx.inTransaction(note);
    },
  };
}

/**
 * Whether a run has saved nothing for so long that its process must have died: it saves something every few seconds.
 */
async function isAbandoned(ctx: Context, importFileId: number): Promise<boolean> {
  const before = new Date(ctx.clock.milliseconds() - ABANDONED_AFTER_SECONDS * 1_000).toISOString();
  const rows = await ctx.db.query(
    'select 1 from importrun where importfileid = $1::bigint and activedate < $2::timestamptz',
    [importFileId, before],
  );
  return rows.length > 0;
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
