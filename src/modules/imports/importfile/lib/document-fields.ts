import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import type { Parameters } from '../../../../kernel/parameters/parameters.ts';
import { bad } from '../../../../kernel/parameters/parse-value.ts';
import { planOptions, planSave } from '../../../../kernel/records/save/plan.ts';
import { assertSaveAllowed } from '../../../../kernel/records/save/save-authorization.ts';

const PREFIX = /^attachment_/i;

/**
 * Returns the `Attachment_{Field}` parameters of a call without their prefix, checked before anything is done.
 * `onImportFile`: the documents are attached to their import files.
 * @throws UNKNOWN_PARAMETER, BAD_PARAMETER
 */
export async function documentFields(
  ctx: Context,
  rest: Parameters,
  onImportFile: boolean,
): Promise<Readonly<Record<string, string>>> {
  const fields: Record<string, string> = {};
  for (const [name, value] of Object.entries(rest)) {
    if (!PREFIX.test(name))
      throw new PlatformError('UNKNOWN_PARAMETER', {
        field: name,
        message: `${name}: unknown parameter. Fields of each document start with Attachment_.`,
      });
    if (typeof value === 'object' && value !== null) throw bad(name, 'one value');
    fields[name.replace(PREFIX, '')] = value === null ? '' : String(value);
  }
  const plan = planSave(ctx.registry, ctx.registry.recordType('Attachment'), fields, planOptions(ctx));
  const { values } = plan;
  if (plan.id !== undefined || plan.subscriberId !== undefined)
    throw bad('Attachment_ID', 'no identity: each file becomes a new document');
  if (values.FileName !== undefined) throw bad('Attachment_FileName', 'no value: a document is named after its file');
  if (onImportFile && (values.Object !== undefined || values.ObjectID !== undefined))
    throw bad('Attachment_Object', 'no value with an import type: the document is attached to its import file');
  await assertSaveAllowed(ctx, plan);
  return fields;
}
