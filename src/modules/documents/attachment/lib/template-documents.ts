import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';

const PERMISSION = 'AttachmentTemplateSave';

/**
 * Throws NO_PERMISSION if a document belongs to a document type, as its template or a former one, and the user may not
 * save document types. Otherwise everybody who adds documents could change what all letters say.
 */
export async function assertMayChangeTemplate(ctx: Context, id: number): Promise<void> {
  if (ctx.user.permissions.has(PERMISSION)) return;
  const [found] = await ctx.db.query(
    "select 1 from attachment where attachmentid = $1::bigint and object = 'AttachmentTemplate'",
    [id],
  );
  if (!found) return;
  throw new PlatformError('NO_PERMISSION', {
    message:
      `The permission ${PERMISSION} is not granted to you; changing the documents of a document type requires it, ` +
      'because its newest document is its template.',
  });
}
