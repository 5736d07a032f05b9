import { bytesOf, type FileContent } from '../../contracts/file-content.ts';
import type { Context } from '../../kernel/door/context.ts';
import { PlatformError } from '../../kernel/door/errors.ts';
import { sandboxScope } from '../../kernel/security/identity.ts';
import type { MergeData } from './merge-data.ts';

/** The largest stylesheet in bytes. */
const STYLESHEET_BYTES_MAX = 1024 * 1024;

/**
 * Returns the body that a stylesheet renders from the data of a message.
 * @throws BAD_TEMPLATE
 */
export async function stylesheetBody(
  ctx: Context,
  documentId: number,
  file: FileContent | undefined,
  data: MergeData,
): Promise<string> {
  const stylesheet = await stylesheetText(documentId, file);
  try {
    const output = await ctx.sandbox.transform({
      stylesheet,
      xml: await data.document(),
      scope: sandboxScope(ctx.user),
      wellFormed: false,
    });
    return output.replace(/^\uFEFF?\s*<\?xml[^>]*\?>\s*/, '');
  } catch (error) {
    if (!(error instanceof PlatformError) || !['BAD_STYLESHEET', 'BAD_OUTPUT'].includes(error.code)) throw error;
    throw badStylesheet(documentId, error.message);
  }
}

/** Returns the text of a stylesheet of a template. Throws BAD_TEMPLATE for a document that is none. */
export async function stylesheetText(documentId: number, file: FileContent | undefined): Promise<string> {
  if (!file) throw badStylesheet(documentId, 'the document has no file');
  return textOf(file, documentId);
}

async function textOf(file: FileContent, documentId: number): Promise<string> {
  if (file.size > STYLESHEET_BYTES_MAX)
    throw badStylesheet(documentId, `it is larger than ${STYLESHEET_BYTES_MAX} bytes`);
  return (await bytesOf(file)).toString('utf8').replace(/^\uFEFF/, '');
}

/** Returns the error of a document that cannot render the body of a message. */
export function badStylesheet(documentId: number, reason: string): PlatformError {
  return new PlatformError('BAD_TEMPLATE', {
    field: 'BodyXsltID',
    message: `BodyXsltID: document ${documentId} cannot render the body: ${reason}`,
  });
}
