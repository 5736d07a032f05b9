import type { FileContent } from '../../../../contracts/file-content.ts';
import type { GeneratedFile, GeneratorSource } from '../../../../contracts/generator.ts';
import { timeZone } from '../../../../kernel/declare/core-settings.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { documentLocale, generateSeconds } from '../../attachment/settings.ts';
import { dataDocument, documentData, type DataSource } from './document-data.ts';
import { generatorOf, generatorOptions, templateFile, type DocumentType } from './document-type.ts';

/** What is generated. */
export interface Generation extends Omit<DataSource, 'document'> {
  readonly type: DocumentType;
  /** A template to use instead of the document type's own, as in a preview. */
  readonly template?: FileContent;
}

/**
 * Generates a document and passes it on. Generators that stream tables work inside a transaction, in which their rows
 * are read; all others work after it, so that a slow one holds none.
 *
 * @throws STATE_REFUSES, UNKNOWN_PROVIDER for the generator; MISSING_PARAMETER; BAD_TEMPLATE; what reading data throws
 */
export async function generateDocument<T>(
  ctx: Context,
  generation: Generation,
  use: (file: GeneratedFile) => Promise<T>,
): Promise<T> {
  const { type } = generation;
  const generator = generatorOf(ctx, type);
  const read = (own: Context): Promise<GeneratorSource> =>
    sourceOf(own, generation, (id) => ctx.inTransaction((later) => dataDocument(later, id)));
  if (generator.reads === 'tables')
    return ctx.inTransaction(async (own) => use(await generator.generate(await read(own))));
  return use(await generator.generate(await ctx.inTransaction(read)));
}

/**
 * Generates a document and passes it on, all in the transaction of the context, which a slow generator holds meanwhile:
 * for a document without which the rest of the call must not commit.
 */
export async function generateInTransaction<T>(
  ctx: Context,
  generation: Generation,
  use: (file: GeneratedFile) => Promise<T>,
): Promise<T> {
  const source = await sourceOf(ctx, generation, (id) => dataDocument(ctx, id));
  return use(await generatorOf(ctx, generation.type).generate(source));
}

async function sourceOf(
  ctx: Context,
  generation: Generation,
  document: DataSource['document'],
): Promise<GeneratorSource> {
  const { type } = generation;
  const generator = generatorOf(ctx, type);
  return {
    template: generation.template ?? (await templateOf(ctx, generation)),
    options: generatorOptions(generator, type),
    data: await documentData(ctx, generator.reads, { ...generation, document }),
    locale: ctx.settings.get(documentLocale),
    timeZone: ctx.settings.get(timeZone),
    now: ctx.clock.now(),
    signal: AbortSignal.timeout(ctx.settings.get(generateSeconds) * 1_000),
  };
}

async function templateOf(ctx: Context, { type }: Generation): Promise<FileContent | undefined> {
  const generator = generatorOf(ctx, type);
  if (generator.templates.length === 0) return undefined;
  const template = await templateFile(ctx, type.id);
  if (template === undefined && generator.needsTemplate)
    throw new PlatformError('STATE_REFUSES', {
      field: 'Template',
      message: `Template: "${type.name}" has no template file; add one as a document of AttachmentTemplate ${type.id}.`,
    });
  return template;
}
