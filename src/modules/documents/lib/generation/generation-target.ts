import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { isA, type Registry } from '../../../../kernel/declare/registry.ts';
import type { Parameters } from '../../../../kernel/parameters/parameters.ts';
import { bad } from '../../../../kernel/parameters/parse-value.ts';
import { findTemplate } from '../../../../kernel/records/save/template.ts';
import type { DocumentParent } from './document-data.ts';
import { requireDocumentType, type DocumentType } from './document-type.ts';
import { assertMethodValues } from './method-values.ts';
import { parentRecord } from './parent-record.ts';

/** The parameters by which a call names what it generates, and for which record. */
export interface TargetNames {
  readonly Template?: string | null | undefined;
  readonly TemplateID?: number | null | undefined;
  readonly Object?: string | null | undefined;
  readonly ObjectID?: number | null | undefined;
}

/** What is generated, and the record that it is saved on. */
export interface GenerationTarget {
  readonly type: DocumentType;
  readonly parent: DocumentParent;
}

/** Returns the document type and the record that a call names. Throws for values that the type does not take. */
export async function readTarget(ctx: Context, params: TargetNames, values: Parameters): Promise<GenerationTarget> {
  const parent = await parentRecord(ctx, params.Object, params.ObjectID);
  if (!parent)
    throw new PlatformError('MISSING_PARAMETER', {
      field: 'ObjectID',
      message: 'ObjectID: expected Object and ObjectID, the record that the document is saved on.',
    });
  const type = await namedType(ctx, params, parent);
  assertMethodValues(type, values);
  return { type, parent };
}

async function namedType(
  ctx: Context,
  { Template, TemplateID }: TargetNames,
  parent: DocumentParent,
): Promise<DocumentType> {
  if (typeof TemplateID === 'number') {
    const type = await requireDocumentType(ctx, TemplateID, 'TemplateID');
    assertApplies(ctx.registry, type, parent);
    return type;
  }
  if (typeof Template !== 'string')
    throw new PlatformError('MISSING_PARAMETER', {
      field: 'Template',
      message: 'Template: expected Template or TemplateID, the document type.',
    });
  const { id } = await findTemplate(ctx, ctx.registry.recordType('AttachmentTemplate'), {
    name: Template,
    parentClass: parent.record.name,
    field: 'Template',
  });
  return requireDocumentType(ctx, id, 'Template');
}

/** Throws unless a document type is for records of the parent's type. */
function assertApplies(registry: Registry, { name, appliesTo }: DocumentType, { record }: DocumentParent): void {
  const applicable = appliesTo === null ? undefined : registry.record(appliesTo);
  if (applicable && !isA(record, applicable))
    throw bad('TemplateID', `a document type for ${record.name}; "${name}" is for ${applicable.name} only`);
}
