import type { FileContent } from '../../../../contracts/file-content.ts';
import { GENERATOR, type Generator } from '../../../../contracts/generator.ts';
import {
  assertOptions,
  optionValues,
  plainOptions,
  type OptionValues,
} from '../../../../contracts/provider-options.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import type { DocumentRow } from '../../../../kernel/ports/documents.ts';
import type { Db } from '../../../../kernel/database/store.ts';
import { notFoundText } from '../../../../kernel/records/search/read.ts';

/** A document type with what its generation needs. */
export interface DocumentType {
  readonly id: number;
  readonly name: string;
  readonly appliesTo: string | null;
  /** The method signature that returns its data; empty for the record's summary. */
  readonly method: string;
  /** The name of its generator. */
  readonly generator: string | null;
  /** The storage location of its documents; null for the first one. */
  readonly location: string | null;
  /** The generator's options, as a query string. */
  readonly options: string;
}

/** Returns a document type, cached until configuration changes. Throws BAD_PARAMETER, naming `field`, without one. */
export async function requireDocumentType(ctx: Context, id: number, field: string): Promise<DocumentType> {
  const found =
    (await ctx.configuration.get(`documenttype:${id}`, () => loadDocumentType(ctx.configuration.db, id))) ??
    // Not among the committed ones: this transaction may have created it.
    (await loadDocumentType(ctx.db, id));
  if (!found)
    throw new PlatformError('BAD_PARAMETER', {
      field,
      message: `${field}: ${notFoundText({ name: 'AttachmentTemplate' }, id)}`,
    });
  return found;
}

async function loadDocumentType(db: Db, id: number): Promise<DocumentType | undefined> {
  const [row] = await db.query<DocumentType>(
    `select attachmenttemplateid as id, coalesce(attachmenttemplate, '') as name, appliesto as "appliesTo",
       coalesce(btrim(method), '') as method, nullif(btrim(attachmentservice), '') as generator,
       nullif(btrim(fileobjectassembly), '') as location, coalesce(options, '') as options
     from attachmenttemplate where attachmenttemplateid = $1::bigint`,
    [id],
  );
  return row;
}

/** Returns a document type's generator. Throws STATE_REFUSES if it names none, UNKNOWN_PROVIDER if it is unknown. */
export function generatorOf(
  ctx: Pick<Context, 'providers'>,
  type: Pick<DocumentType, 'name' | 'generator'>,
): Generator {
  if (type.generator === null)
    throw new PlatformError('STATE_REFUSES', {
      field: 'Template',
      message:
        `Template: "${type.name}" has no generator; set AttachmentService to one of ` +
        `${ctx.providers.names(GENERATOR).join(', ')}.`,
    });
  return ctx.providers.get(GENERATOR, type.generator);
}

/** Throws MISSING_PARAMETER or BAD_PARAMETER unless the options are those of a generator. */
export function assertGeneratorOptions(name: string, { options: declared }: Generator, options: string): void {
  assertOptions({ type: name, noun: 'document type', declared }, plainOptions(options));
}

/** Returns the values of a document type's options. */
export function generatorOptions({ options: declared }: Generator, { options }: DocumentType): OptionValues {
  return optionValues(declared, plainOptions(options));
}

/**
 * Returns the template of a document type: the newest document of its own record; undefined if it has none. Read
 * without row security, because whoever may generate a document need not reach the configuration that it is made from.
 */
export async function templateFile(ctx: Context, typeId: number): Promise<FileContent | undefined> {
  const [row] = await ctx.transaction().elevated((db) =>
    db.query<DocumentRow>(
      `select filename as "FileName", filepath as "FilePath", fileobject as "FileObject", filesize as "FileSize",
         mimetype as "MimeType", sealed as "Sealed", scanstate as "ScanState"
       from attachment
       where object = 'AttachmentTemplate' and objectid = $1::bigint and filepath is not null
       order by attachmentid desc limit 1`,
      [typeId],
    ),
  );
  return row && ctx.documents.content(row);
}
