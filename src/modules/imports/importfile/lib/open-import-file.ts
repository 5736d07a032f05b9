import { IMPORT_ENGINE, type ImportEngine, type ImportSource } from '../../../../contracts/import-engine.ts';
import type { Row } from '../../../../kernel/door/answer.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { readRecord } from '../../../../kernel/records/search/read.ts';
import { submissionName } from './file-answer.ts';
import { importTemplate, type PipelineTemplate } from './import-template.ts';
import type { importFile } from '../importfile.record.ts';
import type { DocumentRow } from '../../../../kernel/ports/documents.ts';

/** An import file with everything that a run or an inspection needs. */
export interface OpenImportFile {
  readonly importFileId: number;
  readonly name: string;
  readonly status: string;
  readonly organizationId: number | null;
  readonly template: PipelineTemplate;
  readonly engine: ImportEngine;
  readonly source: ImportSource;
}

/**
 * Opens an import file from its row.
 * @throws STATE_REFUSES if it has no import type or document; UNAVAILABLE if the storage of its document lacks it
 */
export async function openImportFile(ctx: Context, file: Row<typeof importFile>): Promise<OpenImportFile> {
  const importFileId = file.ImportFileID;
  const { ImportFileTemplateID: templateId, PreTransformID: documentId, OrganizationID: organizationId } = file;
  if (templateId === null)
    throw new PlatformError('STATE_REFUSES', {
      field: 'ID',
      message: 'ID: the import file has no import type (ImportFileTemplateID) and cannot be imported.',
    });
  if (documentId === null)
    throw new PlatformError('STATE_REFUSES', {
      field: 'ID',
      message: 'ID: the import file has no source document (PreTransformID).',
    });
  const template = await importTemplate(ctx, templateId);
  const engine = requireEngine(ctx, template);
  const document = await readRecord(ctx.db, ctx.registry.recordType('Attachment'), documentId);
  return {
    importFileId,
    name: submissionName(file),
    status: file.Status ?? 'New',
    organizationId,
    template,
    engine,
    source: await openSource(ctx, document, file.ImportFile ?? ''),
  };
}

/**
 * Returns an import type's engine for a user who may use it.
 * @throws UNKNOWN_PROVIDER listing the known ones; NO_PERMISSION for a firm's user if the import type or its engine is
 * not for firms
 */
export function requireEngine(ctx: Pick<Context, 'providers' | 'user'>, template: PipelineTemplate): ImportEngine {
  const engine = permittedEngine(ctx, template);
  if (!engine)
    throw new PlatformError('NO_PERMISSION', {
      field: 'Template',
      message: `Template: ${template.name} requires universal access.`,
    });
  return engine;
}

/** Returns the engine, or undefined if the user may not use it. */
export function permittedEngine(
  ctx: Pick<Context, 'providers' | 'user'>,
  template: PipelineTemplate,
): ImportEngine | undefined {
  const engine = ctx.providers.get(IMPORT_ENGINE, template.engine);
  return ctx.user.universal || (!template.internal && !engine.universalOnly) ? engine : undefined;
}

/** Opens a document as a source of engines, named after the submission if that has a name. */
export async function openSource(ctx: Context, document: DocumentRow, name: string): Promise<ImportSource> {
  const content = await ctx.documents.content(document);
  return {
    fileName: name === '' ? content.fileName : name,
    size: content.size,
    open: () => content.open(),
    part: (start, end) => content.part(start, end),
  };
}
