import type { ImportEngine, ImportSource } from '../../../../contracts/import-engine.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { readRecord } from '../../../../kernel/records/search/read.ts';
import { importTemplate, type PipelineTemplate } from './import-template.ts';

/** The contract of engines, as providers are registered under it. */
export const IMPORT_ENGINE = 'import-engine';

/** An import file with all that a run or a look at it needs. */
export interface OpenImportFile {
  readonly importFileId: number;
  readonly name: string;
  readonly status: string;
  readonly organizationId: number | null;
  readonly template: PipelineTemplate;
  readonly engine: ImportEngine;
  readonly source: ImportSource;
}

/** Opens an import file within the caller's reach. @throws NOT_FOUND; UNAVAILABLE where its document's storage lacks it */
export async function openImportFile(ctx: Context, importFileId: number): Promise<OpenImportFile> {
  const file = await readRecord(ctx.db, ctx.registry.requireRecord('ImportFile', 'ID'), importFileId);
  const { ImportFileTemplateID: templateId, PreTransformID: documentId, OrganizationID: organizationId } = file;
  if (typeof templateId !== 'number')
    throw new PlatformError('STATE_REFUSES', {
      field: 'ID',
      message: 'ID: the import file has no template; it cannot be imported.',
    });
  if (typeof documentId !== 'number')
    throw new PlatformError('STATE_REFUSES', {
      field: 'ID',
      message: 'ID: the import file has no source document (PreTransformID).',
    });
  const template = await importTemplate(ctx, templateId);
  return {
    importFileId,
    name: String(file['ImportFile'] ?? importFileId),
    status: String(file['Status'] ?? 'New'),
    organizationId: typeof organizationId === 'number' ? organizationId : null,
    template,
    engine: requireEngine(ctx, template),
    source: await openSource(ctx, documentId, String(file['ImportFile'] ?? '')),
  };
}

/**
 * The engine that a template names, for a user who may use it.
 * @throws UNKNOWN_PROVIDER that lists the known ones; NO_PERMISSION for a firm's user where the template or its engine is not for firms
 */
export function requireEngine(ctx: Pick<Context, 'providers' | 'user'>, template: PipelineTemplate): ImportEngine {
  const engine = permittedEngine(ctx, template);
  if (!engine)
    throw new PlatformError('NO_PERMISSION', {
      field: 'Template',
      message: `Template: ${template.name} is for users with universal access.`,
    });
  return engine;
}

/** The same, undefined where the user may not use it. */
export function permittedEngine(
  ctx: Pick<Context, 'providers' | 'user'>,
  template: PipelineTemplate,
): ImportEngine | undefined {
  const engine = ctx.providers.get<ImportEngine>(IMPORT_ENGINE, template.engine);
  return ctx.user.universal || (!template.internal && !engine.universalOnly) ? engine : undefined;
}

/** A document as engines read it. The file's name is the submission's, where it has one. */
export async function openSource(ctx: Context, attachmentId: number, name: string): Promise<ImportSource> {
  const document = await readRecord(ctx.db, ctx.registry.requireRecord('Attachment', 'PreTransformID'), attachmentId);
  const content = await ctx.documents.content(document);
  return {
    fileName: name === '' ? content.fileName : name,
    size: content.size,
    open: () => content.open(),
    part: (start, end) => content.part(start, end),
  };
}
