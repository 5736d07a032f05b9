import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import type { KnownParent } from '../../../../kernel/records/save/resolve-references.ts';
import type { XmlElement } from '../../../../kernel/xml/element.ts';
import { referenceOf, savedRecord } from './item-log.ts';
import { leafValues, templateId, type NestedTarget } from './nested-target.ts';

/** A document by what identifies it on its case. */
interface DocumentIdentity {
  readonly template: number;
  readonly hash: string;
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
      const identity = { template, hash: file.hash, fileName: values['FileName'] ?? '' };
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
  { template, hash, fileName }: DocumentIdentity,
): Promise<number | undefined> {
  const [same] = await ctx.db.query<{ id: number }>(
    `select attachmentid as id from attachment where object = $1::text and objectid = $2::bigint
      and attachmenttemplateid = $3::bigint and filehash = $4::text
      and coalesce(filename, '') collate "C" = $5::text limit 1`,
    [parent.record.name, parent.id, template, hash, fileName],
  );
  return same?.id;
}
