import { Readable } from 'node:stream';
import { readRecord } from '../../../kernel/records/search/read.ts';
import type { Answer } from '../../../kernel/door/answer.ts';
import { piecesOf } from '../../../kernel/parameters/body-parameters.ts';
import type { Context } from '../../../kernel/door/context.ts';
import type { StagedDocument } from '../../../kernel/ports/documents.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { f } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { runImport, validateImportFile } from './lib/run-import.ts';
import { fileAnswer } from './lib/file-answer.ts';
import { assertFileName } from './lib/file-names.ts';
import { createImportFile, plainFileName } from './lib/create-import-file.ts';
import { requireEngine } from './lib/open-import-file.ts';
import { openOrQueue } from './lib/open-scanned-file.ts';
import { discardStaged } from '../../../kernel/documents/discard-staged.ts';
import { limitMegabytes } from '../lib/limit-bytes.ts';
import { resultsExample } from '../lib/results-example.ts';
import { importResults } from './lib/results.ts';
import { findImportTemplate, type PipelineTemplate } from './lib/import-template.ts';
import { queueImport } from './lib/queue-import.ts';
import { importMegabytesMax } from './settings.ts';

export const operation = defineOperation({
  module: 'importfile',
  name: 'ImportByObject',
  method: 'POST',
  summary:
    'Imports a file by an import type: stores the body as the source document, validates it, and imports ' +
    'it at once, or queues it if the import type is Async. Returns ImportResults, or the import file if it ' +
    'is queued.',
  effect: 'write',
  idempotent: false,
  access: 'permission',
  params: {
    Template: f.text({ doc: 'Name of the import type; case and spaces are ignored.', max: 100 }),
    TemplateID: f.id({ doc: 'The import type, instead of its name.', to: 'ImportFileTemplate' }),
    Validate: f.boolean({
      doc: 'False: an import that fails is not an error of the call; the results say why it failed.',
      default: true,
    }),
    PreTransform_FileName: f.text({ doc: 'Name of the submission.', max: 200 }),
    Reference: f.text({ doc: "The sender's job or batch number.", max: 50 }),
    ExternalReference: f.text({ doc: 'Number of the run at an external service.', max: 255 }),
  },
  body: 'raw',
  transactions: 'own',
  returns: 'tree',
  answerName: 'ImportResults',
  example: resultsExample,
  errors: ['BAD_PARAMETER', 'MISSING_PARAMETER', 'TOO_LARGE', 'UNKNOWN_PROVIDER'],
  source: '1-core §4',
});

export const run = handle(operation, async (ctx, params): Promise<Answer> => {
  const { Template, TemplateID, Validate, Reference, ExternalReference } = params;
  if (typeof Template !== 'string' && typeof TemplateID !== 'number')
    throw new PlatformError('MISSING_PARAMETER', {
      field: 'Template',
      message: 'Template is required: the name of the import type.',
    });
  const template = await findImportTemplate(ctx, { name: Template ?? undefined, id: TemplateID ?? undefined });
  requireEngine(ctx, template);
  const sentName = params.PreTransform_FileName ?? (template.options.has('filenames') ? null : `${template.name}.txt`);
  if (sentName === null)
    throw new PlatformError('MISSING_PARAMETER', {
      field: 'PreTransform_FileName',
      message:
        `PreTransform_FileName is required: the file's name, such as ` +
        `${template.options.get('filenames') ?? 'File.csv'}.`,
    });
  const fileName = plainFileName(sentName, 'PreTransform_FileName');
  assertFileName(template, fileName);
  const importFileId = await keepFile(ctx, template, {
    fileName,
    reference: Reference ?? undefined,
    externalReference: ExternalReference ?? undefined,
  });
  const file = await openOrQueue(ctx, await readRecord(ctx.db, ctx.record, importFileId));
  if (!file) return fileAnswer(fileName, importFileId, 'Queued');
  if (!(await validateImportFile(ctx, file))) {
    const { root } = await importResults(ctx, await readRecord(ctx.db, ctx.record, importFileId));
    return { kind: 'tree', root, failed: Validate };
  }
  if (template.async) {
    await ctx.inTransaction((own) => queueImport(own, template, importFileId));
    return fileAnswer(fileName, importFileId, 'Queued');
  }
  await runImport(ctx, file);
  const results = await importResults(ctx, await readRecord(ctx.db, ctx.record, importFileId));
  return { ...results, failed: Validate && results.failed === true };
});

/** Stores the body as a sealed document and creates its import file. */
async function keepFile(
  ctx: Context,
  template: PipelineTemplate,
  named: {
    readonly fileName: string;
    readonly reference: string | undefined;
    readonly externalReference: string | undefined;
  },
): Promise<number> {
  let staged: StagedDocument | undefined;
  const body = piecesOf(ctx.body?.bytes ?? Readable.from([]));
  try {
    const document = (staged = await ctx.documents.stage(
      limitMegabytes(body, ctx.settings.get(importMegabytesMax), 'file'),
      { fileName: named.fileName, sealed: true },
    ));
    return await ctx.inTransaction((own) => createImportFile(own, { ...named, template, document, status: 'New' }));
  } finally {
    if (staged) await discardStaged(ctx, [staged]);
  }
}
