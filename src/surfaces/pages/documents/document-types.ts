import type { PageCall } from '../page-call.ts';
import type { TypeOption } from './upload-form.ts';

/** Types to choose from. */
const TYPES_MAX = 200;

/** Returns the document types that the user sees, by name. */
export async function documentTypes(call: PageCall): Promise<readonly TypeOption[]> {
  if (!call.may('attachmenttemplate/search')) return [];
  const { answer } = await call.call('attachmenttemplate/search', {
    SqlColumns: 'AttachmentTemplateID,AttachmentTemplate,Status',
    OrderBy: 'AttachmentTemplate',
    DisplaySize: TYPES_MAX,
    RecordCount: 'false',
  });
  return answer.rows
    .filter(({ Status: status }) => status !== 'Inactive')
    .map((row) => ({
      id: row.AttachmentTemplateID,
      name: (row.AttachmentTemplate ?? '') || `Type ${row.AttachmentTemplateID}`,
    }));
}
