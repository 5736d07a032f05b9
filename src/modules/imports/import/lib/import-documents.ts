import type { Context } from '../../../../kernel/door/context.ts';
import type { StoredFileRow } from '../../../../kernel/ports/documents.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import type { KnownParent } from '../../../../kernel/records/save/resolve-references.ts';
import type { XmlElement } from '../../../../kernel/xml/element.ts';
import { referenceOf, savedRecord } from './item-log.ts';
import { leafValues, templateId, type NestedTarget } from './nested-target.ts';

/** A document by what identifies it on its case. */
interface DocumentIdentity {
  readonly template: number;
  readonly hash: string;
  readonly size: number;
  readonly fileName: string;
}

/**
 * Saves documents; one with the same template, content and file name that the case already has is not added again.
 */
export async function importDocuments(
  ctx: Context,
  elements: readonly XmlElement[],
  { parent, isNewCase, files, log }: NestedTarget,
): Promise<void> {
  const record = ctx.registry.recordType('Attachment');
  const sent = new Set<string>();
  for (const element of elements) {
    await log.saveNested(ctx, record, element, async () => {
      const { Template: name = '', Content: token = '', ...values } = leafValues(element);
      const file = files.get(token);
      if (!file)
        throw new PlatformError('BAD_PARAMETER', {
          field: 'Content',
          message: 'Content: the file is missing from the submission.',
        });
      const template = await templateId(ctx, 'AttachmentTemplate', name, parent);
      const identity = { template, hash: file.hash, size: file.size, fileName: values['FileName'] ?? '' };
      const known = JSON.stringify(identity);
      const same = isNewCase && !sent.has(known) ? undefined : await findSameDocument(ctx, parent, identity);
      sent.add(known);
      if (same !== undefined) {
        log.unchanged(record.name, same, referenceOf(element));
        return undefined;
      }
      return savedRecord(
        await ctx.call(
          'attachment/save',
          { TemplateID: template, Object: parent.record.name, ObjectID: parent.id, Staged: file.token },
          values,
        ),
        undefined,
      );
    });
  }
}

async function findSameDocument(
  ctx: Context,
  parent: KnownParent,
  { template, hash, size, fileName }: DocumentIdentity,
): Promise<number | undefined> {
  const rows = await ctx.db.query<StoredFileRow & { id: number; FileHash: string | null }>(
    `select attachmentid as id, filepath as "FilePath", fileobject as "FileObject", filesize as "FileSize",
       filename as "FileName", mimetype as "MimeType", sealed as "Sealed", filehash as "FileHash"
     from attachment
     where object = $1::text and objectid = $2::bigint and attachmenttemplateid = $3::bigint
       and (filehash = $4::text or sealed and filehash is null and filesize = $6::bigint)
       and coalesce(filename, '') collate "C" = $5::text
     order by filehash is null, attachmentid`,
    [parent.record.name, parent.id, template, hash, fileName, size],
  );
  // Sealed files have no stored hash: only those of the same name and size are read.
  for (const row of rows) if ((row.FileHash ?? (await ctx.documents.sha256(row))) === hash) return row.id;
  return undefined;
}
